//! What the teams of a project may do with records (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    EnvironmentName, ListQuery, ModelName, Paginated, ProjectName, ResourceName,
    administration::TeamName,
    wire::{Operation, ReadBody},
};

/// A rule: the rights of a team everywhere, on a resource or on a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rule {
    /// The unique ID.
    pub uid: String,
    /// The team.
    pub team: TeamName,
    /// The environment; `None` for all.
    pub environment: Option<EnvironmentName>,
    /// The resource; `None` for all.
    pub resource: Option<ResourceName>,
    /// The model; `None` for all of the resource.
    pub model: Option<ModelName>,
    /// What may be done: `read`, `write`, `delete`. Nothing when it is empty.
    pub rights: Vec<String>,
}

/// The body of a rule, which takes the place of the one for the same team, environment, resource and model.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewRule {
    /// The team, by its unique ID or its name.
    pub team: String,
    /// The environment; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentName>,
    /// The resource; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceName>,
    /// The model; all of the resource when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// What may be done: `read`, `write`, `delete`. Nothing when it is empty.
    pub rights: Vec<String>,
}

impl NewRule {
    /// A rule about everything.
    pub fn new(
        team: impl Into<String>,
        rights: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            team: team.into(),
            environment: None,
            resource: None,
            model: None,
            rights: rights.into_iter().map(Into::into).collect(),
        }
    }
}

/// List the rules: `GET {app_base_url}/projects/{project}/rights/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/rights/")]
#[operation(name = "rights.list", credential = ApiKey, level = Administrator, answer = Paginated<Rule>)]
#[operation(new = "Lists the rules about what teams may do.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Set a rule: `PUT .../rights/`, 200 with the [`Rule`], 201 when there was none for this.
#[derive(Clone, Debug, Operation)]
#[operation(PUT Application "/projects/{project}/rights/")]
#[operation(name = "rights.set", read, credential = ApiKey, level = Administrator, answer = Rule)]
#[operation(new = "Sets a rule.")]
#[non_exhaustive]
pub struct Set {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The rule.
    #[wire(whole_body)]
    pub rule: NewRule,
    /// Only when there is a rule for this already, and it still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Remove a rule: `DELETE .../rights/{uid}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/rights/{uid}/")]
#[operation(name = "rights.remove", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Removes a rule.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The rule.
    #[wire(path)]
    pub uid: String,
    /// Only when the rule still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
