//! `svc records aggregate` and `svc records group`: one value over records, or one for each group of them.

use clap::Args;
use serde_json::value::RawValue;
use svc_model::{
    JsonObject,
    records::{AggregateFunction, Aggregation, GroupColumn, GroupLookup, group_name},
};

use super::Collection;
use crate::{
    client::{DataService, selection::Selection},
    context::Context,
    failure::Failure,
    output::{FormatArg, RowWriter, write_one},
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
    fn aggregation(self) -> Result<Aggregation, Failure> {
        match (self.function, self.column) {
            (function, Some(column)) => Ok(Aggregation::of(function, column)),
            (AggregateFunction::Count, None) => Ok(Aggregation::count()),
            (function, None) => Err(Failure::usage(format!("{function} needs a column"))),
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
    service: DataService,
    #[command(flatten)]
    format: FormatArg,
}

impl Aggregate {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let query = self.selection.query(self.tz.as_deref())?;
        let aggregation = self.of.aggregation()?;
        let records = self.collection.records(&self.service)?;
        let call = match aggregation.column {
            Some(column) => records.aggregate(aggregation.func, column),
            None => records.count(),
        };
        let value = call.query(query).await?;
        let mut row = JsonObject::new();
        row.set_raw("y_func", raw(&value)?);
        write_one(context.output.format(self.format), row)
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
    service: DataService,
    #[command(flatten)]
    format: FormatArg,
}

fn column(text: &str) -> Result<GroupColumn, String> {
    let (name, lookup) = match text.rsplit_once(':') {
        Some((name, lookup)) => match lookup.parse::<GroupLookup>() {
            Ok(lookup) => (name, lookup),
            Err(error) => return Err(error.to_string()),
        },
        None => (text, GroupLookup::Plain),
    };
    let mut column = GroupColumn::new(name);
    column.lookup = lookup;
    Ok(column)
}

impl Group {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let query = self.selection.query(self.tz.as_deref())?;
        let aggregation = self.of.aggregation()?;
        let names: Vec<String> = self.by.iter().map(|column| column.column.clone()).collect();
        let records = self.collection.records(&self.service)?;
        let mut call = records.group(self.by, aggregation).query(query);
        if let Some(limit) = self.limit {
            call = call.limit(limit);
        }
        let mut rows = Vec::new();
        for group in call.await? {
            let mut row = JsonObject::new();
            for (position, (name, value)) in names.iter().zip(&group.groups).enumerate() {
                // Two groups may be of one column.
                match row.contains(name) {
                    true => row.set_raw(&group_name(position), raw(value)?),
                    false => row.set_raw(name, raw(value)?),
                }
            }
            row.set_raw("y_func", raw(&group.value)?);
            rows.push(row);
        }
        RowWriter::to_stdout(context.output.format(self.format)).write_all(rows)
    }
}

fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, Failure> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| Failure::new(format!("a value of the answer is no JSON: {error}")))
}
