//! The API keys that have access to a project (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{ListQuery, Paginated, ProjectName, wire::Operation};

/// An API key of a member; never its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectKey {
    /// The unique ID.
    pub uid: String,
    /// The e-mail address of the account.
    pub email: String,
    /// The name for people.
    pub name: Option<String>,
    /// How the text of the key begins.
    pub prefix: String,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last use, exact to a minute (RFC 3339).
    pub last_use: Option<String>,
    /// The time at which the key ends (RFC 3339).
    pub expires: Option<String>,
    /// The time at which the key was revoked (RFC 3339).
    pub revoked: Option<String>,
}

/// List the API keys that have access to the project: `GET {app_base_url}/projects/{project}/api_keys/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/api_keys/")]
#[operation(name = "api_keys.list", credential = ApiKey, level = Administrator, answer = Paginated<ProjectKey>)]
#[operation(new = "Lists the API keys that have access to a project.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
    /// Whether those that were revoked are listed too.
    #[wire(query = "revoked", default)]
    pub revoked: bool,
}

/// End the access of an API key to the project: `DELETE .../api_keys/{uid}/`, 204. Other projects stay open to it.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/api_keys/{uid}/")]
#[operation(name = "api_keys.exclude", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Ends the access of an API key to a project.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The key.
    #[wire(path)]
    pub uid: String,
}
