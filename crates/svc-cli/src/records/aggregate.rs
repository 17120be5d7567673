//! `svc records aggregate` and `svc records group`: one value over records, or one for each group of them.

use std::str::FromStr;

use clap::Args;
use svc_model::{
    JsonObject,
    records::{AggregateFunction, Aggregation, GroupColumn, GroupLookup, group_name},
};

use super::Collection;
use crate::{
    client::{DataService, Formatted, selection::Selection, with_given},
    context::Context,
    error::{Error, OrJson as _},
    output::row,
};

/// What of the records.
#[derive(Args)]
struct Of {
    /// count, sum, avg, min, max or count_distinct
    function: AggregateFunction,
    /// The column; count takes the records without one
    column: Option<String>,
}

impl Of {
    fn aggregation(self) -> Result<Aggregation, Error> {
        match (self.function, self.column) {
            (function, Some(column)) => Ok(Aggregation::of(function, column)),
            (AggregateFunction::Count, None) => Ok(Aggregation::count()),
            (function, None) => Err(Error::usage(format!("{function} needs a column"))),
        }
    }
}

/// Show one value over the records of a table or view
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records aggregate shop orders count --filter status=paid\n  \
    svc records aggregate shop orders sum total")]
pub(crate) struct Aggregate {
    #[command(flatten)]
    collection: Collection,
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    selection: Selection,
    /// UTC offset or IANA zone of date texts, in and out [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
    #[command(flatten)]
    to: Formatted<DataService>,
}

impl Aggregate {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = self.selection.query(self.tz.as_deref())?;
        let aggregation = self.of.aggregation()?;
        let records = self.collection.records(&self.to.service)?;
        let call = match aggregation.column {
            Some(column) => records.aggregate(aggregation.func, column),
            None => records.count().typed(),
        };
        let value = call.query(query).await?;
        context.output.one(self.to.format, &row! { y_func: value })
    }
}

/// Show one value for each group of the records of a table or view
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records group shop orders count --by status\n  \
    svc records group shop orders sum total --by created_at:date_month --tz Europe/Berlin\n\n\
    A column may be followed by how it is grouped: plain (as it is), auto (dates by day), date, or a unit: \
    date_microsecond, date_millisecond, date_second, date_minute, date_hour, date_day, date_week, date_month, \
    date_quarter, date_year.")]
pub(crate) struct Group {
    #[command(flatten)]
    collection: Collection,
    #[command(flatten)]
    of: Of,
    /// A column to group by; can be repeated
    #[arg(long, value_name = "COLUMN[:LOOKUP]", required = true, value_parser = column)]
    by: Vec<GroupColumn>,
    #[command(flatten)]
    selection: Selection,
    /// The most groups [default: 10000]
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u32>,
    /// UTC offset or IANA zone of date texts, in and out [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
    #[command(flatten)]
    to: Formatted<DataService>,
}

fn column(text: &str) -> Result<GroupColumn, <GroupLookup as FromStr>::Err> {
    let (name, lookup) = match text.rsplit_once(':') {
        Some((name, lookup)) => (name, lookup.parse()?),
        None => (text, GroupLookup::Plain),
    };
    let mut column = GroupColumn::new(name);
    column.lookup = lookup;
    Ok(column)
}

impl Group {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = self.selection.query(self.tz.as_deref())?;
        let aggregation = self.of.aggregation()?;
        let names: Vec<String> = self.by.iter().map(|column| column.column.clone()).collect();
        let records = self.collection.records(&self.to.service)?;
        let call = records.group(self.by, aggregation).query(query);
        let call = with_given!(call, limit: self.limit);
        let mut rows = Vec::new();
        for group in call.await? {
            let mut row = JsonObject::new();
            for (position, (name, value)) in names.iter().zip(&group.groups).enumerate() {
                // Two groups may be of one column.
                let name = match row.contains(name) {
                    true => &group_name(position),
                    false => name,
                };
                row.set(name, value).or_json("a value of the answer")?;
            }
            let value = row.set("y_func", &group.value);
            value.or_json("a value of the answer")?;
            rows.push(row);
        }
        context.output.rows(self.to.format, rows)
    }
}
