//! One value of a record by itself: its bytes, rather than JSON.

use bytes::Bytes;
use serde_json::value::RawValue as RawJson;

use crate::{Error, Field, Model, structure::Kind};

/// The most bytes of a value that is given by itself.
pub(crate) const MAX_VALUE: usize = 64 << 20;

/// A value of a record by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawValue {
    /// Binary data as it is stored, the text of any other value.
    pub bytes: Bytes,
    /// What the bytes are.
    pub form: ValueForm,
}

/// What the bytes of a [`RawValue`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueForm {
    /// Any bytes.
    Binary,
    /// JSON.
    Json,
    /// Text in UTF-8.
    Text,
}

/// A cell, as its value is given by itself.
pub(crate) enum RawCell<'a> {
    Null,
    Binary(&'a [u8]),
    Text(&'a [u8]),
    /// In the form in which JSON shows it.
    Shown,
}

impl RawValue {
    pub(crate) fn binary(bytes: &[u8]) -> Self {
        Self {
            bytes: Bytes::copy_from_slice(bytes),
            form: ValueForm::Binary,
        }
    }

    /// A text, with U+FFFD for what is not UTF-8.
    pub(crate) fn text(text: &[u8]) -> Self {
        Self {
            bytes: match String::from_utf8_lossy(text) {
                std::borrow::Cow::Borrowed(_) => Bytes::copy_from_slice(text),
                std::borrow::Cow::Owned(text) => text.into(),
            },
            form: ValueForm::Text,
        }
    }

    /// The value that JSON shows so: JSON itself for a field of JSON, otherwise text without quotes. `None` for a number
    /// that JSON does not have.
    pub(crate) fn shown(field: &Field, json: Vec<u8>) -> Option<Self> {
        if field.kind == Kind::Json {
            return Some(Self {
                bytes: json.into(),
                form: ValueForm::Json,
            });
        }
        let text = match json.first() {
            Some(b'"') => serde_json::from_slice::<String>(&json).ok()?.into(),
            _ if json == b"null" => return None,
            _ => json.into(),
        };
        Some(Self {
            bytes: text,
            form: ValueForm::Text,
        })
    }
}

/// Whether a text is JSON.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawJson>(text).is_ok()
}

/// The error for a value that is longer than [`MAX_VALUE`].
pub(crate) fn too_large_value(model: &Model, field: &Field) -> Error {
    Error::invalid(format!(
        "the field {:?} of this record of {:?} is larger than the {} MiB that an answer may have",
        field.name,
        model.name,
        MAX_VALUE >> 20
    ))
}
