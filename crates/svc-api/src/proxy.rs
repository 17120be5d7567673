//! The HTTP proxy: requests to other services, with secrets that the caller does not know (wire contract, section 8).

use std::{fmt, future::IntoFuture, time::Duration};

use http::Method;
use serde::Serialize;
use serde_json::{Map, Value, json};
use svc_model::{
    ResourceName,
    proxy::{BodyType, ProxyRequest, ProxyResponse, Send},
    wire::{BoxFuture, RequestError},
};

use crate::{Call, Client, Error, RequestOptions};

/// The HTTP proxy of the client's project and environment, from [`Client::proxy`].
///
/// It requires a user's session or a service token. In the URL, the query parameters, the headers and the body,
/// `{-name-}` is replaced by the value of a secret token of the resource, which the caller never sees, and `{{key}}` by
/// a value of the context.
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let answer = client
///     .proxy()
///     .post("https://api.crm.example/people/{{id}}/notes")
///     .resource("crm")
///     .header("Authorization", "Bearer {-token-}")
///     .context("id", 7)
///     .json(&["called", "wrote"])
///     .await?;
/// // What the other service answered, whatever its status; an error is one of this service.
/// println!("{}: {} bytes", answer.status, answer.body.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Proxy {
    client: Client,
}

impl Client {
    /// The HTTP proxy, in the client's project and environment.
    pub fn proxy(&self) -> Proxy {
        Proxy {
            client: self.clone(),
        }
    }
}

impl Proxy {
    /// Sends a `GET` request to a URL.
    pub fn get(&self, url: impl Into<String>) -> ProxyCall {
        self.request(Method::GET, url)
    }

    /// Sends a `POST` request to a URL.
    pub fn post(&self, url: impl Into<String>) -> ProxyCall {
        self.request(Method::POST, url)
    }

    /// Sends a request with any method but `CONNECT` and `TRACE`.
    pub fn request(&self, method: Method, url: impl Into<String>) -> ProxyCall {
        let client = &self.client;
        let mut request = ProxyRequest::new(client.scope(), url);
        request.project = client.project().cloned();
        request.draft = client.draft();
        self.send(request.method(method))
    }

    /// Sends a prepared request, for the project and environment that it names.
    pub fn send(&self, request: ProxyRequest) -> ProxyCall {
        ProxyCall(Call::new(&self.client, Send::new(request)))
    }
}

/// The builder of a request to another service; [`send`](Self::send) or `.await` sends it.
///
/// Its methods change the request that the other service receives. The call to this service is changed with
/// [`options`](Self::options).
#[must_use = "a call does nothing until it is sent"]
pub struct ProxyCall(Call<Send>);

impl ProxyCall {
    /// Sets the resource whose secret tokens are used.
    pub fn resource(self, resource: impl Into<ResourceName>) -> Self {
        self.change(|request| request.resource(resource))
    }

    /// Adds a query parameter to those of the URL.
    pub fn query_param(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.change(|request| request.query_param(name, value))
    }

    /// Adds a header to the request that the other service receives.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.change(|request| request.header(name, value))
    }

    /// Sends JSON. When the value cannot be written as JSON, the call fails before it is sent.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => self.change(|request| request.body(BodyType::Json, value)),
            Err(error) => {
                let message = "the body cannot be written as JSON";
                self.0.operation = Err(RequestError::new(message).with_source(error));
                self
            }
        }
    }

    /// Sends a GraphQL query with its variables.
    pub fn graphql(self, query: impl Into<String>, variables: Map<String, Value>) -> Self {
        let mut body = Map::new();
        body.insert("query".to_owned(), Value::String(query.into()));
        body.insert("variables".to_owned(), Value::Object(variables));
        self.change(|request| request.body(BodyType::GraphQl, body))
    }

    /// Sends a form, `application/x-www-form-urlencoded`.
    pub fn form<N: Into<String>, V: Into<String>>(
        self,
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let fields = fields_of(fields);
        self.change(|request| request.body(BodyType::FormUrlEncoded, fields))
    }

    /// Sends a form, `multipart/form-data`.
    pub fn form_data<N: Into<String>, V: Into<String>>(
        self,
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let fields = fields_of(fields);
        self.change(|request| request.body(BodyType::FormData, fields))
    }

    /// Sends a text unchanged, as `text/plain` unless a header says otherwise.
    pub fn text(self, text: impl Into<String>) -> Self {
        let text: String = text.into();
        self.change(|request| request.body(BodyType::Raw, text))
    }

    /// Allows the use of this secret token, and forbids all that are not named with this function. If it is not called,
    /// all secret tokens of the resource may be used.
    pub fn secret_token(self, name: impl Into<String>) -> Self {
        self.change(|request| request.secret_token(name))
    }

    /// Sets the value that replaces `{{key}}`.
    pub fn context(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.change(|request| request.context(key, value))
    }

    /// Changes the request with a function.
    pub fn change(self, change: impl FnOnce(ProxyRequest) -> ProxyRequest) -> Self {
        Self(self.0.with(|operation| {
            let empty = ProxyRequest::new(("", ""), "");
            let request = std::mem::replace(&mut operation.request, empty);
            operation.request = change(request);
        }))
    }

    /// Sets all [options of any call](RequestOptions) at once.
    pub fn options(self, options: RequestOptions) -> Self {
        Self(self.0.options(options))
    }

    /// Sets how long the call may take.
    pub fn deadline(self, deadline: Duration) -> Self {
        Self(self.0.deadline(deadline))
    }

    /// Sends the request and returns the response of the other service, whatever its status.
    ///
    /// # Errors
    /// [`Error`], of kind [`Status`](crate::ErrorKind::Status) when this service refused the request (400, 401, 403,
    /// 404, 413, 429) or could not get a response (502, 504).
    pub async fn send(self) -> Result<ProxyResponse, Error> {
        self.0.send().await
    }
}

impl IntoFuture for ProxyCall {
    type Output = Result<ProxyResponse, Error>;
    type IntoFuture = BoxFuture<'static, Result<ProxyResponse, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl fmt::Debug for ProxyCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProxyCall").field(&self.0).finish()
    }
}

fn fields_of<N: Into<String>, V: Into<String>>(
    fields: impl IntoIterator<Item = (N, V)>,
) -> Vec<Value> {
    let field = |(name, value): (N, V)| json!({ "name": name.into(), "value": value.into() });
    fields.into_iter().map(field).collect()
}
