//! A call that is being put together.

use std::{fmt, future::IntoFuture, time::Duration};

use http::{HeaderName, HeaderValue};
use svc_model::{
    Tagged,
    wire::{BoxFuture, HasIfMatch, Operation, RequestError},
};

use crate::{Client, Error, RequestOptions};

/// A call that is being put together: an [operation](Operation) `O` that gives a `V`.
///
/// [`send`](Self::send), or `.await` itself, sends it. What can be set besides the
/// [options of any call](RequestOptions) depends on the operation.
///
/// ```
/// # use std::time::Duration;
/// # use svc_api::{Client, Error};
/// # #[cfg(feature = "records")]
/// # async fn example(client: Client) -> Result<(), Error> {
/// let order = client
///     .records("shop", "orders")
///     .get(7)
///     .fields(["id", "status"])
///     .deadline(Duration::from_secs(2))
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a call does nothing until it is sent"]
pub struct Call<O: Operation, V = <O as Operation>::Response> {
    pub(crate) client: Client,
    pub(crate) operation: Result<O, RequestError>,
    pub(crate) options: RequestOptions,
    value: fn(O::Response) -> V,
}

impl Client {
    /// A call of any [`Operation`]: one of `svc-model`, or one of your own.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::projects};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let project = client.call(projects::Get::new("demo")).send().await?;
    /// println!("{}", project.name);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<O: Operation>(&self, operation: O) -> Call<O> {
        Call::new(self, operation)
    }
}

impl<O: Operation> Call<O> {
    pub(crate) fn new(client: &Client, operation: O) -> Self {
        Self::try_new(client, Ok(operation))
    }

    /// A call whose operation may be one that cannot be sent.
    pub(crate) fn try_new(client: &Client, operation: Result<O, RequestError>) -> Self {
        Self::mapped(client, operation, |response| response)
    }
}

impl<O: Operation<Response = Tagged<V>>, V> Call<O, V> {
    /// A call whose entity tag is dropped unless it is asked for.
    pub(crate) fn untagged(client: &Client, operation: Result<O, RequestError>) -> Self {
        Self::mapped(client, operation, |tagged| tagged.value)
    }

    /// Sends the call and gives the value with its entity tag, which `if_match` takes.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_tagged(self) -> Result<Tagged<V>, Error> {
        self.client.run(self.operation, &self.options).await
    }
}

impl<O: Operation + HasIfMatch, V> Call<O, V> {
    /// Does it only when the record or page still has this entity tag, which
    /// [`send_tagged`](Self::send_tagged) gives; otherwise the call fails with 412.
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        self.with(|operation| *operation.if_match_mut() = Some(etag.into()))
    }
}

impl<O: Operation, V> Call<O, V> {
    /// A call that gives a part of what is answered.
    pub(crate) fn mapped(
        client: &Client,
        operation: Result<O, RequestError>,
        value: fn(O::Response) -> V,
    ) -> Self {
        Self {
            client: client.clone(),
            operation,
            options: RequestOptions::default(),
            value,
        }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut O)) -> Self {
        if let Ok(operation) = &mut self.operation {
            change(operation);
        }
        self
    }

    /// Sets all [options of any call](RequestOptions) at once.
    pub fn options(mut self, options: RequestOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets how long the call may take, with all its tries.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.options = self.options.deadline(deadline);
        self
    }

    /// Sets how often the call is tried, the first try counted.
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.options = self.options.max_tries(tries);
        self
    }

    /// Sends a further header, in place of the client's own one of that name.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.options = self.options.header(name, value);
        self
    }

    /// Names the call in the logs of the service (`X-Request-Id`).
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.options = self.options.request_id(id);
        self
    }

    /// Sends the call and gives its result.
    ///
    /// # Errors
    /// [`Error`], whose kind tells a call that could not be made from a failed exchange, an error
    /// of the service and an answer that is not what was expected.
    pub async fn send(self) -> Result<V, Error> {
        let response = self.client.run(self.operation, &self.options).await?;
        Ok((self.value)(response))
    }
}

impl<O, V> IntoFuture for Call<O, V>
where
    O: Operation + 'static,
    V: 'static,
{
    type Output = Result<V, Error>;
    type IntoFuture = BoxFuture<'static, Result<V, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<O: Operation, V> fmt::Debug for Call<O, V> {
    /// Leaves the operation's values out: they may be somebody's records.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("operation", &O::INFO.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
