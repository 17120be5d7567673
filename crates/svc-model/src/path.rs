//! Paths: templates with names in braces, and the escaping of one segment.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode_byte, utf8_percent_encode};

use crate::wire::RequestError;

/// The characters to escape: all but the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Names of operations that are written in paths at the position of a record's key.
const OPERATION_NAMES: [&str; 5] = ["aggregate", "bulk_create", "group", "imports", "upsert"];
/// Those at the position of a field.
const RECORD_OPERATION_NAMES: [&str; 3] = ["get_siblings", "history", "references"];

/// Splits a template at its first name in braces: what is before it, the name, and what is behind it.
pub(crate) fn split_name(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = split_at(template, b'{')?;
    let (name, tail) = split_at(rest, b'}')?;
    Some((before, name, tail))
}

/// `split_once` for an ASCII character. In texts as short as templates a plain loop finds it sooner; browsers get the
/// shorter program.
fn split_at(text: &str, byte: u8) -> Option<(&str, &str)> {
    if cfg!(target_family = "wasm") {
        return text.split_once(char::from(byte));
    }
    let at = text.bytes().position(|it| it == byte)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Appends `template` to `out`, with each `{name}` replaced by the next argument, escaped.
pub(crate) fn expand(
    template: &str,
    arguments: &[&str],
    out: &mut String,
) -> Result<(), RequestError> {
    let mut rest = template;
    let mut arguments = arguments.iter();
    while let Some((before, name, tail)) = split_name(rest) {
        let argument = arguments
            .next()
            .ok_or_else(|| RequestError::new(format!("{name} has no value in the path")))?;
        // `.` and `..` cannot be escaped: every URL parser treats `%2E` like the dot.
        if matches!(*argument, "" | "." | "..") {
            return Err(RequestError::new(format!(
                "{name} must name something: \"{argument}\" cannot be a part of a path"
            )));
        }
        out.push_str(before);
        let mut argument = *argument;
        let operations: &[&str] = match name {
            "id" => &OPERATION_NAMES,
            "field" => &RECORD_OPERATION_NAMES,
            _ => &[],
        };
        if operations.contains(&argument) {
            // This marks the key or field, as opposed to the operation of that name (wire contract, section 11).
            let (first, others) = argument.split_at(1);
            first
                .bytes()
                .for_each(|byte| out.push_str(percent_encode_byte(byte)));
            argument = others;
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        // Browsers get the shorter program.
        match cfg!(not(target_family = "wasm")) && argument.bytes().all(is_plain) {
            true => out.push_str(argument),
            false => out.extend(utf8_percent_encode(argument, SEGMENT)),
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str, arguments: &[&str]) -> Result<String, String> {
        let mut out = String::new();
        expand(template, arguments, &mut out).map_err(|error| error.to_string())?;
        Ok(out)
    }

    #[test]
    fn arguments_fill_the_template_in_order_and_escaped() {
        assert_eq!(
            expanded("/projects/{project}/{environment}/x/", &["a b", "ö/?#%"]).unwrap(),
            "/projects/a%20b/%C3%B6%2F%3F%23%25/x/"
        );
    }

    #[test]
    fn an_argument_cannot_leave_its_segment() {
        for argument in ["", ".", ".."] {
            let message = expanded("/models/{model}", &[argument]).unwrap_err();
            assert!(
                message.starts_with("model must name something"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_key_is_distinguished_from_the_operation_of_that_name() {
        let path = |key| expanded("/models/{model}/{id}", &["group", key]).unwrap();
        assert_eq!(path("aggregate"), "/models/group/%61ggregate");
        assert_eq!(path("upsert"), "/models/group/%75psert");
        assert_eq!(path("groups"), "/models/group/groups");
    }

    #[test]
    fn a_field_is_distinguished_from_the_operation_of_that_name() {
        let path = |field| expanded("/{id}/{field}", &["references", field]).unwrap();
        assert_eq!(path("references"), "/references/%72eferences");
        assert_eq!(path("get_siblings"), "/references/%67et_siblings");
        assert_eq!(path("group"), "/references/group");
    }

    #[test]
    fn a_missing_argument_is_named() {
        assert_eq!(
            expanded("/{uid}/", &[]).unwrap_err(),
            "uid has no value in the path"
        );
    }
}
