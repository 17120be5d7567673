//! Calls over HTTP.

use std::{sync::OnceLock, time::Duration};

use reqwest::{
    Method, StatusCode,
    blocking::{Client, RequestBuilder},
    header::HeaderMap,
};
use serde_json::Value;

/// A request that is being built.
#[derive(Debug)]
pub struct Call {
    request: RequestBuilder,
    name: String,
}

impl Call {
    /// A call to an absolute URL.
    ///
    /// # Panics
    /// When the method is none.
    pub fn new(method: &str, url: &str) -> Self {
        static CLIENT: OnceLock<Client> = OnceLock::new();
        let client = CLIENT.get_or_init(|| {
            let client = Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(60));
            client
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .expect("a client")
        });
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        Self {
            name: format!("{method} {url}"),
            request: client.request(method, url),
        }
    }

    /// Sets the `Authorization` header.
    #[must_use]
    pub fn authorization(self, value: &str) -> Self {
        self.header("authorization", value)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// Gives up waiting after this time.
    #[must_use]
    pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
        self.request = self.request.timeout(timeout);
        self
    }

    /// Adds query parameters.
    #[must_use]
    pub fn query(mut self, pairs: &[(&str, &str)]) -> Self {
        self.request = self.request.query(pairs);
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.request = self.request.json(body);
        self
    }

    /// Sets the body to the fields of a form.
    #[must_use]
    pub fn form(self, fields: &[(&str, &str)]) -> Self {
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        self.header("content-type", "application/x-www-form-urlencoded")
            .body(fields.join("&"))
    }

    /// Sets a body of bytes, without a media type.
    #[must_use]
    pub fn body(mut self, body: impl Into<reqwest::blocking::Body>) -> Self {
        self.request = self.request.body(body);
        self
    }

    /// Sends it.
    ///
    /// # Panics
    /// When no answer comes.
    pub fn send(self) -> Answer {
        self.try_send().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Sends it; the error is a text when no whole answer comes.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub fn try_send(self) -> Result<Answer, String> {
        let name = self.name;
        let response = self
            .request
            .send()
            .map_err(|error| format!("{name}: {error:?}"))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response
            .bytes()
            .map_err(|error| format!("{name}: {error}"))?;
        Ok(Answer {
            name,
            status,
            headers,
            body: String::from_utf8_lossy(&bytes).into_owned(),
            bytes: bytes.into(),
        })
    }

    /// Sends it and expects this status.
    ///
    /// # Panics
    /// When the status is another.
    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        let answer = self.send();
        assert_eq!(
            answer.status.as_u16(),
            status,
            "{}: {}",
            answer.name,
            answer.body
        );
        answer
    }

    /// Sends it, expects 200 and gives the JSON.
    ///
    /// # Panics
    /// When the status is another, or the body is no JSON.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200).json()
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    name: String,
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, with U+FFFD for what is no text.
    pub body: String,
    /// The body as it came.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.name, self.body))
    }

    /// A header as text; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
