//! JSON that comes in: written out on the command line, from a file (`@FILE`), or from standard input (`-`).

pub(crate) mod password;

use std::{
    fs,
    io::{self, Read as _},
};

use svc_model::JsonObject;

use crate::failure::Failure;

/// The text itself, that of a file (`@FILE`), or that of standard input (`-`).
pub(crate) fn read_text(argument: &str) -> Result<String, Failure> {
    if argument == "-" {
        let mut text = String::new();
        return match io::stdin().read_to_string(&mut text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Failure::new(format!(
                "cannot read standard input: {error}; it must be UTF-8 text"
            ))),
        };
    }
    match argument.strip_prefix('@') {
        Some(path) => fs::read_to_string(path).map_err(|error| {
            Failure::new(format!(
                "cannot read {path}: {error}; name a file with JSON after the @"
            ))
        }),
        None => Ok(argument.to_owned()),
    }
}

/// A JSON object.
pub(crate) fn read_object(argument: &str) -> Result<JsonObject, Failure> {
    serde_json::from_str(&read_text(argument)?).map_err(|error| {
        Failure::usage(format!(
            "{} must hold a JSON object such as '{{\"name\": \"value\"}}': {error}",
            place(argument)
        ))
    })
}

/// A text that holds JSON of any kind.
pub(crate) fn read_json_text(argument: &str) -> Result<String, Failure> {
    let text = read_text(argument)?.trim().to_owned();
    match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::usage(format!(
            "{} must hold JSON: {error}",
            place(argument)
        ))),
    }
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
        assert_eq!(
            read_object(r#"{"a":1.50}"#).unwrap().get_raw("a"),
            Some("1.50")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        fs::write(&path, r#"{"b":2}"#).unwrap();
        let argument = format!("@{}", path.display());
        assert_eq!(read_object(&argument).unwrap().get_raw("b"), Some("2"));
    }

    #[test]
    fn what_is_no_json_object_is_refused_with_its_place() {
        for text in ["", "[1]", "{", "1"] {
            let failure = read_object(text).unwrap_err();
            assert!(matches!(failure, Failure::Usage(_)));
            assert!(
                failure
                    .to_string()
                    .contains("the argument must hold a JSON object"),
                "{failure}"
            );
        }
        let failure = read_object("@no/such/file.json").unwrap_err();
        assert!(
            failure.to_string().contains("no/such/file.json"),
            "{failure}"
        );
        assert!(read_json_text("{]").is_err());
        assert_eq!(read_json_text(" [1, 2]\n").unwrap(), "[1, 2]");
    }
}
