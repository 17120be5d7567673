//! `svc audit`: the audit trail.

mod check;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::to_raw_value;
use svc_api::{Filter, ListQuery, Lookup, PageStream, model::administration::audit::Line};
use svc_model::{EnvironmentName, JsonObject, ProjectName};

use super::{
    moment::moment,
    scope::PROJECTS,
    service::{Command, Service, ServiceAddress, ServiceResult as _},
};
use crate::{
    context::Context,
    error::{Error, OrJson as _},
    output::{Format, FormatArg, RowWriter, answered_time, counted, row, to_row},
};

/// Lines that are read at a time.
const PER_PAGE: u32 = 1_000;

/// Show who wrote what
#[derive(Subcommand)]
pub(crate) enum Audit {
    /// List the lines of the audit trail, the newest first
    #[command(after_help = "Examples:\n  \
        svc audit list --project crm --since 7d\n  \
        svc audit list --project crm --resource shop --model orders --record 42\n  \
        svc audit list --actor ann@example.com --action pages\n  \
        svc audit list --all --format csv > audit.csv\n\n\
        Every write leaves a line: who, what, when, by which request, and the entity tags of what it was and what it \
        is. A table shows the essentials; the other formats have all of a line.")]
    List(Box<List>),
    /// List the writes whose line is missing, and those whose end is not known
    #[command(after_help = "Examples:\n  \
        svc audit check\n  \
        svc audit check --since 7d --json\n\n\
        A service notes each write to a connected database before it begins. When the service is killed, or its store \
        takes no line, a note stays: the write may have been done. Each is listed with what the database holds now. \
        The exit status is 1 when there are any.")]
    Check(check::Check),
}

/// Which lines, and how they are written.
#[derive(Args)]
pub(crate) struct List {
    /// Project
    #[arg(long, value_name = "P")]
    project: Option<ProjectName>,
    /// Environment of the project
    #[arg(long, value_name = "E")]
    env: Option<EnvironmentName>,
    /// What was done, such as records.update, or all of a group: records
    #[arg(long, value_name = "A")]
    action: Option<String>,
    /// Who did it: an e-mail address, the prefix or uid of a credential, or a kind such as static_token or program
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Resource
    #[arg(long, value_name = "R")]
    resource: Option<String>,
    /// Table or view
    #[arg(long, value_name = "M")]
    model: Option<String>,
    /// Key of a record, as in its path; uid of anything else
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    record: Option<String>,
    /// The request, by its X-Request-Id
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    request_id: Option<String>,
    /// Not before this time: 7d, 12h ago, or a date or time such as 2027-01-31
    #[arg(long, value_name = "T", value_parser = moment)]
    since: Option<Timestamp>,
    /// Before this time
    #[arg(long, value_name = "T", value_parser = moment)]
    until: Option<Timestamp>,
    /// The most lines [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: Option<u32>,
    /// All lines, written while they are read
    #[arg(long)]
    all: bool,
    /// In CSV: put an apostrophe in front of what a spreadsheet would calculate
    #[arg(long)]
    escape_formulas: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// A line as people read it.
fn short(line: &Line) -> impl Serialize {
    let place = [&line.project, &line.environment, &line.resource];
    let several = line.records.map(|records| counted(records, "record"));
    let parts = place
        .into_iter()
        .chain([&line.model, &line.record, &several]);
    let parts: Vec<&str> = parts.flatten().map(String::as_str).collect();
    let ending = match line.outcome.is_some() {
        true => " (outcome unknown)",
        false => "",
    };
    row! {
        time: answered_time(&line.time),
        actor: line.actor.clone().unwrap_or_else(|| line.actor_kind.clone()),
        action: format!("{}{ending}", line.action),
        what: parts.join(" / "),
        request_id: line.request_id.clone().unwrap_or_default(),
    }
}

/// Whether a line is about a record, by itself or among others.
fn is_about(line: &Line, key: &String) -> bool {
    let among = line.keys.as_ref().is_some_and(|keys| keys.contains(key));
    among || line.record.as_ref() == Some(key)
}

impl Command for Audit {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        match self {
            Self::List(list) => list.run(context, &at.connect(context).await?).await,
            Self::Check(check) => {
                if at.running(context)?.is_some() {
                    return Err(Error::usage(
                        "svc audit check reads the notes of the service beside its store; run it where the store is",
                    ));
                }
                check.run(context, &context.existing_store().await?).await
            }
        }
    }
}

impl List {
    async fn run(self, context: &Context, service: &Service) -> Result<(), Error> {
        let format = context.output.format(self.format);
        let most = match self.all {
            true => u64::MAX,
            false => self.limit.unwrap_or(100).into(),
        };
        let per_page = u32::try_from(most).unwrap_or(PER_PAGE).min(PER_PAGE);
        let escape_formulas = self.escape_formulas;
        let mut writer = RowWriter::to_stdout(format);
        let record = self.record.clone();
        let mut pages = self.pages(service, per_page)?;
        while writer.written() < most
            && let Some(page) = pages.try_next().await.or_missing(PROJECTS)?
        {
            let wanted = usize::try_from(most - writer.written()).unwrap_or(usize::MAX);
            let lines = page.results.iter();
            let lines = lines.filter(|line| record.as_ref().is_none_or(|key| is_about(line, key)));
            for line in lines.take(wanted) {
                let mut row = match format {
                    Format::Table => to_row(&short(line))?,
                    _ => to_row(line)?,
                };
                if escape_formulas && format == Format::Csv {
                    row = escape(&row)?;
                }
                writer.write(row)?;
            }
        }
        let written = writer.written();
        writer.finish()?;
        let output = &context.output;
        if format == Format::Table && written == 0 {
            output.note("no line of the audit trail is about this");
        } else if format == Format::Table && written == most {
            output.note(&format!(
                "the newest {written} lines; --limit shows more, --all all of them"
            ));
        }
        Ok(())
    }

    /// The pages of the lines, the newest first.
    fn pages(self, service: &Service, per_page: u32) -> Result<PageStream<Line>, Error> {
        let text = |time: Timestamp| time.to_string();
        let (since, until) = (self.since.map(text), self.until.map(text));
        match self.project.clone() {
            Some(project) => {
                let mut call = service.project(&project)?.audit().list_of_project();
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                Ok(call.query(self.query()).per_page(per_page).by_page())
            }
            None => {
                let mut call = service.administration()?.audit().list();
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                Ok(call.query(self.query()).per_page(per_page).by_page())
            }
        }
    }

    fn query(self) -> ListQuery {
        let is = |field: &str, value: &str| Filter::field(field, Lookup::Exact, value);
        let mut query = ListQuery::new().count(svc_api::Count::None);
        let environment = self.env.map(|environment| environment.to_string());
        for (field, value) in [
            ("environment", environment),
            ("resource", self.resource),
            ("model", self.model),
            ("request_id", self.request_id),
        ] {
            if let Some(value) = value {
                query = query.filter(field, Lookup::Exact, value);
            }
        }
        if let Some(action) = self.action {
            query = match action.contains('.') {
                true => query.filter("action", Lookup::Exact, action),
                false => query.filter("action", Lookup::Startswith, format!("{action}.")),
            };
        }
        let mut trees = Vec::new();
        if let Some(actor) = self.actor {
            let fields = ["actor_uid", "actor", "actor_kind"];
            trees.push(Filter::or(fields.map(|field| is(field, &actor))));
        }
        if let Some(record) = self.record {
            // A line about several records has their keys, of which the text of the column gives a first idea.
            let key = serde_json::Value::from(record.as_str()).to_string();
            let among = Filter::field("keys", Lookup::JsonIcontains, key);
            trees.push(Filter::or([is("record", &record), among]));
        }
        match trees.is_empty() {
            true => query,
            false => query.filter_tree(Filter::and(trees)),
        }
    }
}

/// Puts an apostrophe in front of texts that a spreadsheet would calculate: callers choose request ids and keys.
fn escape(row: &JsonObject) -> Result<JsonObject, Error> {
    let escaped = row.iter().map(|(name, value)| {
        let value = match serde_json::from_str::<String>(value.get()) {
            Ok(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
                to_raw_value(&format!("'{text}")).or_json("a line")?
            }
            _ => value.to_owned(),
        };
        Ok((name.to_owned(), value))
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_calculate_is_escaped_and_nothing_else() {
        let row: JsonObject =
            serde_json::from_str(r#"{"a":"=1+1","b":"plain","c":null,"d":"-x"}"#).unwrap();
        let text = serde_json::to_string(&escape(&row).unwrap()).unwrap();
        assert_eq!(text, r#"{"a":"'=1+1","b":"plain","c":null,"d":"'-x"}"#);
    }
}
