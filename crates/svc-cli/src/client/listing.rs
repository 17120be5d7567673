//! Lists of all kinds: the options that they have in common, and how they are written.

use std::io::{self, IsTerminal as _};

use clap::Args;
use svc_api::PageStream;
use svc_model::{CountIs, JsonObject, ListQuery};

use crate::{
    client::selection::{Selection, parse, push_given},
    context::Context,
    error::Error,
    output::{Format, FormatArg, Progress, RowWriter},
};

/// Records in a request when all are wanted.
const PER_PAGE_OF_ALL: u32 = 1_000;

/// What of a list, and how it is written.
#[derive(Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    selection: Selection,
    /// Columns to order by, with - in front from the largest
    #[arg(long, value_name = "FIELD,...", allow_hyphen_values = true)]
    order_by: Option<String>,
    /// Records on a page: 1 to 10000 [default: 25, with --all 1000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    per_page: Option<u32>,
    /// The page, from 1
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "all")]
    page: Option<u64>,
    /// The last page
    #[arg(long, conflicts_with_all = ["all", "page"])]
    last: bool,
    /// All pages, written while they arrive
    #[arg(long)]
    all: bool,
    /// How the number of all matches is found: exact, estimated, auto (exact if that is quick) or none [default: exact,
    /// with --all none]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "estimated", "auto", "none"])]
    count: Option<String>,
    #[command(flatten)]
    format: FormatArg,
}

impl Listing {
    /// The query, with dates in a zone, read by the grammar that the service reads it with.
    pub(crate) fn query(&self, tz: Option<&str>) -> Result<ListQuery, Error> {
        let mut query = self.selection.query_string()?;
        let count = self.count.as_deref().or(self.all.then_some("none"));
        push_given(&mut query, "_order_by", self.order_by.as_deref());
        push_given(&mut query, "tz", tz);
        push_given(&mut query, "_count", count);
        let mut query = parse(query.as_str())?;
        query.per_page = self.per_page.or(self.all.then_some(PER_PAGE_OF_ALL));
        query.page = self.page.unwrap_or(1);
        query.last = self.last;
        Ok(query)
    }

    /// Writes the first of the pages, or all of them while they arrive. `things` is what people call what is
    /// on them, `row` makes a row of one.
    pub(crate) async fn write<T>(
        &self,
        context: &Context,
        things: &str,
        mut pages: PageStream<T>,
        row: fn(T) -> Result<JsonObject, Error>,
    ) -> Result<(), Error> {
        let format = context.output.format(self.format);
        let mut writer = RowWriter::to_stdout(format);
        if !self.all {
            // The pages behind the first one are never requested.
            let Some(page) = pages.try_next().await? else {
                return writer.finish();
            };
            let of = page.count.map(|count| match page.count_is {
                Some(CountIs::Estimate) => format!(" of about {count}"),
                _ => format!(" of {count}"),
            });
            let shown = page.results.len();
            let summary = summary(things, shown, page.has_next(), of.as_deref());
            let rows = page.results.into_iter().map(row);
            writer.write_all(rows.collect::<Result<_, _>>()?)?;
            if format == Format::Table {
                context.output.note(&summary);
            }
            return Ok(());
        }
        // Progress would be drawn into a table.
        let mut progress =
            Progress::new(context.output.shows_progress() && !io::stdout().is_terminal());
        while let Some(page) = pages.try_next().await? {
            for thing in page.results {
                writer.write(row(thing)?)?;
            }
            progress.show(writer.written());
        }
        progress.end();
        writer.finish()
    }
}

/// The text below a page.
fn summary(things: &str, shown: usize, more: bool, of: Option<&str>) -> String {
    let of = of.unwrap_or_default();
    let rest = match more {
        true => "; --page shows another page, --all all of them",
        false => "",
    };
    format!("{shown}{of} {things}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_how_much_it_shows() {
        assert_eq!(
            summary("records", 25, true, Some(" of 100")),
            "25 of 100 records; --page shows another page, --all all of them"
        );
        assert_eq!(summary("teams", 3, false, None), "3 teams");
    }
}
