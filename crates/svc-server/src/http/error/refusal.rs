//! A write that a field or a constraint of the database refused: messages by field, codes for programs, and the name of
//! the constraint (wire contract, section 11, law 5).

use std::collections::HashMap;

use http::{HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::{Serialize, Serializer};
use svc_data::ErrorCode;
use svc_model::Invalid;

/// The name of the constraint that refused a write; where it has none, its columns.
pub(crate) const X_CONSTRAINT: HeaderName = HeaderName::from_static("x-constraint");
/// The columns of that constraint, joined by commas.
pub(crate) const X_CONSTRAINT_COLUMNS: HeaderName = HeaderName::from_static("x-constraint-columns");
/// Characters that are escaped in a header: a comma separates columns.
const ESCAPED: &AsciiSet = &CONTROLS.add(b',').add(b'%').add(b' ').add(b'"');

/// Why a write was refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    invalid: Invalid,
    codes: Vec<(String, ErrorCode)>,
    constraint: Option<Constraint>,
}

/// A constraint, as callers learn of it.
#[derive(Debug, Serialize)]
struct Constraint {
    name: String,
    columns: Vec<String>,
}

impl Refusal {
    /// The refusal of an error that says more than its messages.
    pub(crate) fn of(error: &svc_data::Error) -> Option<Self> {
        let constraint = error.constraint().and_then(|constraint| {
            let columns = constraint.columns.clone();
            let name = constraint
                .name
                .clone()
                .or_else(|| (!columns.is_empty()).then(|| columns.join(",")))?;
            Some(Constraint { name, columns })
        });
        let says_more = constraint.is_some() || !error.codes().is_empty();
        says_more.then(|| Self {
            invalid: error.messages().clone(),
            codes: error.codes().to_vec(),
            constraint,
        })
    }

    /// The headers that name the constraint.
    pub(crate) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let Some(Constraint { name, columns }) = &self.constraint else {
            return Vec::new();
        };
        let escaped = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let columns: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
        let name = match columns.is_empty() || !name.contains(',') {
            true => escaped(name),
            // The columns replace the name.
            false => columns.join(","),
        };
        let mut headers = Vec::new();
        for (header, text) in [
            (X_CONSTRAINT, name),
            (X_CONSTRAINT_COLUMNS, columns.join(",")),
        ] {
            if let Ok(value) = HeaderValue::from_str(&text)
                && !text.is_empty()
            {
                headers.push((header, value));
            }
        }
        headers
    }

    /// What a bulk create answers about a refused record.
    pub(crate) fn in_bulk(&self) -> impl Serialize {
        BulkItem {
            success: false,
            errors: self,
            constraint: self.constraint.as_ref(),
        }
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Self {
        Self {
            invalid,
            codes: Vec::new(),
            constraint: None,
        }
    }
}

#[derive(Serialize)]
struct BulkItem<'a> {
    success: bool,
    errors: &'a Refusal,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<&'a Constraint>,
}

impl Serialize for Refusal {
    /// The messages by field, and the codes beside them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            #[serde(flatten)]
            invalid: &'a Invalid,
            #[serde(skip_serializing_if = "Option::is_none")]
            error_codes: Option<Codes<'a>>,
        }
        let mut fields = self.invalid.field_errors().iter();
        // A field of this name keeps it.
        let is_free = fields.all(|(field, _)| field != "error_codes");
        Body {
            invalid: &self.invalid,
            error_codes: (is_free && !self.codes.is_empty()).then_some(Codes(&self.codes)),
        }
        .serialize(serializer)
    }
}

struct Codes<'a>(&'a [(String, ErrorCode)]);

impl Serialize for Codes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Each field once, in the order in which they were found.
        let mut places = HashMap::new();
        let mut fields: Vec<(&str, Vec<&'static str>)> = Vec::new();
        for (field, code) in self.0 {
            let place = *places.entry(field.as_str()).or_insert(fields.len());
            if place == fields.len() {
                fields.push((field, Vec::new()));
            }
            if let Some((_, codes)) = fields.get_mut(place)
                && !codes.contains(&code.as_str())
            {
                codes.push(code.as_str());
            }
        }
        serializer.collect_map(fields)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_stand_beside_the_messages_and_the_constraint_in_headers() {
        let mut invalid = Invalid::field("e,mail", "taken");
        invalid.push_field("name", "taken");
        let refusal = Refusal {
            invalid,
            codes: vec![
                ("e,mail".to_owned(), ErrorCode::Unique),
                ("name".to_owned(), ErrorCode::Unique),
                ("name".to_owned(), ErrorCode::TooLong),
            ],
            constraint: Some(Constraint {
                name: "größe key".to_owned(),
                columns: vec!["e,mail".to_owned(), "name".to_owned()],
            }),
        };
        assert_eq!(
            serde_json::to_value(&refusal).unwrap(),
            json!({
                "e,mail": ["taken"], "name": ["taken"],
                "error_codes": {"e,mail": ["unique"], "name": ["unique", "too_long"]},
            })
        );
        let headers = refusal.headers();
        assert_eq!(headers[0].1, "gr%C3%B6%C3%9Fe%20key");
        assert_eq!(headers[1].1, "e%2Cmail,name");
        let item = serde_json::to_value(refusal.in_bulk()).unwrap();
        assert_eq!(item["constraint"]["columns"], json!(["e,mail", "name"]));
        assert_eq!(item["success"], false);
    }
}
