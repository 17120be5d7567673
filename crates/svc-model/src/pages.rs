//! Page settings: the configuration of the pages of an application (specification, sections 2 and 4).

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use crate::{
    Draft, EnvironmentName, JsonObject, PageUid, ProjectName, QueryString, Tagged,
    operation::{encode, if_match},
    response::{ResponseError, decode_json, decode_tagged},
    wire::{Credential, Host, Operation, OperationInfo, PathArguments, RequestError},
};

/// The path of the pages of an environment.
pub const LIST_PATH: &str = "/projects/{project}/{environment}/view_settings/";
/// The path of one page.
pub const ITEM_PATH: &str = "/projects/{project}/{environment}/view_settings/{uid}/";
/// The path where drafts are published.
pub const PUBLISH_PATH: &str = "/projects/{project}/{environment}/view_settings/publish/";
/// The path where drafts are discarded.
pub const DISCARD_PATH: &str = "/projects/{project}/{environment}/view_settings/discard/";
/// The path of the revisions of a page.
pub const REVISIONS_PATH: &str = "/projects/{project}/{environment}/view_settings/{uid}/revisions/";
/// The path where a revision becomes the draft.
pub const RESTORE_PATH: &str =
    "/projects/{project}/{environment}/view_settings/{uid}/revisions/{number}/restore/";

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

/// The body of [`Publish`] and [`Discard`]: which pages.
#[derive(Serialize)]
struct Uids<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    uids: Option<&'a [PageUid]>,
}

/// What [`Publish`] did: the pages whose drafts are published now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Published {
    /// The pages that had a draft, the oldest first; of the others nothing was to be published.
    pub published: Vec<PageUid>,
}

impl Published {
    /// These pages.
    pub fn new(published: Vec<PageUid>) -> Self {
        Self { published }
    }
}

/// What [`Discard`] did: the pages whose drafts are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discarded {
    /// The pages that had a draft, the oldest first.
    pub discarded: Vec<PageUid>,
}

impl Discarded {
    /// These pages.
    pub fn new(discarded: Vec<PageUid>) -> Self {
        Self { discarded }
    }
}

macro_rules! all_or_some {
    ($(
        $(#[$doc:meta])*
        $operation:ident -> $response:ident, $name:literal, $path:ident
    ),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $operation {
            /// The project.
            pub project: ProjectName,
            /// The environment.
            pub environment: EnvironmentName,
            /// Whether the client sends `draft=1`; it makes no difference here.
            pub draft: Draft,
            /// The pages; `None` for all pages of the environment.
            pub uids: Option<Vec<PageUid>>,
        }

        impl $operation {
            /// Of all pages of an environment.
            pub fn new(
                project: impl Into<ProjectName>,
                environment: impl Into<EnvironmentName>,
            ) -> Self {
                Self {
                    project: project.into(),
                    environment: environment.into(),
                    draft: Draft::Off,
                    uids: None,
                }
            }
        }

        impl Operation for $operation {
            type Response = $response;

            // What somebody else drafted in the meantime is not to be taken along by a second try.
            const INFO: OperationInfo = info($name, Method::POST, $path, false);

            fn path_arguments(&self) -> PathArguments<'_> {
                [self.project.as_str(), self.environment.as_str()].into()
            }

            fn query(&self) -> QueryString {
                draft_query(self.draft)
            }

            fn body(&self) -> Result<Option<Bytes>, RequestError> {
                let uids = self.uids.as_deref();
                encode(&Uids { uids }).map(Some)
            }

            fn parse_success(
                response: http::Response<Bytes>,
            ) -> Result<Self::Response, ResponseError> {
                decode_json(response)
            }
        }
    )*};
}

all_or_some! {
    /// Publish drafts, in one transaction: `POST .../view_settings/publish/`, 200 with [`Published`].
    Publish -> Published, "pages.publish", PUBLISH_PATH,
    /// Discard drafts, in one transaction: `POST .../view_settings/discard/`, 200 with [`Discarded`].
    Discard -> Discarded, "pages.discard", DISCARD_PATH,
}

/// One change of a page, in one of its layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    /// Its number: 1, 2, 3, ... for each page.
    pub number: u64,
    /// When the change was made (RFC 3339).
    pub date_add: String,
    /// The e-mail address of who made it; `None` where it was made without an API key.
    pub author: Option<String>,
    /// Whether it is a change of the draft layer.
    pub draft: bool,
    /// Whether the page was deleted by it; to restore it brings back what was deleted.
    #[serde(default)]
    pub deleted: bool,
}

impl Revision {
    /// A change of the published layer by nobody known.
    pub fn new(number: u64, date_add: impl Into<String>) -> Self {
        Self {
            number,
            date_add: date_add.into(),
            author: None,
            draft: false,
            deleted: false,
        }
    }
}

/// Get the revisions of a page: `GET .../view_settings/{UID}/revisions/`, 200 with an array of [`Revision`], the
/// newest first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revisions {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Whether the client sends `draft=1`; it makes no difference here.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
}

impl Revisions {
    /// The revisions of a page, in both layers.
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

impl Operation for Revisions {
    type Response = Vec<Revision>;

    const INFO: OperationInfo = info("pages.revisions", Method::GET, REVISIONS_PATH, true);

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
        decode_json(response)
    }
}

/// Make a revision the draft of its page: `POST .../view_settings/{UID}/revisions/{number}/restore/`, 200 with the
/// [`PageSettings`] of the draft layer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Restore {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Whether the client sends `draft=1`; it makes no difference here.
    pub draft: Draft,
    /// The page.
    pub uid: PageUid,
    /// The number of the revision, as text.
    pub number: String,
    /// Only when the page still has this entity tag in the draft layer.
    pub if_match: Option<String>,
}

impl Restore {
    /// Restores a revision of a page.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<PageUid>,
        number: u64,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: Draft::Off,
            uid: uid.into(),
            number: number.to_string(),
            if_match: None,
        }
    }
}

impl Operation for Restore {
    type Response = Tagged<PageSettings>;

    const INFO: OperationInfo = info("pages.restore", Method::POST, RESTORE_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
            self.number.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        draft_query(self.draft)
    }

    fn headers(&self) -> Vec<(http::HeaderName, String)> {
        if_match(self.if_match.as_ref())
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}
