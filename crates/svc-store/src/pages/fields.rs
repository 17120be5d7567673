//! The properties of a page as a caller sends them, checked and taken apart.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use svc_model::{Invalid, JsonObject};

use crate::error::Error;
use crate::json;

/// Properties that are the service's; a caller's values are ignored.
const OURS: [&str; 5] = ["uid", "environment", "draft", "deleted", "date_add"];
/// Longest `unique_name`, in characters.
const MAX_UNIQUE_NAME: usize = 255;
const TEXT_OR_NULL: &str = "must be text or null";
const TEXT: &str = "must be text that is not empty";
const PARAMS: &str = r#"must be a string that holds JSON, such as "{\"columns\": [\"id\"]}""#;

/// What a caller gave of a page. The outer `None` is a property that was not given.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Fields {
    pub(super) view: Option<String>,
    pub(super) unique_name: Option<String>,
    pub(super) name: Option<Option<String>>,
    pub(super) resource: Option<Option<String>>,
    pub(super) model: Option<Option<String>>,
    pub(super) params: Option<String>,
    /// All other properties, in the caller's order.
    pub(super) properties: JsonObject,
}

impl Fields {
    /// The fields of a new page: null for `view` or `unique_name` asks for the default.
    pub(super) fn of_new(mut object: JsonObject) -> Result<Self, Error> {
        for name in ["view", "unique_name"] {
            if object.get_raw(name) == Some("null") {
                object.remove(name);
            }
        }
        Self::of_patch(object)
    }

    /// The fields of a change.
    pub(super) fn of_patch(mut object: JsonObject) -> Result<Self, Error> {
        let mut invalid = Invalid::new();
        for name in OURS {
            object.remove(name);
        }
        let mut take = |name: &str, rule: fn(&RawValue) -> Result<Option<String>, String>| {
            let value = object.remove(name)?;
            rule(&value)
                .inspect_err(|message| invalid.push_field(name, message))
                .ok()
        };
        let fields = Self {
            view: take("view", text).flatten(),
            unique_name: take("unique_name", unique_name).flatten(),
            name: take("name", text_or_null),
            resource: take("resource", text_or_null),
            model: take("model", text_or_null),
            params: take("params", params).flatten(),
            properties: JsonObject::new(),
        };
        invalid.into_result()?;
        Ok(Self {
            properties: object,
            ..fields
        })
    }

    /// Whether there is nothing to change.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

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
        Err(error) => Err(format!("{PARAMS}; this text is no JSON: {error}")),
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
        assert_eq!(fields.view.as_deref(), Some("list"));
        assert_eq!(fields.name, Some(None));
        assert_eq!(fields.model, None);
        assert_eq!(fields.params.as_deref(), Some("[]"));
        assert_eq!(
            serde_json::to_string(&fields.properties).unwrap(),
            r#"{"z":1.50,"a":{"b": [1]}}"#
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
