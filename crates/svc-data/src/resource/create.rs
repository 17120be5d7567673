//! One record created, or changed where it is there already.

use std::{slice, sync::Arc};

use svc_model::{JsonObject, RecordView};

use crate::{
    BulkOptions, Error, Model, RecordJson, Resource, Result, StatementKind,
    record::{Projection, Purpose, RecordBody, UniqueKey, read_body},
    resource::writable,
    value::time::Zone,
};

impl Resource {
    /// Creates a record and returns it whole.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) with messages by field when the body or a rule of the database does
    /// not allow it, else as [`Resource::list`].
    pub async fn create(
        &self,
        model: &Arc<Model>,
        body: &JsonObject,
        view: &RecordView,
    ) -> Result<RecordJson> {
        self.create_or_change(model, body, None, view).await
    }

    /// Changes the record that has the same values in these unique fields, or creates one, and returns it whole. Where it was
    /// changed, the result knows what it was [before](RecordJson::before). Fields that the body lacks keep their values.
    ///
    /// # Errors
    /// As [`Resource::create`]; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) also where the fields together are not
    /// unique, where the body lacks one of them, and where the values of other unique fields are those of another record.
    pub async fn upsert(
        &self,
        model: &Arc<Model>,
        body: &JsonObject,
        on_conflict: &[String],
        view: &RecordView,
    ) -> Result<RecordJson> {
        self.create_or_change(model, body, Some(on_conflict), view)
            .await
    }

    async fn create_or_change(
        &self,
        model: &Arc<Model>,
        body: &JsonObject,
        on_conflict: Option<&[String]>,
        view: &RecordView,
    ) -> Result<RecordJson> {
        let computed = |name: &str| model.field(name).is_some_and(|field| !field.editable);
        if body.iter().any(|(name, _)| computed(name)) {
            // What the database computes is compared before it is committed.
            let options = BulkOptions {
                on_conflict: on_conflict.map(<[String]>::to_vec),
                view: view.clone(),
                ..BulkOptions::default()
            };
            let created = self.create_all(model, slice::from_ref(body), &options, &self.note);
            return created
                .await?
                .pop()
                .unwrap_or_else(|| Err(Error::internal("a record that was created is missing")));
        }
        self.with_structure(model, StatementKind::Create, |driver, _, model| {
            let unique = unique_key(model, on_conflict)?;
            let shown = Projection::resolve(model, view)?.keeping(self.kept(model));
            let body = read_new(model, body, &shown.zone, unique.as_ref())?;
            Ok(driver.create(model, body, shown, self.note.clone()))
        })
        .await
    }
}

/// The unique fields of a write that creates records, where it may change them too. Refused where the records of the model
/// cannot be written so.
pub(super) fn unique_key(
    model: &Model,
    on_conflict: Option<&[String]>,
) -> Result<Option<UniqueKey>> {
    writable(model, model.writes.create, "created")?;
    let Some(names) = on_conflict else {
        return Ok(None);
    };
    writable(model, model.writes.update, "updated")?;
    UniqueKey::resolve(model, names).map(Some)
}

/// Reads the body of a record that is created, or changed where another has its values in these fields.
pub(super) fn read_new(
    model: &Model,
    body: &JsonObject,
    zone: &Zone,
    unique: Option<&UniqueKey>,
) -> Result<RecordBody> {
    match unique {
        Some(unique) => unique.read_body(model, body, zone),
        None => read_body(model, body, zone, Purpose::Create),
    }
}
