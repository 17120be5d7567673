//! What clients send of a record: its key in a path, and the body of a write.

use svc_model::{JsonObject, RecordId};

use super::{fixed::FixedValues, no_such_record, refusal::Refusals};
use crate::{
    Error, ErrorCode, Field, Model, Result,
    structure::Kind,
    value::{Scalar, Values, time::Zone},
};

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Create,
    Update,
    Replace,
    /// Changes a record that is there, or creates one.
    Upsert,
}

impl Purpose {
    /// What is said of a value that the database computes, where it is another one.
    fn computed(self) -> &'static str {
        match self {
            Self::Create => {
                "the database computes this field, and the value that it computes is another one; leave it out"
            }
            Self::Update | Self::Replace | Self::Upsert => {
                "the database computes this field, and the record has another value in it; leave it out"
            }
        }
    }
}

/// Reads the primary key of a path. A text that cannot be a key belongs to no record.
pub(crate) fn read_key(model: &Model, id: &str) -> Result<Vec<(usize, Scalar)>> {
    let parts = match model.key.as_slice() {
        [_] => vec![id.to_owned()],
        _ => RecordId::from(id).parts(),
    };
    if parts.len() != model.key.len() {
        return Err(no_such_record(model));
    }
    model
        .key
        .iter()
        .zip(parts)
        .map(|(index, part)| {
            let value = Scalar::to_find(model.at(*index)?, &part, &Zone::UTC)
                .map_err(|_| no_such_record(model))?;
            Ok((*index, value))
        })
        .collect()
}

/// The body of a write, read against the fields of its model.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordBody {
    pub(crate) values: Values,
    /// What cannot be written, so that the record has to have it already: on create once the database has computed it.
    pub(crate) fixed: FixedValues,
    /// The values of unique fields: the record that has them is changed. Empty where a record is created in any case.
    pub(crate) unique: Values,
    /// Why no record can be created of it, where it may change one that is there.
    pub(crate) incomplete: Option<Error>,
}

impl RecordBody {
    /// What is written where the record that has its unique values is changed: they stay as they are stored.
    pub(crate) fn without_unique(&self) -> Self {
        let is_unique = |index: usize| self.unique.iter().any(|(unique, _)| *unique == index);
        let values = self.values.iter();
        let values = values.filter(|(index, _)| !is_unique(*index));
        Self {
            values: values.cloned().collect(),
            fixed: self.fixed.clone(),
            ..Self::default()
        }
    }

    /// The fields that get their defaults where the body replaces a record: those that can be written, are not part
    /// of the key, and are left out.
    pub(crate) fn left_out<'m>(
        &'m self,
        model: &'m Model,
    ) -> impl Iterator<Item = (usize, &'m Field)> {
        let stays = |index: usize, field: &Field| {
            !field.editable
                || model.key.contains(&index)
                || self.values.iter().any(|(given, _)| *given == index)
                || self.fixed.holds(index)
        };
        let fields = model.fields.iter().enumerate();
        fields.filter(move |(index, field)| !stays(*index, field))
    }
}

/// Reads the body of a write against the fields of the model.
pub(crate) fn read_body(
    model: &Model,
    body: &JsonObject,
    zone: &Zone,
    purpose: Purpose,
) -> Result<RecordBody> {
    let mut invalid = Refusals::default();
    let mut values = Vec::with_capacity(body.len().min(model.fields.len()));
    let mut fixed = FixedValues::default();
    // A record that is changed may have it already.
    let may_be_held = |field: &Field| field.detail.holds_anything && purpose != Purpose::Create;
    let mut is_given = vec![false; model.fields.len()];
    for (name, raw) in body.iter() {
        let Some((index, field)) = model
            .index_of(name)
            .and_then(|index| Some((index, model.fields.get(index)?)))
        else {
            invalid.push(name, ErrorCode::UnknownField, "unknown field");
            continue;
        };
        if let Some(is_given) = is_given.get_mut(index) {
            *is_given = true;
        }
        if !field.editable {
            fixed.push(index, raw, ErrorCode::ReadOnly, purpose.computed());
            continue;
        }
        match Scalar::from_json(field, raw, zone) {
            Ok(Scalar::Null)
                if !field.nullable && field.default.as_ref().is_none_or(|d| d.sql().is_some()) =>
            {
                invalid.push(name, ErrorCode::NotNull, "this field may not be null");
            }
            Ok(value) => match check_size(field, &value) {
                Ok(()) => values.push((index, value)),
                Err((code, message)) if may_be_held(field) => {
                    fixed.push(index, raw, code, message);
                }
                Err((code, message)) => invalid.push(name, code, message),
            },
            Err(message) if may_be_held(field) => {
                fixed.push(index, raw, ErrorCode::Invalid, message);
            }
            Err(message) => invalid.push_field(name, message),
        }
    }
    let mut incomplete = Refusals::default();
    if purpose != Purpose::Update {
        let missing = match purpose {
            Purpose::Upsert => &mut incomplete,
            _ => &mut invalid,
        };
        for (index, (field, is_given)) in model.fields.iter().zip(is_given).enumerate() {
            // The key of a record that is replaced is in the path.
            let given = is_given || (purpose == Purpose::Replace && model.key.contains(&index));
            if field.required && !given {
                missing.push(&field.name, ErrorCode::Required, "this field is required");
            }
        }
    }
    if purpose == Purpose::Upsert {
        fixed.refuse_misfits(model, &mut incomplete)?;
    }
    if !invalid.is_empty() {
        // Nobody looks at the record then.
        fixed.refuse_misfits(model, &mut invalid)?;
    }
    invalid.into_result()?;
    Ok(RecordBody {
        values,
        fixed,
        unique: Values::new(),
        incomplete: incomplete.into_result().err(),
    })
}

/// Holds a value to the declared size of its column, which not every engine does by itself.
pub(crate) fn check_size(field: &Field, value: &Scalar) -> Result<(), (ErrorCode, String)> {
    let misfit = match value {
        Scalar::Text(text) => match field.max_length {
            Some(most) if text.chars().count() > most as usize => {
                let message = format!("at most {most} characters are allowed");
                Some((ErrorCode::TooLong, message))
            }
            _ if !field.options.is_empty() && !field.options.contains(text) => {
                let message = format!("must be one of {}", field.options.join(", "));
                Some((ErrorCode::Invalid, message))
            }
            _ => None,
        },
        Scalar::Integer(number) if field.kind == Kind::Integer => {
            let (least, most) = field.integers();
            let message = || format!("must be an integer between {least} and {most}");
            let fits = (least..=most).contains(&i128::from(*number));
            (!fits).then(|| (ErrorCode::OutOfRange, message()))
        }
        Scalar::Decimal(digits) => {
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            let fraction = fraction.trim_end_matches('0').len();
            let whole = whole.trim_start_matches(['-', '0']).len();
            let scale = field.scale;
            let most = field.precision;
            let most = most.map(|most| most.saturating_sub(scale.unwrap_or(0)) as usize);
            let message = match (scale, most) {
                (Some(scale), _) if fraction > scale as usize => Some(format!(
                    "at most {scale} digits behind the point are allowed"
                )),
                (_, Some(most)) if whole > most => Some(format!(
                    "at most {most} digits before the point are allowed"
                )),
                _ => None,
            };
            message.map(|message| (ErrorCode::OutOfRange, message))
        }
        _ => None,
    };
    misfit.map_or(Ok(()), Err)
}
