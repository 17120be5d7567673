//! The engines, and the one trait that each implements, beneath [`Resource`](crate::Resource).

mod answers;
mod counts;
#[cfg(feature = "mysql")]
pub(crate) mod mysql;
mod options;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod server;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod statement;

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use svc_model::wire::BoxFuture;

use crate::{
    IfMatch, Model, RecordJson, Result, Structure,
    functions::{FunctionCall, unsupported},
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::Around,
    record::{
        BulkPlan, BulkResults, Changed, Keeping, Note, Part, Projection, RawValue, RecordBody,
        change_all::{ChangeAll, ChangedRecords},
    },
    sql::{SqlJob, SqlOutput},
    value::{Values, time::Zone},
};

pub(crate) use self::answers::Cells;
pub use self::options::{ResourceOptions, ServerRule};

/// A change of one record, ready for an engine.
pub(crate) struct ChangeRequest {
    pub(crate) key: Values,
    pub(crate) if_match: Option<IfMatch>,
    /// What of the record as it was is kept for its history; what of it is shown says so itself.
    pub(crate) keeping: Option<Keeping>,
    /// None where the record is deleted.
    pub(crate) update: Option<Update>,
}

/// What is written into a record.
pub(crate) struct Update {
    /// What is written, and what the record has to have already.
    pub(crate) body: RecordBody,
    /// Whether fields that are left out get their defaults.
    pub(crate) replace: bool,
    pub(crate) shown: Projection,
}

/// What the connections of a resource do at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolUse {
    /// How many statements run at once, at most.
    pub size: usize,
    /// How many run now.
    pub used: usize,
    /// How many wait for their turn.
    pub waiting: usize,
}

impl PoolUse {
    pub(crate) fn new(size: usize, used: usize, waiting: usize) -> Self {
        Self {
            size,
            used,
            waiting,
        }
    }
}

impl std::ops::Add for PoolUse {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            size: self.size + other.size,
            used: self.used + other.used,
            waiting: self.waiting + other.waiting,
        }
    }
}

/// An engine, connected to one database.
///
/// An error of kind [`StructureChanged`](crate::ErrorKind::StructureChanged) means that nothing was done
/// and the call is worth repeating with the structure read again.
#[async_trait]
pub(crate) trait Driver: fmt::Debug + Send + Sync {
    /// Reads the structure.
    async fn structure(&self) -> Result<Structure>;

    /// What the engine calls the state of the structure now; cheap to ask.
    async fn structure_version(&self) -> Result<i64>;

    /// What the engine calls its version.
    async fn version(&self) -> Result<String>;

    /// Looks whether the database is still there. It neither waits for statements that run nor makes them wait.
    async fn ping(&self) -> Result<()>;

    /// Completes when the connections are closed, once the driver is dropped; `None` where others need not wait for that.
    fn closed(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// How many connections there are, and what they do.
    fn pool_use(&self) -> PoolUse;

    /// Lists records. A page of wide rows may end before its limit; it is continued after its last row.
    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part>;

    /// Aggregates records, all of them or each group: the JSON of the answer.
    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes>;

    /// Gets one record.
    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Projection,
    ) -> Result<RecordJson>;

    /// Gets the value of one field of a record, by the place of the field; `None` for NULL.
    async fn value(
        &self,
        model: &Arc<Model>,
        key: Values,
        index: usize,
        zone: Zone,
    ) -> Result<Option<RawValue>>;

    /// Creates a record and returns it as the database has it. Where the body has values of unique fields, the record that
    /// has them is changed instead.
    async fn create(
        &self,
        model: &Arc<Model>,
        body: RecordBody,
        shown: Projection,
        note: Note,
    ) -> Result<RecordJson>;

    /// Creates records in one transaction and returns what became of each: it, or why it was refused
    /// ([`Invalid`](crate::ErrorKind::Invalid)). One that is refused does not prevent the others;
    /// with `atomic` none is kept then, and those that were taken back have the error [`taken_back`].
    /// Any other failure is that of the whole, of which nothing is kept.
    ///
    /// [`taken_back`]: crate::record::taken_back
    async fn bulk_create(&self, model: &Arc<Model>, plan: BulkPlan) -> Result<BulkResults>;

    /// Whether a transaction of an earlier bulk create was committed, where the engine knows by its
    /// [name](crate::Prepared::transaction). Waits until it has ended.
    async fn transaction_outcome(&self, _name: &str) -> Result<Option<bool>> {
        Ok(None)
    }

    /// The cursors before and after a record in an order of its model.
    async fn cursors(
        &self,
        model: &Arc<Model>,
        key: Values,
        order: Vec<(usize, bool)>,
    ) -> Result<Around>;

    /// Whether notes of writes are made before the commit.
    fn notes_commits(&self) -> bool {
        false
    }

    /// The engine whose SQL the database reads.
    fn sql_engine(&self) -> Engine;

    /// Runs a query of a client, so that nothing can be changed by it: on a connection or in a transaction
    /// that only reads, within the statement timeout, and giving [`MAX_ANSWER`](crate::sql::MAX_ANSWER) bytes
    /// of rows at most. What the database has against the query is [`Invalid`](crate::ErrorKind::Invalid), in
    /// its words.
    async fn sql(&self, job: SqlJob) -> Result<SqlOutput>;

    /// Whether it has functions that clients can call.
    fn has_functions(&self) -> bool {
        false
    }

    /// Calls a function or procedure in a transaction of its own: the JSON of what it gives. What it raises is
    /// [`Invalid`](crate::ErrorKind::Invalid), in its words.
    async fn call(&self, _structure: &Structure, _call: FunctionCall) -> Result<Bytes> {
        Err(unsupported())
    }

    /// Changes or deletes all records that pass a test, in one transaction, and returns their keys.
    async fn change_all(&self, model: &Arc<Model>, request: ChangeAll) -> Result<ChangedRecords>;

    /// Changes or deletes a record; returns what it was, and after an update what it is. Nothing is changed when the
    /// record does not have the values that it has to have.
    async fn change(
        &self,
        model: &Arc<Model>,
        request: ChangeRequest,
        note: Note,
    ) -> Result<Changed>;
}
