//! The settings of a resource that mean something to the service (wire contract, section 11): the functions that may be
//! called, and the fields that name a record.

use std::collections::BTreeMap;

use crate::{Invalid, JsonObject};

/// The maximum number of fields that name a record.
pub const MAX_LABEL_FIELDS: usize = 3;
/// The maximum number of functions of a resource that may be called.
pub const MAX_FUNCTIONS: usize = 1_000;

/// The settings of a resource, its `params`.
///
/// ```
/// use svc_model::resources::ResourceParams;
///
/// let params = ResourceParams::parse(
///     r#"{"functions": ["public.restock"], "labels": {"orders": ["number"]}, "color": "red"}"#,
/// )?;
/// assert_eq!(params.functions, ["public.restock"]);
/// assert_eq!(params.labels["orders"], ["number"]);
/// assert_eq!(params.others.get_raw("color"), Some("\"red\""));
///
/// let refused = ResourceParams::parse(r#"{"labels": {"orders": []}}"#).unwrap_err();
/// assert_eq!(refused.field_errors()[0].0, "params.labels.orders");
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceParams {
    /// The functions and procedures that may be called: `name` or `schema.name`, with the types of its arguments behind it
    /// where several have the name, as in `name(integer,text)`.
    pub functions: Vec<String>,
    /// The fields that name a record, one to three of them, by the model. Other models have those that are guessed.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Further settings, which mean nothing to the service and are kept.
    pub others: JsonObject,
}

impl ResourceParams {
    /// Reads settings, a JSON object as text.
    ///
    /// # Errors
    /// [`Invalid`] on the path of the property that is wrong, such as `params.labels.orders`.
    pub fn parse(json: &str) -> Result<Self, Invalid> {
        let others: Result<JsonObject, _> = serde_json::from_str(json);
        let mut others = others
            .map_err(|error| Invalid::field("params", format!("must be a JSON object: {error}")))?;
        let mut invalid = Invalid::new();
        let functions = others.remove("functions");
        let functions =
            functions.map_or_else(Vec::new, |raw| read_functions(raw.get(), &mut invalid));
        let labels = others.remove("labels");
        let labels = labels.map_or_else(BTreeMap::new, |raw| read_labels(raw.get(), &mut invalid));
        invalid.into_result()?;
        Ok(Self {
            functions,
            labels,
            others,
        })
    }
}

fn read_functions(json: &str, invalid: &mut Invalid) -> Vec<String> {
    let functions: Vec<String> = match serde_json::from_str(json) {
        Ok(functions) => functions,
        Err(_) => {
            let message = "must be an array of names, such as [\"schema.name\"]";
            invalid.push_field("params.functions", message);
            return Vec::new();
        }
    };
    if functions.len() > MAX_FUNCTIONS {
        let message = format!("at most {MAX_FUNCTIONS} entries are allowed");
        invalid.push_field("params.functions", message);
    } else if functions.iter().any(|name| name.trim().is_empty()) {
        invalid.push_field("params.functions", "a name must not be empty");
    }
    functions
}

fn read_labels(json: &str, invalid: &mut Invalid) -> BTreeMap<String, Vec<String>> {
    let Ok(models) = serde_json::from_str::<JsonObject>(json) else {
        let message = "must be an object, such as {\"model\": [\"field\"]}";
        invalid.push_field("params.labels", message);
        return BTreeMap::new();
    };
    let mut labels = BTreeMap::new();
    for (model, fields) in models.iter() {
        let path = format!("params.labels.{model}");
        match serde_json::from_str::<Vec<String>>(fields.get()) {
            Ok(fields) if (1..=MAX_LABEL_FIELDS).contains(&fields.len()) => {
                let is_repeated = |(index, field): (usize, &String)| {
                    fields.iter().take(index).any(|other| other == field)
                };
                if fields.iter().enumerate().any(is_repeated) {
                    invalid.push_field(&path, "names a field twice");
                }
                labels.insert(model.to_owned(), fields);
            }
            _ => {
                let message = format!("must be an array of one to {MAX_LABEL_FIELDS} fields");
                invalid.push_field(&path, message);
            }
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> Vec<String> {
        let invalid = ResourceParams::parse(json).unwrap_err();
        let fields = invalid.field_errors().iter();
        fields.map(|(field, _)| field.clone()).collect()
    }

    #[test]
    fn what_is_not_known_is_kept_and_what_is_of_the_wrong_type_is_refused_with_its_path() {
        let params = ResourceParams::parse(r#"{"x": 1.50, "functions": []}"#).unwrap();
        assert_eq!(params.others.get_raw("x"), Some("1.50"));
        assert_eq!(
            ResourceParams::parse("{}").unwrap(),
            ResourceParams::default()
        );
        for (json, fields) in [
            ("[]", &["params"][..]),
            (r#"{"functions": "f"}"#, &["params.functions"]),
            (r#"{"functions": [1]}"#, &["params.functions"]),
            (r#"{"functions": [" "]}"#, &["params.functions"]),
            (r#"{"functions": null}"#, &["params.functions"]),
            (r#"{"labels": []}"#, &["params.labels"]),
            (
                r#"{"functions": 1, "labels": {"a": "b", "c": ["d"], "e": []}}"#,
                &["params.functions", "params.labels.a", "params.labels.e"],
            ),
            (
                r#"{"labels": {"a": ["1", "2", "3", "4"]}}"#,
                &["params.labels.a"],
            ),
            (r#"{"labels": {"a": ["1", "1"]}}"#, &["params.labels.a"]),
        ] {
            assert_eq!(refused(json), fields, "{json}");
        }
    }
}
