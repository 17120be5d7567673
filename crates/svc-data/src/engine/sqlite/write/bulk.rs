//! Many records created at once, each in a savepoint of its own.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::Create;
use crate::{
    ErrorKind, Model, RecordJson, Result,
    engine::sqlite::{fault::Fault, pool::control, session::Session},
    record::{BulkPlan, take_back},
};

/// Records to be created.
pub(crate) struct BulkCreate {
    /// Each as a statement, or why it cannot become one.
    records: Vec<Result<Create>>,
    plan: BulkPlan,
    /// Where the caller is asked before the commit.
    runtime: Handle,
}

impl BulkCreate {
    pub(crate) fn new(model: &Arc<Model>, plan: BulkPlan, runtime: Handle) -> Self {
        let creates = plan.records.iter().map(|record| match record {
            Ok(record) => Create::new(model, &record.values, plan.shown.clone()),
            Err(error) => Err(error.clone()),
        });
        Self {
            records: creates.collect(),
            plan,
            runtime,
        }
    }

    /// Creates them in the transaction of the writer.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<Vec<Result<RecordJson>>, Fault> {
        let run = |sql| control(&session, sql);
        run("SAVEPOINT bulk")?;
        let mut results = Vec::with_capacity(self.records.len());
        let mut refused = false;
        for (create, record) in self.records.iter().zip(&self.plan.records) {
            let result = match create {
                Ok(create) => {
                    run("SAVEPOINT record")?;
                    let result = session.translate(create.run(session)).and_then(|created| {
                        if let Ok(record) = record {
                            let zone = &self.plan.shown.zone;
                            record.fixed.check(&create.model, &created, zone)?;
                        }
                        Ok(created)
                    });
                    if result.is_err() && !session.is_autocommit() {
                        run("ROLLBACK TO record")?;
                    }
                    if !session.is_autocommit() {
                        run("RELEASE record")?;
                    }
                    result
                }
                Err(error) => Err(error.clone()),
            };
            match result {
                Err(error) if error.kind() != ErrorKind::Invalid || session.is_autocommit() => {
                    return Err(error.into());
                }
                result => {
                    refused |= result.is_err();
                    results.push(result);
                }
            }
        }
        if self.plan.atomic && refused {
            run("ROLLBACK TO bulk")?;
            take_back(&mut results);
        }
        run("RELEASE bulk")?;
        if self.plan.is_watched(&results) {
            let watched = self.plan.before_commit(&results, None);
            self.runtime.block_on(watched)?;
        }
        Ok(results)
    }
}
