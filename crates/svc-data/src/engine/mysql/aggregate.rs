//! Aggregates, of all records and of each group of them.

use std::sync::Arc;

use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use mysql_async::{Row, Value, prelude::Queryable as _};
use sea_query::{Expr, ExprTrait as _, Func, Order, SelectStatement};
use svc_model::records::{AggregateFunction, DateUnit};

use super::{
    connect::Lease,
    fault,
    read::one,
    select::{MAX_BOUND, MysqlDialect, Statement},
    types::{self, Type, type_of},
    value,
};
use crate::{
    Field, Model, Result,
    engine::answers::AggregateWriter,
    plan::AggregatePlan,
    query::{self, SELF, column},
    structure::Kind,
    value::time::Zone,
};

/// The most changes of a zone's offset that are followed.
const MAX_CHANGES: usize = 600;

/// An aggregate, ready to be made into a statement.
pub(crate) struct Aggregate {
    model: Arc<Model>,
    plan: AggregatePlan,
    /// What the records have to pass.
    records: SelectStatement,
}

impl Aggregate {
    pub(super) fn new(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self> {
        Ok(Self {
            records: query::selection(&MysqlDialect, model, plan.test.as_ref())?,
            model: Arc::clone(model),
            plan,
        })
    }

    /// Runs the aggregate.
    pub(super) async fn run(
        &self,
        lease: &mut Lease,
        wrap: impl Fn(Statement) -> Statement,
    ) -> Result<Bytes> {
        let mut query = self.records.clone();
        for (position, (index, unit)) in self.plan.groups.iter().enumerate() {
            let field = self.model.at(*index)?;
            let expr = match unit {
                None => types::read(SELF, field),
                Some(unit) => group(field, *unit, self.offset(lease, field, *unit, &wrap).await?),
            };
            query.expr(expr);
            // By its place, since a column may have any name.
            let place = || Expr::cust((position + 1).to_string());
            query.add_group_by([place()]);
            query.order_by_expr(place(), Order::Asc);
        }
        query.expr(result(self.plan.function, self.plan.field_of(&self.model)?));
        if !self.plan.groups.is_empty() {
            query.limit(u64::from(self.plan.limit));
        }
        let statement = wrap(Statement::select(&query).limited(MAX_BOUND)?);
        self.answer(lease, &statement).await
    }

    async fn answer(&self, lease: &mut Lease, statement: &Statement) -> Result<Bytes> {
        let conn = lease.client_mut()?;
        let rows = conn.exec_iter(statement.sql.as_str(), statement.params());
        let mut rows = rows.await.map_err(fault::translate)?;
        let mut answer = AggregateWriter::new(self.plan.groups.len());
        while let Some(row) = rows.next().await.map_err(fault::translate)? {
            if let Err(error) = answer.row(|out, position| self.write(out, &row, position)) {
                rows.drop_result().await.map_err(fault::translate)?;
                return Err(error);
            }
        }
        rows.drop_result().await.map_err(fault::translate)?;
        Ok(answer.finish())
    }

    /// Writes what a row has at a place: a group, or after the groups the value of the function.
    fn write(&self, out: &mut Vec<u8>, row: &Row, position: usize) -> Result<()> {
        let zone = &self.plan.zone;
        let result = value::cell(row, position)?;
        if let Some((index, unit)) = self.plan.groups.get(position) {
            let kind = match unit {
                Some(unit) if unit.is_date() => Kind::Date,
                Some(_) => Kind::DateTime,
                None => self.model.at(*index)?.kind,
            };
            value::write_value(out, kind, result, zone);
            return Ok(());
        }
        let function = self.plan.function;
        let field = self.plan.field_of(&self.model)?;
        let kind = field.map_or(Kind::Integer, |field| field.kind);
        match (result, function) {
            (Value::NULL, _) => out.extend_from_slice(self.plan.of_no_values()),
            // The sum of whole numbers is one too, however many digits it has.
            (Value::Bytes(digits), AggregateFunction::Sum) if kind == Kind::Integer => {
                out.extend_from_slice(digits);
            }
            (result, AggregateFunction::Count | AggregateFunction::CountDistinct) => {
                value::write_value(out, Kind::Integer, result, zone);
            }
            (result, _) => match field.filter(|_| self.plan.is_extreme()) {
                Some(field) => value::write_extreme(out, field, result, zone),
                None => value::write_value(out, kind, result, zone),
            },
        }
        Ok(())
    }

    /// The seconds that the zone is ahead of UTC at the value of a field. The server may know no zones, so that
    /// they are spelt out for the time that the records are of.
    async fn offset(
        &self,
        lease: &mut Lease,
        field: &Field,
        unit: DateUnit,
        wrap: &impl Fn(Statement) -> Statement,
    ) -> Result<Expr> {
        let Zone { zone, is_utc } = &self.plan.zone;
        let is_date = type_of(field) == Type::Date;
        if *is_utc || (is_date && unit.is_date()) {
            return Ok(Expr::cust("0"));
        }
        if let Ok(offset) = zone.to_fixed_offset() {
            return Ok(Expr::cust(offset.seconds().to_string()));
        }
        let mut ends = self.records.clone();
        let here = column(SELF, &field.name);
        let text = |value: Expr| value.cast_as("DATETIME").cast_as("CHAR");
        ends.expr(text(here.clone().min()));
        ends.expr(text(here.max()));
        let row = one(lease, &wrap(Statement::select(&ends))).await?;
        let instant = |at: usize| -> Option<Timestamp> {
            let text: String = row.as_ref()?.get::<Option<String>, _>(at)??;
            let civil: jiff::civil::DateTime = text.parse().ok()?;
            civil
                .to_zoned(TimeZone::UTC)
                .ok()
                .map(|zoned| zoned.timestamp())
        };
        let (Some(least), Some(most)) = (instant(0), instant(1)) else {
            return Ok(Expr::cust("0"));
        };
        // A day around them, since those of a date are of another zone.
        let day = jiff::SignedDuration::from_hours(24);
        let from = least.checked_sub(day).unwrap_or(least);
        let to = most.checked_add(day).unwrap_or(most);
        let mut sql = String::from("CASE");
        let mut offset = zone.to_offset(from).seconds();
        for change in zone.following(from).take(MAX_CHANGES) {
            let at = change.timestamp();
            if at > to {
                break;
            }
            let ahead = jiff::SignedDuration::from_secs(offset.into());
            let bound = match is_date {
                true => at.checked_add(ahead).unwrap_or(at),
                false => at,
            };
            let bound = TimeZone::UTC
                .to_datetime(bound)
                .to_string()
                .replace('T', " ");
            sql.push_str(&format!(
                " WHEN {{here}} < TIMESTAMP'{bound}' THEN {offset}"
            ));
            offset = change.offset().seconds();
        }
        sql.push_str(&format!(" ELSE {offset} END"));
        if !sql.contains("WHEN") {
            return Ok(Expr::cust(offset.to_string()));
        }
        // Each place of the column is a placeholder of its own.
        let places = sql.matches("{here}").count();
        let here = match is_date {
            true => column(SELF, &field.name).cast_as("DATETIME"),
            false => column(SELF, &field.name),
        };
        Ok(Expr::cust_with_exprs(
            sql.replace("{here}", "?"),
            vec![here; places],
        ))
    }
}

/// The aggregate as SQL.
fn result(function: AggregateFunction, field: Option<&Field>) -> Expr {
    let Some(field) = field else {
        return Func::count(Expr::cust("*")).into();
    };
    let plain = column(SELF, &field.name);
    // A number, since the smallest text of an enumeration is another one than the first of its words.
    let read = match type_of(field) {
        Type::Enum | Type::Set | Type::Bits(_) => plain.clone().cast_as("UNSIGNED"),
        _ => types::read(SELF, field),
    };
    match function {
        AggregateFunction::Count => plain.count(),
        AggregateFunction::CountDistinct => plain.count_distinct(),
        AggregateFunction::Min => read.min(),
        AggregateFunction::Max => read.max(),
        AggregateFunction::Sum => plain.sum(),
        _ => match type_of(field) {
            Type::Decimal => Func::avg(plain).into(),
            _ => Func::avg(plain.cast_as("DOUBLE")).into(),
        },
    }
}

/// What the records of a group have in common: a date for a day and longer, else the start of the unit in UTC.
fn group(field: &Field, unit: DateUnit, offset: Expr) -> Expr {
    let here = match type_of(field) {
        Type::Date => column(SELF, &field.name).cast_as("DATETIME(6)"),
        _ => column(SELF, &field.name),
    };
    let with = |template: &str, exprs: Vec<Expr>| Expr::cust_with_exprs(template.to_owned(), exprs);
    if type_of(field) == Type::Date && !unit.is_date() {
        // A date begins at its first moment.
        return with("? - INTERVAL (?) SECOND", vec![here, offset]);
    }
    let local = with("? + INTERVAL (?) SECOND", vec![here.clone(), offset]);
    let times = |template: &str| with(template, vec![local.clone(); template.matches('?').count()]);
    let without = |template: &str| {
        with(
            "? - INTERVAL (?) MICROSECOND",
            vec![here.clone(), times(template)],
        )
    };
    match unit {
        DateUnit::Microsecond => here,
        DateUnit::Millisecond => without("MICROSECOND(?) MOD 1000"),
        DateUnit::Second => without("MICROSECOND(?)"),
        DateUnit::Minute => without("SECOND(?) * 1000000 + MICROSECOND(?)"),
        DateUnit::Hour => without("MINUTE(?) * 60000000 + SECOND(?) * 1000000 + MICROSECOND(?)"),
        DateUnit::Day => times("DATE(?)"),
        DateUnit::Week => times("DATE(?) - INTERVAL WEEKDAY(?) DAY"),
        DateUnit::Month => times("DATE(?) - INTERVAL DAYOFMONTH(?) - 1 DAY"),
        DateUnit::Quarter => times("MAKEDATE(YEAR(?), 1) + INTERVAL QUARTER(?) * 3 - 3 MONTH"),
        _ => times("MAKEDATE(YEAR(?), 1)"),
    }
}
