//! Values of a body that the record has already. They are not written again, so that what their columns hold beyond
//! what they show stays: bounds of arrays, blanks and order of keys of JSON, the JSON `null` beside NULL, and the
//! reference system of shapes (wire contract, section 11, law 1).

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::{
    Field, Model, RecordJson, Result,
    record::{Projection, fixed::FixedValues},
    value::{Scalar, Values, time::Zone},
};

/// Values that are compared with those of the record before they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparedValues(Values);

impl ComparedValues {
    /// Chooses those of a body whose columns may hold more than they show.
    pub(crate) fn of(
        model: &Model,
        values: &Values,
        holds_more: impl Fn(&Field) -> bool,
    ) -> Result<Self> {
        let mut compared = Values::new();
        for (index, value) in values {
            if holds_more(model.at(*index)?) {
                compared.push((*index, value.clone()));
            }
        }
        Ok(Self(compared))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the fields that [`unchanged`](Self::unchanged) compares.
    pub(crate) fn shown(&self, zone: &Zone) -> Projection {
        Projection {
            fields: self.0.iter().map(|(index, _)| *index).collect(),
            zone: zone.clone(),
        }
    }

    /// The fields that have their value already. The record shows at least the fields of [`shown`](Self::shown), in
    /// the same time zone.
    pub(crate) fn unchanged(
        &self,
        model: &Model,
        record: &RecordJson,
        zone: &Zone,
    ) -> Result<Vec<usize>> {
        let record = record.fields()?;
        let stored: HashMap<&str, &RawValue> = record.iter().collect();
        let mut unchanged = Vec::new();
        for (index, given) in &self.0 {
            let field = model.at(*index)?;
            let is_same = stored
                .get(field.name.as_str())
                .and_then(|stored| Scalar::from_json(field, stored, zone).ok())
                .is_some_and(|stored| stored.is_same(given));
            if is_same {
                unchanged.push(*index);
            }
        }
        Ok(unchanged)
    }
}

/// Checks what a record has to have already, and returns the fields to be written that have their value already. `read`
/// gives the record as it was found, with the requested fields.
pub(crate) fn compare(
    model: &Model,
    zone: &Zone,
    fixed: &FixedValues,
    compared: &ComparedValues,
    read: impl Fn(&Projection) -> Result<RecordJson>,
) -> Result<Vec<usize>> {
    if !fixed.is_empty() {
        fixed.check(model, &read(&fixed.shown(zone))?, zone)?;
    }
    match compared.is_empty() {
        true => Ok(Vec::new()),
        false => compared.unchanged(model, &read(&compared.shown(zone))?, zone),
    }
}
