//! Aggregates, of all records and of each group of them.

mod parts;

use std::sync::Arc;

use bytes::Bytes;
use rusqlite::{params_from_iter, types::ValueRef};
use sea_query::{Alias, Expr, ExprTrait, Func, Order, SelectStatement};
use svc_model::records::{AggregateFunction, DateUnit};

use super::{
    comparison::{comparable, ordering},
    fault::Fault,
    json,
    misfits::Misfits,
    select::{MAX_BOUND, SqliteDialect, Statement},
    session::Session,
    temporal,
};
use crate::{
    Error, Field, Model, Result,
    engine::answers::AggregateWriter,
    plan::AggregatePlan,
    query::{self, SELF, call, column},
    structure::Kind,
    value::{json::write_stored_text, time::Zone},
};

/// An aggregate as a statement that can be sent to a reader.
pub(crate) struct Aggregate {
    model: Arc<Model>,
    misfits: Misfits,
    statement: Statement,
    plan: AggregatePlan,
    /// The name by which the table may have row ids, where it may be read in parts.
    row_id: Option<&'static str>,
}

/// The columns of an answer.
struct Columns<'m> {
    groups: Vec<(&'m Field, Option<DateUnit>)>,
    /// What the function is taken of.
    field: Option<&'m Field>,
}

impl Aggregate {
    pub(crate) fn new(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self> {
        Ok(Self {
            model: Arc::clone(model),
            misfits: Misfits::of(model, plan.test.as_ref())?,
            statement: Statement::select(&Self::select(model, &plan)?).limited(MAX_BOUND)?,
            row_id: parts::row_id(model, &plan),
            plan,
        })
    }

    fn select(model: &Model, plan: &AggregatePlan) -> Result<SelectStatement> {
        let mut query = query::selection(&SqliteDialect, model, plan.test.as_ref())?;
        for (position, (index, unit)) in plan.groups.iter().enumerate() {
            let field = model.at(*index)?;
            let plain = column(SELF, &field.name);
            let name = alias(model, position);
            let group = match unit {
                None if ordering(field).is_some() => {
                    // Cells that mean the same are one group, which is shown as one of them.
                    let comparable = comparable(SELF, field);
                    query.expr_as(call("svc_any").arg(plain), name);
                    query.add_group_by([comparable.clone()]);
                    query.order_by_expr(comparable, Order::Asc);
                    continue;
                }
                None => plain,
                Some(unit) => call("svc_date_group")
                    .arg(plain)
                    .arg(field.kind == Kind::Date)
                    .arg(unit.as_str())
                    .arg(plan.zone_name.as_str())
                    .into(),
            };
            query.expr_as(group, name.clone());
            query.group_by_col(name.clone());
            query.order_by(name, Order::Asc);
        }
        let field = plan.field_of(model)?;
        // That of the row with the least or greatest one, which SQLite reads beside `min` and `max`.
        if let Some(field) = field.filter(|field| plan.is_extreme() && ordering(field).is_some()) {
            query.expr(column(SELF, &field.name));
        }
        query.expr(value(plan.function, field));
        if !plan.groups.is_empty() {
            query.limit(u64::from(plan.limit));
        }
        Ok(query)
    }

    /// Runs the aggregate on a reader.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<Bytes, Fault> {
        session.check_version(&self.model)?;
        if let Some(reader) = session.reader {
            reader.keep_many_pages()?;
        }
        self.misfits.check(session)?;
        self.answer(session)
    }

    /// The aggregate's statement, to which more may be added.
    pub(crate) fn statement_mut(&mut self) -> &mut Statement {
        &mut self.statement
    }

    /// Runs the statement and writes the answer.
    pub(crate) fn answer(&self, session: Session<'_>) -> Result<Bytes, Fault> {
        let columns = self.columns()?;
        let mut prepared = session.prepare_cached(&self.statement.sql)?;
        let mut rows = prepared.query(params_from_iter(&self.statement.values))?;
        let mut answer = AggregateWriter::new(columns.groups.len());
        while let Some(row) = rows.next()? {
            self.write(&columns, &mut answer, |position| {
                row.get_ref(position).map_err(Fault::from)
            })?;
        }
        Ok(answer.finish())
    }

    fn columns(&self) -> Result<Columns<'_>> {
        let groups = self.plan.groups.iter();
        let groups = groups.map(|(index, unit)| Ok((self.model.at(*index)?, *unit)));
        Ok(Columns {
            groups: groups.collect::<Result<_>>()?,
            field: self.plan.field_of(&self.model)?,
        })
    }

    /// Writes a row, given the value at each place in it.
    fn write<'v, E: From<Error>>(
        &self,
        columns: &Columns<'_>,
        answer: &mut AggregateWriter,
        cell: impl Fn(usize) -> Result<ValueRef<'v>, E>,
    ) -> Result<(), E> {
        answer.row(|out, position| {
            let value = cell(position)?;
            match columns.groups.get(position) {
                Some((field, unit)) => write_group(out, field, *unit, value, &self.plan.zone),
                None => write_result(out, &self.plan, columns.field, value),
            }
            Ok(())
        })
    }
}

/// A name for a group in the statement. Where a table has a column of this name, `GROUP BY` would mean that one.
fn alias(model: &Model, position: usize) -> Alias {
    let mut name = format!("group{position}");
    let is_column = |name: &str| {
        let mut fields = model.fields.iter();
        fields.any(|field| field.name.eq_ignore_ascii_case(name))
    };
    while is_column(&name) {
        name.push('_');
    }
    Alias::new(name)
}

/// The aggregate as SQL.
fn value(function: AggregateFunction, field: Option<&Field>) -> Expr {
    let Some(field) = field else {
        return Func::count(Expr::cust("*")).into();
    };
    let plain = column(SELF, &field.name);
    let comparable = || comparable(SELF, field);
    let scale = i64::from(field.scale.unwrap_or(0));
    match (function, field.kind) {
        (AggregateFunction::Count, _) => plain.count(),
        (AggregateFunction::CountDistinct, _) => comparable().count_distinct(),
        (AggregateFunction::Min, _) => comparable().min(),
        (AggregateFunction::Max, _) => comparable().max(),
        (AggregateFunction::Sum, Kind::Float) => plain.sum(),
        (AggregateFunction::Sum, Kind::Integer) => call("svc_sum").arg(plain).arg(0_i64).into(),
        (AggregateFunction::Sum, _) => call("svc_sum").arg(plain).arg(scale).into(),
        (AggregateFunction::Avg, Kind::Decimal) => call("svc_avg").arg(plain).arg(scale).into(),
        _ => Func::avg(plain).into(),
    }
}

/// Writes what the records of a group have in common.
fn write_group(
    out: &mut Vec<u8>,
    field: &Field,
    unit: Option<DateUnit>,
    value: ValueRef<'_>,
    zone: &Zone,
) {
    match (unit, value) {
        (None, value) => json::write_value(out, field, value, zone),
        (Some(_), ValueRef::Integer(micros)) => write_instant(out, micros, zone),
        (Some(_), ValueRef::Text(date)) => write_stored_text(out, date),
        (Some(_), _) => out.extend_from_slice(b"null"),
    }
}

/// Writes a point in time as lists write it.
fn write_instant(out: &mut Vec<u8>, micros: i64, zone: &Zone) {
    let text = jiff::Timestamp::from_microsecond(micros).map(|instant| instant.to_string());
    let written = text
        .is_ok_and(|text| temporal::write_date_time(out, ValueRef::Text(text.as_bytes()), zone));
    if !written {
        out.extend_from_slice(b"null");
    }
}

/// Writes the value of the function.
fn write_result(
    out: &mut Vec<u8>,
    plan: &AggregatePlan,
    field: Option<&Field>,
    value: ValueRef<'_>,
) {
    match (field, value) {
        (_, ValueRef::Null) => out.extend_from_slice(plan.of_no_values()),
        (Some(field), value) if plan.is_extreme() => {
            json::write_value(out, field, value, &plan.zone);
        }
        // An integer beyond 64 bits is a number all the same.
        (Some(field), ValueRef::Text(digits)) if field.kind == Kind::Integer => {
            out.extend_from_slice(digits);
        }
        (_, value) => json::write_plain(out, value),
    }
}
