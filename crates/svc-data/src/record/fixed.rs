//! Values of a body that cannot be written: they are ignored where the record has them already, and refused where it
//! has others (wire contract, section 11, law 1).

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::{
    ErrorCode, Model, RecordJson, Result,
    record::{Projection, refusal::Refusals},
    value::{Scalar, is_equal_json, time::Zone},
};

/// Values that a record has to have already.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedValues(Vec<FixedValue>);

/// A value that a field has to have already.
#[derive(Clone, Debug)]
struct FixedValue {
    index: usize,
    given: Box<RawValue>,
    /// What the caller reads where the record has another value.
    refusal: (ErrorCode, String),
}

impl FixedValues {
    /// Adds a value of a body.
    pub(crate) fn push(
        &mut self,
        index: usize,
        given: &RawValue,
        code: ErrorCode,
        message: impl Into<String>,
    ) {
        self.0.push(FixedValue {
            index,
            given: given.to_owned(),
            refusal: (code, message.into()),
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a field is among them.
    pub(crate) fn holds(&self, index: usize) -> bool {
        self.0.iter().any(|value| value.index == index)
    }

    /// Shows the fields that [`check`](Self::check) compares.
    pub(crate) fn shown(&self, zone: &Zone) -> Projection {
        Projection {
            fields: self.0.iter().map(|value| value.index).collect(),
            zone: zone.clone(),
            excerpt: None,
            keeping: None,
        }
    }

    /// Refuses all of the values, where there are many records that would have to have them.
    pub(crate) fn refuse(&self, model: &Model) -> Result<()> {
        let mut invalid = Refusals::default();
        for value in &self.0 {
            let (code, message) = &value.refusal;
            invalid.push(&model.at(value.index)?.name, *code, message.as_str());
        }
        invalid.into_result()
    }

    /// Refuses the values that their columns do not accept.
    pub(crate) fn refuse_misfits(&self, model: &Model, invalid: &mut Refusals) -> Result<()> {
        for value in &self.0 {
            let (code, message) = &value.refusal;
            if *code != ErrorCode::ReadOnly {
                invalid.push(&model.at(value.index)?.name, *code, message.as_str());
            }
        }
        Ok(())
    }

    /// Refuses the values that a record does not have. The record shows at least the fields of
    /// [`shown`](Self::shown), in the same time zone.
    pub(crate) fn check(&self, model: &Model, record: &RecordJson, zone: &Zone) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let record = record.fields()?;
        let stored: HashMap<&str, &RawValue> = record.iter().collect();
        let mut invalid = Refusals::default();
        for value in &self.0 {
            let field = model.at(value.index)?;
            let stored = stored.get(field.name.as_str());
            let read = |raw| Scalar::from_json(field, raw, zone).ok();
            let is_same = stored.is_some_and(|stored| {
                match (read(stored), read(&value.given)) {
                    (Some(stored), Some(given)) => stored.is_same(&given),
                    // The record may hold what its column does not accept, such as a floating point number.
                    _ => is_equal_json(stored.get(), value.given.get()),
                }
            });
            if !is_same {
                let (code, message) = value.refusal.clone();
                invalid.push(&field.name, code, message);
            }
        }
        invalid.into_result()
    }
}
