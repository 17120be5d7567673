//! What a page holds: the properties that are fields of the form, its structure, and the rest.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use svc_model::{JsonObject, PageSettings, json_text};

use crate::json;

/// The properties that the form has fields for. The service does not know `parent` and `order`: they are how the console
/// keeps the tree, the unique name of the page above and a number.
pub(super) const FIELDS: [&str; 7] = [
    "name",
    "unique_name",
    "view",
    "parent",
    "order",
    "resource",
    "model",
];
/// The properties that the service sets.
pub(super) const OWN: [&str; 5] = ["uid", "environment", "draft", "deleted", "date_add"];
const PARAMS: &str = "params";

/// What a page is called.
pub(super) fn title_of(page: &PageSettings) -> String {
    let name = page.name().filter(|name| !name.trim().is_empty());
    name.or_else(|| page.unique_name()).unwrap_or_default()
}

/// The unique name of the page above this one.
pub(super) fn parent_of(page: &PageSettings) -> Option<String> {
    let parent: Option<Option<String>> = page.properties().get("parent").ok().flatten();
    parent.flatten().filter(|parent| !parent.is_empty())
}

/// The place of a page among those beside it.
pub(super) fn order_of(page: &PageSettings) -> Option<f64> {
    let order: Option<Option<f64>> = page.properties().get("order").ok().flatten();
    order.flatten()
}

/// What a page holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The properties with a field, as a field shows them; one whose value no field can hold is in the rest.
    pub(super) fields: BTreeMap<&'static str, String>,
    /// The structure as it is stored: a text that holds JSON.
    pub(super) params: String,
    /// All other properties.
    pub(super) rest: JsonObject,
}

impl Content {
    pub(super) fn of(page: &PageSettings) -> Self {
        let mut content = Self::default();
        let mut rest = page.properties().clone();
        for name in OWN {
            rest.remove(name);
        }
        for name in FIELDS {
            if let Some(text) = as_field(name, rest.get_raw(name)) {
                rest.remove(name);
                content.fields.insert(name, text);
            }
        }
        if let Ok(Some(params)) = rest.get::<String>(PARAMS) {
            rest.remove(PARAMS);
            content.params = params;
        }
        content.rest = rest;
        content
    }

    /// A page that is about to be made.
    pub(super) fn empty() -> Self {
        let mut content = Self::of(&PageSettings::new());
        "{}".clone_into(&mut content.params);
        content
    }

    /// The value of a field.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// Whether the structure is stored on one line by a program, so that the form lays it out and takes the layout away
    /// again.
    pub(super) fn is_compact(&self) -> bool {
        json::check(&self.params).is_ok() && json_text::compact(&self.params) == self.params
    }

    /// The structure as the form shows it.
    pub(super) fn params_shown(&self) -> String {
        match self.is_compact() {
            true => json_text::pretty(&self.params),
            false => normal(&self.params),
        }
    }

    /// The rest as the form shows it. A property cannot be taken out of a page, only become null, so that null is as
    /// good as none.
    pub(super) fn rest_shown(&self) -> String {
        let mut rest = self.rest.clone();
        rest.retain(|name| self.rest.get_raw(name) != Some("null"));
        match rest.is_empty() {
            true => String::new(),
            false => json_text::pretty(&serde_json::to_string(&rest).unwrap_or_default()),
        }
    }
}

/// The whole page as one document of many lines, for comparing it.
pub(super) fn document(page: &PageSettings) -> String {
    let mut object = page.properties().clone();
    let properties = page.properties();
    object.retain(|name| !OWN.contains(&name) && properties.get_raw(name) != Some("null"));
    if let Ok(Some(params)) = object.get::<String>(PARAMS)
        && let Ok(params) = RawValue::from_string(params)
    {
        object.set_raw(PARAMS, params);
    }
    let json = serde_json::to_string(&object).unwrap_or_default();
    json_text::pretty(&json) + "\n"
}

/// The text with the line ends that forms are compared with.
pub(super) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// What a field shows of a value, if it can.
fn as_field(name: &str, raw: Option<&str>) -> Option<String> {
    let raw = match raw {
        None | Some("null") => return Some(String::new()),
        Some(raw) => raw,
    };
    if name == "order" {
        let is_number = raw.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        return is_number.then(|| raw.to_owned());
    }
    let text: String = serde_json::from_str(raw).ok()?;
    // An input has one line.
    (!text.contains(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(json: &str) -> PageSettings {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_no_field_can_hold_is_in_the_rest() {
        let content = Content::of(&page(
            r#"{"uid":"1","name":"a\nb","order":1.50,"parent":7,"view":null,"params":"[1.0, 2]","z":null,"y":[ 1 ],"draft":true}"#,
        ));
        assert_eq!(content.field("order"), Some("1.50"));
        assert_eq!(
            (content.field("view"), content.field("name")),
            (Some(""), None)
        );
        assert_eq!(
            content.rest_shown(),
            "{\n  \"name\": \"a\\nb\",\n  \"parent\": 7,\n  \"y\": [\n    1\n  ]\n}"
        );
        assert!(!content.is_compact());
        assert_eq!(content.params_shown(), "[1.0, 2]");
    }

    #[test]
    fn a_document_has_the_structure_as_a_value_and_every_digit() {
        let page =
            page(r#"{"uid":"1","name":"A","params":"{\"n\":12345678901234567890}","model":null}"#);
        assert_eq!(
            document(&page),
            "{\n  \"name\": \"A\",\n  \"params\": {\n    \"n\": 12345678901234567890\n  }\n}\n"
        );
        assert_eq!(
            Content::of(&page).params_shown(),
            "{\n  \"n\": 12345678901234567890\n}"
        );
    }
}
