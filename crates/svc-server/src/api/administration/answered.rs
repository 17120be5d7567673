//! Calls that carry an `Idempotency-Key`: one that is sent again gets the first answer, without the secret that it had.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use svc_model::{Invalid, records::MAX_IDEMPOTENCY_KEY, wire::Operation};
use svc_store::AnsweredCall;

use crate::{
    api::call::Call,
    http::{
        ApiError, ApiResponse, ApiResult,
        response::{headers, json_response},
    },
};

/// What a call has made: the answer, and the property of it that is shown once.
pub(in crate::api) struct Made {
    /// JSON, as it was written.
    answer: Box<RawValue>,
    /// The name of the property that holds a secret, if any.
    secret: Option<&'static str>,
    /// The entity tag of what the call is about, where the answer has one.
    etag: Option<String>,
}

impl Made {
    /// An entry without a secret.
    pub(in crate::api) fn entry(json: &[u8]) -> ApiResult<Self> {
        Ok(Self::new(parsed(serde_json::from_slice(json))?))
    }

    /// An answer without a secret.
    pub(super) fn of(answer: &impl Serialize) -> ApiResult<Self> {
        Ok(Self::new(parsed(to_raw_value(answer))?))
    }

    /// The same with the entity tag of what the call is about.
    pub(in crate::api) fn tagged(self, etag: String) -> Self {
        Self {
            etag: Some(etag),
            ..self
        }
    }

    /// An entry with a secret, which is shown this once.
    pub(super) fn with_secret(
        json: &[u8],
        name: &'static str,
        secret: impl Serialize,
    ) -> ApiResult<Self> {
        let secret = parsed(serde_json::to_value(secret))?;
        let mut made = Self::entry(json)?;
        made.answer = with(&made.answer, name, secret)?;
        made.secret = Some(name);
        Ok(made)
    }

    fn new(answer: Box<RawValue>) -> Self {
        Self {
            answer,
            secret: None,
            etag: None,
        }
    }

    fn without_secret(mut self) -> ApiResult<Self> {
        if let Some(name) = self.secret.take() {
            self.answer = with(&self.answer, name, Value::Null)?;
        }
        Ok(self)
    }

    fn response(&self, status: StatusCode) -> ApiResponse {
        let mut response = json_response(status, &self.answer);
        let etag = self.etag.as_deref().map(HeaderValue::try_from);
        if let Some(Ok(etag)) = etag {
            response.headers_mut().insert(header::ETAG, etag);
        }
        if self.secret.is_some() {
            headers::set_secret(response.headers_mut());
        }
        response
    }
}

/// An entry with another value in one of its properties.
fn with(entry: &RawValue, name: &str, value: Value) -> ApiResult<Box<RawValue>> {
    let mut entry: Value = parsed(serde_json::from_str(entry.get()))?;
    entry[name] = value;
    parsed(to_raw_value(&entry))
}

fn parsed<T>(json: serde_json::Result<T>) -> ApiResult<T> {
    json.map_err(|error| ApiError::Internal(error.to_string()))
}

impl<O: Operation> Call<O> {
    /// Does something once for each key that the caller gives: the answer is what was made, or what an earlier call with the
    /// key was answered with.
    pub(in crate::api) async fn answer_once(
        &self,
        key: Option<&str>,
        act: impl AsyncFnOnce() -> ApiResult<Made>,
    ) -> ApiResult {
        // The process with the store has no account to keep an answer for.
        let key = key.filter(|_| !self.account.is_program());
        let Some(key) = key else {
            return Ok(act().await?.response(O::INFO.status));
        };
        if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY {
            let message = format!("must have 1 to {MAX_IDEMPOTENCY_KEY} characters");
            return Err(Invalid::field("Idempotency-Key", message).into());
        }
        let answered = self.state.store.answered_calls();
        let uid = self.account.uid();
        let request = self.request()?;
        match answered.begin(uid, O::INFO.name, key, &request).await? {
            AnsweredCall::New => {}
            AnsweredCall::Answered { answer, etag } => {
                let mut made = Made::entry(answer.as_bytes())?;
                made.etag = etag;
                return Ok(made.response(O::INFO.status));
            }
            AnsweredCall::Running => {
                return Err(ApiError::Undecided(
                    "a call with this Idempotency-Key is being answered; try again".to_owned(),
                ));
            }
            _ => return Err(ApiError::OtherRequest),
        }
        match act().await {
            Ok(made) => {
                let response = made.response(O::INFO.status);
                let kept = made.without_secret()?;
                let (answer, etag) = (kept.answer.get(), kept.etag.as_deref());
                answered.end(uid, O::INFO.name, key, answer, etag).await?;
                Ok(response)
            }
            Err(failure) => {
                answered.forget(uid, O::INFO.name, key).await?;
                Err(failure)
            }
        }
    }

    /// What tells this call from another one with the same key.
    fn request(&self) -> ApiResult<Vec<u8>> {
        let body = self.operation.body();
        let body = body.map_err(|error| ApiError::Internal(error.to_string()))?;
        let mut request = Vec::new();
        for argument in self.operation.path_arguments().iter() {
            request.extend_from_slice(argument.as_bytes());
            request.push(0);
        }
        let query = self.operation.query();
        if !query.as_str().is_empty() {
            request.extend_from_slice(query.as_str().as_bytes());
            request.push(0);
        }
        request.extend_from_slice(&body.unwrap_or_default());
        Ok(request)
    }
}
