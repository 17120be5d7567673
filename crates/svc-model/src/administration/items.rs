//! What people keep for themselves or share in an environment: views, queries, charts, dashboards and preferences
//! (administration, section 2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    ListQuery, Paginated, Scope,
    wire::{AnyJson, Operation, ReadBody},
};

/// An item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// The unique ID.
    pub uid: String,
    /// What it is: `view`, `query`, `chart`, `dashboard` or `preference`.
    pub kind: String,
    /// The name for people.
    pub name: String,
    /// The model that it is about, as `resource.model`.
    pub model: Option<String>,
    /// The content.
    pub value: Value,
    /// Whether every member of the project sees it.
    pub shared: bool,
    /// The account that it belongs to.
    pub owner: String,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last change (RFC 3339).
    pub date_update: String,
}

/// The body of a new item.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewItem {
    /// What it is: `view`, `query`, `chart`, `dashboard` or `preference`.
    pub kind: String,
    /// The name for people.
    pub name: String,
    /// The model that it is about, as `resource.model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The content: any JSON.
    pub value: AnyJson,
    /// Whether every member of the project sees it; no when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
}

impl NewItem {
    /// An item that is not shared.
    pub fn new(
        kind: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<AnyJson>,
    ) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
            model: None,
            value: value.into(),
            shared: None,
        }
    }
}

/// The body of a change to an item. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct ItemPatch {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub name: Option<String>,
    /// The model that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub model: Option<Option<String>>,
    /// The content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub value: Option<AnyJson>,
    /// Whether every member of the project sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub shared: Option<bool>,
}

impl ItemPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List the own items and those that are shared: `GET {app_base_url}/projects/{project}/{environment}/items/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/items/")]
#[operation(name = "items.list", credential = ApiKey, level = Member, answer = Paginated<Item>)]
#[operation(new = "Lists the own items and those that are shared.")]
#[non_exhaustive]
pub struct List {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Create an item: `POST .../items/`, 201 with the [`Item`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/items/")]
#[operation(name = "items.create", read, status = CREATED, credential = ApiKey, level = Member, answer = Item)]
#[operation(new = "Creates an item.")]
#[non_exhaustive]
pub struct Create {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The new item.
    #[wire(whole_body)]
    pub item: NewItem,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get an item: `GET .../items/{uid}/`, 200 with the [`Item`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/items/{uid}/")]
#[operation(name = "items.get", read, credential = ApiKey, level = Member, answer = Item)]
#[operation(new = "Gets an item.")]
#[non_exhaustive]
pub struct Get {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The item.
    #[wire(path)]
    pub uid: String,
}

/// Change an item: `PATCH .../items/{uid}/`, 200 with the [`Item`]. Its owner and administrators may.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/{environment}/items/{uid}/")]
#[operation(name = "items.update", read, credential = ApiKey, level = Member, answer = Item)]
#[operation(new = "Changes an item.")]
#[non_exhaustive]
pub struct Update {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The item.
    #[wire(path)]
    pub uid: String,
    /// What to change.
    #[wire(whole_body)]
    pub patch: ItemPatch,
    /// Only when the item still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete an item: `DELETE .../items/{uid}/`, 204. Its owner and administrators may.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/items/{uid}/")]
#[operation(name = "items.delete", read, credential = ApiKey, level = Member)]
#[operation(new = "Deletes an item.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The item.
    #[wire(path)]
    pub uid: String,
    /// Only when the item still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
