//! A property that is any JSON.

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::BodyProperty;

/// A property of a body that can be any JSON value, as text that is not changed.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct AnyJson(Box<RawValue>);

impl AnyJson {
    /// The JSON text.
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for AnyJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl From<Value> for AnyJson {
    fn from(value: Value) -> Self {
        // A value can always be written.
        let raw = RawValue::from_string(value.to_string());
        Self(raw.unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl BodyProperty for AnyJson {
    const EXPECTED: &'static str = "JSON";

    fn read(json: &RawValue) -> Option<Self> {
        Some(Self(json.to_owned()))
    }
}
