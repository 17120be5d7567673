//! Projects and what they consist of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    EnvironmentName, Paginated, ProjectName, ResourceName,
    wire::{Operation, PagedOperation},
};

/// A project as the holder of the credential sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Project {
    /// The unique name.
    pub unique_name: ProjectName,
    /// The name that people see.
    pub name: String,
    /// The colour that people see.
    pub color: Option<String>,
    /// The domain that the application is reached at.
    pub domain: Option<String>,
    /// Who owns it.
    pub owner: Option<Person>,
    /// Whether that is the caller.
    pub is_owner: bool,
    /// The caller as a member of the project.
    pub user: Option<Member>,
    /// The team of the caller.
    pub group: Option<Team>,
    /// The connected resources of every environment. Never a credential.
    #[serde(default)]
    pub resources: Vec<Resource>,
    /// The environment that is meant when none is named.
    pub default_environment: Option<EnvironmentName>,
    /// The environments.
    #[serde(default)]
    pub environments: Vec<Environment>,
    /// What is switched on.
    #[serde(default)]
    pub features: BTreeMap<String, Feature>,
    /// Further settings.
    #[serde(default)]
    pub params: Map<String, Value>,
}

impl Project {
    /// A project that has a name and nothing else.
    pub fn new(unique_name: impl Into<ProjectName>) -> Self {
        let unique_name = unique_name.into();
        Self {
            name: unique_name.to_string(),
            unique_name,
            color: None,
            domain: None,
            owner: None,
            is_owner: false,
            user: None,
            group: None,
            resources: Vec::new(),
            default_environment: None,
            environments: Vec::new(),
            features: BTreeMap::new(),
            params: Map::new(),
        }
    }
}

/// A person with an account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Person {
    /// The unique ID.
    pub uid: String,
    /// The name to sign in with.
    pub username: String,
    /// The e-mail address.
    pub email: Option<String>,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
}

/// A person as a member of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// The unique ID of the person.
    pub uid: String,
    /// Further properties.
    #[serde(default)]
    pub properties: Map<String, Value>,
    /// Since when (RFC 3339).
    pub date_add: Option<String>,
}

/// A team of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Team {
    /// The unique ID.
    pub uid: String,
    /// The name.
    pub name: String,
    /// The set of permissions, where it is one of those that ship with a project.
    pub permissions_group: Option<String>,
    /// Whether members may do everything.
    #[serde(default)]
    pub super_group: bool,
}

/// A connected resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// The environment that it belongs to.
    pub environment: EnvironmentName,
    /// The API name.
    pub unique_name: ResourceName,
    /// The name that people see.
    pub name: String,
    /// The kind of resource, such as `database`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The engine, such as `sqlite`.
    pub type_item: String,
    /// Further settings, without credentials.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The names of its secret tokens.
    #[serde(default)]
    pub secret_tokens: Vec<SecretTokenName>,
    /// Whether it was removed.
    #[serde(default)]
    pub deleted: bool,
}

impl Resource {
    /// A resource of this engine.
    pub fn new(
        environment: impl Into<EnvironmentName>,
        unique_name: impl Into<ResourceName>,
        kind: impl Into<String>,
        type_item: impl Into<String>,
    ) -> Self {
        let unique_name = unique_name.into();
        Self {
            environment: environment.into(),
            name: unique_name.to_string(),
            unique_name,
            kind: kind.into(),
            type_item: type_item.into(),
            params: Map::new(),
            secret_tokens: Vec::new(),
            deleted: false,
        }
    }
}

/// The name of a secret token; never its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SecretTokenName {
    /// The name.
    pub name: String,
    /// The kind.
    #[serde(rename = "type")]
    pub kind: String,
}

/// An environment of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Environment {
    /// The unique name.
    pub unique_name: EnvironmentName,
    /// The name that people see.
    pub name: String,
    /// The colour that people see.
    pub color: Option<String>,
    /// Further settings.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Since when (RFC 3339).
    pub date_add: Option<String>,
}

impl Environment {
    /// An environment that has a name and nothing else.
    pub fn new(unique_name: impl Into<EnvironmentName>) -> Self {
        let unique_name = unique_name.into();
        Self {
            name: unique_name.to_string(),
            unique_name,
            color: None,
            params: Map::new(),
            date_add: None,
        }
    }
}

/// Whether a feature is switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Feature {
    /// On or off.
    pub enabled: bool,
}

impl From<bool> for Feature {
    fn from(enabled: bool) -> Self {
        Self { enabled }
    }
}

/// List projects: `GET /api/projects/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Default, Operation)]
#[operation(GET Application "/projects/")]
#[operation(name = "projects.list", read, credential = ApiKey, answer = Paginated<Project>)]
#[operation(new = "The projects that the caller is a member of.")]
#[non_exhaustive]
pub struct List {
    /// The page, from 1.
    #[wire(query = "page")]
    pub page: Option<u64>,
    /// Projects on a page.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
}

impl PagedOperation for List {
    type Item = Project;

    fn set_page(&mut self, page: u64) {
        self.page = Some(page);
    }

    fn set_per_page(&mut self, per_page: u32) {
        self.per_page = Some(per_page);
    }

    fn seek(&mut self, page: Option<u64>, _: Option<String>) -> bool {
        let moved = page.is_some() && page != Some(self.page.unwrap_or(1));
        self.page = page;
        moved
    }
}

/// Get a project: `GET /api/projects/{PROJECT_NAME}/`, 200 with the [`Project`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/")]
#[operation(name = "projects.get", read, credential = ApiKey, answer = Project)]
#[operation(new = "One project.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
}
