//! The records of a model, as far as their caller may reach them.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use svc_data::{
    Before, BulkOptions, ChangedRecords, CommitGate, CommitNote, ErrorKind, IfMatch, KeepValues,
    Model, Page, RawValue, RecordJson, Resource, UpdateOptions,
};
use svc_model::{
    Invalid, JsonObject, ListQuery, RecordId, RecordView,
    administration::history::LineQuery,
    records::{
        AggregateQuery, ChangeAllQuery, Collection, CreateQuery, GroupQuery, HistoryQuery,
        Reference,
    },
    wire::Operation,
};
use svc_store::{Actor, AuditEntry, HistoryOf, HistoryPage, Store, WriteKey};

use super::{Access, Delete, Read, ResourceRequest, Write};
use crate::{
    config::{AuditMode, Config},
    http::{ApiError, ApiResult, error::suggestion::nearest, resource_path::ResourcePath},
    state::statements::Running,
};

/// The records of the model that the path names.
#[derive(Debug)]
pub(crate) struct Records<R> {
    access: Access<R>,
    model: Arc<Model>,
}

/// Records that a query selects, by nothing that the caller may not read.
#[derive(Debug)]
pub(crate) struct Selection<'a, Q> {
    access: &'a Access<Read>,
    pub(crate) model: Arc<Model>,
    pub(crate) query: Q,
}

/// What selects records.
pub(crate) trait Select {
    fn selection(&self) -> &ListQuery;
}

impl Select for ListQuery {
    fn selection(&self) -> &ListQuery {
        self
    }
}

impl Select for ChangeAllQuery {
    fn selection(&self) -> &ListQuery {
        &self.selection
    }
}

impl Select for AggregateQuery {
    fn selection(&self) -> &ListQuery {
        &self.query
    }
}

impl Select for GroupQuery {
    fn selection(&self) -> &ListQuery {
        &self.query
    }
}

/// A message about a name that is not known, with the one that was meant most likely.
fn meant(message: &str, nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("{message}; did you mean {nearest:?}?"),
        None => message.to_owned(),
    }
}

impl<R> Access<R> {
    /// The records of the model that the path names.
    pub(crate) async fn records(self) -> ApiResult<Records<R>> {
        let found = self.resource.find_model(&self.model).await;
        let model = found.map_err(|error| self.explained(error))?;
        Ok(Records {
            access: self,
            model,
        })
    }

    /// A user or team of the built-in tools; whom they are opened to may read them.
    pub(crate) async fn tools_record(&self, id: &str, view: &RecordView) -> ApiResult<RecordJson> {
        let found = self.resource.find_model(&self.model).await;
        let model = found.map_err(|error| self.explained(error))?;
        Ok(self.resource.retrieve(&model, id, view).await?)
    }

    /// The failure of a look for the model. Where no model has its name, the nearest name among the models that may be
    /// read is named.
    fn explained(&self, error: svc_data::Error) -> ApiError {
        if error.kind() != ErrorKind::NotFound {
            return error.into();
        }
        let structure = self.resource.structure();
        let known = structure.models().map(|model| model.name.as_str());
        let readable = known.filter(|model| self.may_read(model));
        let message = error.public_message();
        ApiError::NotFound(meant(message, nearest(&self.model, readable)))
    }
}

impl Access<Read> {
    /// The resource. Where related records come too, it has those alone that the caller may read.
    fn readable(&self, are_expanded: bool) -> Cow<'_, Resource> {
        match self.rights.limits().filter(|_| are_expanded) {
            None => Cow::Borrowed(&self.resource),
            Some(limits) => {
                let (name, limits) = (self.resource.name().to_owned(), limits.keep());
                let may_read = move |model: &str| limits.on(&name, model).read;
                Cow::Owned(self.resource.readable(may_read))
            }
        }
    }

    /// The records that a query selects, which `read` reads against the fields of the model.
    pub(crate) async fn select<Q: Select>(
        &self,
        read: impl Fn(&Model) -> Result<Q, Invalid>,
    ) -> ApiResult<Selection<'_, Q>> {
        let found = self.resource.read_against(&self.model, read).await;
        let (model, query) = found.map_err(|error| self.explained(error))?;
        self.check_related(&query)?;
        Ok(Selection {
            access: self,
            model,
            query,
        })
    }
}

impl<R> Access<R> {
    /// The records that a query selects to be changed, and the query. What they are selected by is read, so that the caller
    /// must be allowed to.
    pub(crate) async fn select_to_change<Q: Select>(
        self,
        read: impl Fn(&Model) -> Result<Q, Invalid>,
    ) -> ApiResult<(Records<R>, Q)> {
        if !self.may_read(&self.model) {
            return Err(self.denied(
                "the user's team may not read these records, which is needed to select them",
                "the static token may not read these records, which is needed to select them",
            ));
        }
        let found = self.resource.read_against(&self.model, read).await;
        let (model, query) = found.map_err(|error| self.explained(error))?;
        self.check_related(&query)?;
        let access = self;
        Ok((Records { access, model }, query))
    }

    /// Refuses a query that selects by related records that the caller may not read.
    fn check_related(&self, query: &impl Select) -> ApiResult<()> {
        let relation = query.selection().relation.iter();
        let mut steps = relation.flat_map(|relation| &relation.steps);
        match steps.all(|step| self.may_read(&step.model)) {
            true => Ok(()),
            false => Err(self.denied(
                "the user's team may not read the related records",
                "the static token may not read the related records",
            )),
        }
    }

    /// The refusal for a team, or the one for a static token.
    fn denied(&self, of_team: &'static str, of_token: &'static str) -> ApiError {
        let limits = self.rights.limits();
        ApiError::PermissionDenied(limits.map_or(of_team, |limits| limits.say(of_team, of_token)))
    }
}

impl Selection<'_, ListQuery> {
    pub(crate) async fn list(&self) -> Result<Page, svc_data::Error> {
        let resource = self.access.readable(self.query.expand.is_some());
        resource.list(&self.model, &self.query).await
    }

    /// The keys of the records before and after the one that the path names.
    pub(crate) async fn siblings(&self) -> ApiResult<Bytes> {
        let Access { resource, id, .. } = self.access;
        Ok(resource.siblings(&self.model, id, &self.query).await?)
    }
}

impl Selection<'_, AggregateQuery> {
    pub(crate) async fn aggregate(&self) -> ApiResult<Bytes> {
        let resource = &self.access.resource;
        Ok(resource.aggregate(&self.model, &self.query).await?)
    }
}

impl Selection<'_, GroupQuery> {
    pub(crate) async fn group(&self) -> ApiResult<Bytes> {
        let resource = &self.access.resource;
        Ok(resource.group(&self.model, &self.query).await?)
    }
}

impl<R> Records<R> {
    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The primary key in the path.
    pub(crate) fn id(&self) -> &str {
        self.access.id()
    }

    /// The caller.
    pub(crate) fn actor(&self) -> Actor {
        self.access.actor()
    }

    /// Begins a statement for what the request itself says.
    pub(crate) fn begin_request(&self, request: &ResourceRequest) -> ApiResult<Running> {
        self.access.begin_request(request)
    }

    /// Whether writes to them are noted before their commit.
    pub(crate) fn notes_commits(&self) -> bool {
        self.access.resource.notes_commits()
    }

    /// The same records, with a note of the write that is made to one of them.
    pub(crate) fn noting(mut self, note: Option<Arc<dyn CommitNote>>) -> Self {
        if let Some(note) = note {
            self.access.resource = self.access.resource.noting(note);
        }
        self
    }

    /// The same records, of whose fields the audit trail keeps what a write does to them, where it does so for the resource. A
    /// field that nobody is to see belongs into [`KeepValues::left_out`].
    pub(crate) fn keeping(mut self, config: &Config) -> Self {
        let resource = &self.access.resource;
        let are_kept = config.audit_values.are_kept_of(resource.name());
        if are_kept && config.audit != AuditMode::Off {
            let values = KeepValues::up_to(config.audit_value_limit);
            self.access.resource = resource.keeping(Arc::new(values));
        }
        self
    }

    /// Whether the caller may read them too.
    pub(crate) fn may_read(&self) -> bool {
        self.access.may_read(&self.model.name)
    }

    /// A line of the audit trail about what an operation does to them.
    pub(crate) fn audit_entry<O: Operation>(&self) -> AuditEntry {
        let ResourcePath { scope, resource } = &self.access.path;
        AuditEntry::new(O::INFO.name)
            .scope(scope)
            .resource(resource.as_str())
            .model(&self.model.name)
    }

    /// The failure of a write, without the constraint of a model that may not be read.
    fn refused(&self, error: svc_data::Error) -> ApiError {
        let model = error.constraint().and_then(|found| found.model.as_deref());
        match model.is_none_or(|model| self.access.may_read(model)) {
            true => error.into(),
            false => error.without_constraint().into(),
        }
    }
}

impl Records<Read> {
    /// The records that refer to the one that the path names.
    pub(crate) async fn references(&self) -> ApiResult<Vec<Reference>> {
        let resource = self.access.readable(true);
        Ok(resource.references(&self.model, self.id()).await?)
    }

    /// A part of the history of the record that the path names, or of the one that had its key before.
    pub(crate) async fn history(
        &self,
        store: &Store,
        query: &HistoryQuery,
    ) -> ApiResult<HistoryPage> {
        let mut key = RecordView::default();
        key.fields = Some(Vec::new());
        let found = match self.retrieve(&key).await {
            Ok(record) => Ok(record.id(&self.model)?),
            Err(ApiError::NotFound(message)) => Err(ApiError::NotFound(message)),
            Err(error) => return Err(error),
        };
        let ResourcePath { scope, resource } = &self.access.path;
        let of = HistoryOf::new(
            scope.clone(),
            resource.as_str(),
            &self.model.name,
            // The database may treat several keys as equal.
            found.as_ref().map_or(self.id(), |id| id.as_str()),
        );
        // Who may read a record may read all of its fields.
        let may_read = |_: &str| true;
        let page = store.audit().history(&of, query, may_read).await?;
        match found {
            Err(error) if page.entries.is_empty() && query.after.is_none() => Err(error),
            _ => Ok(page),
        }
    }

    /// A part of what a line of the audit trail says of them.
    pub(crate) async fn history_of_line(
        &self,
        store: &Store,
        query: &LineQuery,
    ) -> ApiResult<HistoryPage> {
        let ResourcePath { scope, resource } = &self.access.path;
        let of = Collection::new(scope.clone(), resource.clone(), self.model.name.as_str());
        // Who may read the records may read all of their fields.
        let may_read = |_: &str| true;
        Ok(store.audit().history_of_line(&of, query, may_read).await?)
    }

    /// The value of the field that the path names; `None` for NULL.
    pub(crate) async fn value(&self, time_zone: Option<&str>) -> ApiResult<Option<RawValue>> {
        let Access {
            resource,
            id,
            field,
            ..
        } = &self.access;
        let value = resource.value(&self.model, id, field, time_zone).await;
        value.map_err(|error| match error.kind() {
            ErrorKind::NotFound if !self.model.has_field(field) => {
                let known = self.model.fields().iter().map(|known| known.name.as_str());
                ApiError::NotFound(meant(error.public_message(), nearest(field, known)))
            }
            _ => error.into(),
        })
    }

    /// The name of the file that this value is saved as.
    pub(crate) fn name_of_value(&self) -> String {
        let Access { id, field, .. } = &self.access;
        format!("{}-{id}-{field}", self.model.name)
    }

    /// The record that the path names.
    pub(crate) async fn retrieve(&self, view: &RecordView) -> ApiResult<RecordJson> {
        let resource = self.access.readable(view.expand.is_some());
        Ok(resource.retrieve(&self.model, self.id(), view).await?)
    }
}

/// How a record is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Update,
    Replace,
}

impl Records<Write> {
    pub(crate) async fn create(
        &self,
        body: &JsonObject,
        CreateQuery {
            on_conflict, view, ..
        }: CreateQuery,
    ) -> ApiResult<RecordJson> {
        let view = self.view_of_written(view);
        let resource = &self.access.resource;
        let created = match on_conflict {
            Some(unique) => resource.upsert(&self.model, body, &unique, &view).await,
            None => resource.create(&self.model, body, &view).await,
        };
        created.map_err(|error| self.refused(error))
    }

    /// Changes the record that the path names.
    pub(crate) async fn change(
        &self,
        change: Change,
        body: &JsonObject,
        tags: Option<&IfMatch>,
        view: RecordView,
    ) -> ApiResult<RecordJson> {
        let mut options = UpdateOptions::default();
        options.replace = matches!(change, Change::Replace);
        options.if_match = tags.cloned();
        options.view = self.view_of_written(view);
        let (resource, model, id) = (&self.access.resource, &self.model, &self.access.id);
        let changed = resource.update(model, id, body, &options).await;
        changed.map_err(|error| self.refused(error))
    }

    /// Changes all records that a query selects, and gives them.
    pub(crate) async fn update_all(
        &self,
        query: &ChangeAllQuery,
        body: &JsonObject,
        gate: &CommitGate,
    ) -> ApiResult<ChangedRecords> {
        let ChangeAllQuery {
            selection, expect, ..
        } = query;
        let resource = &self.access.resource;
        let updated = resource
            .update_all(&self.model, selection, body, *expect, gate)
            .await;
        updated.map_err(|error| self.refused(error))
    }

    pub(crate) async fn bulk_create(
        &self,
        bodies: &[JsonObject],
        mut options: BulkOptions,
    ) -> ApiResult<Vec<Result<RecordJson, svc_data::Error>>> {
        options.view = self.view_of_written(options.view);
        let resource = &self.access.resource;
        let created = resource.bulk_create(&self.model, bodies, &options).await;
        created.map_err(|error| self.refused(error))
    }

    /// Whether a bulk create was committed of which this is known.
    pub(crate) async fn was_committed(
        &self,
        transaction: Option<&str>,
        records: &[(RecordId, String)],
    ) -> ApiResult<Option<bool>> {
        let resource = &self.access.resource;
        let committed = resource.was_committed(&self.model, transaction, records);
        Ok(committed.await?)
    }

    /// What an idempotency key marks.
    pub(crate) fn write_key(&self, idempotency_key: String) -> WriteKey {
        let path = self.access.path.clone();
        WriteKey {
            scope: path.scope,
            resource: path.resource,
            model: self.model.name.clone(),
            idempotency_key,
        }
    }

    /// What of a record that was written is answered. Who may not read the records of the model gets the key alone,
    /// or a change of nothing would read them.
    fn view_of_written(&self, mut view: RecordView) -> RecordView {
        if !self.may_read() {
            view.fields = Some(Vec::new());
        }
        view
    }
}

impl Records<Delete> {
    /// Deletes all records that a query selects, and gives them.
    pub(crate) async fn delete_all(
        &self,
        query: &ChangeAllQuery,
        gate: &CommitGate,
    ) -> ApiResult<ChangedRecords> {
        let ChangeAllQuery {
            selection, expect, ..
        } = query;
        let resource = &self.access.resource;
        let deleted = resource
            .delete_all(&self.model, selection, *expect, gate)
            .await;
        deleted.map_err(|error| self.refused(error))
    }

    /// Deletes the record that the path names, and gives what it was.
    pub(crate) async fn delete(&self, tags: Option<&IfMatch>) -> ApiResult<Before> {
        let Access { resource, id, .. } = &self.access;
        let deleted = resource.delete(&self.model, id, tags).await;
        deleted.map_err(|error| self.refused(error))
    }
}
