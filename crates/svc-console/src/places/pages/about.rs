//! What the form of a page is made of.

use super::{content::Content, place::Pages, sent::Sent};

/// What the form is about.
pub(super) struct About<'a> {
    pub(super) pages: &'a Pages<'a>,
    /// The pages that this one may be below: unique name and title.
    pub(super) parents: &'a [(String, String)],
    pub(super) sent: &'a Sent,
    /// What the service has now, for fields that somebody else has changed too.
    pub(super) theirs: Option<&'a Content>,
}
