//! The changes of a page, and the way back to them.

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use super::{PageSettings, draft_query, info};
use crate::{
    Draft, EnvironmentName, PageUid, ProjectName, QueryString, Tagged,
    operation::if_match,
    response::{ResponseError, decode_json, decode_tagged},
    wire::{Operation, OperationInfo, PathArguments},
};

/// The path of the revisions of a page.
pub const REVISIONS_PATH: &str = "/projects/{project}/{environment}/view_settings/{uid}/revisions/";
/// The path where a revision becomes the draft.
pub const RESTORE_PATH: &str =
    "/projects/{project}/{environment}/view_settings/{uid}/revisions/{number}/restore/";

/// One change of a page, in one of its layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    /// Its number: 1, 2, 3, ... for each page.
    pub number: u64,
    /// When the change was made (RFC 3339).
    pub date_add: String,
    /// The e-mail address of who made it; `None` where it was made without an API key.
    pub author: Option<String>,
    /// Whether it is a change of the draft layer.
    pub draft: bool,
    /// Whether the page was deleted by it; to restore it brings back what was deleted.
    #[serde(default)]
    pub deleted: bool,
}

impl Revision {
    /// A change of the published layer by nobody known.
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
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revisions {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Whether the client sends `draft=1`; it makes no difference here.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
}

impl Revisions {
    /// The revisions of a page, in both layers.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
        }
    }
}

impl Operation for Revisions {
    type Response = Vec<Revision>;

    const INFO: OperationInfo = info("pages.revisions", Method::GET, REVISIONS_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Make a revision the draft of its page: `POST .../view_settings/{UID}/revisions/{number}/restore/`, 200 with the
/// [`PageSettings`] of the draft layer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Restore {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Whether the client sends `draft=1`; it makes no difference here.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
    /// The number of the revision, as text.
    pub number: String,
    /// Only when the page still has this entity tag in the draft layer.
    pub if_match: Option<String>,
}

impl Restore {
    /// Restores a revision of a page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
        number: u64,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
            number: number.to_string(),
            if_match: None,
        }
    }
}

impl Operation for Restore {
    type Response = Tagged<PageSettings>;

    const INFO: OperationInfo = info("pages.restore", Method::POST, RESTORE_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
            self.number.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn headers(&self) -> Vec<(http::HeaderName, String)> {
        if_match(self.if_match.as_ref())
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}
