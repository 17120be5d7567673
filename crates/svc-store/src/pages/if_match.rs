//! `If-Match` (RFC 9110, section 13.1.1): a change goes through only on what the caller has read.

use std::collections::HashSet;

use crate::error::{Error, Result};

/// What an entity tag ends with when it is one of a page that has a draft.
pub(super) const DRAFT: &str = "-draft";

/// Refuses the change when a header was sent and none of its entity tags is one of this state of the page's layer.
///
/// Whether there is a draft does not matter: a new draft does not change the published page.
pub(super) fn check(header: Option<&str>, state: &str) -> Result<()> {
    match header {
        Some(header) if !matches(header, state) => Err(Error::precondition_failed()),
        _ => Ok(()),
    }
}

/// The strong comparison: a weak tag (`W/"..."`) never matches. What cannot be read matches nothing.
fn matches(header: &str, state: &str) -> bool {
    header.trim() == "*" || Tags(header).any(|known| known == state)
}

/// The states of pages that a header names, for looking up many of them.
pub(super) enum States<'h> {
    Any,
    These(HashSet<&'h str>),
}

impl<'h> States<'h> {
    pub(super) fn of(header: &'h str) -> Self {
        match header.trim() {
            "*" => Self::Any,
            _ => Self::These(Tags(header).collect()),
        }
    }

    pub(super) fn has(&self, state: &str) -> bool {
        match self {
            Self::Any => true,
            Self::These(known) => known.contains(state),
        }
    }
}

/// The states in the strong entity tags of a header, up to what cannot be read.
struct Tags<'h>(&'h str);

impl<'h> Iterator for Tags<'h> {
    type Item = &'h str;

    fn next(&mut self) -> Option<&'h str> {
        loop {
            let rest = self.0.trim_start_matches([' ', '\t', ',']);
            let (weak, tag) = match rest.strip_prefix("W/") {
                Some(tag) => (true, tag),
                None => (false, rest),
            };
            let (opaque, after) = tag.strip_prefix('"')?.split_once('"')?;
            self.0 = after;
            if !weak {
                return Some(opaque.strip_suffix(DRAFT).unwrap_or(opaque));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_present_tag_or_a_star_matches() {
        for header in [
            "\"a-1\"",
            " \"a-1\" ",
            "*",
            "\"b\", \"a-1\"",
            "\"b\",\"a-1\"",
            "W/\"a-1\", \"a-1\"",
            "\"x,y\",\"a-1\"",
            "\"a-1-draft\"",
        ] {
            assert!(matches(header, "a-1"), "{header}");
        }
    }

    #[test]
    fn another_a_weak_and_an_unreadable_tag_do_not_match() {
        for header in [
            "",
            "\"a-2\"",
            "W/\"a-1\"",
            "a-1",
            "\"a-1-drafts\"",
            "\"a-1",
            "\"a-2\", a-1",
            "**",
        ] {
            assert!(!matches(header, "a-1"), "{header}");
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read_to_its_end(header in ".{0,100}") {
            let _ = matches(&header, "a-1");
        }

        #[test]
        fn a_listed_tag_is_found(before in "(\"[a-z,]{0,5}\", ?){0,4}") {
            let header = format!("{before}\"a-1\"");
            prop_assert!(matches(&header, "a-1"));
        }
    }
}
