//! Connected resources as a whole.

use js_sys::Promise;
use serde::Deserialize;
use svc_model::resources;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::AbortSignal;

use crate::Client;

#[derive(Deserialize)]
struct Arguments {
    resource: String,
}

#[wasm_bindgen]
impl Client {
    /// Reads the structure of a resource anew.
    pub fn reload(&self, arguments: &str, options: &str, signal: Option<AbortSignal>) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            Ok(resources::Reload::new(project, environment, given.resource))
        })
    }

    /// Describes the models of a resource.
    #[wasm_bindgen(js_name = modelDescriptions)]
    pub fn model_descriptions(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            Ok(resources::ModelDescriptions::new(
                project,
                environment,
                given.resource,
            ))
        })
    }
}
