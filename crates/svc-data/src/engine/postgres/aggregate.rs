//! Aggregates, of all records and of each group of them.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use sea_query::{Expr, ExprTrait, Func, NullOrdering, Order, SelectStatement};
use svc_model::records::{AggregateFunction, DateUnit};
use tokio_postgres::Row;

use super::{
    connect::Lease,
    fault,
    select::{PostgresDialect, Statement},
    types::{self, Type, comparable, type_of},
    value,
};
use crate::{
    Field, Model, Result,
    engine::answers::AggregateWriter,
    plan::AggregatePlan,
    query::{self, SELF, call, column},
    structure::Kind,
    value::time::Zone,
};

/// The digits that an average has more than its column.
const AVERAGE_DIGITS: u32 = 6;

/// An aggregate as a statement.
pub(crate) struct Aggregate {
    model: Arc<Model>,
    plan: AggregatePlan,
    select: SelectStatement,
}

impl Aggregate {
    pub(super) fn new(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self> {
        let mut query = query::selection(&PostgresDialect, model, plan.test.as_ref())?;
        for (position, (index, unit)) in plan.groups.iter().enumerate() {
            let field = model.at(*index)?;
            query.expr(group(field, *unit, &plan.zone));
            let by = match unit {
                // What is shown of a value may have another order than the value.
                None if field.is_ordered() && type_of(field) != Type::Opaque => {
                    column(SELF, &field.name)
                }
                // By its place, since a column may have any name.
                _ => Expr::cust((position + 1).to_string()),
            };
            query.add_group_by([by.clone()]);
            query.order_by_expr_with_nulls(by, Order::Asc, NullOrdering::First);
        }
        query.expr(result(plan.function, plan.field_of(model)?));
        if !plan.groups.is_empty() {
            query.limit(u64::from(plan.limit));
        }
        Ok(Self {
            model: Arc::clone(model),
            plan,
            select: query,
        })
    }

    /// The statement that returns the rows of the answer.
    pub(super) fn select(&self) -> &SelectStatement {
        &self.select
    }

    /// Runs the aggregate.
    pub(super) async fn run(&self, lease: &Lease) -> Result<Bytes> {
        let statement = Statement::select(&self.select);
        let prepared = lease.prepare(&statement.sql).await?;
        let rows = lease.client()?.query_raw(&prepared, &statement.values);
        let rows = rows.await.map_err(fault::translate)?;
        self.answer(std::pin::pin!(rows)).await
    }

    /// Writes the answer.
    pub(super) async fn answer(
        &self,
        mut rows: impl Stream<Item = Result<Row, tokio_postgres::Error>> + Unpin,
    ) -> Result<Bytes> {
        let mut answer = AggregateWriter::new(self.plan.groups.len());
        while let Some(row) = rows.next().await {
            let row = row.map_err(fault::translate)?;
            answer.row(|out, position| match position < self.plan.groups.len() {
                true => value::write_value(out, &row, position, &self.plan.zone),
                false => self.write_result(out, &row),
            })?;
        }
        Ok(answer.finish())
    }

    fn write_result(&self, out: &mut Vec<u8>, row: &Row) -> Result<()> {
        let plan = &self.plan;
        let position = plan.groups.len();
        let kind = plan.field_of(&self.model)?.map(|field| field.kind);
        if value::is_null(row, position)? {
            out.extend_from_slice(plan.of_no_values());
            return Ok(());
        }
        // The sum of whole numbers is one too, however many digits it has.
        if plan.function == AggregateFunction::Sum && kind == Some(Kind::Integer) {
            let digits: &str = row.try_get(position).map_err(fault::translate)?;
            out.extend_from_slice(digits.as_bytes());
            return Ok(());
        }
        value::write_value(out, row, position, &plan.zone)
    }
}

/// The aggregate as SQL.
fn result(function: AggregateFunction, field: Option<&Field>) -> Expr {
    let Some(field) = field else {
        return Func::count(Expr::cust("*")).into();
    };
    let sort = type_of(field);
    let plain = column(SELF, &field.name);
    match function {
        AggregateFunction::Count => plain.count(),
        AggregateFunction::CountDistinct => comparable(SELF, field).count_distinct(),
        AggregateFunction::Min => extreme(field, false),
        AggregateFunction::Max => extreme(field, true),
        AggregateFunction::Sum => match sort {
            Type::Real | Type::Double => plain.cast_as("float8").sum(),
            Type::Decimal => plain.sum(),
            _ => plain.sum().cast_as("text"),
        },
        _ => match sort {
            Type::Decimal => {
                let scale = match field.scale {
                    Some(scale) => Expr::cust((scale + AVERAGE_DIGITS).to_string()),
                    None => Expr::from(call("scale").arg(plain.clone()))
                        .max()
                        .add(Expr::cust(AVERAGE_DIGITS.to_string())),
                };
                call("round").arg(Func::avg(plain)).arg(scale).into()
            }
            _ => Expr::from(Func::avg(plain)).cast_as("float8"),
        },
    }
}

/// The smallest or largest value, in the form in which it is read.
fn extreme(field: &Field, largest: bool) -> Expr {
    let of = |value: Expr| match largest {
        true => value.max(),
        false => value.min(),
    };
    let plain = column(SELF, &field.name);
    match type_of(field) {
        Type::Boolean => {
            let function = if largest { "bool_or" } else { "bool_and" };
            call(function).arg(plain).into()
        }
        Type::Uuid => of(plain.cast_as("text")).cast_as("uuid"),
        Type::Bytes => of(call("encode").arg(plain).arg(Expr::cust("'hex'")).into()),
        Type::Enum | Type::AnyCaseText | Type::Interval => {
            of(types::of_base(field, plain)).cast_as("text")
        }
        // Not every type that has an order has a function for its extremes.
        Type::Jsonb | Type::Array | Type::Ordered | Type::OrderedByClass => {
            let end = if largest { 1 } else { 0 };
            let found = Expr::cust_with_exprs(
                format!("percentile_disc({end}) WITHIN GROUP (ORDER BY $1)"),
                [plain],
            );
            types::read_of(field, found)
        }
        // Of a column of a query, whose order nobody has asked for.
        Type::Json | Type::UnorderedArray | Type::Opaque | Type::Geometry => {
            of(types::text(SELF, field))
        }
        _ => of(plain),
    }
}

/// What the records of a group have in common.
fn group(field: &Field, unit: Option<DateUnit>, zone: &Zone) -> Expr {
    let plain = column(SELF, &field.name);
    let Some(unit) = unit else {
        return match type_of(field) {
            Type::Json | Type::UnorderedArray | Type::Opaque | Type::Geometry => {
                comparable(SELF, field)
            }
            _ => types::read(SELF, field),
        };
    };
    let word = match unit {
        DateUnit::Microsecond => "microseconds",
        DateUnit::Millisecond => "milliseconds",
        DateUnit::Second => "second",
        DateUnit::Minute => "minute",
        DateUnit::Hour => "hour",
        DateUnit::Day => "day",
        DateUnit::Week => "week",
        DateUnit::Month => "month",
        DateUnit::Quarter => "quarter",
        _ => "year",
    };
    let zone = || Expr::val(zone_name(zone)).cast_as("text");
    let at = |value: Expr, zone: Expr| -> Expr { call("timezone").arg(zone).arg(value).into() };
    let start = |value: Expr| {
        call("date_trunc")
            .arg(Expr::cust(format!("'{word}'")))
            .arg(value)
    };
    if type_of(field) == Type::Date {
        let midnight = plain.cast_as("timestamp");
        return match unit.is_date() {
            true => Expr::from(start(midnight)).cast_as("date"),
            // A date begins at its first moment.
            false => at(midnight, zone()),
        };
    }
    let instant = match type_of(field) {
        Type::Timestamp => at(plain, Expr::cust("'UTC'")),
        _ => plain,
    };
    match unit.is_date() {
        true => Expr::from(start(at(instant, zone()))).cast_as("date"),
        // Cut in local time, since there are zones that are half an hour off.
        false => start(instant).arg(zone()).into(),
    }
}

/// The zone as PostgreSQL knows it. An offset is written with the sign that POSIX gives it.
fn zone_name(zone: &Zone) -> String {
    if zone.is_utc {
        return "UTC".to_owned();
    }
    match (zone.zone.iana_name(), zone.zone.to_fixed_offset()) {
        (Some(name), _) => name.to_owned(),
        (None, Ok(offset)) => {
            let seconds = offset.seconds();
            let sign = if seconds < 0 { '+' } else { '-' };
            let minutes = seconds.abs() / 60;
            format!("<utc>{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
        (None, Err(_)) => "UTC".to_owned(),
    }
}
