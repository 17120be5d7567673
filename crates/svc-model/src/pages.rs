//! Page settings: the configuration of the pages of an application (specification, sections 2 and 4).

mod property_names;
mod publish;
mod revisions;

use serde::{Deserialize, Serialize, Serializer, ser::Error as _};

use crate::{
    Draft, JsonObject, PageUid, Scope,
    wire::{HasFields, Operation, ReadBody, ReceivedRequest},
};

pub use self::{
    property_names::PropertyNames,
    publish::{Discard, Discarded, Publish, Published},
    revisions::{GetRevision, Restore, Revision, Revisions},
};

/// The settings of a page: a JSON object with any properties.
///
/// The configured page determines which properties it has. Those that the service itself sets have
/// a getter; the others are available through [`properties`](Self::properties), in the order and the
/// spelling in which they were stored.
///
/// ```
/// use svc_model::PageSettings;
///
/// let text = r#"{"uid":"5f0c","name":"Orders","params":"{\"columns\":[]}","zoom":1.50}"#;
/// let page: PageSettings = serde_json::from_str(text)?;
/// assert_eq!(page.name().as_deref(), Some("Orders"));
/// assert_eq!(page.properties().get_raw("zoom"), Some("1.50"));
/// assert_eq!(serde_json::to_string(&page)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageSettings {
    properties: JsonObject,
}

macro_rules! text_getters {
    ($( $(#[$doc:meta])* $name:ident, )*) => {$(
        $(#[$doc])*
        ///
        /// `None` when it is absent, null or not a text.
        pub fn $name(&self) -> Option<String> {
            self.properties.get(stringify!($name)).ok().flatten()
        }
    )*};
}

impl PageSettings {
    /// Settings without properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// All properties.
    pub fn properties(&self) -> &JsonObject {
        &self.properties
    }

    /// All properties, for changing them.
    pub fn properties_mut(&mut self) -> &mut JsonObject {
        &mut self.properties
    }

    /// Returns the properties.
    pub fn into_properties(self) -> JsonObject {
        self.properties
    }

    /// The unique ID, which the service assigns.
    pub fn uid(&self) -> Option<PageUid> {
        self.properties.get("uid").ok().flatten()
    }

    /// Whether the draft differs from the published page.
    pub fn draft(&self) -> bool {
        self.properties.get("draft").ok().flatten().unwrap_or(false)
    }

    text_getters! {
        /// The environment that the page belongs to.
        environment,
        /// The kind of page; `custom` by default.
        view,
        /// The name that is unique in the environment.
        unique_name,
        /// The display name.
        name,
        /// The resource whose records the page shows.
        resource,
        /// The model whose records the page shows.
        model,
        /// The structure of the page: a text that contains JSON.
        params,
        /// When the page was created (RFC 3339).
        date_add,
    }
}

impl From<JsonObject> for PageSettings {
    fn from(properties: JsonObject) -> Self {
        Self { properties }
    }
}

impl ReadBody for PageSettings {
    fn read_body(request: &mut ReceivedRequest<'_>) -> Option<Self> {
        Some(request.take_body().into())
    }
}

/// The body of a page update (specification, section 2).
///
/// ```
/// use svc_model::UpdatePageSettings;
///
/// let update = UpdatePageSettings::params(&serde_json::json!({"columns": ["id"]}));
/// assert_eq!(serde_json::to_string(&update)?, r#"{"params":"{\"columns\":[\"id\"]}"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct UpdatePageSettings {
    /// The new structure, as a text that contains JSON.
    pub params: Option<String>,
    /// Further properties to set, beyond the specification.
    #[serde(skip)]
    pub properties: JsonObject,
}

impl ReadBody for UpdatePageSettings {
    /// Every property of the body is kept, including `params`, whose value the service checks.
    fn read_body(request: &mut ReceivedRequest<'_>) -> Option<Self> {
        Some(Self {
            params: None,
            properties: request.take_body(),
        })
    }
}

impl UpdatePageSettings {
    /// An update that changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the structure.
    pub fn params(structure: &serde_json::Value) -> Self {
        Self::params_text(structure.to_string())
    }

    /// Replaces the structure by a text that contains JSON.
    pub fn params_text(params: impl Into<String>) -> Self {
        Self {
            params: Some(params.into()),
            ..Self::default()
        }
    }

    /// Adds further properties to set.
    #[must_use]
    pub fn with_properties(mut self, properties: JsonObject) -> Self {
        self.properties = properties;
        self
    }
}

impl Serialize for UpdatePageSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = self.properties.clone();
        if let Some(params) = &self.params {
            object.set("params", params).map_err(S::Error::custom)?;
        }
        object.serialize(serializer)
    }
}

/// Get pages settings: `GET .../view_settings/`, 200 with an array of [`PageSettings`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/view_settings/")]
#[operation(name = "pages.list", read, credential = ApiKey, level = Member, answer = Vec<PageSettings>)]
#[operation(new = "Lists the published pages of an environment.")]
#[non_exhaustive]
pub struct List {
    /// The environment of the pages.
    #[wire(path)]
    pub scope: Scope,
    /// The layer.
    #[wire(query, default)]
    pub draft: Draft,
    /// `_fields`: the properties that each page is to have; all of them when `None`. What a page does not have is left out.
    #[wire(query = "_fields")]
    pub fields: Option<PropertyNames>,
}

impl HasFields for List {
    fn set_fields(&mut self, fields: Vec<String>) {
        self.fields = Some(fields.into());
    }
}

/// Create page settings: `POST .../view_settings/`, 201 with [`PageSettings`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/view_settings/")]
#[operation(name = "pages.create", read, status = CREATED, credential = ApiKey, level = Editor, tagged = PageSettings)]
#[operation(new = "Creates a published page.")]
#[non_exhaustive]
pub struct Create {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The layer.
    #[wire(query, default)]
    pub draft: Draft,
    /// The properties of the new page.
    #[wire(whole_body)]
    pub settings: PageSettings,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get page settings: `GET .../view_settings/{UID}/`, 200 with [`PageSettings`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/view_settings/{uid}/")]
#[operation(name = "pages.get", read, credential = ApiKey, level = Member, tagged = PageSettings)]
#[operation(new = "Gets a published page.")]
#[non_exhaustive]
pub struct Get {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The layer.
    #[wire(query, default)]
    pub draft: Draft,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
}

/// Update page settings: `PATCH .../view_settings/{UID}/`, 200 with [`PageSettings`].
///
/// Sending the same update twice gives the same page, but with `If-Match` the second one fails.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/{environment}/view_settings/{uid}/")]
#[operation(name = "pages.update", read, credential = ApiKey, level = Editor, tagged = PageSettings)]
#[operation(new = "Changes a published page.")]
#[non_exhaustive]
pub struct Update {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The layer.
    #[wire(query, default)]
    pub draft: Draft,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
    /// What to change.
    #[wire(whole_body)]
    pub update: UpdatePageSettings,
    /// Makes the change only if the page still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete page settings: `DELETE .../view_settings/{UID}/`, 204 without a body.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/view_settings/{uid}/")]
#[operation(name = "pages.delete", read, credential = ApiKey, level = Editor)]
#[operation(new = "Deletes a published page.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment of the page.
    #[wire(path)]
    pub scope: Scope,
    /// The layer.
    #[wire(query, default)]
    pub draft: Draft,
    /// The page.
    #[wire(path)]
    pub uid: PageUid,
    /// Makes the change only if the page still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_operation_need_not_have_is_set_by_value() {
        let delete = Delete::new(("demo", "prod"), "5f0c")
            .draft(Draft::On)
            .if_match("\"a\"");
        assert_eq!(delete.draft, Draft::On);
        assert_eq!(delete.if_match.as_deref(), Some("\"a\""));
    }
}
