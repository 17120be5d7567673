//! Calls: builders that are sent with `send` or `.await`.

use std::{fmt, future::IntoFuture, time::Duration};

use http::{HeaderName, HeaderValue, StatusCode, header};
use svc_model::{
    ResponseError, Tagged,
    wire::{Body, BoxFuture, HasFields, HasIfMatch, HasStatementId, Operation, RequestError},
};

use crate::{Client, Error, RequestOptions, client::whole};

/// The builder of a call: an [operation](Operation) `O` with a result of type `V`.
///
/// [`send`](Self::send) or `.await` sends it. Which settings there are besides the
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
    /// Takes the result out of the response; `None` when it is not there.
    value: fn(O::Response) -> Option<V>,
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

    /// A call with an operation that may be invalid, in which case the call fails when it is sent.
    pub(crate) fn try_new(client: &Client, operation: Result<O, RequestError>) -> Self {
        Self::mapped(client, operation, Some)
    }
}

impl<O: Operation<Response = Tagged<V>>, V> Call<O, V> {
    /// A call that returns the value without its entity tag, unless [`send_tagged`](Self::send_tagged) is used.
    pub(crate) fn untagged(client: &Client, operation: Result<O, RequestError>) -> Self {
        Self::mapped(client, operation, |tagged| Some(tagged.value))
    }

    /// Sends the call and returns the value with its entity tag, which can be passed to `if_match`.
    ///
    /// # Errors
    /// The errors of [`send`](Self::send).
    pub async fn send_tagged(self) -> Result<Tagged<V>, Error> {
        self.client.run(self.operation, &self.options).await
    }
}

impl<O: Operation<Response = Tagged<T>>, T, V> Call<O, V> {
    /// Sends the call and returns the value, unless it still has this entity tag: then `None`, and the service sends no
    /// body.
    ///
    /// ```
    /// # use svc_api::{Client, Error, Tagged, Record};
    /// # #[cfg(feature = "records")]
    /// # async fn example(client: Client, mut known: Tagged<Record>) -> Result<(), Error> {
    /// let order = client.records("shop", "orders").get(7);
    /// if let Some(newer) = order.send_if_changed(known.etag.as_deref().unwrap_or("*")).await? {
    ///     known = newer;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`send`](Self::send); kind [`Request`](crate::ErrorKind::Request) when the tag cannot be sent.
    pub async fn send_if_changed(self, etag: &str) -> Result<Option<Tagged<T>>, Error> {
        let tag = HeaderValue::try_from(etag).map_err(|error| {
            let refused = RequestError::new("the entity tag cannot stand in a header");
            Error::request(&O::INFO, refused.with_source(error))
        })?;
        let call = self.header(header::IF_NONE_MATCH, tag);
        match call.client.run(call.operation, &call.options).await {
            Err(error) if error.status() == Some(StatusCode::NOT_MODIFIED) => Ok(None),
            other => other.map(Some),
        }
    }
}

impl<O: Operation + HasIfMatch, V> Call<O, V> {
    /// Makes the change only if the record or page still has this entity tag, which
    /// [`send_tagged`](Self::send_tagged) returned; otherwise the call fails with 412.
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        self.with(|operation| *operation.if_match_mut() = Some(etag.into()))
    }
}

impl<O: Operation + HasFields, V> Call<O, V> {
    /// Requests only these columns of records, and the primary key, or only these properties of pages.
    pub fn fields<N: Into<String>>(self, fields: impl IntoIterator<Item = N>) -> Self {
        let fields = fields.into_iter().map(Into::into).collect();
        self.with(|operation| operation.set_fields(fields))
    }
}

impl<O: Operation + HasStatementId, V> Call<O, V> {
    /// Sets the ID under which the call is listed while it runs, and by which it can be cancelled: 1 to 100 letters, digits,
    /// hyphens and underscores. Without this, the service chooses one. Another call with this ID that still runs makes
    /// this one fail with 409.
    pub fn statement_id(self, id: impl Into<String>) -> Self {
        self.with(|operation| *operation.statement_id_mut() = Some(id.into()))
    }
}

impl<O: Operation, V> Call<O, V> {
    /// A call that returns a part of the response.
    pub(crate) fn mapped(
        client: &Client,
        operation: Result<O, RequestError>,
        value: fn(O::Response) -> Option<V>,
    ) -> Self {
        Self {
            client: client.clone(),
            operation,
            options: RequestOptions::default(),
            value,
        }
    }

    /// The same call with another result.
    #[cfg(feature = "records")]
    pub(crate) fn read_as<T>(self, value: fn(O::Response) -> Option<T>) -> Call<O, T> {
        let Self {
            client,
            operation,
            options,
            ..
        } = self;
        Call {
            client,
            operation,
            options,
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

    /// Sets how long the call may take, including all tries.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.options = self.options.deadline(deadline);
        self
    }

    /// Sets the maximum number of tries, including the first one.
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.options = self.options.max_tries(tries);
        self
    }

    /// Adds a header, which replaces the client's own header of that name.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.options = self.options.header(name, value);
        self
    }

    /// Sets the ID of the request in the logs of the service (`X-Request-Id`).
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.options = self.options.request_id(id);
        self
    }

    /// Sends the call and returns its result.
    ///
    /// # Errors
    /// [`Error`], whose kind distinguishes a call that could not be made, a failed exchange, an error of
    /// the service, and a response that cannot be read.
    pub async fn send(self) -> Result<V, Error> {
        let response = self.client.run(self.operation, &self.options).await?;
        (self.value)(response).ok_or_else(unexpected::<O>)
    }
}

impl<O: Operation, V> Call<O, V> {
    /// Sends the call and returns its result as the body of a response, with the status and the headers that it came with,
    /// such as `X-Request-Id` and `RateLimit`.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::X_REQUEST_ID};
    /// # #[cfg(feature = "records")]
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let response = client.records("shop", "orders").get(7).send_with_response().await?;
    /// println!("request {:?}", response.headers().get(X_REQUEST_ID));
    /// println!("{:?}", response.body());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`send`](Self::send).
    pub async fn send_with_response(self) -> Result<http::Response<V>, Error> {
        let operation = self.operation;
        let operation = operation.map_err(|error| Error::request(&O::INFO, error))?;
        let answer = self.client.response_to(&operation, &self.options).await?;
        let mut response = http::Response::new(());
        *response.status_mut() = answer.response.status();
        *response.headers_mut() = answer.response.headers().clone();
        let value = (self.value)(answer.parse::<O>()?);
        let value = value.ok_or_else(unexpected::<O>)?;
        Ok(response.map(|()| value))
    }

    /// Sends the call and returns the response as soon as its head has arrived, with a body that streams: for lists as
    /// CSV or lines of JSON, which can be longer than the memory. The call's deadline covers
    /// the body too where the transport observes it; nothing is tried again once the body has begun, and the client's limit
    /// of a body does not apply.
    ///
    /// ```
    /// # use svc_api::{Client, RequestOptions, wire::Body};
    /// # #[cfg(feature = "records")]
    /// # async fn example(client: Client) -> Result<Body, svc_api::Error> {
    /// use http::{HeaderValue, header::ACCEPT};
    ///
    /// let orders = client.records("shop", "orders").list();
    /// let csv = orders
    ///     .options(RequestOptions::new().no_deadline())
    ///     .header(ACCEPT, HeaderValue::from_static("text/csv"));
    /// let body = csv.send_streaming().await?.into_body();
    /// # Ok(body)
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`send`](Self::send), but for those of the body of a success, which the body gives.
    pub async fn send_streaming(mut self) -> Result<http::Response<Body>, Error> {
        let operation = self.operation;
        let operation = operation.map_err(|error| Error::request(&O::INFO, error))?;
        self.options.streams = true;
        let answer = self.client.response_to(&operation, &self.options).await?;
        if answer.response.status().is_success() {
            return Ok(answer.response);
        }
        let error = ResponseError::from_error_response(answer.response.map(whole));
        Err(Error::response(&O::INFO, error, answer.authorized))
    }
}

fn unexpected<O: Operation>() -> Error {
    Error::unusable_answer(
        &O::INFO,
        "the answer has another type than the call expects",
    )
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
    /// Leaves out the values of the operation, which may be personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("operation", &O::INFO.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
