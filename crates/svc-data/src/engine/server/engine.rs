//! What an engine of a database server does in its own way.

use std::{fmt, future::Future, sync::Arc};

use bytes::Bytes;
use sea_query::Expr;

use super::{
    change::Change,
    lease::{ConnectionManager, Lease},
};
use crate::{
    Error, ErrorKind, Field, Model, RecordJson, Result, Structure,
    admission::Work,
    engine::{
        answers::Cells,
        statement::{Bound, Statement},
    },
    functions::FunctionCall,
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{Dialect, cursor::KeyValue},
    record::{
        Changed, Part, Projection, RecordBody,
        change_all::{ChangeAll, ChangedRecords},
    },
    sql::{SqlJob, SqlOutput},
    value::Scalar,
};

/// What an engine of a database server does in its own way. What is planned needs no connection.
pub(crate) trait ServerEngine: fmt::Debug + Send + Sync + Sized + 'static {
    /// What makes its connections.
    type Manager: ConnectionManager;
    /// A value as it is bound.
    type Bound: Bound + Send + Sync;
    type Row: Cells<Error = Error> + Send + Sync;
    /// The list of records as statements.
    type List: Send + Sync;
    /// An aggregate.
    type Aggregate: Send + Sync;
    /// A record to be created.
    type Create: CreateRecord<Self::Manager>;

    const ENGINE: Engine;
    const DIALECT: &'static dyn Dialect;
    /// Begins a transaction.
    const BEGIN: &'static str;
    /// Whether the savepoint of a record that was created is released.
    const RELEASES_SAVEPOINTS: bool;
    /// Whether one record is written by one statement, without a transaction around it.
    const WRITES_ALONE: bool;

    /// Forgets what connections keep of the structure that was known before.
    fn forget_structure(_manager: &Self::Manager) {}

    fn structure(
        &self,
        lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<Structure>> + Send;

    fn structure_version(
        lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<i64>> + Send;

    /// What the server calls its version.
    fn version(lease: &mut Lease<Self::Manager>) -> impl Future<Output = Result<String>> + Send;

    fn plan_list(model: &Arc<Model>, plan: ListPlan) -> Result<(Work, Self::List)>;

    fn list(
        &self,
        lease: &mut Lease<Self::Manager>,
        list: Self::List,
    ) -> impl Future<Output = Result<Part>> + Send;

    fn plan_aggregate(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self::Aggregate>;

    fn aggregate(
        lease: &mut Lease<Self::Manager>,
        aggregate: Self::Aggregate,
    ) -> impl Future<Output = Result<Bytes>> + Send;

    /// The first row of a statement.
    fn one(
        lease: &mut Lease<Self::Manager>,
        statement: &Statement<Self::Bound>,
    ) -> impl Future<Output = Result<Option<Self::Row>>> + Send;

    /// The same on a connection that other reads share.
    fn one_in_pipeline(
        _lease: &Lease<Self::Manager>,
        _statement: &Statement<Self::Bound>,
    ) -> impl Future<Output = Result<Option<Self::Row>>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// Whether a list may be read on a connection that other reads share.
    fn fits_pipeline(&self, _list: &Self::List) -> bool {
        false
    }

    /// Reads the page of such a list there.
    fn page_in_pipeline(
        &self,
        _lease: &Lease<Self::Manager>,
        _list: &Self::List,
    ) -> impl Future<Output = Result<Page>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// Counts the records of a list whose page was read there.
    fn count_page(
        &self,
        _lease: &mut Lease<Self::Manager>,
        _list: Self::List,
        _page: Part,
        _state: Option<String>,
    ) -> impl Future<Output = Result<Part>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// What a row of nothing but the columns of an order has in them.
    fn keys(model: &Model, order: &[(usize, bool)], row: &Self::Row) -> Result<Vec<KeyValue>>;

    /// Runs a query of a client.
    fn sql(
        &self,
        lease: &mut Lease<Self::Manager>,
        job: &SqlJob,
    ) -> impl Future<Output = Result<SqlOutput>> + Send;

    /// Calls a function or procedure, in a transaction of its own.
    fn call(
        &self,
        lease: &mut Lease<Self::Manager>,
        structure: &Structure,
        call: &FunctionCall,
    ) -> impl Future<Output = Result<Bytes>> + Send;

    /// A value in the form that a column accepts; refused where something of it would be lost.
    fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String>;

    /// Changes or deletes a record; returns what it was, and after an update what it is.
    fn change(
        lease: &mut Lease<Self::Manager>,
        change: &Change,
    ) -> impl Future<Output = Result<Changed>> + Send;

    /// Changes the record that has unique values, if there is one; in a transaction that is open, or as a whole.
    /// `is_there` where one that was to be created was refused for their sake.
    fn change_found(
        lease: &mut Lease<Self::Manager>,
        change: &Change,
        in_transaction: bool,
        is_there: bool,
    ) -> impl Future<Output = Result<Option<Changed>>> + Send;

    /// Changes the record that has unique values, or creates one, with one statement outside of transactions.
    fn change_or_create(
        &self,
        _lease: &mut Lease<Self::Manager>,
        _change: &Change,
        _create: &Self::Create,
    ) -> impl Future<Output = Result<AtOnce>> + Send {
        async { Ok(AtOnce::Unsuited) }
    }

    /// Waits in an open transaction until no other one changes or creates many records of a model, where waiting for each of
    /// these records may end in a deadlock that the server is slow to see.
    fn lock_upserts(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
    ) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Whether a transaction was ended since another one waits for it.
    fn is_deadlock(error: &Error) -> bool;

    /// Changes or deletes all records that pass a test, in a transaction that is open.
    fn change_all(
        lease: &mut Lease<Self::Manager>,
        model: &Model,
        request: &ChangeAll,
    ) -> impl Future<Output = Result<ChangedRecords>> + Send;

    /// Runs a statement that returns no rows.
    fn run(lease: &mut Lease<Self::Manager>, sql: &str) -> impl Future<Output = Result<()>> + Send;

    /// Whether an error is about one record, so that others can be created after it.
    fn is_refusal(error: &Error) -> bool {
        error.kind() == ErrorKind::Invalid
    }

    /// Names the field that an error is about which names none. Inside a transaction, `recover` makes the connection
    /// usable again.
    fn blame(
        _lease: &mut Lease<Self::Manager>,
        _create: &Self::Create,
        _recover: Option<&str>,
        error: Error,
    ) -> impl Future<Output = Error> + Send {
        async move { error }
    }

    /// Whether a statement that creates several records of a model does what one statement for each of them does.
    fn creates_together(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
    ) -> impl Future<Output = Result<bool>> + Send {
        async { Ok(false) }
    }

    /// Creates records, of which there is at least one, in an open transaction, with fewer statements than records, behind
    /// the statement that makes a savepoint. Gives their rows: all fields, or those of the primary key in the order of the
    /// columns. When it fails, the transaction is as after any statement that failed.
    fn create_together(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
        _records: &[&Self::Create],
        _keys_alone: bool,
        _savepoint: &str,
    ) -> impl Future<Output = Result<Vec<Self::Row>>> + Send {
        async { Err(Error::internal("this engine creates records one at a time")) }
    }

    /// The name of the transaction that is open, where the server can say later how it ended.
    fn transaction_name(
        &self,
        _lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }

    /// The number of a transaction, by its name; `None` where the server cannot say how it ended.
    fn transaction_number(_name: &str) -> Option<i64> {
        None
    }

    /// How a transaction ended, or that it has not; `None` for one that the server does not know or has forgotten.
    fn transaction_status(
        _lease: &mut Lease<Self::Manager>,
        _number: i64,
    ) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }
}

/// A record to be created, in the way of an engine.
pub(crate) trait CreateRecord<M: ConnectionManager>: Sized + Send + Sync {
    fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self>;

    /// Creates the record, and nothing else.
    fn run(&self, lease: &mut Lease<M>) -> impl Future<Output = Result<RecordJson>> + Send;

    /// Creates the record in a transaction that is open.
    fn insert(&self, lease: &mut Lease<M>) -> impl Future<Output = Result<RecordJson>> + Send;

    /// Creates the record, unless another has its unique values.
    fn insert_new(
        &self,
        lease: &mut Lease<M>,
    ) -> impl Future<Output = Result<Option<RecordJson>>> + Send;
}

/// What became of an upsert with one statement.
pub(crate) enum AtOnce {
    /// The record, which knows what it was before where it was changed.
    Written(RecordJson),
    /// Nothing: another caller has created the record at the same time.
    Taken,
    /// Nothing: it takes more than one statement.
    Unsuited,
}

/// A page that was read on a connection that other reads share.
pub(crate) enum Page {
    /// With the number of records, where that is asked for.
    Whole(Part),
    /// Its records are yet to be counted. The text names the state of the database, if it is known.
    Uncounted(Part, Option<String>),
    /// It was too large, so that much of it was still to come.
    Cut,
}
