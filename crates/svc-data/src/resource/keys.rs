//! Values by which records belong together: read beside the records, compared, and looked up.

use std::borrow::Cow;

use crate::{
    Error, Model, Result,
    plan::{Comparison, Test},
    record::Beside,
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The values that were read beside a record, `width` for each.
pub(super) fn values(beside: &Beside, record: usize, width: usize) -> Vec<&[u8]> {
    let end = |number: usize| beside.value_ends.get(number).copied().unwrap_or(0);
    let first = record * width;
    let values = (first..first + width).map(|number| {
        let start = number.checked_sub(1).map_or(0, end);
        beside.values.get(start..end(number)).unwrap_or_default()
    });
    values.collect()
}

/// The values of a record in the fields of a relation, as texts.
pub(super) type Key = Vec<String>;

/// The values at these places as texts; `None` where one of them is NULL.
pub(super) fn key(
    values: &[&[u8]],
    places: impl IntoIterator<Item = usize>,
) -> Result<Option<Key>> {
    let mut key = Vec::new();
    for place in places {
        let value = values.get(place).copied().unwrap_or_default();
        key.push(match value.first() {
            Some(b'n') => return Ok(None),
            Some(b'"') => serde_json::from_slice(value).map_err(unreadable)?,
            _ => String::from_utf8_lossy(value).into_owned(),
        });
    }
    Ok(Some(key))
}

/// Compares the values of fields, whose exact numbers may be written with a different scale.
pub(super) struct Comparer {
    /// Whether each field has exact numbers.
    are_exact: Vec<bool>,
}

impl Comparer {
    /// Compares values of these fields.
    pub(super) fn of(model: &Model, fields: &[String]) -> Self {
        let is_exact = |name: &String| {
            let field = model.field(name);
            field.is_some_and(|field| matches!(field.kind, Kind::Integer | Kind::Decimal))
        };
        Self {
            are_exact: fields.iter().map(is_exact).collect(),
        }
    }

    /// A key as one text, the same for equal keys.
    pub(super) fn text<'k>(&self, key: &'k [String]) -> Cow<'k, str> {
        if let ([is_exact], [part]) = (self.are_exact.as_slice(), key) {
            return shortest(part, *is_exact).into();
        }
        let mut text = String::new();
        for (is_exact, part) in self.are_exact.iter().zip(key) {
            let part = shortest(part, *is_exact);
            text.push_str(&part.len().to_string());
            text.push(':');
            text.push_str(part);
        }
        text.into()
    }
}

/// An exact number without zeros at its end; another text as it is.
fn shortest(part: &str, is_exact: bool) -> &str {
    match is_exact && part.contains('.') {
        true => part.trim_end_matches('0').trim_end_matches('.'),
        false => part,
    }
}

pub(super) fn unreadable(source: serde_json::Error) -> Error {
    Error::internal("a record cannot be read").with_source(source)
}

/// The places of fields in a model.
pub(super) fn places(model: &Model, names: &[String]) -> Result<Vec<usize>> {
    let places: Option<_> = names.iter().map(|name| model.index_of(name)).collect();
    places.ok_or_else(|| Error::structure_changed("the columns of a relation have changed"))
}

/// Whether fields equal one of the values. A value that the fields cannot have equals none.
pub(super) fn equal_to_one(
    model: &Model,
    fields: &[usize],
    values: &[Key],
    zone: &Zone,
) -> Result<Test> {
    if let [index] = fields {
        let field = model.at(*index)?;
        let parts = values.iter().filter_map(|value| value.first());
        let scalars = parts.filter_map(|text| Scalar::to_find(field, text, zone).ok());
        return Ok(Test::In(*index, scalars.collect()));
    }
    let scalars = |value: &Key| -> Result<Option<Vec<(usize, Scalar)>>> {
        let mut scalars = Vec::with_capacity(fields.len());
        for (index, text) in fields.iter().zip(value) {
            match Scalar::to_find(model.at(*index)?, text, zone) {
                Ok(scalar) => scalars.push((*index, scalar)),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(scalars))
    };
    let mut keys = Vec::with_capacity(values.len());
    for value in values {
        keys.extend(scalars(value)?);
    }
    let of_key = |key: Vec<(usize, Scalar)>| {
        let parts = key.into_iter();
        let parts = parts.map(|(index, scalar)| Test::Compare(index, Comparison::Equal, scalar));
        Test::All(parts.collect())
    };
    Ok(Test::Any(keys.into_iter().map(of_key).collect()))
}
