//! Teams of a project (specification, section 4, "Users and Teams").

use js_sys::Promise;
use serde::Deserialize;
use svc_model::teams::{self, TeamPatch};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::AbortSignal;

use crate::{Client, list::Selection};

#[derive(Deserialize)]
struct List {
    selection: Selection,
}

#[derive(Deserialize)]
struct Item {
    uid: String,
}

#[derive(Deserialize)]
struct Patch {
    uid: String,
    changes: TeamPatch,
}

#[wasm_bindgen]
impl Client {
    /// Lists teams.
    #[wasm_bindgen(js_name = teamsList)]
    pub fn teams_list(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: List| {
            let (project, environment) = client.place();
            let query = given.selection.into_query()?;
            let mut operation = teams::List::new(project, environment, query);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Gives one team.
    #[wasm_bindgen(js_name = teamsGet)]
    pub fn teams_get(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Item| {
            let (project, environment) = client.place();
            let mut operation = teams::Get::new(project, environment, given.uid);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Changes a team.
    #[wasm_bindgen(js_name = teamsUpdate)]
    pub fn teams_update(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Patch| {
            let (project, environment) = client.place();
            let mut operation = teams::Update::new(project, environment, given.uid, given.changes);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }
}
