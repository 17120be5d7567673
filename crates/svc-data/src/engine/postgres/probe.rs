//! Which field a value belongs to that PostgreSQL could not read as the type of its column: for types of which only
//! the server knows what their texts look like, such as `hstore`, ranges and network addresses.

use sea_query::{Expr, ExprTrait as _, Query};
use tokio_postgres::types::ToSql;

use super::{
    connect::Lease,
    fault,
    select::{self, Statement},
    types::{Type, type_of},
};
use crate::{Error, Field, Model, plan::Test, record::refusal::Refusals, value::Scalar};

/// A value, and a statement that fails when the server cannot read it.
#[derive(Debug)]
pub(crate) struct Probe {
    field: String,
    statement: Statement,
}

impl Probe {
    /// The probe of a value that is to be stored; `None` for a type whose values are checked before they are sent.
    pub(super) fn of_stored(field: &Field, value: Expr) -> Option<Self> {
        is_unchecked(field).then(|| Self::new(field, value.cast_as(field.db_type.clone())))
    }

    /// The probes of the values that a filter compares with.
    pub(super) fn of_filter(model: &Model, test: Option<&Test>) -> Vec<Self> {
        let mut probes = Vec::new();
        if let Some(test) = test {
            collect(model, test, &mut probes);
        }
        probes
    }

    fn new(field: &Field, expr: Expr) -> Self {
        Self {
            field: field.name.clone(),
            statement: Statement::select(Query::select().expr(expr)),
        }
    }
}

fn collect(model: &Model, test: &Test, probes: &mut Vec<Probe>) {
    let mut add = |index: usize, values: &[Scalar]| {
        let field = model.fields.get(index).filter(|field| is_unchecked(field));
        if let Some(field) = field {
            let bound = values
                .iter()
                .filter_map(|value| select::bind(field, value).ok());
            probes.extend(bound.map(|bound| Probe::new(field, bound)));
        }
    };
    match test {
        Test::All(tests) | Test::Any(tests) => {
            for test in tests {
                collect(model, test, probes);
            }
        }
        Test::Not(test) => collect(model, test, probes),
        Test::Compare(index, _, value) => add(*index, std::slice::from_ref(value)),
        Test::In(index, values) => add(*index, values),
        Test::Elements(index, _, values) => {
            let field = model.fields.get(*index);
            let bound = field.and_then(|field| select::bind_elements(field, values).ok());
            probes.extend(
                field
                    .zip(bound)
                    .map(|(field, bound)| Probe::new(field, bound)),
            );
        }
        Test::Match(..)
        | Test::Len(..)
        | Test::Null(_)
        | Test::Empty(_)
        | Test::CoveredBy(..)
        | Test::Place(..)
        | Test::Related(..) => {}
    }
}

/// Whether only the server knows what values of the type look like.
fn is_unchecked(field: &Field) -> bool {
    matches!(
        type_of(field),
        Type::Interval
            | Type::Geometry
            | Type::Ordered
            | Type::OrderedByClass
            | Type::Opaque
            | Type::Array
            | Type::UnorderedArray
            | Type::Json
            | Type::Jsonb
    )
}

/// Names the fields that an error is about which names none. `recover` makes the connection usable again after a
/// probe failed inside a transaction.
pub(super) async fn blame(
    lease: &Lease,
    probes: Vec<Probe>,
    recover: Option<&str>,
    error: Error,
) -> Error {
    if !fault::is_about_a_value(&error) {
        return error;
    }
    let mut refusals = Refusals::default();
    for probe in probes {
        let Ok(client) = lease.client() else {
            return error;
        };
        let values = probe.statement.values.iter();
        let values: Vec<&(dyn ToSql + Sync)> = values.map(|value| value as _).collect();
        let Err(reason) = client.query(&probe.statement.sql, &values).await else {
            continue;
        };
        let reason = fault::translate(reason);
        if let Some(recover) = recover
            && let Err(broken) = client.batch_execute(recover).await
        {
            return fault::translate(broken);
        }
        if fault::is_about_a_value(&reason) {
            refusals.push_field(&probe.field, fault::about_the_value(&reason));
        }
    }
    refusals.into_result().err().unwrap_or(error)
}
