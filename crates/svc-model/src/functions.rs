//! Functions and procedures of a database that an administrator lists in the [settings](crate::resources::ResourceParams)
//! of its resource (wire contract, section 11).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JsonObject, ResourceName, Scope, wire::Operation};

/// Call: `POST .../functions/{function}`, 200 with [`Called`]. It requires an administrator or the static token of the
/// resource.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/functions/{function}")]
#[operation(name = "functions.call", credential = StaticToken, answer = Called)]
#[operation(new = "Calls a function or procedure of a resource.")]
#[non_exhaustive]
pub struct Call {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The function as it is listed, with or without the types of its arguments.
    #[wire(path)]
    pub function: String,
    /// The values of its arguments, by their names.
    #[wire(whole_body)]
    pub arguments: JsonObject,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

/// What a function has given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Called {
    /// A value, an object or an array of objects; null when it gives nothing.
    pub data: Value,
}
