//! The environments of a project (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    EnvironmentName, JsonObject, ListQuery, Paginated, ProjectName,
    projects::Environment,
    wire::{Operation, ReadBody},
};

/// The body of a new environment.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewEnvironment {
    /// The unique name.
    pub unique_name: EnvironmentName,
    /// The display name; the unique name when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The display colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Further settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<JsonObject>,
}

impl NewEnvironment {
    /// An environment with only a unique name.
    pub fn new(unique_name: impl Into<EnvironmentName>) -> Self {
        Self {
            unique_name: unique_name.into(),
            name: None,
            color: None,
            params: None,
        }
    }
}

/// The body of a change to an environment. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct EnvironmentPatch {
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
    /// The display colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub color: Option<Option<String>>,
    /// Further settings, in place of all that there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub params: Option<JsonObject>,
}

impl EnvironmentPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List the environments: `GET {app_base_url}/projects/{project}/environments/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/environments/")]
#[operation(name = "environments.list", credential = ApiKey, level = Member, answer = Paginated<Environment>)]
#[operation(new = "Lists the environments of a project.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Create an environment: `POST .../environments/`, 201 with the [`Environment`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/environments/")]
#[operation(name = "environments.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = Environment)]
#[operation(new = "Creates an environment.")]
#[non_exhaustive]
pub struct Create {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The new environment.
    #[wire(whole_body)]
    pub environment: NewEnvironment,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get an environment: `GET .../environments/{name}/`, 200 with the [`Environment`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/environments/{name}/")]
#[operation(name = "environments.get", read, credential = ApiKey, level = Member, answer = Environment)]
#[operation(new = "Gets an environment.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The environment.
    #[wire(path)]
    pub name: EnvironmentName,
}

/// Change an environment: `PATCH .../environments/{name}/`, 200 with the [`Environment`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/environments/{name}/")]
#[operation(name = "environments.update", read, credential = ApiKey, level = Administrator, answer = Environment)]
#[operation(new = "Changes an environment.")]
#[non_exhaustive]
pub struct Update {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The environment.
    #[wire(path)]
    pub name: EnvironmentName,
    /// What to change.
    #[wire(whole_body)]
    pub patch: EnvironmentPatch,
    /// Only when the environment still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete an environment with everything in it: `DELETE .../environments/{name}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/environments/{name}/")]
#[operation(name = "environments.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Deletes an environment.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The environment; `prod` cannot be deleted.
    #[wire(path)]
    pub name: EnvironmentName,
    /// Only when the environment still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// An environment that pages and settings were copied to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CopiedEnvironment {
    /// The environment.
    #[serde(flatten)]
    pub environment: Environment,
    /// The number of pages that were copied.
    pub copied_pages: u64,
}

impl CopiedEnvironment {
    /// An environment that got this many pages.
    pub fn new(environment: Environment, copied_pages: u64) -> Self {
        Self {
            environment,
            copied_pages,
        }
    }
}

/// Copy an environment to another one: `POST .../environments/{name}/copy/`, 200 with the other [`CopiedEnvironment`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/environments/{name}/copy/")]
#[operation(name = "environments.copy", read, credential = ApiKey, level = Administrator, answer = CopiedEnvironment)]
#[operation(new = "Copies pages and settings.")]
#[non_exhaustive]
pub struct Copy {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The environment that is copied.
    #[wire(path)]
    pub name: EnvironmentName,
    /// The environment that gets the copies; it must exist.
    #[wire(body)]
    pub to: EnvironmentName,
    /// Whether the pages are copied; yes when `None`.
    #[wire(body)]
    pub pages: Option<bool>,
    /// Whether the settings are copied; yes when `None`.
    #[wire(body)]
    pub settings: Option<bool>,
    /// Whether what the other environment has is replaced; otherwise it must have none.
    #[wire(body)]
    pub replace: Option<bool>,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}
