//! Items: views, queries, charts, dashboards and preferences that people keep for themselves or share in an environment.

mod readable;

use svc_model::administration::items::{Create, Delete, Update};
use svc_model::wire::Operation as _;
use svc_model::{MAX_JSON_DEPTH, Scope, json_depth};
use uuid::Uuid;

use crate::database::{Reader, handle, row, values};
use crate::error::{Error, Result};
use crate::projects::ScopeRow;

/// What an item can be.
const KINDS: [&str; 5] = ["view", "query", "chart", "dashboard", "preference"];
/// Longest name, in characters.
const MAX_NAME: usize = 255;
/// Longest content, in bytes of JSON.
const MAX_VALUE: usize = 256 << 10;

/// Who changes an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemCaller {
    /// The account.
    pub account: Uuid,
    /// Whether it administers the project.
    pub is_administrator: bool,
}

impl ItemCaller {
    /// An account.
    pub fn new(account: Uuid, is_administrator: bool) -> Self {
        Self {
            account,
            is_administrator,
        }
    }
}

/// What a new item is made of; see [`NewItem::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewItem {
    /// What it is: `view`, `query`, `chart`, `dashboard` or `preference`.
    pub kind: String,
    /// Name for people.
    pub name: String,
    /// The model that it is about.
    pub model: Option<String>,
    /// The content, JSON as text.
    pub value: String,
    /// Whether every member of the project sees it.
    pub shared: bool,
}

impl NewItem {
    /// An item about no model that is not shared.
    pub fn new(kind: impl Into<String>, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
            model: None,
            value: value.into(),
            shared: false,
        }
    }
}

/// A change of an item; what is `None` stays.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ItemPatch {
    /// Another name.
    pub name: Option<String>,
    /// Another model; `Some(None)` for none.
    pub model: Option<Option<String>>,
    /// Another content, JSON as text.
    pub value: Option<String>,
    /// Whether every member of the project sees it.
    pub shared: Option<bool>,
}

handle! {
    /// The items of environments: [`Store::items`](crate::Store::items).
    Items,
    /// The items of environments.
    items
}

impl Items<'_> {
    /// Makes an item of an account.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field error on `kind`,
    /// `name`, `model` and `value`.
    pub async fn create(&self, scope: &Scope, account: Uuid, new: NewItem) -> Result<Uuid> {
        if !KINDS.contains(&new.kind.as_str()) {
            let message = format!("must be one of {}", KINDS.join(", "));
            return Err(Error::invalid_field("kind", message));
        }
        let name = checked_text("name", &new.name)?;
        let model = new.model.as_deref();
        let model = model
            .map(|model| checked_text("model", model))
            .transpose()?;
        check_value(&new.value)?;
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                let (uid, now) = (Uuid::now_v7(), tx.now());
                let row = row! {
                    uid, environment_uid: scope.environment_uid, account_uid: account, kind: new.kind, name, model,
                    value: new.value, shared: new.shared, date_add: now, date_update: now
                };
                tx.insert("items", &row)?;
                let entry = scope.entry(Create::INFO.name).record(uid.to_string());
                let after = tx.tag("items", uid)?;
                tx.audit(entry.after(after));
                Ok(uid)
            })
            .await
    }

    /// Changes an item. A shared one is changed by its owner and by administrators.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such item, or it is another account's and not
    /// shared; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a shared one that the caller may not change; a field
    /// error on `name`, `model` and `value`.
    pub async fn update(
        &self,
        scope: &Scope,
        caller: ItemCaller,
        uid: Uuid,
        patch: ItemPatch,
    ) -> Result<()> {
        let name = patch.name.as_deref();
        let name = name.map(|name| checked_text("name", name)).transpose()?;
        let changes_model = patch.model.is_some();
        let model = patch.model.flatten();
        let model = model.as_deref();
        let model = model
            .map(|model| checked_text("model", model))
            .transpose()?;
        if let Some(value) = &patch.value {
            check_value(value)?;
        }
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                ensure_changeable(tx, &scope, caller, uid)?;
                let entry = scope.entry(Update::INFO.name).record(uid.to_string());
                let entry = entry.before(tx.tag("items", uid)?);
                let now = tx.now();
                tx.execute(
                    "UPDATE items SET name = COALESCE(?1, name), model = CASE WHEN ?2 THEN ?3 ELSE model END, \
                     value = COALESCE(?4, value), shared = COALESCE(?5, shared), date_update = ?6 WHERE uid = ?7",
                    &values![name, changes_model, model, patch.value, patch.shared, now, uid],
                )?;
                let after = tx.tag("items", uid)?;
                tx.audit(entry.after(after));
                Ok(())
            })
            .await
    }

    /// Deletes an item. A shared one is deleted by its owner and by administrators.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn delete(&self, scope: &Scope, caller: ItemCaller, uid: Uuid) -> Result<()> {
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                ensure_changeable(tx, &scope, caller, uid)?;
                let entry = scope.entry(Delete::INFO.name).record(uid.to_string());
                let entry = entry.before(tx.tag("items", uid)?);
                tx.execute("DELETE FROM items WHERE uid = ?1", &values![uid])?;
                tx.audit(entry);
                Ok(())
            })
            .await
    }
}

/// Refuses a change of an item by somebody who may not make it.
fn ensure_changeable(
    reader: &mut Reader<'_>,
    scope: &ScopeRow,
    caller: ItemCaller,
    uid: Uuid,
) -> Result<()> {
    let sql = "SELECT account_uid, shared FROM items WHERE uid = ?1 AND environment_uid = ?2";
    let found = reader.find(sql, &values![uid, scope.environment_uid], |row| {
        let owner: Uuid = row::get(row, "account_uid")?;
        Ok((owner, row.get::<bool>("shared")?))
    })?;
    let missing = || Error::not_found("there is no such item");
    let (owner, is_shared) = found.ok_or_else(missing)?;
    match (owner == caller.account, is_shared) {
        (true, _) => Ok(()),
        (false, false) => Err(missing()),
        (false, true) if caller.is_administrator => Ok(()),
        (false, true) => Err(Error::refused(
            "the item is somebody else's; its owner and administrators change it",
        )),
    }
}

fn checked_text(field: &str, text: &str) -> Result<String> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= MAX_NAME;
    match fits && !text.contains(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(Error::invalid_field(
            field,
            format!("must have 1 to {MAX_NAME} characters, and no control characters"),
        )),
    }
}

fn check_value(value: &str) -> Result<()> {
    if value.len() > MAX_VALUE {
        let message = format!("must be at most {MAX_VALUE} bytes of JSON");
        return Err(Error::invalid_field("value", message));
    }
    if json_depth(value) > MAX_JSON_DEPTH {
        let message = format!("must be nested at most {MAX_JSON_DEPTH} levels deep");
        return Err(Error::invalid_field("value", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_bounded_in_bytes_and_depth() {
        assert!(check_value("{}").is_ok());
        assert!(check_value(&format!("\"{}\"", "x".repeat(MAX_VALUE))).is_err());
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(check_value(&nested(MAX_JSON_DEPTH)).is_ok());
        assert!(check_value(&nested(MAX_JSON_DEPTH + 1)).is_err());
    }
}
