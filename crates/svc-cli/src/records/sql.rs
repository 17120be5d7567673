//! `svc sql`: a read-only query on a connected resource, through the client.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::Value;
use svc_model::{JsonObject, ResourceName};

use crate::{
    client::{DataService, Formatted},
    context::Context,
    error::{Error, OrJson as _},
    input,
    output::counted,
};

/// Ask a resource with SQL that only reads
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc sql shop 'select status, count(*) from orders group by status'\n  \
    svc sql shop 'select * from orders where total > :least' --bind least=100 --format csv\n  \
    svc sql shop @report.sql --limit 20 --order-by=-total\n\n\
    One SELECT, WITH ... SELECT or VALUES in the database's own SQL. At most 10000 rows are given.")]
pub(crate) struct Sql {
    /// The connected resource
    resource: ResourceName,
    /// The query; @FILE reads a file, - standard input
    query: String,
    /// The value of a bind :NAME: JSON, or else a text; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = bind)]
    bind: Vec<(String, Value)>,
    /// Keep rows whose column compares so; can be repeated, all must hold
    #[arg(long, value_name = "COLUMN__LOOKUP=VALUE", value_parser = filter)]
    filter: Vec<(String, String)>,
    /// Columns to order by, with - in front from the largest
    #[arg(
        long,
        value_name = "COLUMN,...",
        allow_hyphen_values = true,
        value_delimiter = ','
    )]
    order_by: Vec<String>,
    /// Leave out the first rows
    #[arg(long, value_name = "NUMBER")]
    offset: Option<u64>,
    /// Give this many rows at most
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u32>,
    /// Cut longer texts, binary data and JSON
    #[arg(long, value_name = "LENGTH", value_parser = clap::value_parser!(u32).range(1..))]
    excerpt: Option<u32>,
    /// UTC offset or IANA zone of date texts [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
    /// The schema in which names are looked for first
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<String>,
    #[command(flatten)]
    to: Formatted<DataService>,
}

/// `NAME=VALUE`, the value as JSON where it is some, else as a text.
fn bind(text: &str) -> Result<(String, Value), &'static str> {
    let (name, value) = input::split_at(text, '=', "must be NAME=VALUE, such as least=100")?;
    let name = name.trim_start_matches(':').to_owned();
    Ok((name, input::json_or_text(value)))
}

fn filter(text: &str) -> Result<(String, String), &'static str> {
    let wrong = "must be COLUMN__LOOKUP=VALUE, such as total__gte=100";
    input::split_at(text, '=', wrong)
}

impl Sql {
    /// Asks and writes the rows.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = input::read_text(&self.query)?;
        let client = self.to.service.client(&self.resource)?;
        let mut call = client.sql(self.resource).query(query);
        for (name, value) in self.bind {
            call = call.bind(name, value);
        }
        for (key, value) in self.filter {
            call = call.filter(key, value);
        }
        let call = call.change(|mut query| {
            query.order_by = self.order_by;
            query.offset = self.offset;
            query.limit = self.limit;
            query.excerpt = self.excerpt;
            query.timezone = self.tz;
            query.schema = self.schema;
            query
        });
        let result = call.await?;
        let rows = result.data.into_iter().map(|values| {
            let mut row = JsonObject::new();
            for (column, value) in result.columns.iter().zip(&values) {
                row.set(column, value).or_json("a value of the answer")?;
            }
            Ok(row)
        });
        context
            .output
            .rows(self.to.format, rows.collect::<Result<_, Error>>()?)?;
        let cut: usize = result.cut.iter().flatten().map(BTreeMap::len).sum();
        if cut > 0 {
            context
                .output
                .note(&format!("{} cut", counted(cut, "value")));
        }
        if result.truncated {
            context.output.note(
                "there are more rows than one answer may have; add limit and order to the query",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_value_of_a_bind_is_json_or_else_a_text() {
        assert_eq!(bind("a=1"), Ok(("a".into(), json!(1))));
        assert_eq!(bind(":a=x y"), Ok(("a".into(), json!("x y"))));
        assert_eq!(bind("a=\"1\""), Ok(("a".into(), json!("1"))));
        assert_eq!(bind("a="), Ok(("a".into(), json!(""))));
        assert!(bind("a").is_err());
    }
}
