//! The client as JavaScript uses it.

use std::fmt;

use svc_api::{ApiToken, ClientOptions};
use svc_model::{EnvironmentName, ProjectName};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    arguments::Arguments,
    error::Failed,
    fetch::FetchTransport,
    storage::{Storage, StorageStore},
    time::{EventLoop, JsTimer, since_1970},
};

/// A client (specification, section 5, "Client library"). Only the module `core.js` uses it.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Client {
    inner: svc_api::Client,
}

#[wasm_bindgen]
impl Client {
    /// A client with these options. The tokens of its session are kept in `storage`, or in memory
    /// without one; the first ones are `restored`, the content of the storage when the program made its client.
    ///
    /// # Errors
    /// When an option is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(
        options: JsValue,
        storage: Option<Storage>,
        restored: Option<String>,
    ) -> Result<Self, JsValue> {
        Self::with_options(&Arguments::new(options), storage, restored)
            .map_err(|failed| failed.of_options().into_js())
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

    /// Whether calls are sent with `draft=1`.
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
        let mut builder = svc_api::Client::builder()
            .options(settings)
            .transport(FetchTransport)
            .timer(JsTimer)
            .spawner(EventLoop)
            .clock(since_1970);
        if let Some(storage) = storage {
            builder = builder.session_store(StorageStore::new(storage, restored));
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
