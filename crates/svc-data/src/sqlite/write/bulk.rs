//! Many records created at once, each in a savepoint of its own.

use std::sync::Arc;

use rusqlite::Connection;

use super::Create;
use crate::{
    Error, ErrorKind, Model, RecordJson,
    driver::Values,
    plan::Shown,
    records::taken_back,
    sqlite::{Told, pool::control},
};

/// Records to be created.
pub(crate) struct BulkCreate {
    /// Each as a statement, or why it cannot become one.
    records: Vec<Result<Create, Error>>,
    atomic: bool,
}

impl BulkCreate {
    pub(crate) fn new(model: &Arc<Model>, records: &[Values], atomic: bool, shown: &Shown) -> Self {
        let creates = records
            .iter()
            .map(|values| Create::new(model, values, shown.clone()));
        Self {
            records: creates.collect(),
            atomic,
        }
    }

    /// Creates them in the transaction of the writer.
    pub(crate) fn run(
        &self,
        connection: &Connection,
        told: Told<'_>,
    ) -> Result<Vec<Result<RecordJson, Error>>, Error> {
        let told_of = |sql| told.of(control(connection, sql));
        told_of("SAVEPOINT bulk")?;
        let mut results = Vec::with_capacity(self.records.len());
        let mut refused = false;
        for record in &self.records {
            let result = match record {
                Ok(create) => {
                    told_of("SAVEPOINT record")?;
                    let result = create.run(connection, told);
                    if result.is_err() && !connection.is_autocommit() {
                        told_of("ROLLBACK TO record")?;
                    }
                    if !connection.is_autocommit() {
                        told_of("RELEASE record")?;
                    }
                    result
                }
                Err(error) => Err(error.clone()),
            };
            match result {
                Err(error) if error.kind() != ErrorKind::Invalid || connection.is_autocommit() => {
                    return Err(error);
                }
                result => {
                    refused |= result.is_err();
                    results.push(result);
                }
            }
        }
        if self.atomic && refused {
            told_of("ROLLBACK TO bulk")?;
            for result in results.iter_mut().filter(|result| result.is_ok()) {
                *result = Err(taken_back());
            }
        }
        told_of("RELEASE bulk")?;
        Ok(results)
    }
}
