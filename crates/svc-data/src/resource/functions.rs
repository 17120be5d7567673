//! Functions and procedures of a connected database.

use bytes::Bytes;
use svc_model::JsonObject;

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Resource, Result, StatementKind,
    functions::{FunctionCall, unsupported},
};

impl Resource {
    /// Calls a function or procedure, with the arguments by their names and in a transaction of its own, and returns what it
    /// gives as JSON. `listed` are those that may be called: `name` or `schema.name`, with the types of the arguments where
    /// several have the name, as in `name(integer,text)`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when the function is not listed or not there; [`ErrorKind::Invalid`] when the arguments do
    /// not fit, with what the function raises, and when the database has no functions; else as [`Resource::list`].
    pub async fn call(
        &self,
        name: &str,
        listed: &[String],
        arguments: &JsonObject,
    ) -> Result<Bytes> {
        let driver = &self.inner.driver;
        if !driver.has_functions() {
            return Err(unsupported());
        }
        let call = FunctionCall::new(name, listed, arguments)?;
        let structure = self.structure();
        let answer = driver.call(&structure, call);
        self.inner
            .statements
            .timed(StatementKind::Call, answer)
            .await
    }
}
