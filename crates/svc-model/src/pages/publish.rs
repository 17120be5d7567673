//! Publishing and discarding drafts of pages.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    PageUid, Scope,
    wire::{BodyProperty, Operation},
};

/// The response to [`Publish`]: the pages whose drafts were published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Published {
    /// The pages that had a draft, the oldest first; pages without a draft are not listed.
    pub published: Vec<PageUid>,
}

impl Published {
    /// A response with these pages.
    pub fn new(published: Vec<PageUid>) -> Self {
        Self { published }
    }
}

/// The response to [`Discard`]: the pages whose drafts were deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discarded {
    /// The pages that had a draft, the oldest first.
    pub discarded: Vec<PageUid>,
}

impl Discarded {
    /// A response with these pages.
    pub fn new(discarded: Vec<PageUid>) -> Self {
        Self { discarded }
    }
}

impl BodyProperty for Vec<PageUid> {
    const EXPECTED: &'static str = "an array of page UIDs; leave it out for all pages";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

/// Publish drafts, in one transaction: `POST .../view_settings/publish/`, 200 with [`Published`].
///
/// It is not repeated after a failure: a second try might publish drafts that somebody else has saved in the meantime.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/view_settings/publish/")]
#[operation(name = "pages.publish", read, credential = ApiKey, level = Editor, answer = Published)]
#[operation(new = "Publishes all drafts of an environment.")]
#[non_exhaustive]
pub struct Publish {
    /// The environment of the pages.
    #[wire(path)]
    pub scope: Scope,
    /// The pages; `None` for all pages of the environment.
    #[wire(body, present)]
    pub uids: Option<Vec<PageUid>>,
    /// Acts only if each of the drafts still has one of these entity tags, separated by commas. The tag of a deletion is
    /// that of the published page.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Discard drafts, in one transaction: `POST .../view_settings/discard/`, 200 with [`Discarded`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/view_settings/discard/")]
#[operation(name = "pages.discard", read, credential = ApiKey, level = Editor, answer = Discarded)]
#[operation(new = "Discards all drafts of an environment.")]
#[non_exhaustive]
pub struct Discard {
    /// The environment of the pages.
    #[wire(path)]
    pub scope: Scope,
    /// The pages; `None` for all pages of the environment.
    #[wire(body, present)]
    pub uids: Option<Vec<PageUid>>,
    /// Acts only if each of the drafts still has one of these entity tags, separated by commas. The tag of a deletion is
    /// that of the published page.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
