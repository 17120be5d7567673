//! Read-only SQL queries (specification, section 1; wire contract, section 5).

use js_sys::Promise;
use serde::Deserialize;
use svc_model::sql::{Query, SqlQuery};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::AbortSignal;

use crate::Client;

#[derive(Deserialize)]
struct Arguments {
    resource: String,
    /// As it goes over the wire.
    query: SqlQuery,
}

#[wasm_bindgen]
impl Client {
    /// Runs a query.
    pub fn sql(&self, arguments: &str, options: &str, signal: Option<AbortSignal>) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            Ok(Query::new(
                project,
                environment,
                given.resource,
                given.query,
            ))
        })
    }
}
