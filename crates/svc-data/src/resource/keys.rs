//! Values by which records belong together: read beside the records, compared, and looked up.

use std::borrow::Cow;

use crate::{
    Error, Field, Model, Result,
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
            let json = self.of(record, *place);
            return Ok(match whole_number(json) {
                Some(number) => Some(Key::Number(number)),
                None => text(json)?.map(Key::one),
            });
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

/// A whole number, where a text is one as it is always written.
fn whole_number(text: &[u8]) -> Option<i64> {
    let is_usual = matches!(text, b"0" | [b'1'..=b'9', ..] | [b'-', b'1'..=b'9', ..]);
    let text = std::str::from_utf8(text).ok().filter(|_| is_usual)?;
    text.parse().ok()
}

/// The values of a record in the fields of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'v> {
    /// That of one field, whose text is a whole number as it is always written.
    Number(i64),
    /// That of one field with any other text.
    One(Cow<'v, str>),
    /// The texts of several fields.
    Several(Vec<Cow<'v, str>>),
}

impl<'v> Key<'v> {
    /// That of one field.
    fn one(text: Cow<'v, str>) -> Self {
        match whole_number(text.as_bytes()) {
            Some(number) => Self::Number(number),
            None => Self::One(text),
        }
    }

    /// What finds a field that has this value; `None` where it cannot have it.
    fn to_find(&self, field: &Field, zone: &Zone) -> Option<Scalar> {
        match self {
            Self::Number(number) if field.kind == Kind::Integer => Some(Scalar::Integer(*number)),
            Self::Number(number) => Scalar::to_find(field, &number.to_string(), zone).ok(),
            Self::One(text) => Scalar::to_find(field, text, zone).ok(),
            Self::Several(_) => None,
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

    /// A key in the form that is the same for equal keys.
    pub(super) fn comparable<'k>(&self, key: &'k Key<'_>) -> Key<'k> {
        let parts = match key {
            Key::Number(number) => return Key::Number(*number),
            Key::One(text) => {
                let is_exact = self.are_exact.first().copied().unwrap_or(false);
                return Key::one(shortest(text, is_exact).into());
            }
            Key::Several(parts) => parts,
        };
        let parts = self.are_exact.iter().zip(parts);
        let parts = parts.map(|(is_exact, part)| shortest(part, *is_exact).into());
        Key::Several(parts.collect())
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
        let scalars = values.iter().filter_map(|value| value.to_find(field, zone));
        return Ok(Test::In(*index, scalars.collect()));
    }
    let scalars = |value: &Key<'_>| -> Result<Option<Vec<(usize, Scalar)>>> {
        let mut scalars = Vec::with_capacity(fields.len());
        let Key::Several(texts) = value else {
            return Ok(None);
        };
        for (index, text) in fields.iter().zip(texts) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of one field, as it was read.
    fn key(json: &'static str) -> Option<Key<'static>> {
        let beside = Box::leak(Box::new(Beside {
            ends: vec![0],
            values: json.as_bytes().to_vec(),
            value_ends: vec![json.len()],
        }));
        Values::new(beside, 1).key(0, &[0]).unwrap()
    }

    #[test]
    fn keys_are_equal_where_their_texts_are() {
        let texts = [
            ("7", "7"),
            ("\"7\"", "7"),
            ("-7", "-7"),
            ("0", "0"),
            ("\"-0\"", "-0"),
            ("\"07\"", "07"),
            ("\"+7\"", "+7"),
            ("7.0", "7.0"),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9223372036854775808"),
            ("\"a\"", "a"),
            ("\"n\"", "n"),
            ("\"a\\n\"", "a\n"),
            ("\"\\u0061\"", "a"),
            ("\"\"", ""),
            ("true", "true"),
        ];
        for (json, text) in texts {
            for (other, other_text) in texts {
                assert_eq!(
                    key(json) == key(other),
                    text == other_text,
                    "{json} {other}"
                );
            }
        }
        assert_eq!(key("null"), None);
    }

    #[test]
    fn exact_numbers_are_equal_whatever_their_scale() {
        let of = |is_exact, json| {
            let comparer = Comparer {
                are_exact: vec![is_exact],
            };
            let key = key(json).unwrap();
            format!("{:?}", comparer.comparable(&key))
        };
        assert_eq!(of(true, "\"7.00\""), of(true, "7"));
        assert_eq!(of(true, "\"7.50\""), of(true, "\"7.5\""));
        assert_ne!(of(false, "\"7.00\""), of(false, "7"));
        assert_ne!(of(true, "\"70\""), of(true, "7"));
    }
}
