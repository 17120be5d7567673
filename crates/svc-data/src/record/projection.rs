//! Which fields of a record are written, and how.

use std::{collections::HashSet, sync::Arc};

use svc_model::{Invalid, RecordView};

use crate::{Field, Model, Result, value::time::Zone};

/// What of a record is written, and how.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    /// The fields, in the order of the columns.
    pub(crate) fields: Arc<[usize]>,
    pub(crate) zone: Zone,
}

impl Projection {
    /// Shows every field.
    pub(crate) fn all(model: &Model, zone: &Zone) -> Self {
        Self {
            fields: (0..model.fields.len()).collect(),
            zone: zone.clone(),
        }
    }

    /// Reads `_fields` and `tz`.
    pub(crate) fn resolve(model: &Model, view: &RecordView) -> Result<Self> {
        let mut invalid = Invalid::new();
        let shown = Self::collect(
            model,
            view.fields.as_deref(),
            view.time_zone.as_deref(),
            &mut invalid,
        );
        invalid.into_result()?;
        Ok(shown)
    }

    /// Reads `_fields` and `tz`, and adds what is wrong with them.
    pub(crate) fn collect(
        model: &Model,
        fields: Option<&[String]>,
        time_zone: Option<&str>,
        invalid: &mut Invalid,
    ) -> Self {
        let zone = Zone::parse(time_zone).unwrap_or_else(|message| {
            invalid.push_field("tz", message);
            Zone::UTC
        });
        let mut indexes: Vec<usize> = (0..model.fields.len()).collect();
        if let Some(names) = fields {
            let mut wanted: HashSet<usize> = model.key.iter().copied().collect();
            for name in names {
                match model.index_of(name) {
                    Some(index) => {
                        wanted.insert(index);
                    }
                    None => invalid.push_field("_fields", format!("unknown field {name:?}")),
                }
            }
            indexes.retain(|index| wanted.contains(index));
        }
        Self {
            fields: indexes.into(),
            zone,
        }
    }

    /// Shows the primary key of a record, and nothing else of it.
    pub(crate) fn of_key(model: &Model) -> Result<Self> {
        let mut view = RecordView::default();
        view.fields = Some(Vec::new());
        Self::resolve(model, &view)
    }
}

/// Writes the shown fields of a record as an object. `write` gets the field, its place among those that are
/// shown, and its place among all.
pub(crate) fn write_object<E>(
    out: &mut Vec<u8>,
    fields: &[Field],
    shown: &Projection,
    mut write: impl FnMut(&mut Vec<u8>, &Field, usize, usize) -> Result<(), E>,
) -> Result<(), E> {
    out.push(b'{');
    let mut is_first = true;
    for (order, index) in shown.fields.iter().enumerate() {
        let Some(field) = fields.get(*index) else {
            continue;
        };
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        out.extend_from_slice(field.json_key.as_bytes());
        write(out, field, order, *index)?;
    }
    out.push(b'}');
    Ok(())
}
