//! Arrays: from JSON to the text that PostgreSQL reads, and from what it sends to JSON, with elements in the format
//! of their type.

use bytes::{BufMut, BytesMut};
use serde_json::value::RawValue;
use tokio_postgres::types::{Kind as SqlKind, Type as SqlType};

use super::{
    select::{push_element, text},
    types::type_of,
    value::Cell,
};
use crate::{
    Field,
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The most dimensions that PostgreSQL gives an array.
const MAX_DIMENSIONS: usize = 6;

/// A JSON array as the text of an array of these elements.
pub(super) fn literal(element: &Field, json: &str) -> Result<String, String> {
    let mut text = String::with_capacity(json.len() + 2);
    push_array(&mut text, element, json, 1)?;
    Ok(text)
}

/// What stands between the elements: all types but one have a comma there.
fn delimiter(element: &Field) -> char {
    match element.detail.bound_type.as_str() {
        "pg_catalog.box" => ';',
        _ => ',',
    }
}

fn push_array(
    out: &mut String,
    element: &Field,
    json: &str,
    dimension: usize,
) -> Result<(), String> {
    let items: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| "must be an array".to_owned())?;
    let zone = Zone::parse(None)?;
    out.push('{');
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.push(delimiter(element));
        }
        let json = item.get();
        match json.as_bytes().first() {
            Some(b'n') => out.push_str("NULL"),
            // An array in an array of JSON is an element of it.
            Some(b'[') if element.kind != Kind::Json => {
                if dimension == MAX_DIMENSIONS {
                    return Err(format!("an array has at most {MAX_DIMENSIONS} dimensions"));
                }
                push_array(out, element, json, dimension + 1)?;
            }
            _ => {
                let value = Scalar::from_json(element, item, &zone)
                    .map_err(|message| format!("an element is not valid: {message}"))?;
                let text = text(type_of(element), &value).unwrap_or_default();
                if text.contains('\0') {
                    return Err("must not hold a NUL character".to_owned());
                }
                push_element(out, &text);
            }
        }
    }
    out.push('}');
    Ok(())
}

/// The type of the elements, where a type is an array of some.
pub(super) fn element_type(sort: &SqlType) -> Option<&SqlType> {
    match sort.kind() {
        SqlKind::Array(element) => Some(match element.kind() {
            SqlKind::Domain(base) => base,
            _ => element,
        }),
        _ => None,
    }
}

/// Writes an array as it was sent; none when it is not of the form that arrays have.
pub(super) fn write(
    out: &mut BytesMut,
    element: &SqlType,
    bytes: &[u8],
    zone: &Zone,
) -> Option<()> {
    let mut rest = bytes;
    let dimensions = usize::try_from(number(&mut rest)?).ok()?;
    let (_has_null, _element) = (number(&mut rest)?, number(&mut rest)?);
    if dimensions == 0 {
        out.put_slice(b"[]");
        return Some(());
    }
    let mut lengths = Vec::with_capacity(dimensions.min(MAX_DIMENSIONS));
    for _ in 0..dimensions {
        lengths.push(number(&mut rest)?);
        // The number of the first element, which JSON has no place for.
        number(&mut rest)?;
    }
    write_dimension(out, element, &lengths, &mut rest, zone)
}

fn write_dimension(
    out: &mut BytesMut,
    element: &SqlType,
    lengths: &[i32],
    rest: &mut &[u8],
    zone: &Zone,
) -> Option<()> {
    let (length, inner) = lengths.split_first()?;
    out.put_u8(b'[');
    for position in 0..*length {
        if position > 0 {
            out.put_u8(b',');
        }
        if !inner.is_empty() {
            write_dimension(out, element, inner, rest, zone)?;
            continue;
        }
        match usize::try_from(number(rest)?) {
            Err(_) => out.put_slice(b"null"),
            Ok(size) => {
                let (bytes, after) = rest.split_at_checked(size)?;
                *rest = after;
                Cell {
                    sort: element,
                    bytes,
                }
                .write(out, zone)?;
            }
        }
    }
    out.put_u8(b']');
    Some(())
}

fn number(rest: &mut &[u8]) -> Option<i32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::postgres::{special::VALUES, types::Type};

    fn element(sort: Type) -> Field {
        Field::of_type("e".into(), sort, None, "", &VALUES)
    }

    #[test]
    fn arrays_are_written_as_postgresql_reads_them() {
        let text = element(Type::Text);
        assert_eq!(
            literal(&text, "[\"1\", null, \"a\\\"b\\\\\", []]").unwrap(),
            r#"{"1",NULL,"a\"b\\",{}}"#
        );
        let jsonb = element(Type::Jsonb);
        assert_eq!(
            literal(&jsonb, "[{\"a\": 1}, [1, 2], null]").unwrap(),
            r#"{"{\"a\": 1}","[1, 2]",NULL}"#
        );
        let numeric = element(Type::Decimal);
        assert_eq!(
            literal(&numeric, "[[\"1.50\", 2], [\"NaN\", 1e2]]").unwrap(),
            r#"{{"1.50","2"},{"NaN","100"}}"#
        );
        let bytes = element(Type::Bytes);
        assert_eq!(literal(&bytes, "[\"00ff\"]").unwrap(), r#"{"\\x00ff"}"#);
        assert!(literal(&bytes, "[\"0\"]").is_err());
        assert!(literal(&text, "{}").is_err());
        assert!(literal(&text, "1").is_err());
        assert!(literal(&text, "[[[[[[[1]]]]]]]").is_err());
    }

    #[test]
    fn arrays_that_end_early_are_not_written() {
        let mut out = BytesMut::new();
        let zone = Zone::parse(None).unwrap();
        let bytes: Vec<u8> = [1, 0, 25, 1_000_000, 1, 4]
            .iter()
            .flat_map(|n: &i32| n.to_be_bytes())
            .collect();
        assert_eq!(write(&mut out, &SqlType::TEXT, &bytes, &zone), None);
    }
}
