//! Users of an application (specification, section 4, "Users and Teams").

use js_sys::Promise;
use serde::Deserialize;
use svc_model::users::{self, NewUser, UserPatch};
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
struct New {
    user: NewUser,
}

#[derive(Deserialize)]
struct Patch {
    uid: String,
    changes: UserPatch,
}

#[wasm_bindgen]
impl Client {
    /// Lists users.
    #[wasm_bindgen(js_name = usersList)]
    pub fn users_list(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: List| {
            let (project, environment) = client.place();
            let query = given.selection.into_query()?;
            let mut operation = users::List::new(project, environment, query);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Gives one user.
    #[wasm_bindgen(js_name = usersGet)]
    pub fn users_get(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Item| {
            let (project, environment) = client.place();
            let mut operation = users::Get::new(project, environment, given.uid);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Creates a user.
    #[wasm_bindgen(js_name = usersCreate)]
    pub fn users_create(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: New| {
            let (project, environment) = client.place();
            let mut operation = users::Create::new(project, environment, given.user);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Changes a user.
    #[wasm_bindgen(js_name = usersUpdate)]
    pub fn users_update(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Patch| {
            let (project, environment) = client.place();
            let mut operation = users::Update::new(project, environment, given.uid, given.changes);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Deletes a user.
    #[wasm_bindgen(js_name = usersDelete)]
    pub fn users_delete(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Item| {
            let (project, environment) = client.place();
            let mut operation = users::Delete::new(project, environment, given.uid);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }
}
