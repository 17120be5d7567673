//! Reading the fields of a JSON body one by one: what is missing, of the wrong type or unknown is said by name.

use std::mem;

use serde_json::Value;
use svc_model::{Invalid, JsonObject};
use svc_store::Secret;

/// The fields of a body that were not read yet, and what was wrong with those that were.
pub(crate) struct Fields {
    left: Vec<(String, Value)>,
    known: Vec<&'static str>,
    invalid: Invalid,
}

impl Fields {
    pub(crate) fn of(body: &JsonObject) -> Self {
        let left = body.iter().map(|(name, value)| {
            // It was read as JSON before.
            let value = serde_json::from_str(value.get()).unwrap_or_default();
            (name.to_owned(), value)
        });
        Self {
            left: left.collect(),
            known: Vec::new(),
            invalid: Invalid::new(),
        }
    }

    /// A text that has to be there.
    pub(crate) fn required(&mut self, name: &'static str) -> String {
        match self.take(name) {
            Some(Value::String(text)) => text,
            Some(_) => self.wrong(name, "must be text"),
            None => self.wrong(name, "this field is required"),
        }
    }

    /// A secret that has to be there.
    pub(crate) fn required_secret(&mut self, name: &'static str) -> Secret {
        Secret::new(self.required(name))
    }

    /// A text that may be left out or null.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<String> {
        self.patch(name).flatten()
    }

    /// A secret that may be left out or null.
    pub(crate) fn optional_secret(&mut self, name: &'static str) -> Option<Secret> {
        self.optional(name).map(Secret::new)
    }

    /// A text that stays when it is left out and goes when it is null.
    pub(crate) fn patch(&mut self, name: &'static str) -> Option<Option<String>> {
        match self.take(name)? {
            Value::String(text) => Some(Some(text)),
            Value::Null => Some(None),
            _ => {
                let _: String = self.wrong(name, "must be text or null");
                None
            }
        }
    }

    /// A text that stays when it is left out.
    pub(crate) fn changed(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => Some(self.wrong(name, "must be text")),
        }
    }

    /// What is wrong with the fields, those that nobody asked for too.
    pub(crate) fn finish(&mut self) -> Result<(), Invalid> {
        let known = self.known.join(", ");
        let mut invalid = mem::take(&mut self.invalid);
        for (name, _) in self.left.drain(..) {
            invalid.push_field(
                &name,
                format!("this field cannot be given here; known are: {known}"),
            );
        }
        invalid.into_result()
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        let index = self.left.iter().position(|(known, _)| known == name)?;
        Some(self.left.swap_remove(index).1)
    }

    fn wrong(&mut self, name: &'static str, message: &str) -> String {
        self.invalid.push_field(name, message);
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> Fields {
        Fields::of(&serde_json::from_str(body).unwrap())
    }

    #[test]
    fn every_field_that_is_wrong_is_named() {
        let mut fields = fields(r#"{"email":7,"is_admin":true,"first_name":[]}"#);
        fields.required("email");
        fields.required("password");
        fields.optional("first_name");
        let invalid = fields.finish().unwrap_err();
        let names: Vec<&str> = invalid
            .field_errors()
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["email", "password", "first_name", "is_admin"]);
    }

    #[test]
    fn a_patch_tells_a_field_that_is_left_out_from_null() {
        let mut fields = fields(r#"{"first_name":null,"last_name":"Lee"}"#);
        assert_eq!(fields.patch("first_name"), Some(None));
        assert_eq!(fields.patch("last_name"), Some(Some("Lee".to_owned())));
        assert_eq!(fields.patch("language"), None);
        assert!(fields.finish().is_ok());
    }
}
