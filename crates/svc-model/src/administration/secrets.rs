//! The secret tokens of resources, which the HTTP proxy sends for callers who do not know them (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, ResourceName, Scope,
    administration::SecretValue,
    wire::{Operation, ReadBody},
};

/// A secret token; never its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Secret {
    /// The resource.
    pub resource: ResourceName,
    /// The name.
    pub name: String,
    /// The hosts that it is sent to.
    pub hosts: Vec<String>,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last change (RFC 3339).
    pub date_update: String,
}

/// The body of a secret token, which takes the place of the one with its name.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewSecret {
    /// The resource.
    pub resource: ResourceName,
    /// The name.
    pub name: String,
    /// The hosts that it is sent to; at least one.
    pub hosts: Vec<String>,
    /// The value.
    pub value: SecretValue,
}

impl NewSecret {
    /// A secret token for one host.
    pub fn new(
        resource: impl Into<ResourceName>,
        name: impl Into<String>,
        host: impl Into<String>,
        value: impl Into<SecretValue>,
    ) -> Self {
        Self {
            resource: resource.into(),
            name: name.into(),
            hosts: vec![host.into()],
            value: value.into(),
        }
    }
}

/// List the secret tokens: `GET {app_base_url}/projects/{project}/{environment}/secrets/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/secrets/")]
#[operation(name = "secrets.list", credential = ApiKey, level = Administrator, answer = Paginated<Secret>)]
#[operation(new = "Lists the secret tokens of an environment.")]
#[non_exhaustive]
pub struct List {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Set a secret token: `PUT .../secrets/`, 200 with the [`Secret`], 201 when there was none.
#[derive(Clone, Debug, Operation)]
#[operation(PUT Application "/projects/{project}/{environment}/secrets/")]
#[operation(name = "secrets.set", read, credential = ApiKey, level = Administrator, answer = Secret)]
#[operation(new = "Sets a secret token.")]
#[non_exhaustive]
pub struct Set {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The secret token.
    #[wire(whole_body)]
    pub secret: NewSecret,
    /// Only when there is a secret token of this name already, and it still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Remove a secret token: `DELETE .../secrets/{resource}/{name}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/secrets/{resource}/{name}/")]
#[operation(name = "secrets.remove", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Removes a secret token.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The name.
    #[wire(path)]
    pub name: String,
    /// Only when the secret token still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
