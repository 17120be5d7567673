//! The end of transactions on a database server.

use super::{
    ServerEngine,
    lease::{Faults as _, Lease},
};
use crate::{Model, Result};

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
