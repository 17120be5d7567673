//! The values of a record's primary key, taken out of its JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue as RawJson;

/// Reads the JSON of a record, and returns the values of the fields of its key, in the order of these names; `None` for
/// one that is not there. The other values are passed over.
pub(super) fn key_values<'r>(
    names: &[&str],
    record: &'r [u8],
) -> serde_json::Result<Vec<Option<&'r RawJson>>> {
    let mut json = serde_json::Deserializer::from_slice(record);
    let values = Key(names).deserialize(&mut json)?;
    json.end()?;
    Ok(values)
}

/// The fields of a key.
struct Key<'n>(&'n [&'n str]);

impl<'r> DeserializeSeed<'r> for Key<'_> {
    type Value = Vec<Option<&'r RawJson>>;

    fn deserialize<D: Deserializer<'r>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'r> Visitor<'r> for Key<'_> {
    type Value = Vec<Option<&'r RawJson>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'r>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.0.len()];
        while let Some(position) = fields.next_key_seed(Name(self.0))? {
            match position.and_then(|position| values.get_mut(position)) {
                Some(value) => *value = Some(fields.next_value()?),
                None => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

/// The name of a field, as its position in the key; `None` for one that is not part of it.
struct Name<'n>(&'n [&'n str]);

impl<'r> DeserializeSeed<'r> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'r>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(names: &[&str], record: &str) -> Vec<Option<String>> {
        let values = key_values(names, record.as_bytes()).unwrap();
        let text = |value: &RawJson| value.get().to_owned();
        values.into_iter().map(|value| value.map(text)).collect()
    }

    #[test]
    fn the_values_of_a_key_are_in_the_order_of_its_fields() {
        let record = r#"{"line": 3, "note": {"order": [1, "\u0000"]}, "ord\u0065r": "a\"b"}"#;
        assert_eq!(
            values(&["order", "line", "shop"], record),
            [Some(r#""a\"b""#.to_owned()), Some("3".to_owned()), None]
        );
    }

    #[test]
    fn what_is_no_record_has_no_key() {
        for json in ["", "[]", "1", r#"{"id": 1"#, r#"{"id": 1} 2"#] {
            assert!(key_values(&["id"], json.as_bytes()).is_err(), "{json}");
        }
    }
}
