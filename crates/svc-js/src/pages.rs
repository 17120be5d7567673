//! Page settings (specification, section 4, "Pages").

use js_sys::Promise;
use serde::Deserialize;
use svc_model::{Draft, JsonObject, PageUid, UpdatePageSettings, pages};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::AbortSignal;

use crate::Client;

/// Which page, and what is done with it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    #[serde(default)]
    uid: String,
    #[serde(default)]
    settings: JsonObject,
    #[serde(default)]
    changes: UpdatePageSettings,
    draft: Option<bool>,
    if_match: Option<String>,
    #[serde(default)]
    number: u64,
}

#[derive(Deserialize)]
struct Selected {
    /// All when there are none.
    uids: Option<Vec<String>>,
}

#[wasm_bindgen]
impl Client {
    /// Lists pages.
    #[wasm_bindgen(js_name = pagesList)]
    pub fn pages_list(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let mut operation = pages::List::new(project, environment);
            operation.draft = client.draft(&given);
            Ok(operation)
        })
    }

    /// Gives one page.
    #[wasm_bindgen(js_name = pagesGet)]
    pub fn pages_get(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let mut operation = pages::Get::new(project, environment, &given.uid);
            operation.draft = client.draft(&given);
            Ok(operation)
        })
    }

    /// Creates a page.
    #[wasm_bindgen(js_name = pagesCreate)]
    pub fn pages_create(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let draft = client.draft(&given);
            let mut operation = pages::Create::new(project, environment, given.settings);
            operation.draft = draft;
            Ok(operation)
        })
    }

    /// Changes a page.
    #[wasm_bindgen(js_name = pagesUpdate)]
    pub fn pages_update(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let draft = client.draft(&given);
            let mut operation = pages::Update::new(project, environment, given.uid, given.changes);
            operation.draft = draft;
            operation.if_match = given.if_match;
            Ok(operation)
        })
    }

    /// Deletes a page.
    #[wasm_bindgen(js_name = pagesDelete)]
    pub fn pages_delete(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let mut operation = pages::Delete::new(project, environment, &given.uid);
            operation.draft = client.draft(&given);
            operation.if_match = given.if_match;
            Ok(operation)
        })
    }

    /// Publishes drafts.
    #[wasm_bindgen(js_name = pagesPublish)]
    pub fn pages_publish(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Selected| {
            let (project, environment) = client.place();
            let mut operation = pages::Publish::new(project, environment);
            operation.draft = client.inner().draft().into();
            operation.uids = given.into_uids();
            Ok(operation)
        })
    }

    /// Throws drafts away.
    #[wasm_bindgen(js_name = pagesDiscard)]
    pub fn pages_discard(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Selected| {
            let (project, environment) = client.place();
            let mut operation = pages::Discard::new(project, environment);
            operation.draft = client.inner().draft().into();
            operation.uids = given.into_uids();
            Ok(operation)
        })
    }

    /// Lists the changes of a page.
    #[wasm_bindgen(js_name = pagesRevisions)]
    pub fn pages_revisions(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let mut operation = pages::Revisions::new(project, environment, &given.uid);
            operation.draft = client.draft(&given);
            Ok(operation)
        })
    }

    /// Puts a revision into the draft.
    #[wasm_bindgen(js_name = pagesRestore)]
    pub fn pages_restore(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Arguments| {
            let (project, environment) = client.place();
            let (uid, number) = (&given.uid, given.number);
            let mut operation = pages::Restore::new(project, environment, uid, number);
            operation.draft = client.draft(&given);
            operation.if_match = given.if_match;
            Ok(operation)
        })
    }
}

impl Client {
    fn draft(&self, given: &Arguments) -> Draft {
        given.draft.unwrap_or(self.inner().draft()).into()
    }
}

impl Selected {
    fn into_uids(self) -> Option<Vec<PageUid>> {
        let uids = self.uids?;
        Some(uids.into_iter().map(PageUid::from).collect())
    }
}
