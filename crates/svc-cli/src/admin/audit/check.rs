//! `svc audit check`: writes to connected databases without a line in the audit trail, or of unknown outcome.

use std::{collections::HashMap, time::Duration};

use clap::Args;
use jiff::Timestamp;
use svc_data::{ErrorKind, Resource};
use svc_model::{RecordView, Scope};
use svc_store::{AuditFilter, AuditLine, Store};

use crate::{
    admin::moment::moment,
    connect,
    context::Context,
    error::Error,
    output::{FormatArg, counted, row, time, to_row},
};

/// How many lines are read at most.
const MOST: u32 = 10_000;
/// How long a database may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which lines are checked.
#[derive(Args)]
pub(crate) struct Check {
    /// Not before this time: 7d, 12h ago, or a date or time such as 2027-01-31
    #[arg(long, value_name = "T", value_parser = moment)]
    since: Option<Timestamp>,
}

impl Check {
    pub(super) async fn run(self, context: &Context, store: &Store) -> Result<(), Error> {
        let since = self.since;
        let mut found: Vec<(&'static str, AuditLine)> = Vec::new();
        for missing in store.audit().missing_lines().await? {
            let finding = match (missing.line.outcome_is_unknown, missing.service_runs) {
                // A running service is at it just now, and settles it by itself.
                (true, true) => continue,
                (true, false) => "no line, outcome unknown",
                (false, true) => {
                    "no line yet; the running service writes it once the store takes it"
                }
                (false, false) => "no line; the next start of the service writes it",
            };
            if since.is_none_or(|since| missing.line.time >= since) {
                found.push((finding, missing.line));
            }
        }
        let mut filter = AuditFilter::default();
        filter.outcome_is_unknown = true;
        filter.since = since;
        let lines = store.audit().list(&filter, MOST).await?;
        found.extend(lines.into_iter().map(|line| ("outcome unknown", line)));
        let mut databases = Databases {
            store,
            known: HashMap::new(),
        };
        let mut rows = Vec::with_capacity(found.len());
        for (finding, line) in &found {
            rows.push(to_row(&row! {
                time: time(line.time),
                finding: finding,
                action: &line.action,
                project: &line.project,
                environment: &line.environment,
                resource: &line.resource,
                model: &line.model,
                record: &line.record,
                records: line.records,
                actor: &line.actor.label,
                request_id: &line.request_id,
                record_now: databases.state(line).await,
            })?);
        }
        let (number, output) = (rows.len(), &context.output);
        if number == 0 && !output.is_json() {
            output.note("every write that is known has its line, and its outcome is known");
            return Ok(());
        }
        output.rows(FormatArg::default(), rows)?;
        match number {
            0 => Ok(()),
            number => Err(Error::new(format!(
                "{} without a line or of unknown outcome; compare the records with what their callers meant to write",
                counted(number, "write")
            ))),
        }
    }
}

/// The databases that were connected so far.
struct Databases<'a> {
    store: &'a Store,
    known: HashMap<[String; 3], Option<Resource>>,
}

impl Databases<'_> {
    /// What the database has now under the key of a line, compared with the last line about this record.
    async fn state(&mut self, line: &AuditLine) -> String {
        let (Some(model), Some(record)) = (&line.model, &line.record) else {
            return "no key is known".to_owned();
        };
        let Some(resource) = self.resource(line).await else {
            return "the database cannot be reached".to_owned();
        };
        let Ok(found) = resource.find_model(model).await else {
            return "the model is not there".to_owned();
        };
        let view = RecordView::default();
        let record_now = resource.retrieve(&found, record, &view);
        match tokio::time::timeout(PATIENCE, record_now).await {
            Ok(Ok(now)) => {
                let tag = now.etag.trim_matches('"');
                match self.last_tag(line).await {
                    _ if line.after.as_deref() == Some(tag) => "as this write left it",
                    Some(last) if last == tag => "as the last line says",
                    Some(_) => "not as the last line says",
                    None => "there; no other line is about it",
                }
                .to_owned()
            }
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound => "not there".to_owned(),
            Ok(Err(_)) | Err(_) => "the database did not answer".to_owned(),
        }
    }

    /// The tag that the last line about a record left, of those with a known outcome.
    async fn last_tag(&self, line: &AuditLine) -> Option<String> {
        let mut filter = AuditFilter::default();
        filter.project = line.project.as_deref().map(Into::into);
        filter.environment = line.environment.as_deref().map(Into::into);
        filter.resource.clone_from(&line.resource);
        filter.model.clone_from(&line.model);
        filter.record.clone_from(&line.record);
        let lines = self.store.audit().list(&filter, 100).await.ok()?;
        let mut known = lines.into_iter().filter(|line| !line.outcome_is_unknown);
        known.next()?.after
    }

    async fn resource(&mut self, line: &AuditLine) -> Option<Resource> {
        let place = [&line.project, &line.environment, &line.resource];
        let key = place.map(|name| name.clone().unwrap_or_default());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let [project, environment, resource] = key.each_ref().map(String::as_str);
        let resources = self.store.resources();
        let scope = Scope::new(project, environment);
        let found = resources.get(&scope, &resource.into()).await;
        let connected = match found {
            Ok(found) => {
                let opened = tokio::time::timeout(PATIENCE, connect::open(resource, &found.url));
                opened.await.ok().and_then(Result::ok)
            }
            Err(_) => None,
        };
        self.known.insert(key, connected.clone());
        connected
    }
}
