//! The properties of a page as a caller sends them, checked and taken apart.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use svc_model::{Invalid, JsonObject};

use crate::database::json;
use crate::error::Result;

/// Properties that the service sets; values of a caller are ignored.
const RESERVED: [&str; 5] = ["uid", "environment", "draft", "deleted", "date_add"];
/// Longest `unique_name`, in characters.
const MAX_UNIQUE_NAME: usize = 255;
const TEXT_OR_NULL: &str = "must be text or null";
const TEXT: &str = "must be text that is not empty";
const PARAMS: &str = r#"must be a string that holds JSON, such as "{\"columns\": [\"id\"]}""#;

/// What a caller gave of a page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Fields {
    pub(super) unique_name: Option<String>,
    /// The name, where one was given that is not null.
    pub(super) name: Option<String>,
    /// The properties that the service knows, the values written in one way.
    known: JsonObject,
    /// All other properties, in the caller's order and spelling.
    others: JsonObject,
}

impl Fields {
    /// The fields of a new page: null for `view` or `unique_name` asks for the default.
    pub(super) fn of_new(mut object: JsonObject) -> Result<Self> {
        for name in ["view", "unique_name"] {
            if object.get_raw(name) == Some("null") {
                object.remove(name);
            }
        }
        Self::of_patch(object)
    }

    /// The fields of a change.
    pub(super) fn of_patch(mut object: JsonObject) -> Result<Self> {
        let mut invalid = Invalid::new();
        for name in RESERVED {
            object.remove(name);
        }
        let mut known = JsonObject::new();
        let mut take = |field: &str, rule: Rule| -> Result<Option<String>> {
            let Some(value) = object.remove(field) else {
                return Ok(None);
            };
            match rule(&value) {
                Ok(value) => {
                    known.set(field, &value).map_err(json::unwritable)?;
                    Ok(value)
                }
                Err(message) => {
                    invalid.push_field(field, message);
                    Ok(None)
                }
            }
        };
        take("view", text)?;
        let given = take("unique_name", unique_name)?;
        let name = take("name", text_or_null)?;
        take("resource", text_or_null)?;
        take("model", text_or_null)?;
        take("params", params)?;
        invalid.into_result()?;
        Ok(Self {
            unique_name: given,
            name,
            known,
            others: object,
        })
    }

    /// Whether there is nothing to change.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.others.is_empty()
    }

    /// Gives the page a name when the caller gave none.
    pub(super) fn set_unique_name(&mut self, name: &str) -> Result<()> {
        self.known
            .set("unique_name", name)
            .map_err(json::unwritable)?;
        self.unique_name = Some(name.to_owned());
        Ok(())
    }

    /// All that was given as one JSON object.
    pub(super) fn to_text(&self) -> Result<String> {
        Ok(json::join(
            &json::to_text(&self.known)?,
            &json::to_text(&self.others)?,
        ))
    }
}

/// Reads the value of a property that the service knows; the error says what it must be.
type Rule = fn(&RawValue) -> Result<Option<String>, String>;

fn text_or_null(value: &RawValue) -> Result<Option<String>, String> {
    read(value).ok_or_else(|| TEXT_OR_NULL.to_owned())
}

fn text(value: &RawValue) -> Result<Option<String>, String> {
    match read::<String>(value) {
        Some(text) if !text.trim().is_empty() => Ok(Some(text)),
        _ => Err(TEXT.to_owned()),
    }
}

fn unique_name(value: &RawValue) -> Result<Option<String>, String> {
    let name = text(value)?;
    match &name {
        Some(name) if name.chars().count() > MAX_UNIQUE_NAME => {
            Err(format!("must have at most {MAX_UNIQUE_NAME} characters"))
        }
        _ => Ok(name),
    }
}

fn params(value: &RawValue) -> Result<Option<String>, String> {
    let text = read::<String>(value).ok_or_else(|| PARAMS.to_owned())?;
    match json::check(&text) {
        Ok(()) => Ok(Some(text)),
        Err(error) => Err(format!("{PARAMS}; this text is not JSON: {error}")),
    }
}

fn read<T: DeserializeOwned>(value: &RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> JsonObject {
        serde_json::from_str(text).unwrap()
    }

    fn refused(text: &str) -> Vec<String> {
        let error = Fields::of_patch(object(text)).unwrap_err();
        error
            .invalid()
            .unwrap()
            .field_errors()
            .iter()
            .map(|(field, _)| field.clone())
            .collect()
    }

    #[test]
    fn known_properties_are_taken_and_the_rest_kept_in_order() {
        let fields = Fields::of_patch(object(
            r#"{"z":1.50,"name":null,"view":"list","a":{"b": [1]},"params":"[]","uid":"x","date_add":7}"#,
        ))
        .unwrap();
        assert_eq!((&fields.unique_name, &fields.name), (&None, &None));
        assert_eq!(
            fields.to_text().unwrap(),
            r#"{"view":"list","name":null,"params":"[]","z":1.50,"a":{"b": [1]}}"#
        );
    }

    #[test]
    fn every_wrong_property_is_named_at_once() {
        let fields = refused(
            r#"{"name":5,"resource":[],"model":true,"view":null,"unique_name":" ","params":{}}"#,
        );
        assert_eq!(
            fields,
            ["view", "unique_name", "name", "resource", "model", "params"]
        );
    }

    #[test]
    fn a_known_property_is_written_in_one_way_however_it_came() {
        let plain = Fields::of_patch(object(r#"{"name":"A/ü"}"#)).unwrap();
        let escaped = Fields::of_patch(object(r#"{"name":"\u0041\/\u00fc"}"#)).unwrap();
        assert_eq!(plain, escaped);
    }

    #[test]
    fn params_must_be_a_string_that_holds_json() {
        for text in [
            r#"{"params":{}}"#,
            r#"{"params":null}"#,
            r#"{"params":"{"}"#,
            r#"{"params":""}"#,
            r#"{"params":"{} {}"}"#,
        ] {
            assert_eq!(refused(text), ["params"], "{text}");
        }
        for text in [
            r#"{"params":"{}"}"#,
            r#"{"params":" [1, 2] "}"#,
            r#"{"params":"null"}"#,
        ] {
            assert!(Fields::of_patch(object(text)).is_ok(), "{text}");
        }
    }

    #[test]
    fn params_nested_very_deep_are_checked_without_harm() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let text = serde_json::to_string(&deep).unwrap();
        assert!(Fields::of_patch(object(&format!(r#"{{"params":{text}}}"#))).is_ok());
    }

    #[test]
    fn a_new_page_may_leave_view_and_unique_name_to_the_service() {
        let fields = Fields::of_new(object(r#"{"view":null,"unique_name":null}"#)).unwrap();
        assert!(fields.is_empty());
    }
}
