//! Cursors of histories.

use uuid::Uuid;

use super::LOOKED_AT;
use crate::error::{Error, Result};

/// What separates the parts of a cursor.
const SEPARATOR: char = '~';

/// Where a part of a history ended.
#[derive(Default)]
pub(super) struct Cursor {
    /// The newest line that was not given.
    pub(super) newest: Option<Uuid>,
    /// Older ones that were.
    pub(super) given: Vec<Uuid>,
    /// The tag before the last one that was given.
    pub(super) expected: Option<String>,
}

impl Cursor {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let read = || {
            let mut parts = text.split(SEPARATOR);
            let newest = parts.next()?.parse().ok()?;
            let expected = parts.next()?;
            let given: Vec<Uuid> = parts.map(|uid| uid.parse().ok()).collect::<Option<_>>()?;
            (given.len() < LOOKED_AT).then(|| Self {
                newest: Some(newest),
                expected: (!expected.is_empty()).then(|| expected.to_owned()),
                given,
            })
        };
        read().ok_or_else(|| Error::invalid_field("_after", "is not a cursor of this service"))
    }

    /// The place in front of a line.
    pub(super) fn before(mut self, newest: Uuid) -> Self {
        self.newest = Some(newest);
        self.given.retain(|given| *given < newest);
        self
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = self
            .newest
            .map(|uid| uid.simple().to_string())
            .unwrap_or_default();
        text.push(SEPARATOR);
        text.push_str(self.expected.as_deref().unwrap_or_default());
        for given in &self.given {
            text.push(SEPARATOR);
            text.push_str(&given.simple().to_string());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_anything_else_is_refused() {
        let uid = Uuid::from_u128(7);
        let cursor = Cursor {
            newest: None,
            given: vec![Uuid::from_u128(6), Uuid::from_u128(9)],
            expected: Some("a_b-c".to_owned()),
        };
        let text = cursor.before(uid).to_text();
        let read = Cursor::parse(&text).unwrap();
        assert_eq!(
            (read.newest, read.given),
            (Some(uid), vec![Uuid::from_u128(6)])
        );
        assert_eq!(read.expected.as_deref(), Some("a_b-c"));
        for wrong in ["", "x", "25", "~~", &text[..10], &format!("{text}~x")] {
            assert!(Cursor::parse(wrong).is_err(), "{wrong}");
        }
    }
}
