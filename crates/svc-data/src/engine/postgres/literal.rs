//! Values as the texts that PostgreSQL reads: single ones, and arrays of JSON with their elements.

use serde_json::value::RawValue;

use super::types::{Type, type_of};
use crate::{
    Field,
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The most dimensions that PostgreSQL gives an array.
pub(super) const MAX_DIMENSIONS: usize = 6;

/// What an element has to fulfil.
pub(super) type Check = fn(&Field, &Scalar) -> Result<(), String>;

/// A JSON array as the text of an array of these elements, each of which passes a check.
pub(super) fn array(element: &Field, json: &str, check: Check) -> Result<String, String> {
    let mut text = String::with_capacity(json.len() + 2);
    push_array(&mut text, element, json, check, 1)?;
    Ok(text)
}

/// The separator of elements: all types but one have a comma there.
pub(super) fn delimiter(element: &Field) -> char {
    match element.detail.bound_type.as_str() {
        "pg_catalog.box" => ';',
        _ => ',',
    }
}

fn push_array(
    out: &mut String,
    element: &Field,
    json: &str,
    check: Check,
    dimension: usize,
) -> Result<(), String> {
    let items: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| "must be an array".to_owned())?;
    let zone = Zone::UTC;
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
                push_array(out, element, json, check, dimension + 1)?;
            }
            _ => {
                let value = Scalar::from_json(element, item, &zone)
                    .and_then(|value| check(element, &value).map(|()| value))
                    .map_err(|message| format!("an element is not valid: {message}"))?;
                let text = text(type_of(element), &value).unwrap_or_default();
                if text.contains('\0') {
                    return Err("must not contain a NUL character".to_owned());
                }
                push_element(out, &text);
            }
        }
    }
    out.push('}');
    Ok(())
}

/// Adds an element to the text of an array.
pub(super) fn push_element(list: &mut String, text: &str) {
    list.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            list.push('\\');
        }
        list.push(c);
    }
    list.push('"');
}

/// A value as PostgreSQL reads it; none is NULL.
pub(super) fn text(kind: Type, value: &Scalar) -> Option<String> {
    Some(match value {
        Scalar::Null => return None,
        Scalar::Boolean(truth) => truth.to_string(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Unsigned(number) => number.to_string(),
        Scalar::Float(number) => format!("{number:?}"),
        Scalar::Decimal(text)
        | Scalar::Json(text)
        | Scalar::Text(text)
        | Scalar::Uuid(text, _)
        | Scalar::Special(text) => text.clone(),
        Scalar::Bytes(bytes) => {
            let mut hex = Vec::with_capacity(bytes.len() * 2);
            crate::value::json::put_hex(&mut hex, bytes);
            format!("\\x{}", String::from_utf8_lossy(&hex))
        }
        Scalar::Date(date) => date.to_string(),
        Scalar::Time(time, _) => time.to_string(),
        Scalar::DateTime(timestamp, _) if kind == Type::Timestamp => {
            jiff::tz::TimeZone::UTC.to_datetime(*timestamp).to_string()
        }
        Scalar::DateTime(timestamp, _) => timestamp.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::postgres::{special::VALUES, types::Type};

    fn element(sort: Type) -> Field {
        Field::of_type("e".into(), sort, None, "", &VALUES)
    }

    fn any_array(element: &Field, json: &str) -> Result<String, String> {
        array(element, json, |_, _| Ok(()))
    }

    #[test]
    fn arrays_are_written_as_postgresql_reads_them() {
        let text = element(Type::Text);
        assert_eq!(
            any_array(&text, "[\"1\", null, \"a\\\"b\\\\\", []]").unwrap(),
            r#"{"1",NULL,"a\"b\\",{}}"#
        );
        assert_eq!(
            any_array(&element(Type::Jsonb), "[{\"a\": 1}, [1, 2], null]").unwrap(),
            r#"{"{\"a\": 1}","[1, 2]",NULL}"#
        );
        assert_eq!(
            any_array(&element(Type::Decimal), "[[\"1.50\", 2], [\"NaN\", 1e2]]").unwrap(),
            r#"{{"1.50","2"},{"NaN","100"}}"#
        );
        let bytes = element(Type::Bytes);
        assert_eq!(any_array(&bytes, "[\"00ff\"]").unwrap(), r#"{"\\x00ff"}"#);
        assert!(any_array(&bytes, "[\"0\"]").is_err());
        assert!(any_array(&text, "{}").is_err());
        assert!(any_array(&text, "1").is_err());
        assert!(any_array(&text, "[[[[[[[1]]]]]]]").is_err());
    }

    proptest! {
        #[test]
        fn an_element_ends_where_it_should(text in "[a\"\\\\,{} ]{0,12}") {
            let mut list = String::new();
            push_element(&mut list, &text);
            let inner = list.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
            let mut read = String::new();
            let mut chars = inner.chars();
            while let Some(c) = chars.next() {
                prop_assert_ne!(c, '"');
                read.push(if c == '\\' { chars.next().unwrap() } else { c });
            }
            prop_assert_eq!(read, text);
        }
    }
}
