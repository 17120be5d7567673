//! Which fields of a record are written, and how.

use std::{collections::HashSet, sync::Arc};

use svc_model::{Invalid, RecordView};

use super::{
    excerpt::{CUT, Excerpt},
    kept::Keeping,
};
use crate::{
    Field, Model, Result,
    value::{
        json::{write_display, write_integer},
        time::Zone,
    },
};

/// What of a record is written, and how.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    /// The fields, in the order of the columns.
    pub(crate) fields: Arc<[usize]>,
    pub(crate) zone: Zone,
    /// How long values are shown at most.
    pub(crate) excerpt: Option<Excerpt>,
    /// Which values are kept for the history beside what is shown.
    pub(crate) keeping: Option<Keeping>,
}

impl Projection {
    /// Shows every field.
    pub(crate) fn all(model: &Model, zone: &Zone) -> Self {
        Self {
            fields: (0..model.fields.len()).collect(),
            zone: zone.clone(),
            excerpt: None,
            keeping: None,
        }
    }

    /// Reads `_fields`, `_excerpt` and `tz`.
    pub(crate) fn resolve(model: &Model, view: &RecordView) -> Result<Self> {
        let mut invalid = Invalid::new();
        let shown = Self::collect(
            model,
            view.fields.as_deref(),
            view.excerpt,
            view.time_zone.as_deref(),
            &mut invalid,
        );
        invalid.into_result()?;
        Ok(shown)
    }

    /// Reads `_fields`, `_excerpt` and `tz`, and adds what is wrong with them.
    pub(crate) fn collect(
        model: &Model,
        fields: Option<&[String]>,
        excerpt: Option<u32>,
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
        let is_cut = |index: &usize| model.fields.get(*index).is_some_and(|it| it.name == CUT);
        if excerpt.is_some() && indexes.iter().any(is_cut) {
            let message = format!(
                "tells in {CUT:?} what was cut, and there is a field of that name; leave it out"
            );
            invalid.push_field("_excerpt", message);
        }
        Self {
            fields: indexes.into(),
            zone,
            excerpt: excerpt.map(|most| Excerpt::new(model, most)),
            keeping: None,
        }
    }

    /// Shows the primary key of a record, and nothing else of it.
    pub(crate) fn of_key(model: &Model) -> Result<Self> {
        let mut view = RecordView::default();
        view.fields = Some(Vec::new());
        Self::resolve(model, &view)
    }

    /// The same, with the values that are kept beside it.
    pub(crate) fn keeping(self, keeping: Option<Keeping>) -> Self {
        Self { keeping, ..self }
    }

    /// Whether it shows the primary key, and nothing is kept beside it.
    pub(crate) fn is_key(&self, model: &Model) -> bool {
        let is_in_key = |index| model.key.contains(index);
        self.fields.iter().all(is_in_key) && self.keeping.is_none() && self.excerpt.is_none()
    }

    /// Whether it shows these fields, all of them or so many in all, as they are kept.
    pub(crate) fn is_as_kept(&self, keeping: &Keeping, fields: usize) -> bool {
        let is_whole = self.zone.is_utc && self.excerpt.is_none() && self.fields.len() == fields;
        is_whole && keeping.fields().is_none()
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

/// Adds to an object with the shown fields the whole lengths of those values that were cut.
pub(crate) fn write_cut(out: &mut Vec<u8>, cut: &[(&Field, u64)]) {
    if cut.is_empty() {
        return;
    }
    // The object that was written has a field at least: one that was cut.
    out.pop();
    write_display(out, format_args!(",\"{CUT}\":"));
    write_lengths(out, cut);
    out.push(b'}');
}

/// Writes the whole lengths of values as an object.
pub(crate) fn write_lengths(out: &mut Vec<u8>, cut: &[(&Field, u64)]) {
    for (number, (field, length)) in cut.iter().enumerate() {
        out.push(if number == 0 { b'{' } else { b',' });
        out.extend_from_slice(field.json_key.as_bytes());
        write_integer(out, *length);
    }
    out.push(b'}');
}
