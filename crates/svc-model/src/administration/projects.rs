//! Projects: made by operators, changed by their administrators (administration, section 2). They are read with
//! [`projects`](crate::projects).

use serde::Serialize;

use crate::{
    EnvironmentName, JsonObject, ProjectName,
    projects::Project,
    wire::{Operation, ReadBody},
};

/// The body of a new project.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewProject {
    /// The unique name.
    pub unique_name: ProjectName,
    /// The display name; the unique name when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The display colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The domain of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Further settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<JsonObject>,
    /// The e-mail address of the owner and first administrator; the caller when `None`. An address without an account gets
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

impl NewProject {
    /// A project with only a unique name.
    pub fn new(unique_name: impl Into<ProjectName>) -> Self {
        Self {
            unique_name: unique_name.into(),
            name: None,
            color: None,
            domain: None,
            params: None,
            owner: None,
        }
    }
}

/// The body of a change to a project. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct ProjectPatch {
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
    /// The display colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub color: Option<Option<String>>,
    /// The domain of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub domain: Option<Option<String>>,
    /// The default environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub default_environment: Option<Option<EnvironmentName>>,
    /// Further settings, in place of all that there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub params: Option<JsonObject>,
}

impl ProjectPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Create a project: `POST {app_base_url}/projects/`, 201 with the [`Project`]. The caller becomes its owner and first administrator, unless the body names another one.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/")]
#[operation(name = "projects.create", read, status = CREATED, credential = ApiKey, level = Operator, answer = Project)]
#[operation(new = "Creates a project.")]
#[non_exhaustive]
pub struct Create {
    /// The new project.
    #[wire(whole_body)]
    pub new_project: NewProject,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Change a project: `PATCH {app_base_url}/projects/{project}/`, 200 with the [`Project`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/")]
#[operation(name = "projects.update", read, credential = ApiKey, level = Administrator, answer = Project)]
#[operation(new = "Changes a project.")]
#[non_exhaustive]
pub struct Update {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// What to change.
    #[wire(whole_body)]
    pub patch: ProjectPatch,
    /// Only when the project still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete a project with everything in it: `DELETE {app_base_url}/projects/{project}/?confirm={project}`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/")]
#[operation(name = "projects.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Deletes a project; `confirm` must be its name.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The name of the project again, since everything in it goes too.
    #[wire(query = "confirm")]
    pub confirm: Option<String>,
    /// Only when the project still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
