//! Many records that are created, or changed, in one transaction of a database server.

mod together;

use std::sync::Arc;

use super::{
    CreateRecord as _, ServerEngine,
    lease::Lease,
    transaction::finish,
    upsert::{Tries, Upsert, is_taken_back},
};
use crate::{
    ErrorKind, Model, RecordJson, Result,
    record::{BulkPlan, BulkResults, Projection, RecordBody, take_back},
};

/// Takes back what was done since the savepoint of a record.
const UNDO_RECORD: &str = "ROLLBACK TO record";

/// Creates records in one transaction, each in a savepoint of its own.
pub(super) async fn bulk_create<E: ServerEngine>(
    engine: &E,
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<BulkResults> {
    let mut tries = Tries::default();
    let mut created = begin_and_create::<E>(lease, model, plan).await;
    // Others change the same records in another order.
    while tries.again(is_taken_back::<E, _>(&created)).await {
        E::run(lease, "ROLLBACK").await?;
        created = begin_and_create::<E>(lease, model, plan).await;
    }
    if let Ok(results) = &mut created {
        if plan.atomic && results.iter().any(Result::is_err) {
            E::run(lease, "ROLLBACK").await?;
            take_back(results);
            return created;
        }
        if plan.is_watched(results)
            && let Err(error) = announce(engine, lease, plan, results).await
        {
            created = Err(error);
        }
    }
    finish::<E, _>(lease, model, created, true).await
}

async fn begin_and_create<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<BulkResults> {
    E::run(lease, E::BEGIN).await?;
    if plan.has_upserts() {
        E::lock_upserts(lease, model).await?;
    }
    create_each::<E>(lease, model, plan).await
}

/// Lets the caller know what is about to be committed.
async fn announce<E: ServerEngine>(
    engine: &E,
    lease: &mut Lease<E::Manager>,
    plan: &BulkPlan,
    results: &[Result<RecordJson>],
) -> Result<()> {
    let name = engine.transaction_name(lease).await?;
    plan.before_commit(results, name.as_deref()).await
}

/// Creates the records in their order: many with one statement where none of them is refused, else each on its own.
async fn create_each<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<BulkResults> {
    // Records of one statement do not see each other.
    let may_be_together = plan.records.len() > 1 && !plan.has_upserts();
    if may_be_together && E::creates_together(lease, model).await? {
        return together::create_all::<E>(lease, model, plan).await;
    }
    let mut results = Vec::with_capacity(plan.records.len());
    for record in &*plan.records {
        let new = NewRecord::<E>::of(model, record, plan);
        create_one(lease, model, plan, record, &new, &mut results).await?;
    }
    Ok(results)
}

/// Creates a record in a savepoint, unless it is known to be wrong, and adds what became of it.
async fn create_one<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Model,
    plan: &BulkPlan,
    record: &Result<RecordBody>,
    new: &Result<NewRecord<E>>,
    results: &mut BulkResults,
) -> Result<()> {
    let result = match (record, new) {
        (Ok(record), Ok(new)) => create_in_savepoint(lease, model, &plan.shown, record, new).await,
        (Err(error), _) | (_, Err(error)) => Err(error.clone()),
    };
    match result {
        Err(error) if error.kind() != ErrorKind::Invalid => Err(error),
        result => {
            results.push(result);
            Ok(())
        }
    }
}

async fn create_in_savepoint<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Model,
    shown: &Projection,
    record: &RecordBody,
    new: &NewRecord<E>,
) -> Result<RecordJson> {
    E::run(lease, "SAVEPOINT record").await?;
    let created = match new {
        NewRecord::Create(create) => create.insert(lease).await,
        NewRecord::Upsert(upsert) => upsert.run_within(lease).await,
    };
    let created = created.and_then(|created| {
        // What a record had to have before it was changed was compared then.
        if created.before.is_none() {
            record.fixed.check(model, &created, &shown.zone)?;
        }
        Ok(created)
    });
    match created {
        Ok(created) => {
            if E::RELEASES_SAVEPOINTS {
                E::run(lease, "RELEASE record").await?;
            }
            Ok(created)
        }
        Err(error) if E::is_refusal(&error) => {
            E::run(lease, UNDO_RECORD).await?;
            Err(match new.create() {
                Some(create) => E::blame(lease, create, Some(UNDO_RECORD), error).await,
                None => error,
            })
        }
        Err(error) => Err(error),
    }
}

/// A record of a bulk create, in the way of an engine.
enum NewRecord<E: ServerEngine> {
    Create(E::Create),
    Upsert(Box<Upsert<E>>),
}

impl<E: ServerEngine> NewRecord<E> {
    /// Prepares a record of a plan, or says why it is refused.
    fn of(model: &Arc<Model>, record: &Result<RecordBody>, plan: &BulkPlan) -> Result<Self> {
        match record {
            Ok(record) => Self::new(model, record, plan.shown.clone()),
            Err(error) => Err(error.clone()),
        }
    }

    fn new(model: &Arc<Model>, record: &RecordBody, shown: Projection) -> Result<Self> {
        Ok(match record.unique.is_empty() {
            true => Self::Create(E::Create::new(model, record, shown)?),
            false => Self::Upsert(Box::new(Upsert::new(model, record, shown)?)),
        })
    }

    fn create(&self) -> Option<&E::Create> {
        match self {
            Self::Create(create) => Some(create),
            Self::Upsert(upsert) => upsert.create(),
        }
    }
}
