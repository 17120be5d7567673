//! The audit trail: who changed what, and when (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{ListQuery, Paginated, ProjectName, wire::Operation};

/// A line of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Line {
    /// The unique ID.
    pub uid: String,
    /// When it was (RFC 3339).
    pub time: String,
    /// The project.
    pub project: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// What the actor showed, such as `api_key`.
    pub actor_kind: String,
    /// The credential or the person.
    pub actor_uid: Option<String>,
    /// What people know the actor by.
    pub actor: Option<String>,
    /// What was done, such as `records.update`.
    pub action: String,
    /// The resource.
    pub resource: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The key of a record; the unique ID or name of anything else.
    pub record: Option<String>,
    /// The number of records, where it were several.
    pub records: Option<i64>,
    /// Their keys.
    pub keys: Option<Vec<String>>,
    /// The request, by its `X-Request-Id`.
    pub request_id: Option<String>,
    /// The entity tag of what it was.
    pub before: Option<String>,
    /// The entity tag of what it is.
    pub after: Option<String>,
    /// The status that another service answered with.
    pub status: Option<i64>,
    /// `unknown` when the service ended before it knew what became of it.
    pub outcome: Option<String>,
}

/// List the lines about a project: `GET {app_base_url}/projects/{project}/audit/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/audit/")]
#[operation(name = "audit.list_of_project", credential = ApiKey, level = Administrator, answer = Paginated<Line>)]
#[operation(new = "Lists the lines about a project.")]
#[non_exhaustive]
pub struct ListOfProject {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// Not before this time (RFC 3339, or a span such as `7d`).
    #[wire(query = "since")]
    pub since: Option<String>,
    /// Before this time (RFC 3339, or a span such as `7d`).
    #[wire(query = "until")]
    pub until: Option<String>,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// List the lines of the audit trail: `GET {app_base_url}/audit/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/audit/")]
#[operation(name = "audit.list", credential = ApiKey, level = Operator, answer = Paginated<Line>)]
#[operation(new = "Lists the lines of the audit trail.")]
#[non_exhaustive]
pub struct List {
    /// Not before this time (RFC 3339, or a span such as `7d`).
    #[wire(query = "since")]
    pub since: Option<String>,
    /// Before this time (RFC 3339, or a span such as `7d`).
    #[wire(query = "until")]
    pub until: Option<String>,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}
