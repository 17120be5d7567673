//! Calls that carry an `Idempotency-Key`: one that is sent again gets the first answer, without the secret that it had.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use svc_model::{Invalid, records::MAX_IDEMPOTENCY_KEY, wire::Operation};
use svc_store::AnsweredCall;

use crate::{
    api::call::Call,
    http::{ApiError, ApiResult, response::json_response},
};

/// What a call made: the entry as it is answered, and the property that is shown once.
pub(super) struct Made {
    pub(super) answer: Value,
    /// The name of the property that holds a secret, if any.
    pub(super) secret: Option<&'static str>,
}

impl Made {
    /// An entry without a secret.
    pub(super) fn entry(json: &[u8]) -> ApiResult<Self> {
        Self::parse(json, None)
    }

    /// An entry with a secret, which is shown this once.
    pub(super) fn with_secret(
        json: &[u8],
        name: &'static str,
        secret: impl Serialize,
    ) -> ApiResult<Self> {
        let mut made = Self::parse(json, Some(name))?;
        let secret = serde_json::to_value(secret);
        made.answer[name] = secret.map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(made)
    }

    fn parse(json: &[u8], secret: Option<&'static str>) -> ApiResult<Self> {
        let answer = serde_json::from_slice(json);
        let answer = answer.map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Self { answer, secret })
    }

    fn without_secret(mut self) -> Value {
        if let Some(name) = self.secret {
            self.answer[name] = Value::Null;
        }
        self.answer
    }
}

impl<O: Operation> Call<O> {
    /// Creates something, once for each key that the caller gives: 201 with what was made, or what an earlier call with the
    /// key was answered with.
    pub(super) async fn create_once(
        &self,
        key: Option<&str>,
        create: impl AsyncFnOnce() -> ApiResult<Made>,
    ) -> ApiResult {
        // The process with the store has no account to keep an answer for.
        let key = key.filter(|_| !self.account.is_program());
        let Some(key) = key else {
            let made = create().await?;
            return Ok(json_response(StatusCode::CREATED, &made.answer));
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
            AnsweredCall::Answered(answer) => {
                let answer: Value = serde_json::from_str(&answer)
                    .map_err(|error| ApiError::Internal(error.to_string()))?;
                return Ok(json_response(StatusCode::CREATED, &answer));
            }
            AnsweredCall::Running => {
                return Err(ApiError::Undecided(
                    "a call with this Idempotency-Key is being answered; try again".to_owned(),
                ));
            }
            _ => return Err(ApiError::OtherRequest),
        }
        match create().await {
            Ok(made) => {
                let response = json_response(StatusCode::CREATED, &made.answer);
                let kept = made.without_secret().to_string();
                answered.end(uid, O::INFO.name, key, &kept).await?;
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
        request.extend_from_slice(&body.unwrap_or_default());
        Ok(request)
    }
}
