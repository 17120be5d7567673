//! A connection to a database server while a caller has it, and what a kind of server must say about its connections.

use deadpool::managed::{Manager, Object};

use crate::{
    Error, Model, Result,
    admission::{Permit, Work},
};

/// What the errors of a kind of server mean.
pub(crate) trait Faults: Manager {
    /// Translates why a server cannot be used, with a remedy where it gave a reason.
    fn unreachable(error: Self::Error) -> Error;

    /// Whether the server has reached a limit of connections, which is said of an error made by
    /// [`unreachable`](Self::unreachable).
    fn is_full(error: &Error) -> bool;

    /// Whether a connection that gave this error cannot be used any more, or still does what was asked of it.
    fn breaks_the_connection(error: &Error) -> bool;

    /// Explains a refusal of a write on `model`, on the fields it is about.
    fn explain(model: &Model, error: Error, is_write: bool) -> Error;
}

/// What makes connections to a kind of server, and ends them.
pub(crate) trait ConnectionManager:
    Manager<Type: Send + Sync, Error: std::fmt::Display> + Faults + 'static
{
    /// What it takes to end a statement that no caller waits for any more.
    type Ender: Clone + Send + Sync;

    /// Asks the server for the shortest answer that it has.
    fn ping(connection: &mut Self::Type) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Ends what a connection does, and the connection.
    fn end(connection: Self::Type, ender: Self::Ender);
}

/// A connection that no other caller uses. Unless it is [given back](Self::give_back) it is closed, and what it
/// does is ended: the caller has gone, or waited long enough.
pub(crate) struct Lease<M: ConnectionManager> {
    object: Option<Object<M>>,
    ender: M::Ender,
    /// Given back after the connection.
    permit: Permit,
}

impl<M: ConnectionManager> Lease<M> {
    /// A connection that was taken out of its pool.
    pub(super) fn new(object: Object<M>, ender: M::Ender, permit: Permit) -> Self {
        Self {
            object: Some(object),
            ender,
            permit,
        }
    }

    pub(crate) fn client(&self) -> Result<&M::Type> {
        self.object.as_deref().ok_or_else(gone)
    }

    pub(crate) fn client_mut(&mut self) -> Result<&mut M::Type> {
        self.object.as_deref_mut().ok_or_else(gone)
    }

    /// Lets statements of others have the connection, too, unless `most` connections do that, or nothing was done on it yet: the first
    /// statements of a connection take long. Says whether they may.
    pub(super) fn share(&mut self, most: usize) -> bool {
        let object = self.object.as_ref();
        object.is_some_and(|object| Object::metrics(object).recycle_count > 0)
            && self.permit.pass_to(Work::pipeline(), most)
    }

    /// Keeps the connection for others, unless it broke.
    pub(crate) fn give_back<T>(mut self, result: Result<T>) -> Result<T> {
        if !result.as_ref().is_err_and(M::breaks_the_connection) {
            drop(self.object.take());
        }
        result
    }

    /// Closes the connection, for example since much of an answer is left on it.
    pub(crate) fn close(&mut self) {
        if let Some(object) = self.object.take() {
            M::end(Object::take(object), self.ender.clone());
        }
    }
}

pub(super) fn gone() -> Error {
    Error::internal("a connection was given back while it was used")
}

impl<M: ConnectionManager> Drop for Lease<M> {
    fn drop(&mut self) {
        self.close();
    }
}
