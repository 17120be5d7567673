//! The arguments of a call: a JavaScript object that `core.js` has made.

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::error::{self, Failed};

/// An object that is read property by property. A property that is `undefined` or `null` counts as missing.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(JsValue);

impl Arguments {
    pub(crate) fn new(object: JsValue) -> Self {
        Self(object)
    }

    fn get(&self, name: &str) -> Option<JsValue> {
        let value = Reflect::get(&self.0, &JsValue::from(name)).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    }

    /// A required text.
    pub(crate) fn text(&self, name: &str) -> Result<String, Failed> {
        let text = self.optional_text(name)?;
        text.ok_or_else(|| error::request(format!("{name} is missing")))
    }

    /// A text.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<String>, Failed> {
        self.get(name)
            .map(|value| value.as_string().ok_or_else(|| must_be(name, "a string")))
            .transpose()
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Failed> {
        self.get(name)
            .map(|value| value.as_f64().ok_or_else(|| must_be(name, "a number")))
            .transpose()
    }

    /// A boolean, by the rules of JavaScript.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).map(|value| value.is_truthy())
    }

    /// Several texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Failed> {
        let texts = self.array(name)?.map(|array| {
            let texts = array
                .iter()
                .map(|text| text.as_string())
                .collect::<Option<_>>();
            texts.ok_or_else(|| must_be(name, "an array of strings"))
        });
        texts.transpose()
    }

    /// Names and values: an array of pairs.
    pub(crate) fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, Failed> {
        let Some(array) = self.array(name)? else {
            return Ok(Vec::new());
        };
        let pair = |pair: JsValue| {
            let pair = pair.dyn_into::<Array>().ok()?;
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        };
        let pairs: Option<_> = array.iter().map(pair).collect();
        pairs.ok_or_else(|| must_be(name, "an object of strings"))
    }

    fn array(&self, name: &str) -> Result<Option<Array>, Failed> {
        self.get(name)
            .map(|value| value.dyn_into().map_err(|_| must_be(name, "an array")))
            .transpose()
    }
}

fn must_be(name: &str, what: &str) -> Failed {
    error::request(format!("{name} must be {what}"))
}
