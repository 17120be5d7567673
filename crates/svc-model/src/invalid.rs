//! What is wrong with a request: messages by field, and messages for the request as a whole.

use std::{error::Error as StdError, fmt};

use serde::{Serialize, Serializer, ser::SerializeMap};

/// The name under which messages about a request as a whole stand in an error body.
pub const NON_FIELD_ERRORS: &str = "non_field_errors";

/// Messages about a request that is wrong: by field, and for the request as a whole.
///
/// It is written as the body of a 400: `{"<field>": ["message", ...], "non_field_errors": [...]}`.
///
/// ```
/// use svc_model::Invalid;
///
/// let invalid = Invalid::field("amount", "a valid number is required");
/// assert_eq!(
///     serde_json::to_string(&invalid)?,
///     r#"{"amount":["a valid number is required"]}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invalid {
    general: Vec<String>,
    fields: Vec<(String, Vec<String>)>,
}

impl Invalid {
    /// Nothing wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One message about the request as a whole.
    pub fn general(message: impl Into<String>) -> Self {
        Self {
            general: vec![message.into()],
            fields: Vec::new(),
        }
    }

    /// One message about one field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            general: Vec::new(),
            fields: vec![(field.into(), vec![message.into()])],
        }
    }

    /// Adds a message about the request as a whole.
    pub fn push_general(&mut self, message: impl Into<String>) {
        self.general.push(message.into());
    }

    /// Adds a message about a field.
    pub fn push_field(&mut self, field: &str, message: impl Into<String>) {
        if field == NON_FIELD_ERRORS {
            return self.push_general(message);
        }
        match self.fields.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) => messages.push(message.into()),
            None => self.fields.push((field.to_owned(), vec![message.into()])),
        }
    }

    /// Adds every message of another.
    pub fn extend(&mut self, other: Self) {
        self.general.extend(other.general);
        for (field, messages) in other.fields {
            for message in messages {
                self.push_field(&field, message);
            }
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.general.is_empty() && self.fields.is_empty()
    }

    /// `Ok` when nothing is wrong.
    ///
    /// # Errors
    /// Itself, when there is a message.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The messages about the request as a whole.
    pub fn general_errors(&self) -> &[String] {
        &self.general
    }

    /// The messages by field, in the order in which they were found.
    pub fn field_errors(&self) -> &[(String, Vec<String>)] {
        &self.fields
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields.iter().flat_map(|(field, messages)| {
            messages.iter().map(move |message| (Some(field), message))
        });
        let all = self
            .general
            .iter()
            .map(|message| (None, message))
            .chain(fields);
        for (index, (field, message)) in all.enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            if let Some(field) = field {
                write!(f, "{field}: ")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}

impl StdError for Invalid {}

impl Serialize for Invalid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (field, messages) in &self.fields {
            map.serialize_entry(field, messages)?;
        }
        if !self.general.is_empty() {
            map.serialize_entry(NON_FIELD_ERRORS, &self.general)?;
        }
        map.end()
    }
}
