//! Page settings: the configuration of the pages of an application (specification, sections 2 and 4).

mod publish;
mod revisions;

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use crate::{
    Draft, EnvironmentName, JsonObject, PageUid, ProjectName, QueryString, Tagged,
    operation::{encode, if_match},
    response::{ResponseError, decode_json, decode_tagged},
    wire::{Credential, Host, Operation, OperationInfo, PathArguments, RequestError},
};

pub use self::{
    publish::{DISCARD_PATH, Discard, Discarded, PUBLISH_PATH, Publish, Published},
    revisions::{RESTORE_PATH, REVISIONS_PATH, Restore, Revision, Revisions},
};

/// The path of the pages of an environment.
pub const LIST_PATH: &str = "/projects/{project}/{environment}/view_settings/";
/// The path of one page.
pub const ITEM_PATH: &str = "/projects/{project}/{environment}/view_settings/{uid}/";

/// The settings of a page: a JSON object that takes any property.
///
/// The configured page determines which properties it has. Those that the service itself gives have
/// a getter; the others are reached through [`properties`](Self::properties), in the order and the
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
        /// `None` when it is absent, null or no text.
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

    /// All properties, to change them.
    pub fn properties_mut(&mut self) -> &mut JsonObject {
        &mut self.properties
    }

    /// Takes the properties out.
    pub fn into_properties(self) -> JsonObject {
        self.properties
    }

    /// The unique ID, given by the service.
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
        /// The name that people see.
        name,
        /// The resource whose records the page shows.
        resource,
        /// The model whose records the page shows.
        model,
        /// The structure of the page: a text that holds JSON.
        params,
        /// When the page was made (RFC 3339).
        date_add,
    }
}

impl From<JsonObject> for PageSettings {
    fn from(properties: JsonObject) -> Self {
        Self { properties }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UpdatePageSettings {
    /// A text that holds the JSON of the structure to apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<String>,
    /// Further properties to set, beyond the specification.
    #[serde(skip)]
    pub properties: JsonObject,
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

    /// Replaces the structure by a text that holds JSON.
    pub fn params_text(params: impl Into<String>) -> Self {
        Self {
            params: Some(params.into()),
            ..Self::default()
        }
    }

    /// Sets these properties too.
    #[must_use]
    pub fn with_properties(mut self, properties: JsonObject) -> Self {
        self.properties = properties;
        self
    }

    fn to_object(&self) -> Result<JsonObject, serde_json::Error> {
        let mut object = self.properties.clone();
        if let Some(params) = &self.params {
            object.set("params", params)?;
        }
        Ok(object)
    }
}

fn draft_query(draft: Draft) -> QueryString {
    let mut query = QueryString::new();
    query.push("draft", draft.as_str());
    query
}

const fn info(
    name: &'static str,
    method: Method,
    path: &'static str,
    idempotent: bool,
) -> OperationInfo {
    OperationInfo::new(
        name,
        method,
        Host::Application,
        path,
        Credential::ApiKey,
        idempotent,
    )
}

/// Get pages settings: `GET .../view_settings/`, 200 with an array of [`PageSettings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The layer.
    pub draft: Draft,
}

impl List {
    /// The published pages of an environment.
    pub fn new(project: impl Into<ProjectName>, environment: impl Into<EnvironmentName>) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
        }
    }
}

impl Operation for List {
    type Response = Vec<PageSettings>;

    const INFO: OperationInfo = info("pages.list", Method::GET, LIST_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Create page settings: `POST .../view_settings/`, 201 with [`PageSettings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Create {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The layer.
    pub draft: Draft,
    /// The properties of the new page.
    pub settings: PageSettings,
}

impl Create {
    /// A new published page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        settings: impl Into<PageSettings>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            settings: settings.into(),
        }
    }
}

impl Operation for Create {
    type Response = Tagged<PageSettings>;

    const INFO: OperationInfo = info("pages.create", Method::POST, LIST_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.settings).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}

/// Get page settings: `GET .../view_settings/{UID}/`, 200 with [`PageSettings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Get {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The layer.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
}

impl Get {
    /// A published page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
        }
    }
}

impl Operation for Get {
    type Response = Tagged<PageSettings>;

    const INFO: OperationInfo = info("pages.get", Method::GET, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}

/// Update page settings: `PATCH .../view_settings/{UID}/`, 200 with [`PageSettings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Update {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The layer.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
    /// What to change.
    pub update: UpdatePageSettings,
    /// Only when the page still has this entity tag.
    pub if_match: Option<String>,
}

impl Update {
    /// Changes a published page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
        update: UpdatePageSettings,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
            update,
            if_match: None,
        }
    }
}

impl Operation for Update {
    type Response = Tagged<PageSettings>;

    // The same update twice leaves the same page, but with `If-Match` the second one would fail.
    const INFO: OperationInfo = info("pages.update", Method::PATCH, ITEM_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        let object = self.update.to_object().map_err(|error| {
            RequestError::new("the page settings cannot be written as JSON").with_source(error)
        })?;
        encode(&object).map(Some)
    }

    fn headers(&self) -> Vec<(http::HeaderName, String)> {
        if_match(self.if_match.as_ref())
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}

/// Delete page settings: `DELETE .../view_settings/{UID}/`, 204 without a body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The layer.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
    /// Only when the page still has this entity tag.
    pub if_match: Option<String>,
}

impl Delete {
    /// Deletes a published page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
            if_match: None,
        }
    }
}

impl Operation for Delete {
    type Response = ();

    const INFO: OperationInfo = info("pages.delete", Method::DELETE, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn headers(&self) -> Vec<(http::HeaderName, String)> {
        if_match(self.if_match.as_ref())
    }

    fn parse_success(_: http::Response<Bytes>) -> Result<(), ResponseError> {
        Ok(())
    }
}
