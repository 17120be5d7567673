//! Page settings: the pages of an environment in two layers (specification, section 4; wire contract, section 8).
//!
//! A page has a row in the published layer, in the draft layer, or in both; the draft layer lies over the published
//! one. What is not the service's own is kept as the text that goes over the wire, in the caller's order: it is
//! checked once, when it is written, and copied when it is read.

mod change;
mod copy;
mod fields;
mod if_match;
mod list;
mod names;
mod publish;
mod revisions;
mod rows;

use bytes::Bytes;
use svc_model::pages::{Create, Delete, PropertyNames, Restore, Update};
use svc_model::wire::Operation as _;
use svc_model::{Draft, JsonObject, PageSettings, PageUid, Scope};
use uuid::Uuid;

use self::change::Change;
use self::fields::Fields;
use self::names::Candidates;

use crate::database::handle;
use crate::error::{Error, Result};
use crate::projects::ScopeRow;

pub(crate) use self::copy::{copy_all, has_any, remove_all};
pub use self::list::{MorePages, PageList};
pub use self::revisions::PageRevision;

/// A page with its entity tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Its settings as a JSON object: the properties that the service knows and the caller's, then the rest of the
    /// service's own.
    pub json: Bytes,
    /// The strong `ETag` (RFC 9110, section 8.8.3), with its quotes. It changes with every change.
    pub etag: String,
}

impl Page {
    /// The settings, parsed.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when the stored content is not a JSON object.
    pub fn settings(&self) -> Result<PageSettings> {
        serde_json::from_slice(&self.json)
            .map_err(Error::caused("a stored page is not a JSON object"))
    }
}

handle! {
    /// The pages of the store's environments: [`Store::pages`](crate::Store::pages).
    ///
    /// Every function takes the layer of the request ([`Draft`]): `Off` is the published one; `On` reads the draft of a
    /// page where it has one, else the page as it is published, and writes drafts only.
    Pages,
    /// The page settings of environments.
    pages
}

impl Pages<'_> {
    /// The pages of an environment as a JSON array, the oldest first; with these `properties` alone, where they are given. A
    /// long one comes in parts, which all show the pages as they were when the first one was read.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(
        &self,
        scope: &Scope,
        draft: Draft,
        properties: Option<PropertyNames>,
    ) -> Result<PageList> {
        list::first(self.store, scope, draft, properties).await
    }

    /// One page, with its entity tag.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment, or no such page in
    /// this layer.
    pub async fn get(&self, scope: &Scope, draft: Draft, uid: &PageUid) -> Result<Page> {
        let uid = uid.clone();
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                let row = rows::get(reader, &scope.environment_uid, draft, &uid)?;
                rows::page(reader, &row, &scope.names.environment)
            })
            .await
    }

    /// Makes a page of the caller's properties. `uid`, `environment`, `draft`, `deleted` and `date_add`
    /// are the service's, values for them are ignored; `view` is `custom` when absent, `unique_name` made
    /// from `name`, `params` an empty object. A draft exists in the draft layer only until it is published.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field
    /// error for every property of the wrong type, for `params` that hold no JSON, and for a
    /// `unique_name` that is taken.
    pub async fn create(
        &self,
        scope: &Scope,
        draft: Draft,
        settings: PageSettings,
    ) -> Result<Page> {
        let fields = Fields::of_new(settings.into_properties())?;
        let named = scope.clone();
        self.store
            .write(move |tx| {
                let candidates = Candidates::of_new(draft, &fields);
                let (scope, free) = candidates.locate(tx, &named)?;
                let mut change = Change { tx, scope };
                let uid = PageUid::from(Uuid::now_v7().to_string());
                let page = change.create(draft, &uid, fields, &free)?;
                let action = action(draft, Create::INFO.name, "pages.create_draft");
                change.audit(action, &uid, None, Some(page.etag.clone()));
                Ok(page)
            })
            .await
    }

    /// Changes a page: `params` replaces the stored text, other properties are merged, those that are
    /// not in `patch` stay. The first change of a draft begins with the page as it is published. With `if_match`, the
    /// value of an `If-Match` header, only when the page, in this layer, still has one of its entity tags.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed), and the field errors of
    /// [`create`](Self::create).
    pub async fn update(
        &self,
        scope: &Scope,
        draft: Draft,
        uid: &PageUid,
        patch: JsonObject,
        if_match: Option<&str>,
    ) -> Result<Page> {
        let uid = uid.clone();
        let if_match = if_match.map(str::to_owned);
        let fields = Fields::of_patch(patch)?;
        self.change(scope, move |change| {
            let row = change.row(draft, &uid)?;
            if_match::check(if_match.as_deref(), &row.state())?;
            if !fields.is_empty() {
                change.update(draft, &row, &fields)?;
            }
            let page = change.page(draft, &uid)?;
            let action = action(draft, Update::INFO.name, "pages.update_draft");
            change.audit(action, &uid, Some(row.etag()), Some(page.etag.clone()));
            Ok(page)
        })
        .await
    }

    /// Deletes a page: in the published layer for good, with its draft and its revisions; in the draft layer so that
    /// it is missing there, and in the published one once it is published. `if_match` as in
    /// [`update`](Self::update).
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed).
    pub async fn delete(
        &self,
        scope: &Scope,
        draft: Draft,
        uid: &PageUid,
        if_match: Option<&str>,
    ) -> Result<()> {
        let uid = uid.clone();
        let if_match = if_match.map(str::to_owned);
        self.change(scope, move |change| {
            let row = change.row(draft, &uid)?;
            if_match::check(if_match.as_deref(), &row.state())?;
            change.delete(draft, &row)?;
            let action = action(draft, Delete::INFO.name, "pages.delete_draft");
            change.audit(action, &uid, Some(row.etag()), None);
            Ok(())
        })
        .await
    }

    /// Publishes the drafts of these pages, or of all pages, in one transaction, and gives the pages that had one,
    /// the oldest first. A page that is deleted in the draft layer is deleted for good. With `if_match`, the value of an
    /// `If-Match` header, only when each draft still has one of its entity tags; that of a deletion is that of the
    /// published page.
    ///
    /// # Errors
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed);
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment, or no such page in
    /// either layer; a field error on `unique_name` that names the page whose name another published page has. Nothing
    /// is published then.
    pub async fn publish(
        &self,
        scope: &Scope,
        uids: Option<Vec<PageUid>>,
        if_match: Option<&str>,
    ) -> Result<Vec<PageUid>> {
        let if_match = if_match.map(str::to_owned);
        self.change(scope, move |change| {
            publish::publish(change, uids.as_deref(), if_match.as_deref())
        })
        .await
    }

    /// Discards the drafts of these pages, or of all pages, in one transaction, and gives the pages that had one, the
    /// oldest first. A page that was never published is deleted then. `if_match` as in [`publish`](Self::publish).
    ///
    /// # Errors
    /// As [`publish`](Self::publish); a name is taken here when another draft has it.
    pub async fn discard(
        &self,
        scope: &Scope,
        uids: Option<Vec<PageUid>>,
        if_match: Option<&str>,
    ) -> Result<Vec<PageUid>> {
        let if_match = if_match.map(str::to_owned);
        self.change(scope, move |change| {
            publish::discard(change, uids.as_deref(), if_match.as_deref())
        })
        .await
    }

    /// What was changed about a page, in both layers, the newest first: the last hundred changes.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment, or no such page in
    /// either layer.
    pub async fn revisions(&self, scope: &Scope, uid: &PageUid) -> Result<Vec<PageRevision>> {
        let uid = uid.clone();
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                rows::ensure_exists(reader, &scope.environment_uid, &uid)?;
                revisions::list(reader, &uid)
            })
            .await
    }

    /// What a page held in a revision, a JSON object; its `draft` and `deleted` are those of the revision.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment, page or revision.
    pub async fn revision(&self, scope: &Scope, uid: &PageUid, number: u64) -> Result<Bytes> {
        let uid = uid.clone();
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                rows::ensure_exists(reader, &scope.environment_uid, &uid)?;
                revisions::get(reader, &uid, number, &scope.names.environment)
            })
            .await
    }

    /// Makes the content of a revision the page's draft. `if_match` as in [`update`](Self::update), of the draft layer.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment, page or revision,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed), and a field error on `unique_name`
    /// when another page has it by now.
    pub async fn restore(
        &self,
        scope: &Scope,
        uid: &PageUid,
        number: u64,
        if_match: Option<&str>,
    ) -> Result<Page> {
        let uid = uid.clone();
        let if_match = if_match.map(str::to_owned);
        self.change(scope, move |change| {
            let before = change.etag(Draft::On, &uid)?;
            change.restore(&uid, number, if_match.as_deref())?;
            let page = change.page(Draft::On, &uid)?;
            change.audit(Restore::INFO.name, &uid, before, Some(page.etag.clone()));
            Ok(page)
        })
        .await
    }

    /// Changes pages of an environment in one transaction, with a line of the audit trail for each. No cache holds pages, so
    /// that the revision stays.
    async fn change<T, F>(&self, scope: &Scope, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Change<'_, '_>) -> Result<T> + Send + 'static,
    {
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                work(&mut Change { tx, scope })
            })
            .await
    }
}

/// The action of a change in a layer, as the audit trail names it.
fn action(draft: Draft, published: &'static str, of_draft: &'static str) -> &'static str {
    match draft {
        Draft::Off => published,
        Draft::On => of_draft,
    }
}
