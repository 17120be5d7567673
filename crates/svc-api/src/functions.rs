//! Functions and procedures of a connected database.

use serde_json::Value;
use svc_model::{JsonObject, ResourceName, functions};

use crate::{Call, Client};

/// The functions and procedures of a connected database that an administrator lists in the settings of the resource, from
/// [`Client::functions`].
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let functions = client.functions("shop");
/// let total = functions.call("public.total_of").argument("customer", 7).await?;
/// println!("{}", total.data);
/// functions.call("public.restock").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Functions {
    client: Client,
    resource: ResourceName,
}

impl Client {
    /// The functions and procedures of a connected database, in the client's project and environment.
    pub fn functions(&self, resource: impl Into<ResourceName>) -> Functions {
        Functions {
            client: self.clone(),
            resource: resource.into(),
        }
    }
}

impl Functions {
    /// Calls a function as it is listed, with or without the types of its arguments: `name`, `schema.name` or
    /// `name(integer,text)`.
    pub fn call(&self, function: impl Into<String>) -> Call<functions::Call> {
        let scope = self.client.scope();
        let arguments = JsonObject::new();
        let operation = functions::Call::new(scope, self.resource.clone(), function, arguments);
        Call::new(&self.client, operation)
    }
}

impl Call<functions::Call> {
    /// Sets the value of an argument.
    pub fn argument(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|operation| {
            // A value that is JSON can be written as JSON.
            let _ = operation.arguments.set(&name.into(), &value.into());
        })
    }

    /// Sets the values of all arguments, by their names.
    pub fn arguments(self, arguments: JsonObject) -> Self {
        self.with(|operation| operation.arguments = arguments)
    }
}
