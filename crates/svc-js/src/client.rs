//! The client that JavaScript holds.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};
use svc_api::{
    ApiToken, ClientOptions,
    auth::{
        ServiceRequest, X_SVC_API_BASE_URL, X_SVC_DRAFT, X_SVC_ENVIRONMENT, X_SVC_PROJECT,
        X_SVC_SERVICE_TOKEN,
    },
};
use svc_model::{EnvironmentName, ProjectName};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    arguments::Arguments,
    error::{self, Failed},
    fetch::FetchTransport,
    storage::{Storage, StorageStore},
    time::{JsTimer, since_1970},
};

/// A client (specification, section 5, "Client library"). The module `core.js` is the only one that uses it.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Client {
    inner: svc_api::Client,
}

#[wasm_bindgen]
impl Client {
    /// A client with these options. The tokens of its session are kept in `storage`, or in memory
    /// without one; they begin as `restored`, which is what the storage held when the program made its client.
    ///
    /// # Errors
    /// When an option cannot be used.
    #[wasm_bindgen(constructor)]
    pub fn new(
        options: JsValue,
        storage: Option<Storage>,
        restored: Option<String>,
    ) -> Result<Self, JsValue> {
        Self::with_options(&Arguments::new(options), storage, restored).map_err(Failed::into_js)
    }

    /// A client for answering a service request with these headers, an object with their names in lower case. Its session is
    /// kept in memory.
    ///
    /// # Errors
    /// When a required header is missing, or a header cannot be used.
    #[wasm_bindgen(js_name = fromServiceRequest)]
    pub fn from_service_request(headers: JsValue) -> Result<Self, JsValue> {
        Self::for_service_request(&Arguments::new(headers)).map_err(Failed::into_js)
    }

    /// The project, if one was given.
    #[wasm_bindgen(getter)]
    pub fn project(&self) -> Option<String> {
        self.inner.project().map(ToString::to_string)
    }

    /// The environment.
    #[wasm_bindgen(getter)]
    pub fn environment(&self) -> String {
        self.inner.environment().to_string()
    }

    /// Whether calls carry `draft=1`.
    #[wasm_bindgen(getter)]
    pub fn draft(&self) -> bool {
        self.inner.draft()
    }
}

impl Client {
    fn with_options(
        options: &Arguments,
        storage: Option<Storage>,
        restored: Option<String>,
    ) -> Result<Self, Failed> {
        let mut settings = ClientOptions::new().env(options.pairs("env")?);
        settings.project = options.optional_text("project")?.map(ProjectName::from);
        let environment = options.optional_text("environment")?;
        settings.environment = environment.map(EnvironmentName::from);
        settings.api_base_url = options.optional_text("apiBaseUrl")?;
        settings.app_base_url = options.optional_text("appBaseUrl")?;
        settings.draft = options.flag("draft");
        let token = options.optional_text("apiToken")?;
        let token = token.map(ApiToken::new).transpose();
        settings.api_token = token.map_err(svc_api::Error::from)?;
        let storage = storage.map(|storage| StorageStore::new(storage, restored));
        Self::build(settings, storage)
    }

    fn for_service_request(given: &Arguments) -> Result<Self, Failed> {
        let mut headers = HeaderMap::new();
        for name in [
            const { HeaderName::from_static(X_SVC_PROJECT) },
            const { HeaderName::from_static(X_SVC_ENVIRONMENT) },
            const { HeaderName::from_static(X_SVC_SERVICE_TOKEN) },
            const { HeaderName::from_static(X_SVC_API_BASE_URL) },
            const { HeaderName::from_static(X_SVC_DRAFT) },
        ] {
            let value = given.optional_text(name.as_str())?;
            if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
                headers.insert(name, value);
            }
        }
        let request = ServiceRequest::from_headers(&headers);
        let request = request.map_err(|error| error::options(error.to_string()))?;
        let mut settings = ClientOptions::new();
        settings.project = Some(request.project);
        settings.environment = Some(request.environment);
        settings.api_base_url = request.api_base_url.map(|url| url.to_string());
        settings.draft = request.draft;
        let client = Self::build(settings, None)?;
        client
            .inner
            .account()
            .load_service_token(request.service_token);
        Ok(client)
    }

    fn build(settings: ClientOptions, storage: Option<StorageStore>) -> Result<Self, Failed> {
        let mut builder = svc_api::Client::builder()
            .options(settings)
            .transport(FetchTransport)
            .timer(JsTimer)
            .clock(since_1970);
        if let Some(storage) = storage {
            builder = builder.session_store(storage);
        }
        let inner = builder.build()?;
        Ok(Self { inner })
    }

    pub(crate) fn inner(&self) -> &svc_api::Client {
        &self.inner
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
