//! Running statements: what callers read from a resource at the moment, and how it is ended.

use svc_model::{
    ResourceName,
    statements::{Cancel, List},
};

use crate::{Call, Client};

/// The running statements of a connected resource, from [`Client::statements`]. An administrator sees and ends those of
/// all callers, others their own.
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let statements = client.statements("shop");
/// for statement in statements.list().await? {
///     if statement.milliseconds > 5_000 {
///         statements.cancel(statement.id).await?;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Statements {
    client: Client,
    resource: ResourceName,
}

impl Client {
    /// The running statements of a connected resource, in the client's project and environment.
    pub fn statements(&self, resource: impl Into<ResourceName>) -> Statements {
        Statements {
            client: self.clone(),
            resource: resource.into(),
        }
    }
}

impl Statements {
    /// Lists the statements that run: SQL, lists, aggregates and groups.
    pub fn list(&self) -> Call<List> {
        let operation = List::new(self.client.scope(), self.resource.clone());
        Call::new(&self.client, operation)
    }

    /// Ends a statement in the database. Its call is answered with 409 and the code `cancelled`.
    pub fn cancel(&self, id: impl Into<String>) -> Call<Cancel> {
        let operation = Cancel::new(self.client.scope(), self.resource.clone(), id);
        Call::new(&self.client, operation)
    }
}
