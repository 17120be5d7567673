//! JSON that comes in: written out on the command line, from a file (`@FILE`), or from standard input (`-`).

pub(crate) mod password;

use std::{fs, io};

use serde_json::{Value, value::RawValue};
use svc_model::JsonObject;

use crate::error::Error;

/// The text itself, that of a file (`@FILE`), or that of standard input (`-`).
pub(crate) fn read_text(argument: &str) -> Result<String, Error> {
    if argument == "-" {
        return io::read_to_string(io::stdin()).map_err(|error| {
            Error::new(format!(
                "cannot read standard input: {error}; it must be UTF-8 text"
            ))
        });
    }
    match argument.strip_prefix('@') {
        Some(path) => fs::read_to_string(path).map_err(|error| {
            Error::new(format!(
                "cannot read {path}: {error}; name a file with JSON after the @"
            ))
        }),
        None => Ok(argument.to_owned()),
    }
}

/// A JSON object.
pub(crate) fn read_object(argument: &str) -> Result<JsonObject, Error> {
    serde_json::from_str(&read_text(argument)?).map_err(|error| {
        Error::usage(format!(
            "{} must hold a JSON object such as '{{\"name\": \"value\"}}': {error}",
            place(argument)
        ))
    })
}

/// A text that holds JSON of any kind.
pub(crate) fn read_json_text(argument: &str) -> Result<String, Error> {
    let text = read_text(argument)?.trim().to_owned();
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let place = place(argument);
            Err(Error::usage(format!("{place} must hold JSON: {error}")))
        }
    }
}

/// What is before and behind the first of these characters in an argument.
pub(crate) fn split_at<'a>(
    text: &str,
    at: char,
    wrong: &'a str,
) -> Result<(String, String), &'a str> {
    let (name, value) = text.split_once(at).ok_or(wrong)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// JSON where the text is some, else the text.
pub(crate) fn json_or_text(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

fn place(argument: &str) -> &str {
    match argument {
        "-" => "standard input",
        _ => argument.strip_prefix('@').unwrap_or("the argument"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_from_the_argument_or_a_file() {
        let object = read_object(r#"{"a":1.50}"#).unwrap();
        assert_eq!(object.get_raw("a"), Some("1.50"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        fs::write(&path, r#"{"b":2}"#).unwrap();
        let argument = format!("@{}", path.display());
        assert_eq!(read_object(&argument).unwrap().get_raw("b"), Some("2"));
    }

    #[test]
    fn what_is_no_json_object_is_refused_with_its_place() {
        for text in ["", "[1]", "{", "1"] {
            let error = read_object(text).unwrap_err();
            assert!(matches!(error, Error::Usage(_)));
            let text = error.to_string();
            assert!(
                text.contains("the argument must hold a JSON object"),
                "{text}"
            );
        }
        let text = read_object("@no/such/file.json").unwrap_err().to_string();
        assert!(text.contains("no/such/file.json"), "{text}");
        assert!(read_json_text("{]").is_err());
        assert_eq!(read_json_text(" [1, 2]\n").unwrap(), "[1, 2]");
    }
}
