//! Projects and their parts: environments, resources, teams and members.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{EnvironmentName, ListQuery, Paginated, ProjectName, ResourceName, wire::Operation};

/// A project as the caller sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Project {
    /// The unique name.
    pub unique_name: ProjectName,
    /// The display name.
    pub name: String,
    /// The display colour.
    pub color: Option<String>,
    /// The domain of the application.
    pub domain: Option<String>,
    /// The owner.
    pub owner: Option<Person>,
    /// Whether the caller is the owner.
    pub is_owner: bool,
    /// The caller as a member of the project.
    pub user: Option<Member>,
    /// The team of the caller.
    pub group: Option<Team>,
    /// The connected resources of every environment, without credentials.
    #[serde(default)]
    pub resources: Vec<Resource>,
    /// The default environment, which is used when a request names none.
    pub default_environment: Option<EnvironmentName>,
    /// The environments.
    #[serde(default)]
    pub environments: Vec<Environment>,
    /// The features, and whether they are switched on.
    #[serde(default)]
    pub features: BTreeMap<String, Feature>,
    /// Further settings.
    #[serde(default)]
    pub params: Map<String, Value>,
}

impl Project {
    /// A project with only a name.
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
    /// The name that the person signs in with.
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
    /// The time of creation (RFC 3339).
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
    /// The set of permissions, if it is one of the built-in sets.
    pub permissions_group: Option<String>,
    /// Whether members have all permissions.
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
    /// The display name.
    pub name: String,
    /// The kind of resource, such as `database`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The engine, such as `sqlite`.
    pub type_item: String,
    /// Further settings, without credentials.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The names of the resource's secret tokens.
    #[serde(default)]
    pub secret_tokens: Vec<SecretTokenName>,
    /// Whether the resource was removed.
    #[serde(default)]
    pub deleted: bool,
}

impl Resource {
    /// A resource with this engine.
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
    /// The display name.
    pub name: String,
    /// The display colour.
    pub color: Option<String>,
    /// Further settings.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The time of creation (RFC 3339).
    pub date_add: Option<String>,
}

impl Environment {
    /// An environment with only a name.
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
    /// Whether the feature is on.
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
#[operation(name = "projects.list", credential = ApiKey, level = Account, answer = Paginated<Project>)]
#[operation(new = "Lists the projects that the caller is a member of.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them: by `unique_name`, `name`, `color`, `domain`, `default_environment`, `params`
    /// and `date_add`.
    #[wire(query)]
    pub query: ListQuery,
}

/// Get a project: `GET /api/projects/{PROJECT_NAME}/`, 200 with the [`Project`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/")]
#[operation(name = "projects.get", read, credential = ApiKey, level = Member, answer = Project)]
#[operation(new = "Gets a project.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
}
