//! An aggregate, of all records or of each group of them, resolved against the structure.

use svc_model::{
    Invalid,
    records::{
        AggregateFunction, AggregateQuery, Aggregation, DateUnit, GroupColumn, GroupLookup,
        GroupQuery,
    },
};

use super::{ListPlan, Test, unordered};
use crate::{Model, Result, Structure, admission::Work, structure::Kind, value::time::Zone};

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

/// The field that the function is taken of.
fn field(model: &Model, aggregation: &Aggregation, key: &str) -> Result<Option<usize>> {
    let Some(name) = &aggregation.column else {
        return Ok(None);
    };
    let Some(index) = model.index_of(name) else {
        return Err(Invalid::field(key, format!("unknown field {name:?}")).into());
    };
    let adds = matches!(
        aggregation.func,
        AggregateFunction::Sum | AggregateFunction::Avg
    );
    let number = matches!(
        model.at(index)?.kind,
        Kind::Integer | Kind::Float | Kind::Decimal
    );
    if adds && !number {
        let message = format!(
            "{} requires a field of numbers, and {name:?} is not one",
            aggregation.func
        );
        return Err(Invalid::field(key, message).into());
    }
    let extreme = matches!(
        aggregation.func,
        AggregateFunction::Min | AggregateFunction::Max
    );
    if extreme && !model.at(index)?.is_ordered() {
        return Err(Invalid::field(key, unordered(model.at(index)?)).into());
    }
    Ok(Some(index))
}

fn group(model: &Model, column: &GroupColumn) -> Result<(usize, Option<DateUnit>)> {
    let Some(index) = model.index_of(&column.column) else {
        return Err(
            Invalid::field("x_column", format!("unknown field {:?}", column.column)).into(),
        );
    };
    let dated = matches!(model.at(index)?.kind, Kind::Date | Kind::DateTime);
    match column.lookup {
        GroupLookup::Auto if dated => Ok((index, Some(DateUnit::Day))),
        GroupLookup::Date(unit) if dated => Ok((index, Some(unit))),
        GroupLookup::Date(_) => Err(Invalid::field(
            "x_lookup",
            format!(
                "{} requires a field of dates, and {:?} is not one",
                column.lookup, column.column
            ),
        )
        .into()),
        _ => Ok((index, None)),
    }
}
