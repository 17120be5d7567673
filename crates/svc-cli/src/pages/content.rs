//! What a page contains, as it is written in a file: the properties that are not the service's own, `params` as the value
//! that its text holds.

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use svc_model::{JsonObject, PageSettings, UpdatePageSettings, json_text};

use crate::error::{Error, OrJson as _};

/// Properties that are the service's.
const OURS: [&str; 5] = ["uid", "environment", "draft", "deleted", "date_add"];
/// Properties that every page has: a file that does not name them leaves them as they are.
const ALWAYS: [&str; 3] = ["view", "unique_name", "params"];

/// What a page contains.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content(JsonObject);

impl Content {
    /// What the service says of a page.
    pub(super) fn of_page(page: PageSettings) -> Result<Self, Error> {
        let mut content = Self::of_object(page.into_properties()).0;
        if let Ok(Some(params)) = content.get::<String>("params") {
            let params = RawValue::from_string(params).map_err(|error| {
                Error::new(format!(
                    "the service sent params that are not JSON: {error}"
                ))
            })?;
            content.set_raw("params", params);
        }
        Ok(Self(content))
    }

    /// What a file says of a page.
    pub(super) fn of_file(file: &str, text: &str) -> Result<Self, Error> {
        let object = serde_json::from_str(text).map_err(|error| {
            Error::new(format!("{file} must hold a JSON object of a page: {error}"))
        })?;
        let content = Self::of_object(object);
        match content.0.get::<Option<String>>("unique_name") {
            Ok(_) => Ok(content),
            Err(_) => Err(Error::new(format!("{file}: unique_name must be text"))),
        }
    }

    fn of_object(mut object: JsonObject) -> Self {
        for name in OURS {
            object.remove(name);
        }
        Self(object)
    }

    /// The page's name, where it is said.
    pub(super) fn unique_name(&self) -> Option<String> {
        self.0.get("unique_name").ok().flatten()
    }

    /// What is in the file of the page.
    pub(super) fn file_text(&self) -> Result<String, Error> {
        let json = serde_json::to_string(&self.0).or_json("a page")?;
        Ok(json_text::pretty(&json) + "\n")
    }

    /// The digest that distinguishes one content from others, however they are spelled.
    pub(super) fn digest(&self) -> Result<String, Error> {
        let json = serde_json::to_string(&self.0).or_json("a page")?;
        let hash = Sha256::digest(json_text::canonical(&json));
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The properties that the page must get so that it is what this content says. What the content does not name
    /// becomes null, since no property of a page can be taken out.
    pub(super) fn changes_of(&self, page: &Self) -> JsonObject {
        let mut changes = JsonObject::new();
        for (name, value) in self.0.iter() {
            let is_null = value.get() == "null" && name != "params";
            let equals = |other: &str| {
                other == value.get()
                    || json_text::canonical(other) == json_text::canonical(value.get())
            };
            let same = page.0.get_raw(name).map_or(is_null, equals);
            let left_out = is_null && ALWAYS.contains(&name);
            if !(same || left_out) {
                changes.set_raw(name, value.to_owned());
            }
        }
        for (name, value) in page.0.iter() {
            let left = self.0.contains(name) || ALWAYS.contains(&name) || value.get() == "null";
            if !left {
                changes.set_raw(name, RawValue::NULL.to_owned());
            }
        }
        changes
    }

    /// What the page contains with these properties.
    pub(super) fn with(&self, changes: &JsonObject) -> Self {
        let mut after = self.0.clone();
        for (name, value) in changes.iter() {
            after.set_raw(name, value.to_owned());
        }
        Self(after)
    }

    /// The properties of a new page of this content and, where it says none, this name.
    pub(super) fn to_new(&self, unique_name: &str) -> Result<JsonObject, Error> {
        let mut properties = self.0.clone();
        if self.unique_name().is_none() {
            let named = properties.set("unique_name", unique_name);
            named.or_json("a page")?;
        }
        to_wire(&mut properties)?;
        Ok(properties)
    }
}

/// An update that sets these properties.
pub(super) fn to_update(mut changes: JsonObject) -> Result<UpdatePageSettings, Error> {
    to_wire(&mut changes)?;
    Ok(UpdatePageSettings::new().with_properties(changes))
}

/// Makes `params` the text that the service accepts.
fn to_wire(properties: &mut JsonObject) -> Result<(), Error> {
    if let Some(params) = properties.get_raw("params") {
        let params = json_text::compact(params);
        properties.set("params", &params).or_json("a page")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(json: &str) -> Content {
        Content::of_page(serde_json::from_str(json).unwrap()).unwrap()
    }

    fn file(json: &str) -> Content {
        Content::of_file("a.json", json).unwrap()
    }

    fn changes(file_json: &str, page_json: &str) -> String {
        serde_json::to_string(&file(file_json).changes_of(&page(page_json))).unwrap()
    }

    #[test]
    fn a_file_has_the_params_as_a_value_and_the_rest_in_its_order() {
        let page = page(
            r#"{"uid":"1","environment":"prod","view":"custom","name":"A","params":"{\"a\": [1.50]}","z":1.50,"draft":true}"#,
        );
        let text = page.file_text().unwrap();
        assert_eq!(
            text,
            "{\n  \"view\": \"custom\",\n  \"name\": \"A\",\n  \"params\": {\n    \"a\": [\n      1.50\n    ]\n  },\n  \"z\": 1.50\n}\n"
        );
        let read = file(&text);
        assert_eq!(read.digest().unwrap(), page.digest().unwrap());
        assert!(read.changes_of(&page).is_empty());
    }

    #[test]
    fn params_of_any_kind_go_into_the_file_and_come_back() {
        for params in [r#""text""#, "null", "7", "[]", r#"{"a":"\"}"}"#] {
            let text = serde_json::to_string(params).unwrap();
            let page = page(&format!(r#"{{"params":{text}}}"#));
            let read = file(&page.file_text().unwrap());
            assert!(read.changes_of(&page).is_empty(), "{params}");
            let new = read.to_new("a").unwrap();
            let sent = new.get::<String>("params").unwrap();
            assert_eq!(sent.as_deref(), Some(params));
        }
    }

    #[test]
    fn only_what_differs_is_changed() {
        let page = r#"{"unique_name":"a","view":"custom","name":null,"params":"{\"a\":1, \"b\":2}","z":1}"#;
        assert_eq!(changes(r#"{"params":{"b":2,"a":1},"z":1}"#, page), "{}");
        assert_eq!(changes(r#"{"z":1.0,"more":null}"#, page), r#"{"z":1.0}"#);
        assert_eq!(changes(r#"{"name":"A","z":1}"#, page), r#"{"name":"A"}"#);
        // What was taken out of the file becomes null; what every page has stays.
        assert_eq!(changes("{}", page), r#"{"z":null}"#);
        assert_eq!(changes(r#"{"z":null,"view":null}"#, page), r#"{"z":null}"#);
        let none = r#"{"params":null,"z":1}"#;
        assert_eq!(changes(none, page), r#"{"params":null}"#);
    }

    #[test]
    fn a_file_that_is_no_page_is_refused_by_its_name() {
        for text in ["[]", "{", "", r#"{"unique_name":7}"#] {
            let error = Content::of_file("a.json", text).unwrap_err();
            assert!(error.to_string().contains("a.json"), "{error}");
        }
    }
}
