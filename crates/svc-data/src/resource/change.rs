//! Changing, replacing and deleting a record.

use std::sync::Arc;

use svc_model::{JsonObject, RecordView};

use super::{Resource, StatementKind};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Before, Error, IfMatch, Model, RecordJson, Result,
    engine::{ChangeRequest, Update},
    record::{Projection, Purpose, read_body, read_key},
};

/// How a record is changed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UpdateOptions {
    /// Whether the body replaces the record: required fields must be there, others that are left out get their default
    /// or NULL. The primary key may be left out and then stays.
    pub replace: bool,
    /// Which state of the record is changed, and no other.
    pub if_match: Option<IfMatch>,
    /// What of the changed record is answered.
    pub view: RecordView,
}

impl Resource {
    /// Changes the fields of a record that the body names, or [replaces](UpdateOptions::replace) the record, and returns it
    /// whole, with what it was [before](RecordJson::before).
    ///
    /// # Errors
    /// As [`Resource::create`]; [`ErrorKind::NotFound`] when there is no such record,
    /// [`ErrorKind::PreconditionFailed`] when it is not the one of [`UpdateOptions::if_match`].
    pub async fn update(
        &self,
        model: &Arc<Model>,
        id: &str,
        body: &JsonObject,
        options: &UpdateOptions,
    ) -> Result<RecordJson> {
        let purpose = match options.replace {
            true => Purpose::Replace,
            false => Purpose::Update,
        };
        let changed = self.with_structure(model, StatementKind::Update, |driver, _, model| {
            writable(model, model.writes.update, "updated")?;
            let keeping = self.kept(model);
            let shown = Projection::resolve(model, &options.view)?.keeping(keeping.clone());
            let request = ChangeRequest {
                key: read_key(model, id)?,
                if_match: options.if_match.clone(),
                keeping,
                update: Some(Update {
                    body: read_body(model, body, &shown.zone, purpose)?,
                    replace: options.replace,
                    shown,
                }),
            };
            Ok(driver.change(model, request, self.note.clone()))
        });
        changed.await?.into_updated()
    }

    /// Deletes a record and returns what it was.
    ///
    /// # Errors
    /// As [`Resource::update`].
    pub async fn delete(
        &self,
        model: &Arc<Model>,
        id: &str,
        if_match: Option<&IfMatch>,
    ) -> Result<Before> {
        let changed = self.with_structure(model, StatementKind::Delete, |driver, _, model| {
            writable(model, model.writes.delete, "deleted")?;
            let request = ChangeRequest {
                key: read_key(model, id)?,
                if_match: if_match.cloned(),
                keeping: self.kept(model),
                update: None,
            };
            Ok(driver.change(model, request, self.note.clone()))
        });
        Ok(changed.await?.before)
    }
}

pub(crate) fn writable(model: &Model, allowed: bool, what: &str) -> Result<()> {
    if allowed {
        return Ok(());
    }
    let name = &model.name;
    Err(Error::invalid(match model.is_view {
        true => {
            format!("records of the view {name:?} cannot be {what}: it has no trigger for that")
        }
        false => format!(
            "records of {name:?} cannot be {what}: the user that this service has in the database may not do that"
        ),
    }))
}
