//! The bodies of upserts: records that change the one that has the same values in unique fields, or are created.

use svc_model::JsonObject;

use super::{Purpose, RecordBody, read_body, refusal::Refusals};
use crate::{
    Error, ErrorCode, Model, Result,
    value::{Scalar, Values, time::Zone},
};

/// The fields of `_on_conflict`, of which no two records have the same values.
#[derive(Clone, Debug)]
pub(crate) struct UniqueKey(Vec<usize>);

impl UniqueKey {
    /// Finds the fields, and refuses those that have no unique index of their own.
    pub(crate) fn resolve(model: &Model, names: &[String]) -> Result<Self> {
        let refused = |message| Err(Error::invalid_field("_on_conflict", message));
        let mut fields = Vec::with_capacity(names.len());
        for name in names {
            match model.index_of(name) {
                Some(index) if !fields.contains(&index) => fields.push(index),
                Some(_) => return refused(format!("names {name:?} twice")),
                None => return refused(format!("there is no field {name:?}")),
            }
        }
        let mut keys = model.unique_keys.iter();
        let is_same = |key: &Vec<usize>| {
            key.len() == fields.len() && key.iter().all(|it| fields.contains(it))
        };
        match keys.any(is_same) {
            true => Ok(Self(fields)),
            false => refused(
                "these fields together are not unique: name those of the primary key or of a unique index \
                 that is about all records"
                    .to_owned(),
            ),
        }
    }

    /// Reads the body of an upsert.
    pub(crate) fn read_body(
        &self,
        model: &Model,
        body: &JsonObject,
        zone: &Zone,
    ) -> Result<RecordBody> {
        let mut record = read_body(model, body, zone, Purpose::Upsert)?;
        let mut missing = Refusals::default();
        let mut unique = Values::with_capacity(self.0.len());
        for index in &self.0 {
            let field = model.at(*index)?;
            let given = body.iter().find(|(name, _)| *name == field.name);
            match given.map(|(_, raw)| Scalar::from_json(field, raw, zone)) {
                Some(Ok(value)) => unique.push((*index, value)),
                Some(Err(message)) => missing.push_field(&field.name, message),
                None => missing.push(
                    &field.name,
                    ErrorCode::Required,
                    "this field is required: _on_conflict finds the record by it",
                ),
            }
        }
        missing.into_result()?;
        if unique.iter().all(|(_, value)| *value != Scalar::Null) {
            record.unique = unique;
            return Ok(record);
        }
        // NULL is the value of no other record.
        match record.incomplete.take() {
            Some(incomplete) => Err(incomplete),
            None => Ok(record),
        }
    }
}
