//! Changes of single pages, inside a transaction.

use svc_model::{Draft, JsonObject, PageUid};

use super::fields::Fields;
use super::names::{self, Candidates};
use super::rows::{self, DRAFT, PageRow};
use super::{Page, if_match, revisions};
use crate::clock;
use crate::database::{Tx, json, values};
use crate::error::{Error, ErrorKind, Result};
use crate::projects::ScopeRow;

/// What a page has of which its maker says nothing.
const DEFAULTS: &str =
    r#"{"view":"custom","unique_name":"","name":null,"resource":null,"model":null,"params":"{}"}"#;

const NAME_IS_TAKEN: &str = "another page of this environment has this name; choose another one";

/// A transaction that changes pages of an environment.
pub(super) struct Change<'t, 'c> {
    pub(super) tx: &'t mut Tx<'c>,
    pub(super) scope: ScopeRow,
}

/// Where a name must be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layers {
    Published,
    Draft,
    /// A published page without a draft is shown by both.
    Both,
}

impl Change<'_, '_> {
    /// Leaves a line about a page, with the entity tags of what it was and what it is.
    pub(super) fn audit(
        &mut self,
        action: &'static str,
        uid: &PageUid,
        before: Option<String>,
        after: Option<String>,
    ) {
        let entry = self.scope.entry(action).record(uid.as_str());
        self.tx.audit(entry.before(before).after(after));
    }

    /// The page as a layer shows it.
    pub(super) fn row(&mut self, draft: Draft, uid: &PageUid) -> Result<PageRow> {
        rows::get(self.tx, &self.scope.environment_uid, draft, uid)
    }

    /// The entity tag of the page as a layer shows it, none where it does not.
    pub(super) fn etag(&mut self, draft: Draft, uid: &PageUid) -> Result<Option<String>> {
        match self.row(draft, uid) {
            Ok(row) => Ok(Some(row.etag())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The page as a layer shows it, with its content.
    pub(super) fn page(&mut self, draft: Draft, uid: &PageUid) -> Result<Page> {
        let row = self.row(draft, uid)?;
        rows::page(self.tx, &row, &self.scope.names.environment)
    }

    /// Writes a new page into a layer under one of the names that are free, and gives it as it is shown there.
    pub(super) fn create(
        &mut self,
        draft: Draft,
        uid: &PageUid,
        mut fields: Fields,
        free: &Candidates,
    ) -> Result<Page> {
        let unique_name = match (&fields.unique_name, free.first()) {
            (Some(given), None) if draft == Draft::On => {
                self.check_name(uid.as_str(), given, Layers::Draft)?;
                given.clone()
            }
            (Some(_), None) => return Err(Error::invalid_field("unique_name", NAME_IS_TAKEN)),
            (_, Some(free)) => free.to_owned(),
            (None, None) => names::random(&fields)?,
        };
        if fields.unique_name.is_none() {
            fields.set_unique_name(&unique_name)?;
        }
        let content = json::merge(DEFAULTS, &fields.to_text()?)?;
        let row = PageRow::of_new(uid, draft, clock::to_text(self.tx.now()));
        let state = (row.layer(), row.revision);
        self.put(state, &row.uid, &unique_name, &row.date_add, &content)?;
        Ok(rows::shown(&row, &content, &self.scope.names.environment))
    }

    /// Writes the given fields over a page, in a layer.
    pub(super) fn update(&mut self, draft: Draft, row: &PageRow, fields: &Fields) -> Result<()> {
        if let Some(given) = &fields.unique_name {
            let layers = match draft {
                Draft::Off if row.differs => Layers::Published,
                Draft::Off => Layers::Both,
                Draft::On => Layers::Draft,
            };
            self.check_name(&row.uid, given, layers)?;
        }
        let content = rows::content(self.tx, row)?;
        let content = json::merge(&content, &fields.to_text()?)?;
        let unique_name = unique_name(&content)?;
        let state = (rows::layer(draft), revisions::next(self.tx, &row.uid)?);
        self.put(state, &row.uid, &unique_name, &row.date_add, &content)?;
        self.drop_unchanged_draft(&row.uid)
    }

    /// Deletes a page from a layer.
    pub(super) fn delete(&mut self, draft: Draft, row: &PageRow) -> Result<()> {
        if draft == Draft::Off || !self.is_published(&row.uid)? {
            return self.remove(&row.uid);
        }
        let number = revisions::next(self.tx, &row.uid)?;
        let sql = match row.is_draft {
            true => {
                "UPDATE pages SET deleted = TRUE, revision = ?2 WHERE uid = ?1 AND layer = 'draft'"
            }
            false => {
                "INSERT INTO pages (uid, layer, environment_uid, unique_name, deleted, revision, date_add, content) \
                 SELECT uid, 'draft', environment_uid, unique_name, TRUE, ?2, date_add, content FROM pages \
                 WHERE uid = ?1 AND layer = 'published'"
            }
        };
        self.tx.execute(sql, &values![row.uid, number])?;
        revisions::add(self.tx, &row.uid, DRAFT, number)
    }

    /// Makes the content of a revision the draft.
    pub(super) fn restore(
        &mut self,
        uid: &PageUid,
        number: u64,
        if_match: Option<&str>,
    ) -> Result<()> {
        rows::ensure_exists(self.tx, &self.scope.environment_uid, uid)?;
        let content = revisions::content(self.tx, uid, number)?;
        if if_match.is_some() {
            match self.row(Draft::On, uid) {
                Ok(shown) => if_match::check(if_match, &shown.state())?,
                // A page that the layer does not show has no entity tag there.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(Error::precondition_failed());
                }
                Err(error) => return Err(error),
            }
        }
        let unique_name = unique_name(&content)?;
        self.check_name(uid.as_str(), &unique_name, Layers::Draft)?;
        let date_add = self.date_add(uid)?;
        let state = (DRAFT, revisions::next(self.tx, uid.as_str())?);
        self.put(state, uid.as_str(), &unique_name, &date_add, &content)?;
        self.drop_unchanged_draft(uid.as_str())
    }

    /// Removes a page from both layers, with its revisions.
    pub(super) fn remove(&mut self, uid: &str) -> Result<()> {
        let page = values![uid];
        self.tx.execute("DELETE FROM pages WHERE uid = ?1", &page)?;
        self.tx
            .execute("DELETE FROM page_revisions WHERE page_uid = ?1", &page)
            .map(drop)
    }

    /// Whether a page is in the published layer.
    pub(super) fn is_published(&mut self, uid: &str) -> Result<bool> {
        let sql = "SELECT uid FROM pages WHERE uid = ?1 AND layer = 'published'";
        self.tx.exists(sql, &values![uid])
    }

    /// Another page that one of these layers shows under a name.
    pub(super) fn owner_of_name(
        &mut self,
        uid: &str,
        name: &str,
        layers: Layers,
    ) -> Result<Option<String>> {
        let (published, draft) = (layers != Layers::Draft, layers != Layers::Published);
        self.tx.find(
            "SELECT p.uid FROM pages p WHERE p.environment_uid = ?1 AND p.unique_name = ?2 AND p.uid <> ?3 \
             AND NOT p.deleted AND ((?4 AND p.layer = 'published') OR (?5 AND (p.layer = 'draft' \
             OR NOT EXISTS (SELECT 1 FROM pages d WHERE d.uid = p.uid AND d.layer = 'draft')))) \
             ORDER BY p.uid LIMIT 1",
            &values![self.scope.environment_uid, name, uid, published, draft],
            |row| Ok(row.get("uid")?),
        )
    }

    fn check_name(&mut self, uid: &str, name: &str, layers: Layers) -> Result<()> {
        match self.owner_of_name(uid, name, layers)? {
            None => Ok(()),
            Some(_) => Err(Error::invalid_field("unique_name", NAME_IS_TAKEN)),
        }
    }

    /// Writes what a layer has of a page, as its revision of this number. That its name is free was checked in this
    /// transaction, which nobody writes beside.
    fn put(
        &mut self,
        (layer, number): (&str, i64),
        uid: &str,
        unique_name: &str,
        date_add: &str,
        content: &str,
    ) -> Result<()> {
        let environment_uid = &self.scope.environment_uid;
        let values = values![
            uid,
            layer,
            environment_uid,
            unique_name,
            number,
            date_add,
            content
        ];
        self.tx.execute_at_end(
            "INSERT INTO pages (uid, layer, environment_uid, unique_name, deleted, revision, date_add, content) \
             VALUES (?1, ?2, ?3, ?4, FALSE, ?5, ?6, ?7) ON CONFLICT (uid, layer) DO UPDATE SET \
             unique_name = excluded.unique_name, deleted = FALSE, revision = excluded.revision, \
             content = excluded.content",
            &values,
        )?;
        revisions::add(self.tx, uid, layer, number)
    }

    /// Drops a draft that is what is published.
    fn drop_unchanged_draft(&mut self, uid: &str) -> Result<()> {
        let sql = "DELETE FROM pages WHERE uid = ?1 AND layer = 'draft' AND NOT deleted AND content = \
             (SELECT p.content FROM pages p WHERE p.uid = ?1 AND p.layer = 'published')";
        self.tx.execute(sql, &values![uid]).map(drop)
    }

    /// When a page was made.
    fn date_add(&mut self, uid: &PageUid) -> Result<String> {
        let sql = "SELECT date_add FROM pages WHERE uid = ?1 LIMIT 1";
        self.tx
            .find(sql, &values![uid], |row| Ok(row.get("date_add")?))?
            .ok_or_else(rows::gone)
    }
}

/// The name that a content gives its page.
fn unique_name(content: &str) -> Result<String> {
    let object: JsonObject = json::to_object(content)?;
    match object.get("unique_name") {
        Ok(Some(name)) => Ok(name),
        _ => Err(Error::internal("a stored page has no unique name")),
    }
}
