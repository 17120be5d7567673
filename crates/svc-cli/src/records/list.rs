//! `svc records list`: a page of records, or all of them while they arrive.

use std::io::{self, IsTerminal as _};

use clap::Args;
use svc_model::ListQuery;

use super::{
    Collection, Service, View,
    selection::{Selection, parse},
};
use crate::{
    context::Context,
    failure::Failure,
    pages::FormatArg,
    progress::Progress,
    rows::{Format, RowWriter},
};

/// Records that are asked for at a time when all are wanted.
const PER_PAGE_OF_ALL: u32 = 1_000;

/// List the records of a table or view
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records list shop orders --filter status=paid --filter total__gte=100 --order-by -created_at\n  \
    svc records list shop orders --filter status__in=paid,shipped --filter exclude__note__isnull=true\n  \
    svc records list shop orders --all --format csv > orders.csv\n\n\
    Lookups: exact (when none is named), ne, gt, gte, lt, lte, in, range, icontains, istartswith, \
    iendswith, contains, startswith, endswith, isnull, isempty, json_icontains, regex and coveredby where \
    the database has them.")]
pub(crate) struct List {
    #[command(flatten)]
    collection: Collection,
    #[command(flatten)]
    selection: Selection,
    /// Columns to order by, with - in front from the largest
    #[arg(long, value_name = "FIELD,...", allow_hyphen_values = true)]
    order_by: Option<String>,
    #[command(flatten)]
    view: View,
    /// Records on a page: 1 to 10000 [default: 25, with --all 1000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    per_page: Option<u32>,
    /// The page, from 1
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "all")]
    page: Option<u64>,
    /// All pages, written while they arrive
    #[arg(long)]
    all: bool,
    /// How the number of all matches is found: exact, estimated or none [default: exact, with --all none]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "estimated", "none"])]
    count: Option<String>,
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    format: FormatArg,
}

impl List {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let query = self.query()?;
        let format = context.output.format(self.format.format);
        let records = self.service.records(self.collection)?;
        let call = records.list().query(query);
        if !self.all {
            let page = call.send().await?;
            let (shown, more, count) = (page.results.len(), page.has_next(), page.count);
            RowWriter::to_stdout(format).write_all(page.results)?;
            if format == Format::Table {
                context.output.note(&summary(shown, more, count));
            }
            return Ok(());
        }
        let mut pages = call.by_page();
        let mut writer = RowWriter::to_stdout(format);
        // Progress would be drawn into a table.
        let mut progress =
            Progress::new(context.output.shows_progress() && !io::stdout().is_terminal());
        while let Some(page) = pages.try_next().await? {
            for record in page.results {
                writer.write(record)?;
            }
            progress.show(writer.written());
        }
        progress.end();
        writer.finish()
    }

    /// The query, read by the grammar that the service reads it with.
    fn query(&self) -> Result<ListQuery, Failure> {
        let mut query = self.selection.query_string()?;
        let parameters = [
            ("_order_by", self.order_by.as_deref()),
            ("tz", self.view.tz.as_deref()),
            (
                "_count",
                self.count.as_deref().or(self.all.then_some("none")),
            ),
        ];
        for (key, value) in parameters {
            if let Some(value) = value {
                query.push(key, value);
            }
        }
        let mut query = parse(query.as_str())?;
        query.fields.clone_from(&self.view.fields);
        query.per_page = self.per_page.or(self.all.then_some(PER_PAGE_OF_ALL));
        query.page = self.page.unwrap_or(1);
        Ok(query)
    }
}

/// What people are told below a page.
fn summary(shown: usize, more: bool, count: Option<u64>) -> String {
    let of = count.map_or_else(String::new, |count| format!(" of {count}"));
    let rest = if more {
        "; --page shows another page, --all all of them"
    } else {
        ""
    };
    format!("{shown}{of} records{rest}")
}

#[cfg(test)]
mod tests {
    use clap::{Parser, error::ErrorKind};
    use svc_model::Lookup;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        list: List,
    }

    fn parse(arguments: &[&str]) -> Result<List, clap::Error> {
        let fixed = ["svc", "shop", "orders", "--project", "demo"];
        Command::try_parse_from(fixed.iter().chain(arguments)).map(|command| command.list)
    }

    fn query(arguments: &[&str]) -> Result<String, Failure> {
        parse(arguments)
            .unwrap()
            .query()
            .map(|query| query.to_query_string().as_str().to_owned())
    }

    #[test]
    fn options_become_the_query_of_the_contract() {
        assert_eq!(
            query(&[
                "--filter=status=paid",
                "--filter=total__gte=1=2",
                "--filter=exclude__note__isnull=true",
                "--filter=id__in=1,2",
                "--order-by",
                "-created_at,id",
                "--fields=id,total",
                "--per-page=50",
                "--page=3",
            ])
            .unwrap(),
            "status=paid&total__gte=1%3D2&exclude__note__isnull=true&id__in=1,2&_order_by=-created_at,id\
             &_fields=id,total&_per_page=50&page=3"
        );
    }

    #[test]
    fn all_asks_for_large_pages_without_a_count() {
        assert_eq!(query(&["--all"]).unwrap(), "_count=none&_per_page=1000");
        assert_eq!(
            query(&["--all", "--count=exact"]).unwrap(),
            "_per_page=1000"
        );
        let clash = parse(&["--all", "--page=2"]).err().unwrap();
        assert_eq!(clash.kind(), ErrorKind::ArgumentConflict);
    }

    #[test]
    fn a_field_of_any_name_is_left_to_the_service_to_judge() {
        assert_eq!(query(&["--filter=a__typo=1"]).unwrap(), "a__typo__exact=1");
        assert_eq!(
            query(&["--filter=größe__gt=1"]).unwrap(),
            "gr%C3%B6%C3%9Fe__gt=1"
        );
    }

    #[test]
    fn the_help_names_every_lookup() {
        let mut command = <Command as clap::CommandFactory>::command();
        let help = command.render_long_help().to_string();
        for lookup in Lookup::ALL {
            let named = help
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .any(|word| word == lookup.as_str());
            assert!(named, "{lookup}");
        }
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        for filter in ["status", "_per_page=3", "page=2", "total__range=1"] {
            assert!(
                matches!(query(&["--filter", filter]), Err(Failure::Usage(_))),
                "{filter}"
            );
        }
        assert!(matches!(
            query(&["--filter-tree", "{"]),
            Err(Failure::Usage(_))
        ));
        assert!(parse(&["--per-page=10001"]).is_err());
        assert!(parse(&["--page=0"]).is_err());
    }

    #[test]
    fn a_page_says_how_much_it_shows() {
        assert_eq!(
            summary(25, true, Some(100)),
            "25 of 100 records; --page shows another page, --all all of them"
        );
        assert_eq!(summary(3, false, None), "3 records");
    }
}
