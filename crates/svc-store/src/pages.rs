//! Page settings: the pages of an environment (specification, section 4; wire contract, section 8).
//!
//! The properties that the service knows have columns; all others are kept as the caller wrote them, in
//! the caller's order. `params` is text for the store as well: it is checked once, when it is written.

mod fields;
mod if_match;
mod rows;

use svc_model::{Draft, EnvironmentName, JsonObject, PageSettings, PageUid, ProjectName};
use uuid::Uuid;

use self::fields::Fields;
use crate::audit::AuditEntry;
use crate::environments;
use crate::error::Error;
use crate::store::Store;

/// A page with its entity tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Its settings: the properties that the service knows, then the caller's.
    pub settings: PageSettings,
    /// The strong `ETag` (RFC 9110, section 8.8.3), with its quotes. It changes with every change.
    pub etag: String,
}

/// The pages of the store's environments: [`Store::pages`].
///
/// Every function takes the layer of the request ([`Draft`]). This version has the published layer
/// only, and both values speak of it.
#[derive(Debug, Clone, Copy)]
pub struct Pages<'a> {
    store: &'a Store,
}

impl Store {
    /// The page settings of environments.
    pub fn pages(&self) -> Pages<'_> {
        Pages { store: self }
    }
}

impl Pages<'_> {
    /// The pages of an environment, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
    ) -> Result<Vec<PageSettings>, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let pages = rows::list(conn, &environment_uid, draft)?;
                Ok(pages.into_iter().map(|page| page.settings).collect())
            })
            .await
    }

    /// One page, with its entity tag.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page.
    pub async fn get(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
    ) -> Result<Page, Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                rows::to_page(&rows::get(conn, &environment_uid, draft, &uid)?)
            })
            .await
    }

    /// Makes a page of the caller's properties. `uid`, `environment`, `draft`, `deleted` and `date_add`
    /// are the service's, values for them are ignored; `view` is `custom` when absent, `unique_name` made
    /// from `name`, `params` an empty object.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field
    /// error for every property of the wrong type, for `params` that hold no JSON, and for a
    /// `unique_name` that is taken.
    pub async fn create(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        settings: PageSettings,
    ) -> Result<Page, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        let now = self.store.clock().now();
        let fields = Fields::of_new(settings.into_properties())?;
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let uid = PageUid::from(Uuid::now_v7().to_string());
                rows::insert(conn, &environment_uid, draft, &uid, fields, now)?;
                let page = rows::to_page(&rows::get(conn, &environment_uid, draft, &uid)?)?;
                let entry = AuditEntry::new("pages.create").place(&project, &environment);
                let entry = entry.record(uid.as_str()).after(&page.etag);
                Ok((page, entry))
            })
            .await
    }

    /// Changes a page: `params` replaces the stored text, other properties are merged, those that are
    /// not in `patch` stay. With `if_match`, the value of an `If-Match` header, only when the page still
    /// has one of its entity tags.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed), and the field errors of
    /// [`create`](Self::create).
    pub async fn update(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
        patch: JsonObject,
        if_match: Option<&str>,
    ) -> Result<Page, Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        let if_match = if_match.map(str::to_owned);
        let now = self.store.clock().now();
        let fields = Fields::of_patch(patch)?;
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let row = rows::get(conn, &environment_uid, draft, &uid)?;
                let before = rows::etag(&row)?;
                if_match::check(if_match.as_deref(), &before)?;
                if !fields.is_empty() {
                    rows::update(conn, &row, draft, fields, now)?;
                }
                let page = rows::to_page(&rows::get(conn, &environment_uid, draft, &uid)?)?;
                let entry = AuditEntry::new("pages.update").place(&project, &environment);
                let entry = entry.record(uid.as_str()).before(&before).after(&page.etag);
                Ok((page, entry))
            })
            .await
    }

    /// Deletes a page for good. `if_match` as in [`update`](Self::update).
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed).
    pub async fn delete(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
        if_match: Option<&str>,
    ) -> Result<(), Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        let if_match = if_match.map(str::to_owned);
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let row = rows::get(conn, &environment_uid, draft, &uid)?;
                let before = rows::etag(&row)?;
                if_match::check(if_match.as_deref(), &before)?;
                rows::delete(conn, draft, &uid)?;
                let entry = AuditEntry::new("pages.delete").place(&project, &environment);
                Ok(((), entry.record(uid.as_str()).before(&before)))
            })
            .await
    }
}
