//! Validation errors of a request: messages by field, and messages about the request as a whole.

use std::{error::Error as StdError, fmt};

use serde::{Serialize, Serializer, ser::SerializeMap};

/// The property of an error body with the messages about the request as a whole.
pub const NON_FIELD_ERRORS: &str = "non_field_errors";

/// The maximum number of messages of each kind, by field and for the request as a whole, that an [`Invalid`] keeps.
pub const MAX_MESSAGES: usize = 100;

/// The validation errors of a request: messages by field, and messages about the request as a whole.
///
/// The first [`MAX_MESSAGES`] of each kind are kept, further ones are only counted, so that a request with very many
/// mistakes costs neither much time nor a long response.
///
/// It is serialised as the body of a 400: `{"<field>": ["message", ...], "non_field_errors": [...]}`.
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
    /// The number of messages in `fields`.
    field_messages: usize,
    omitted: usize,
}

impl Invalid {
    /// No messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// One message about the request as a whole.
    pub fn general(message: impl Into<String>) -> Self {
        Self {
            general: vec![message.into()],
            ..Self::default()
        }
    }

    /// One message about one field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            fields: vec![(field.into(), vec![message.into()])],
            field_messages: 1,
            ..Self::default()
        }
    }

    /// Adds a message about the request as a whole.
    pub fn push_general(&mut self, message: impl Into<String>) {
        match self.general.len() {
            MAX_MESSAGES.. => self.omitted += 1,
            _ => self.general.push(message.into()),
        }
    }

    /// Adds a message about a field.
    pub fn push_field(&mut self, field: &str, message: impl Into<String>) {
        if field == NON_FIELD_ERRORS {
            return self.push_general(message);
        }
        // Only few are kept, so this search stays cheap however many mistakes a request has.
        if self.field_messages == MAX_MESSAGES {
            self.omitted += 1;
            return;
        }
        self.field_messages += 1;
        match self.fields.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) => messages.push(message.into()),
            None => self.fields.push((field.to_owned(), vec![message.into()])),
        }
    }

    /// Adds a message that was read from the body of a response, whose last message may be the number of omitted ones.
    pub(crate) fn push_read_general(&mut self, message: String) {
        self.general.push(message);
    }

    /// Adds every message of another.
    pub fn extend(&mut self, other: Self) {
        for message in other.general {
            self.push_general(message);
        }
        for (field, messages) in other.fields {
            for message in messages {
                self.push_field(&field, message);
            }
        }
        self.omitted += other.omitted;
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.general.is_empty() && self.fields.is_empty()
    }

    /// `Ok` when nothing is wrong.
    ///
    /// # Errors
    /// `self`, when there is a message.
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

    /// The number of messages that were left out because there were more than [`MAX_MESSAGES`].
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Returns a copy in which `replace` has changed each message. It gets the field, which is `None` for a message about
    /// the request as a whole.
    #[must_use]
    pub fn map_messages(&self, mut replace: impl FnMut(Option<&str>, &str) -> String) -> Self {
        let mut mapped = self.clone();
        for message in &mut mapped.general {
            *message = replace(None, message);
        }
        for (field, messages) in &mut mapped.fields {
            for message in messages {
                *message = replace(Some(field), message);
            }
        }
        mapped
    }

    /// The message that replaces those that were left out.
    fn omitted_message(&self) -> Option<String> {
        match self.omitted {
            0 => None,
            1 => Some("1 more error is not shown".to_owned()),
            more => Some(format!("{more} more errors are not shown")),
        }
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
        let omitted = self.omitted_message();
        let all = all.chain(omitted.iter().map(|message| (None, message)));
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
        let omitted = self.omitted_message();
        if !self.general.is_empty() || omitted.is_some() {
            let general: Vec<&String> = self.general.iter().chain(&omitted).collect();
            map.serialize_entry(NON_FIELD_ERRORS, &general)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_mistakes_the_first_are_kept_and_the_others_counted() {
        let mut invalid = Invalid::new();
        for number in 0..100_000 {
            invalid.push_field(&format!("f{number}"), "unknown field");
            invalid.push_general("unknown parameter");
        }
        assert_eq!(invalid.field_errors().len(), MAX_MESSAGES);
        assert_eq!(invalid.general_errors().len(), MAX_MESSAGES);
        assert_eq!(invalid.omitted(), 2 * (100_000 - MAX_MESSAGES));
        let told = "199800 more errors are not shown";
        assert!(invalid.to_string().ends_with(told));
        let json = serde_json::to_value(&invalid).unwrap();
        let general = json[NON_FIELD_ERRORS].as_array().unwrap();
        assert_eq!(general.len(), MAX_MESSAGES + 1);
        assert_eq!(general[MAX_MESSAGES], told);
        // A client reads the same messages back.
        let body = bytes::Bytes::from(serde_json::to_vec(&invalid).unwrap());
        let read =
            crate::ErrorResponse::new(http::StatusCode::BAD_REQUEST, Default::default(), body);
        assert_eq!(serde_json::to_value(read.invalid()).unwrap(), json);
    }

    #[test]
    fn messages_of_one_field_count_too_and_a_single_omitted_one_is_singular() {
        let mut invalid = Invalid::new();
        for _ in 0..=MAX_MESSAGES {
            invalid.push_field("a", "no");
        }
        let mut both = Invalid::general("first");
        both.extend(invalid);
        assert_eq!(both.field_errors()[0].1.len(), MAX_MESSAGES);
        assert!(both.to_string().ends_with("; 1 more error is not shown"));
    }
}
