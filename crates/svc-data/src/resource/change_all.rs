//! Changes of all records that a query selects.

use std::sync::Arc;

use svc_model::{JsonObject, ListQuery, RecordView};

use crate::{
    ChangedRecords, CommitGate, Model, Resource, Result, StatementKind,
    plan::ListPlan,
    record::{Projection, Purpose, change_all::ChangeAll, read_body},
    resource::writable,
};

impl Resource {
    /// Changes all records that a query selects in one transaction, and returns them.
    /// With `expected`, only where they are so many. Until the commit it may be given up by its gate.
    ///
    /// # Errors
    /// As [`Resource::update`]; [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed) when another number
    /// of records is selected; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when they are more than a million.
    pub async fn update_all(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        body: &JsonObject,
        expected: Option<u64>,
        gate: &CommitGate,
    ) -> Result<ChangedRecords> {
        self.with_structure(model, StatementKind::Update, |driver, structure, model| {
            writable(model, model.writes.update, "updated")?;
            let mut view = RecordView::default();
            view.time_zone.clone_from(&query.time_zone);
            let zone = Projection::resolve(model, &view)?.zone;
            let body = read_body(model, body, &zone, Purpose::Update)?;
            body.fixed.refuse(model)?;
            let request = ChangeAll {
                test: ListPlan::resolve(structure, model, query)?.test,
                values: Some(body.values),
                expected,
                keeping: self.kept(model),
                gate: gate.clone(),
            };
            Ok(driver.change_all(model, request))
        })
        .await
    }

    /// Deletes all records that a query selects in one transaction, and returns them.
    /// With `expected`, only where they are so many. Until the commit it may be given up by its gate.
    ///
    /// # Errors
    /// As [`Resource::update_all`].
    pub async fn delete_all(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        expected: Option<u64>,
        gate: &CommitGate,
    ) -> Result<ChangedRecords> {
        self.with_structure(model, StatementKind::Delete, |driver, structure, model| {
            writable(model, model.writes.delete, "deleted")?;
            let request = ChangeAll {
                test: ListPlan::resolve(structure, model, query)?.test,
                values: None,
                expected,
                keeping: self.kept(model),
                gate: gate.clone(),
            };
            Ok(driver.change_all(model, request))
        })
        .await
    }
}
