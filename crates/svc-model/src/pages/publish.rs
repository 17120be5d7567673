//! Publishing and discarding drafts of pages.

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use super::{draft_query, info};
use crate::{
    Draft, EnvironmentName, PageUid, ProjectName, QueryString,
    operation::encode,
    response::{ResponseError, decode_json},
    wire::{Operation, OperationInfo, PathArguments, RequestError},
};

/// The path where drafts are published.
pub const PUBLISH_PATH: &str = "/projects/{project}/{environment}/view_settings/publish/";
/// The path where drafts are discarded.
pub const DISCARD_PATH: &str = "/projects/{project}/{environment}/view_settings/discard/";

/// The body of [`Publish`] and [`Discard`]: which pages.
#[derive(Serialize)]
struct Uids<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    uids: Option<&'a [PageUid]>,
}

/// What [`Publish`] did: the pages whose drafts are published now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Published {
    /// The pages that had a draft, the oldest first; of the others nothing was to be published.
    pub published: Vec<PageUid>,
}

impl Published {
    /// These pages.
    pub fn new(published: Vec<PageUid>) -> Self {
        Self { published }
    }
}

/// What [`Discard`] did: the pages whose drafts are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discarded {
    /// The pages that had a draft, the oldest first.
    pub discarded: Vec<PageUid>,
}

impl Discarded {
    /// These pages.
    pub fn new(discarded: Vec<PageUid>) -> Self {
        Self { discarded }
    }
}

macro_rules! all_or_some {
    ($(
        $(#[$doc:meta])*
        $operation:ident -> $response:ident, $name:literal, $path:ident
    ),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $operation {
            /// The project.
            pub project: ProjectName,
            /// The environment.
            pub environment: EnvironmentName,
            /// Whether the client sends `draft=1`; it makes no difference here.
            pub draft: Draft,
            /// The pages; `None` for all pages of the environment.
            pub uids: Option<Vec<PageUid>>,
        }

        impl $operation {
            /// Of all pages of an environment.
            pub fn new(
                project: impl Into<ProjectName>,
                environment: impl Into<EnvironmentName>,
            ) -> Self {
                Self {
                    project: project.into(),
                    environment: environment.into(),
                    draft: Draft::Off,
                    uids: None,
                }
            }
        }

        impl Operation for $operation {
            type Response = $response;

            // What somebody else drafted in the meantime is not to be taken along by a second try.
            const INFO: OperationInfo = info($name, Method::POST, $path, false);

            fn path_arguments(&self) -> PathArguments<'_> {
                [self.project.as_str(), self.environment.as_str()].into()
            }

            fn query(&self) -> QueryString {
                draft_query(self.draft)
            }

            fn body(&self) -> Result<Option<Bytes>, RequestError> {
                let uids = self.uids.as_deref();
                encode(&Uids { uids }).map(Some)
            }

            fn parse_success(
                response: http::Response<Bytes>,
            ) -> Result<Self::Response, ResponseError> {
                decode_json(response)
            }
        }
    )*};
}

all_or_some! {
    /// Publish drafts, in one transaction: `POST .../view_settings/publish/`, 200 with [`Published`].
    Publish -> Published, "pages.publish", PUBLISH_PATH,
    /// Discard drafts, in one transaction: `POST .../view_settings/discard/`, 200 with [`Discarded`].
    Discard -> Discarded, "pages.discard", DISCARD_PATH,
}
