//! The resources of an environment: connected databases, and APIs that the HTTP proxy calls (administration, section 2).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    JsonObject, ListQuery, Paginated, ResourceName, Scope,
    administration::{IssuedText, SecretUrl},
    wire::{Operation, ReadBody},
};

/// A resource of an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// The API name.
    pub unique_name: ResourceName,
    /// The display name.
    pub name: String,
    /// The kind of resource: `database` or `api`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The engine, such as `sqlite`.
    pub type_item: String,
    /// Further settings.
    pub params: Map<String, Value>,
    /// The address without passwords.
    pub url_hint: Option<String>,
    /// The time of creation (RFC 3339).
    pub date_add: String,
}

/// The body of a new resource.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewResource {
    /// The API name.
    pub unique_name: ResourceName,
    /// The address, such as `postgres://user:password@host/shop`.
    pub url: SecretUrl,
    /// The display name; the API name when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Further settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<JsonObject>,
    /// Whether the resource is kept although its database cannot be reached; no when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
}

impl NewResource {
    /// A resource with only a name and an address.
    pub fn new(unique_name: impl Into<ResourceName>, url: impl Into<SecretUrl>) -> Self {
        Self {
            unique_name: unique_name.into(),
            url: url.into(),
            name: None,
            params: None,
            unchecked: None,
        }
    }
}

/// A resource that was just created, with its first static token, which is shown this once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedResource {
    /// The resource.
    #[serde(flatten)]
    pub resource: Resource,
    /// The static token; `None` when the answer repeats an earlier one, and for an API.
    pub token: Option<IssuedText>,
}

/// The body of a change to a resource. It keeps its tokens. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct ResourcePatch {
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub url: Option<SecretUrl>,
    /// Further settings, in place of all that there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub params: Option<JsonObject>,
    /// Whether another address is kept although its database cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub unchecked: Option<bool>,
}

impl ResourcePatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// What came of a test of a database: `{"ok": true, ...}`, or `{"ok": false, "reason": "..."}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TestOutcome {
    /// Whether the database was reached and its structure read.
    pub ok: bool,
    /// The engine, such as `postgres`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The version of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The number of models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<u64>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The state of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Status {
    /// `up`, `down` or `connecting`.
    pub state: String,
    /// The time since when it is so (RFC 3339).
    pub since: String,
    /// Why it is not up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The connections; `None` while the resource is not connected.
    pub pool: Option<Pool>,
    /// The number of models; `None` until the structure was read.
    pub models: Option<u64>,
    /// When the structure was read (RFC 3339).
    pub structure_read: Option<String>,
}

/// The connections of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pool {
    /// How many there may be.
    pub size: u64,
    /// How many are in use.
    pub used: u64,
    /// How many calls wait for one.
    pub waiting: u64,
}

/// List the resources: `GET {app_base_url}/projects/{project}/{environment}/resources/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/")]
#[operation(name = "project_resources.list", credential = ApiKey, level = Member, answer = Paginated<Resource>)]
#[operation(new = "Lists the resources of an environment.")]
#[non_exhaustive]
pub struct List {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Create a resource: `POST .../resources/`, 201 with the resource and its first static token.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/resources/")]
#[operation(name = "project_resources.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = CreatedResource)]
#[operation(new = "Creates a resource.")]
#[non_exhaustive]
pub struct Create {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The new resource.
    #[wire(whole_body)]
    pub resource: NewResource,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get a resource: `GET .../resources/{name}/`, 200 with the [`Resource`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/{name}/")]
#[operation(name = "project_resources.get", read, credential = ApiKey, level = Member, answer = Resource)]
#[operation(new = "Gets a resource.")]
#[non_exhaustive]
pub struct Get {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub name: ResourceName,
}

/// Change a resource: `PATCH .../resources/{name}/`, 200 with the [`Resource`]. It keeps its tokens.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/{environment}/resources/{name}/")]
#[operation(name = "project_resources.update", read, credential = ApiKey, level = Administrator, answer = Resource)]
#[operation(new = "Changes a resource.")]
#[non_exhaustive]
pub struct Update {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub name: ResourceName,
    /// What to change.
    #[wire(whole_body)]
    pub patch: ResourcePatch,
    /// Only when the resource still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Disconnect a resource: `DELETE .../resources/{name}/`, 204. Its database is not changed.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/resources/{name}/")]
#[operation(name = "project_resources.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Disconnects a resource.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub name: ResourceName,
    /// Only when the resource still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Test a database: `POST .../resources/test/`, 200 with the [`TestOutcome`]. Nothing is kept.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/resources/test/")]
#[operation(name = "project_resources.test", read, credential = ApiKey, level = Administrator, answer = TestOutcome)]
#[operation(new = "Tests a database.")]
#[non_exhaustive]
pub struct Test {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The address.
    #[wire(body)]
    pub url: SecretUrl,
    /// The API name that the resource is to have: one that is not valid or taken is an error.
    #[wire(body)]
    pub unique_name: Option<ResourceName>,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get the state of a resource: `GET .../resources/{name}/status/`, 200 with the [`Status`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/{name}/status/")]
#[operation(name = "project_resources.status", read, credential = ApiKey, level = Member, answer = Status)]
#[operation(new = "Gets the state of a resource.")]
#[non_exhaustive]
pub struct GetStatus {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub name: ResourceName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_of_a_test_says_only_what_was_found() {
        let mut outcome = TestOutcome {
            reason: Some("there is no such file".to_owned()),
            ..TestOutcome::default()
        };
        assert_eq!(
            serde_json::to_string(&outcome).unwrap(),
            r#"{"ok":false,"reason":"there is no such file"}"#
        );
        outcome = TestOutcome {
            ok: true,
            engine: Some("sqlite".to_owned()),
            models: Some(2),
            ..TestOutcome::default()
        };
        assert_eq!(
            serde_json::to_string(&outcome).unwrap(),
            r#"{"ok":true,"engine":"sqlite","models":2}"#
        );
    }
}
