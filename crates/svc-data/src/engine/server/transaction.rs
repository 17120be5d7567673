//! Transactions on a database server, and the many records that are created in one.

use std::sync::Arc;

use super::{
    CreateRecord as _, ServerEngine,
    connections::{Faults as _, Lease},
};
use crate::{
    Error, ErrorKind, Model, RecordJson, Result,
    record::{BulkPlan, BulkResults, RecordBody, take_back},
};

/// How many records are created with one statement as long as none of them is refused.
const TOGETHER: usize = 256;
/// Takes back what was done since the savepoint of a record.
const UNDO_RECORD: &str = "ROLLBACK TO record";

/// Ends a transaction: keeps what was done, or none of it.
pub(in crate::engine) async fn finish<E: ServerEngine, T>(
    lease: &mut Lease<E::Manager>,
    model: &Model,
    result: Result<T>,
    is_write: bool,
) -> Result<T> {
    match result {
        Ok(value) => {
            let committed = E::run(lease, "COMMIT").await;
            committed.map_err(|error| E::Manager::explain(model, error, is_write))?;
            Ok(value)
        }
        Err(error) => {
            // What fails here closes the connection, which ends the transaction too.
            if !E::Manager::breaks_the_connection(&error) {
                E::run(lease, "ROLLBACK").await.ok();
            }
            Err(error)
        }
    }
}

/// Creates records in one transaction, each in a savepoint of its own.
pub(super) async fn bulk_create<E: ServerEngine>(
    engine: &E,
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<BulkResults> {
    E::run(lease, E::BEGIN).await?;
    let mut created = create_each::<E>(lease, model, plan).await;
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
    let mut results = Vec::with_capacity(plan.records.len());
    let together = plan.records.len() > 1 && E::creates_together(lease, model).await?;
    for records in plan.records.chunks(TOGETHER) {
        if together && let Some(created) = create_together::<E>(lease, model, plan, records).await?
        {
            results.extend(created);
            continue;
        }
        for record in records {
            let result = match record {
                Ok(record) => create_one::<E>(lease, model, plan, record).await,
                Err(error) => Err(error.clone()),
            };
            match result {
                Err(error) if error.kind() != ErrorKind::Invalid => return Err(error),
                result => results.push(result),
            }
        }
    }
    Ok(results)
}

/// Creates records in one savepoint, but for those that are known to be wrong. When another one is refused, nothing is
/// done, and `None` is returned.
async fn create_together<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
    records: &[Result<RecordBody>],
) -> Result<Option<BulkResults>> {
    let good: Vec<&RecordBody> = records.iter().flatten().collect();
    E::run(lease, "SAVEPOINT records").await?;
    let created = E::create_together(lease, model, &good, &plan.shown).await;
    let created = created.and_then(|created| {
        for (record, created) in good.iter().zip(&created) {
            record.fixed.check(model, created, &plan.shown.zone)?;
        }
        Ok(created)
    });
    match created {
        Ok(created) => {
            E::run(lease, "RELEASE records").await?;
            let mut created = created.into_iter();
            let results = records.iter().map(|record| match record {
                Ok(_) => created
                    .next()
                    .ok_or_else(|| Error::internal("a record is missing")),
                Err(error) => Err(error.clone()),
            });
            Ok(Some(results.collect()))
        }
        Err(error) if E::is_refusal(&error) => {
            E::run(lease, "ROLLBACK TO records").await?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

async fn create_one<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
    record: &RecordBody,
) -> Result<RecordJson> {
    let create = E::Create::new(model, &record.values, plan.shown.clone())?;
    E::run(lease, "SAVEPOINT record").await?;
    let created = create.insert(lease).await.and_then(|created| {
        record.fixed.check(model, &created, &plan.shown.zone)?;
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
            Err(E::blame(lease, &create, UNDO_RECORD, error).await)
        }
        Err(error) => Err(error),
    }
}
