//! Teams of a project: the model `groups` of the built-in tools resource (specification, section 4, and
//! wire contract, section 6).

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use crate::{
    EnvironmentName, ListQuery, Paginated, ProjectName, QueryString, TeamUid,
    operation::{encode, present},
    records::{info, with_draft},
    response::{ResponseError, decode_json},
    wire::{Operation, OperationInfo, PathArguments, RequestError},
};

/// The model of the [tools resource](crate::ResourceName::TOOLS) whose records are the teams.
pub const MODEL: &str = "groups";
/// The path of the teams.
pub const LIST_PATH: &str = "/projects/{project}/{environment}/__svc_app__/models/groups";
/// The path of one team.
pub const ITEM_PATH: &str = "/projects/{project}/{environment}/__svc_app__/models/groups/{uid}";

/// A team. That of the caller, with what its members may do, is in
/// [`projects::Team`](crate::projects::Team).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Team {
    /// The unique ID.
    pub uid: TeamUid,
    /// The name.
    pub name: String,
}

impl Team {
    /// A team of this name.
    pub fn new(uid: impl Into<TeamUid>, name: impl Into<String>) -> Self {
        Self {
            uid: uid.into(),
            name: name.into(),
        }
    }
}

/// The body that changes a team: what is left out keeps its value. Another property than these, and none
/// at all, is an error.
///
/// ```
/// use svc_model::teams::TeamPatch;
///
/// let mut patch = TeamPatch::new();
/// patch.name = Some("Support".into());
/// assert_eq!(serde_json::to_string(&patch)?, r#"{"name":"Support"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TeamPatch {
    /// The name.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub name: Option<String>,
}

impl TeamPatch {
    /// A change of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List teams: `GET .../__svc_app__/models/groups`, 200 with the paginated envelope, or an array with
/// `_no_pagination`.
///
/// A [`Team`] is read whole, so that `_fields` would have to name all of its properties.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Which teams.
    pub query: ListQuery,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl List {
    /// A page of the teams.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        query: ListQuery,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            query,
            draft: false,
        }
    }
}

impl Operation for List {
    type Response = Paginated<Team>;

    const INFO: OperationInfo = info("teams.list", Method::GET, LIST_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    fn query(&self) -> QueryString {
        with_draft(self.query.to_query_string(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Retrieve a team: `GET .../groups/{uid}`, 200 with the [`Team`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Get {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The team.
    pub uid: TeamUid,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Get {
    /// One team.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<TeamUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            uid: uid.into(),
            draft: false,
        }
    }
}

impl Operation for Get {
    type Response = Team;

    const INFO: OperationInfo = info("teams.get", Method::GET, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Update a team: `PATCH .../groups/{uid}`, 200 with the [`Team`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Update {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The team.
    pub uid: TeamUid,
    /// What to change.
    pub patch: TeamPatch,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Update {
    /// Changes a team.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<TeamUid>,
        patch: TeamPatch,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            uid: uid.into(),
            patch,
            draft: false,
        }
    }
}

impl Operation for Update {
    type Response = Team;

    // As every PATCH: a second one may undo what somebody else did in between.
    const INFO: OperationInfo = info("teams.update", Method::PATCH, ITEM_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.patch).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceName;

    #[test]
    fn the_paths_name_the_tools_resource_and_the_model() {
        let models = format!("/{}/models/{MODEL}", ResourceName::TOOLS);
        assert!(LIST_PATH.ends_with(&models), "{LIST_PATH}");
        assert_eq!(ITEM_PATH, format!("{LIST_PATH}/{{uid}}"));
    }

    #[test]
    fn a_patch_takes_a_name_and_nothing_else() {
        let patch: TeamPatch = serde_json::from_str(r#"{"name":"Support"}"#).unwrap();
        assert_eq!(patch.name.as_deref(), Some("Support"));
        for text in [r#"{"name":null}"#, r#"{"uid":"t1"}"#] {
            assert!(serde_json::from_str::<TeamPatch>(text).is_err(), "{text}");
        }
    }
}
