//! The teams of a project (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, ProjectName, TeamUid,
    wire::{Operation, ReadBody},
};

/// A team of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Team {
    /// The unique ID.
    pub uid: TeamUid,
    /// The name.
    pub name: String,
    /// The rights that its members begin with: `administrator`, `editor` or `read_only`.
    pub permissions_group: String,
    /// Whether its members administer the project. There is one such team.
    pub super_group: bool,
    /// The time of creation (RFC 3339).
    pub date_add: String,
}

/// The body of a change to a team. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct TeamPatch {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
    /// The rights that its members begin with: `editor` or `read_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub permissions_group: Option<String>,
}

impl TeamPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List the teams: `GET {app_base_url}/projects/{project}/teams/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/teams/")]
#[operation(name = "project_teams.list", credential = ApiKey, level = Member, answer = Paginated<Team>)]
#[operation(new = "Lists the teams of a project.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Create a team: `POST .../teams/`, 201 with the [`Team`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/teams/")]
#[operation(name = "project_teams.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = Team)]
#[operation(new = "Creates a team.")]
#[non_exhaustive]
pub struct Create {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The name.
    #[wire(body)]
    pub name: String,
    /// The rights that its members begin with: `editor` or `read_only`; the latter when `None`.
    #[wire(body)]
    pub permissions_group: Option<String>,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get a team: `GET .../teams/{uid}/`, 200 with the [`Team`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/teams/{uid}/")]
#[operation(name = "project_teams.get", read, credential = ApiKey, level = Member, answer = Team)]
#[operation(new = "Gets a team.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The team.
    #[wire(path)]
    pub uid: TeamUid,
}

/// Change a team: `PATCH .../teams/{uid}/`, 200 with the [`Team`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/teams/{uid}/")]
#[operation(name = "project_teams.update", read, credential = ApiKey, level = Administrator, answer = Team)]
#[operation(new = "Changes a team.")]
#[non_exhaustive]
pub struct Update {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The team.
    #[wire(path)]
    pub uid: TeamUid,
    /// What to change.
    #[wire(whole_body)]
    pub patch: TeamPatch,
    /// Only when the team still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete a team: `DELETE .../teams/{uid}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/teams/{uid}/")]
#[operation(name = "project_teams.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Deletes a team.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The team. One with members or users cannot be deleted, nor that of the administrators.
    #[wire(path)]
    pub uid: TeamUid,
    /// Only when the team still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
