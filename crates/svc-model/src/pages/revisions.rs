//! The revisions of a page, and restoring one of them.

use serde::{Deserialize, Serialize};

use super::PageSettings;
use crate::{PageUid, Scope, wire::Operation};

/// A change of a page, in one of its layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    /// Its number: 1, 2, 3, ... counted for each page.
    pub number: u64,
    /// When the change was made (RFC 3339).
    pub date_add: String,
    /// The e-mail address of the author; `None` when the change was made without an API key.
    pub author: Option<String>,
    /// Whether it is a change of the draft layer.
    pub draft: bool,
    /// Whether this change deleted the page; restoring it restores the deleted page.
    #[serde(default)]
    pub deleted: bool,
}

impl Revision {
    /// A change of the published layer by an unknown author.
    pub fn new(number: u64, date_add: impl Into<String>) -> Self {
        Self {
            number,
            date_add: date_add.into(),
            author: None,
            draft: false,
            deleted: false,
        }
    }
}

/// Get the revisions of a page: `GET .../view_settings/{UID}/revisions/`, 200 with an array of [`Revision`], the
/// newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/view_settings/{uid}/revisions/")]
#[operation(name = "pages.revisions", read, credential = ApiKey, level = Member, answer = Vec<Revision>)]
#[operation(new = "Lists the revisions of a page, in both layers.")]
#[non_exhaustive]
pub struct Revisions {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
}

/// Get what a page held in a revision: `GET .../view_settings/{UID}/revisions/{number}/`, 200 with [`PageSettings`], whose
/// `draft` and `deleted` are those of the revision.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/view_settings/{uid}/revisions/{number}/")]
#[operation(name = "pages.get_revision", read, credential = ApiKey, level = Member, answer = PageSettings)]
#[non_exhaustive]
pub struct GetRevision {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
    /// The number of the revision, as a text.
    #[wire(path)]
    pub number: String,
}

impl GetRevision {
    /// Gets what a page held in a revision.
    pub fn new(scope: impl Into<Scope>, uid: impl Into<PageUid>, number: u64) -> Self {
        Self {
            scope: scope.into(),
            uid: uid.into(),
            number: number.to_string(),
        }
    }
}

/// Make a revision the draft of its page: `POST .../view_settings/{UID}/revisions/{number}/restore/`, 200 with the
/// [`PageSettings`] of the draft layer.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/view_settings/{uid}/revisions/{number}/restore/")]
#[operation(name = "pages.restore", read, credential = ApiKey, level = Editor, tagged = PageSettings)]
#[non_exhaustive]
pub struct Restore {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
    /// The number of the revision, as a text.
    #[wire(path)]
    pub number: String,
    /// Restores only if the page still has this entity tag in the draft layer.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

impl Restore {
    /// Restores a revision of a page.
    pub fn new(scope: impl Into<Scope>, uid: impl Into<PageUid>, number: u64) -> Self {
        Self {
            scope: scope.into(),
            uid: uid.into(),
            number: number.to_string(),
            if_match: None,
        }
    }
}
