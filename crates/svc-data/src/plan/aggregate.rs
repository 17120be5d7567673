//! An aggregate, of all records or of each group of them, resolved against the structure.

use svc_model::{
    Invalid,
    records::{
        AggregateFunction, AggregateQuery, Aggregation, DateUnit, GroupColumn, GroupLookup,
        GroupQuery,
    },
};

use super::{ListPlan, Test, unordered};
use crate::{Field, Model, Result, Structure, admission::Work, structure::Kind, value::time::Zone};

/// An aggregate, ready for an engine.
#[derive(Clone, Debug)]
pub(crate) struct AggregatePlan {
    pub(crate) test: Option<Test>,
    /// The fields to group by, and the unit that their dates are cut to; one value when there are none.
    pub(crate) groups: Vec<(usize, Option<DateUnit>)>,
    pub(crate) function: AggregateFunction,
    /// The field; none for the number of records.
    pub(crate) field: Option<usize>,
    /// The most groups.
    pub(crate) limit: u32,
    pub(crate) zone: Zone,
    /// The zone as the caller wrote it.
    pub(crate) zone_name: String,
}

impl AggregatePlan {
    /// The field that the function is taken of; none for the number of records.
    pub(crate) fn field_of<'m>(&self, model: &'m Model) -> Result<Option<&'m Field>> {
        self.field.map(|index| model.at(index)).transpose()
    }

    /// Whether the value is the least or the greatest of a field.
    pub(crate) fn is_extreme(&self) -> bool {
        is_extreme(self.function)
    }

    /// The value of the function, as JSON, where there are no values to take it of.
    pub(crate) fn of_no_values(&self) -> &'static [u8] {
        if self.is_extreme() { b"null" } else { b"0" }
    }

    /// What the aggregate is when it waits for its turn.
    pub(crate) fn work(&self, model: &Model) -> Work {
        let function = self.function as u8;
        let shape = (
            "aggregate",
            function,
            self.field,
            &self.groups.len(),
            self.test.is_some(),
        );
        Work::new(&model.name, shape, true)
    }

    /// Resolves an aggregate over all records.
    pub(crate) fn of_all(
        structure: &Structure,
        model: &Model,
        query: &AggregateQuery,
    ) -> Result<Self> {
        let list = ListPlan::resolve(structure, model, &query.query)?;
        Ok(Self {
            groups: Vec::new(),
            function: query.aggregation.func,
            field: field(model, &query.aggregation, "column")?,
            limit: 1,
            zone: list.shown.zone,
            zone_name: query.query.time_zone.clone().unwrap_or_default(),
            test: list.test,
        })
    }

    /// Resolves an aggregate of each group.
    pub(crate) fn of_groups(
        structure: &Structure,
        model: &Model,
        query: &GroupQuery,
    ) -> Result<Self> {
        let list = ListPlan::resolve(structure, model, &query.query)?;
        let groups = query.columns.iter().map(|column| group(model, column));
        Ok(Self {
            groups: groups.collect::<Result<_, _>>()?,
            function: query.aggregation.func,
            field: field(model, &query.aggregation, "y_column")?,
            limit: query.limit,
            zone: list.shown.zone,
            zone_name: query.query.time_zone.clone().unwrap_or_default(),
            test: list.test,
        })
    }
}

fn is_extreme(function: AggregateFunction) -> bool {
    matches!(function, AggregateFunction::Min | AggregateFunction::Max)
}

/// The field that the function is taken of.
fn field(model: &Model, aggregation: &Aggregation, key: &str) -> Result<Option<usize>> {
    let Some(name) = &aggregation.column else {
        return Ok(None);
    };
    let Some(index) = model.index_of(name) else {
        return Err(Invalid::field(key, format!("unknown field {name:?}")).into());
    };
    let function = aggregation.func;
    let field = model.at(index)?;
    let adds = matches!(function, AggregateFunction::Sum | AggregateFunction::Avg);
    let number = matches!(field.kind, Kind::Integer | Kind::Float | Kind::Decimal);
    if adds && !number {
        let message = format!("{function} requires a field of numbers, and {name:?} is not one");
        return Err(Invalid::field(key, message).into());
    }
    if is_extreme(function) && !field.is_ordered() {
        return Err(Invalid::field(key, unordered(field)).into());
    }
    Ok(Some(index))
}

fn group(model: &Model, column: &GroupColumn) -> Result<(usize, Option<DateUnit>)> {
    let name = &column.column;
    let Some(index) = model.index_of(name) else {
        return Err(Invalid::field("x_column", format!("unknown field {name:?}")).into());
    };
    let dated = matches!(model.at(index)?.kind, Kind::Date | Kind::DateTime);
    match column.lookup {
        GroupLookup::Auto if dated => Ok((index, Some(DateUnit::Day))),
        GroupLookup::Date(unit) if dated => Ok((index, Some(unit))),
        GroupLookup::Date(_) => {
            let lookup = column.lookup;
            let message = format!("{lookup} requires a field of dates, and {name:?} is not one");
            Err(Invalid::field("x_lookup", message).into())
        }
        _ => Ok((index, None)),
    }
}
