//! Teams of a project: the model `groups` of the built-in tools resource (specification, section 4, and
//! wire contract, section 6).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, Scope, TeamUid,
    wire::{Operation, ReadBody},
};

/// The model of the [tools resource](crate::ResourceName::TOOLS) whose records are the teams.
pub const MODEL: &str = "groups";

/// A team. The caller's own team, with its permissions, is a
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
    /// A team with this name.
    pub fn new(uid: impl Into<TeamUid>, name: impl Into<String>) -> Self {
        Self {
            uid: uid.into(),
            name: name.into(),
        }
    }
}

/// The body of a change to a team: a property that is left out keeps its value. An unknown property is an
/// error, and so is an empty body.
///
/// ```
/// use svc_model::teams::TeamPatch;
///
/// let mut patch = TeamPatch::new();
/// patch.name = Some("Support".into());
/// assert_eq!(serde_json::to_string(&patch)?, r#"{"name":"Support"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct TeamPatch {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
}

impl TeamPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List teams: `GET .../__svc_app__/models/groups`, 200 with the paginated envelope, or an array with
/// `_no_pagination`.
///
/// The response is read as complete [`Team`]s, so `_fields` would have to name all of their properties.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/__svc_app__/models/groups")]
#[operation(name = "teams.list", credential = StaticToken, answer = Paginated<Team>)]
#[operation(new = "Lists a page of the teams.")]
#[non_exhaustive]
pub struct List {
    /// The environment of the teams.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects the teams.
    #[wire(query)]
    pub query: ListQuery,
}

/// Retrieve a team: `GET .../groups/{uid}`, 200 with the [`Team`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/__svc_app__/models/groups/{uid}")]
#[operation(name = "teams.get", credential = StaticToken, answer = Team)]
#[operation(new = "Gets a team.")]
#[non_exhaustive]
pub struct Get {
    /// The environment of the team.
    #[wire(path)]
    pub scope: Scope,
    /// The team.
    #[wire(path)]
    pub uid: TeamUid,
}

/// Update a team: `PATCH .../groups/{uid}`, 200 with the [`Team`].
///
/// It is not repeated after a failure: like every PATCH, a second one may undo somebody else's change.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Data "/projects/{project}/{environment}/__svc_app__/models/groups/{uid}")]
#[operation(name = "teams.update", credential = StaticToken, answer = Team)]
#[operation(new = "Changes a team.")]
#[non_exhaustive]
pub struct Update {
    /// The environment of the team.
    #[wire(path)]
    pub scope: Scope,
    /// The team.
    #[wire(path)]
    pub uid: TeamUid,
    /// What to change.
    #[wire(whole_body)]
    pub patch: TeamPatch,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceName;

    #[test]
    fn the_paths_name_the_tools_resource_and_the_model() {
        let (list, item) = (List::INFO.path_template, Get::INFO.path_template);
        let models = format!("/{}/models/{MODEL}", ResourceName::TOOLS);
        assert!(list.ends_with(&models), "{list}");
        assert_eq!(item, format!("{list}/{{uid}}"));
    }

    #[test]
    fn a_patch_accepts_only_a_name() {
        let read = |body| TeamPatch::from_body(serde_json::from_str(body).unwrap());
        let patch = read(r#"{"name":"Support"}"#).unwrap();
        assert_eq!(patch.name.as_deref(), Some("Support"));
        for text in [r#"{"name":null}"#, r#"{"uid":"t1"}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
