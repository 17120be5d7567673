//! Values by which records belong together: read beside the records, compared, and looked up.

use std::borrow::Cow;

use crate::{
    Error, Model, Result,
    plan::{Comparison, Test},
    record::Beside,
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The values that were read beside the records of a part, `width` for each.
#[derive(Clone, Copy)]
pub(super) struct Values<'b> {
    beside: &'b Beside,
    width: usize,
}

impl<'b> Values<'b> {
    pub(super) fn new(beside: &'b Beside, width: usize) -> Self {
        Self { beside, width }
    }

    /// A value of a record, as JSON.
    fn of(self, record: usize, place: usize) -> &'b [u8] {
        let ends = &self.beside.value_ends;
        let number = record * self.width + place;
        let start = number.checked_sub(1).and_then(|before| ends.get(before));
        let range = start.copied().unwrap_or(0)..ends.get(number).copied().unwrap_or(0);
        self.beside.values.get(range).unwrap_or_default()
    }

    /// The values of a record at these places as texts; `None` where one of them is NULL.
    pub(super) fn key(self, record: usize, places: &[usize]) -> Result<Option<Key<'b>>> {
        if let [place] = places {
            return Ok(text(self.of(record, *place))?.map(Key::One));
        }
        let mut parts = Vec::with_capacity(places.len());
        for place in places {
            match text(self.of(record, *place))? {
                Some(part) => parts.push(part),
                None => return Ok(None),
            }
        }
        Ok(Some(Key::Several(parts)))
    }
}

/// A JSON value as text; `None` for NULL.
fn text(json: &[u8]) -> Result<Option<Cow<'_, str>>> {
    let inside = json.strip_prefix(b"\"");
    Ok(match inside.and_then(|inside| inside.strip_suffix(b"\"")) {
        _ if json.first() == Some(&b'n') => None,
        None => Some(String::from_utf8_lossy(json)),
        // Most texts are written as they are.
        Some(inside) => Some(match std::str::from_utf8(inside) {
            Ok(plain) if !inside.contains(&b'\\') => plain.into(),
            _ => Cow::Owned(serde_json::from_slice(json).map_err(unreadable)?),
        }),
    })
}

/// The values of a record in the fields of a relation, as texts. Those of one field, which most relations have, are no
/// vector, so that they need no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'v> {
    One(Cow<'v, str>),
    Several(Vec<Cow<'v, str>>),
}

impl<'v> Key<'v> {
    fn parts(&self) -> &[Cow<'v, str>] {
        match self {
            Self::One(part) => std::slice::from_ref(part),
            Self::Several(parts) => parts,
        }
    }
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
    pub(super) fn text<'k>(&self, key: &'k Key<'_>) -> Cow<'k, str> {
        let parts = key.parts();
        if let ([is_exact], [part]) = (self.are_exact.as_slice(), parts) {
            return shortest(part, *is_exact).into();
        }
        let mut text = String::new();
        for (is_exact, part) in self.are_exact.iter().zip(parts) {
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
    values: &[Key<'_>],
    zone: &Zone,
) -> Result<Test> {
    if let [index] = fields {
        let field = model.at(*index)?;
        let parts = values.iter().flat_map(Key::parts);
        let scalars = parts.filter_map(|text| Scalar::to_find(field, text, zone).ok());
        return Ok(Test::In(*index, scalars.collect()));
    }
    let scalars = |value: &Key<'_>| -> Result<Option<Vec<(usize, Scalar)>>> {
        let mut scalars = Vec::with_capacity(fields.len());
        for (index, text) in fields.iter().zip(value.parts()) {
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
