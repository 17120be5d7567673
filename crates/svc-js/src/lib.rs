//! The client of the svc REST service for JavaScript and TypeScript (specification, section 5, "Client library").
//!
//! It is `svc-api` with the browser's `fetch` as transport and `localStorage` as token store, compiled to
//! WebAssembly. What JavaScript sees is written by hand in `js/`; this crate has the part below.

use wasm_bindgen::prelude::wasm_bindgen;

/// A client.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Client(());

#[wasm_bindgen]
impl Client {
    /// A client.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }
}
