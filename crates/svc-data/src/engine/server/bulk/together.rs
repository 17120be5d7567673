//! Many records created with one statement where none of them is refused. While the server works, the rows that it made
//! before are read, and the next records are prepared.

use std::{mem::replace, sync::Arc};

use futures_util::future::join;
use tokio::task::yield_now;

use super::{NewRecord, create_one};
use crate::{
    Error, ErrorKind, Model, RecordJson, Result,
    engine::{
        answers::Cells as _,
        server::{ServerEngine, lease::Lease},
    },
    record::{BulkPlan, BulkResults, RecordBody},
};

/// How many records are created with one statement as long as none of them is refused.
const TOGETHER: usize = 256;
/// Makes the savepoint of records that are created together, and makes it again for those behind them.
const MAKE_SAVEPOINT: &str = "SAVEPOINT records";
const MOVE_SAVEPOINT: &str = "RELEASE records; SAVEPOINT records";

/// Records that are created together, each as the engine creates it, or why it is refused.
struct Together<'p, E: ServerEngine> {
    records: &'p [Result<RecordBody>],
    new: Vec<Result<NewRecord<E>>>,
}

/// The rows that the server made of records.
struct Made<'p, E: ServerEngine> {
    of: Together<'p, E>,
    rows: Vec<E::Row>,
    keys_alone: bool,
}

/// Creates the records in their order: many together where none of them is refused, else each on its own.
pub(super) async fn create_all<E: ServerEngine>(
    lease: &mut Lease<E::Manager>,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<BulkResults> {
    let mut results = Vec::with_capacity(plan.records.len());
    let mut chunks = plan.records.chunks(TOGETHER);
    let mut prepare_next = || {
        let records = chunks.next()?;
        Some(Together::<E>::new(model, plan, records))
    };
    let mut savepoint = MAKE_SAVEPOINT;
    let mut made: Option<Made<'_, E>> = None;
    let mut next = prepare_next();
    while let Some(together) = next {
        let creates = together.creates();
        let is_any_made = made.as_ref().is_some_and(|made| !made.rows.is_empty());
        let keys_alone = plan.keys_suffice && (is_any_made || plan.reads_keys_alone(&results));
        let create = async {
            match creates.as_slice() {
                [] => Ok(Vec::new()),
                creates => {
                    let make = replace(&mut savepoint, MOVE_SAVEPOINT);
                    E::create_together(lease, model, creates, keys_alone, make).await
                }
            }
        };
        let beside = async {
            // What is sent leaves before this.
            yield_now().await;
            if let Some(made) = made.take() {
                results.extend(made.results(model, plan)?);
            }
            Ok::<_, Error>(prepare_next())
        };
        let (created, prepared) = join(create, beside).await;
        next = prepared?;
        let created = match created {
            // Some may have to be taken back.
            Ok(rows) if together.compares() => {
                let read = together.results(model, plan, &rows, keys_alone);
                match read {
                    Ok(read) => {
                        results.extend(read);
                        continue;
                    }
                    Err(error) => Err(error),
                }
            }
            created => created,
        };
        match created {
            Ok(rows) => {
                made = Some(Made {
                    of: together,
                    rows,
                    keys_alone,
                });
            }
            Err(error) if E::is_refusal(&error) => {
                E::run(lease, "ROLLBACK TO records").await?;
                for (record, new) in together.records.iter().zip(&together.new) {
                    create_one(lease, model, plan, record, new, &mut results).await?;
                }
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(made) = made {
        results.extend(made.results(model, plan)?);
    }
    Ok(results)
}

impl<'p, E: ServerEngine> Together<'p, E> {
    fn new(model: &Arc<Model>, plan: &BulkPlan, records: &'p [Result<RecordBody>]) -> Self {
        let new = records.iter();
        let new = new.map(|record| NewRecord::of(model, record, plan));
        Self {
            records,
            new: new.collect(),
        }
    }

    fn creates(&self) -> Vec<&E::Create> {
        let new = self.new.iter().flatten();
        new.filter_map(NewRecord::create).collect()
    }

    /// Whether values that were sent are compared with those that the database computes.
    fn compares(&self) -> bool {
        let mut records = self.records.iter().flatten();
        records.any(|record| !record.fixed.is_empty())
    }

    /// What became of each record.
    fn results(
        &self,
        model: &Model,
        plan: &BulkPlan,
        rows: &[E::Row],
        keys_alone: bool,
    ) -> Result<BulkResults> {
        let mut rows = rows.iter();
        let records = self.records.iter().zip(&self.new);
        let results = records.map(|(record, new)| {
            let record = match (record, new) {
                (Ok(record), Ok(_)) => record,
                (Err(error), _) | (_, Err(error)) if error.kind() == ErrorKind::Invalid => {
                    return Ok(Err(error.clone()));
                }
                (Err(error), _) | (_, Err(error)) => return Err(error.clone()),
            };
            let row = rows.next();
            let row = row.ok_or_else(|| Error::internal("a record is missing"))?;
            if keys_alone {
                let mut key = Vec::new();
                row.write_shown(&mut key, &model.fields, &plan.shown)?;
                return Ok(Ok(RecordJson::new(key.into(), String::new())));
            }
            let created = row.record(&model.fields, &plan.shown)?;
            record.fixed.check(model, &created, &plan.shown.zone)?;
            Ok(Ok(created))
        });
        results.collect()
    }
}

impl<E: ServerEngine> Made<'_, E> {
    fn results(&self, model: &Model, plan: &BulkPlan) -> Result<BulkResults> {
        self.of.results(model, plan, &self.rows, self.keys_alone)
    }
}
