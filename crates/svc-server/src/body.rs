//! Reading a request body: limit, time, media type, JSON.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use svc_model::{Invalid, JsonObject};

use crate::{Config, failure::Failure};

/// Reads a body that must be a JSON object.
pub(crate) async fn read_object(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
) -> Result<JsonObject, Failure> {
    check_media_type(headers)?;
    parse_object(&read(headers, body, config).await?)
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Failure> {
    // A compressed body is not unpacked: a small one could become a large one.
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(Failure::UnsupportedMediaType);
    }
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let media_type = value.to_str().unwrap_or_default();
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let json = essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"));
    if json {
        Ok(())
    } else {
        Err(Failure::UnsupportedMediaType)
    }
}

async fn read(headers: &HeaderMap, body: Body, config: &Config) -> Result<Bytes, Failure> {
    let limit = config.body_limit;
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(Failure::PayloadTooLarge { limit });
    }
    let collect = Limited::new(body, limit).collect();
    match tokio::time::timeout(config.body_timeout, collect).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Failure::PayloadTooLarge { limit }),
        Ok(Err(_)) => Err(Failure::Invalid(Invalid::general(
            "the request body broke off",
        ))),
        Err(_) => Err(Failure::BodyTimeout),
    }
}

fn parse_object(bytes: &[u8]) -> Result<JsonObject, Failure> {
    let wrong = |message: String| Failure::Invalid(Invalid::general(message));
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong(
            "the request body is empty; a JSON object is expected".to_owned(),
        ));
    }
    // Checked as a whole first, since a raw value would let bytes that are no text through to its field.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        wrong(format!(
            "the request body is not UTF-8 at byte {}",
            error.valid_up_to()
        ))
    })?;
    serde_json::from_str(text)
        .map_err(|error| wrong(format!("the request body must be a JSON object: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> String {
        match parse_object(body) {
            Err(Failure::Invalid(invalid)) => invalid.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_body_that_is_no_json_object_is_refused_with_its_place() {
        assert!(refused(b"{\"a\":").contains("EOF while parsing"));
        assert!(refused(b"[1]").contains("expected a JSON object"));
        assert!(refused(b"{\"a\":1} x").contains("trailing characters at line 1 column 9"));
        assert!(refused(b"{\"a\":\"\xff\"}").contains("not UTF-8 at byte 6"));
        assert!(refused(b" \n").contains("empty"));
        assert!(refused(b"{'a':1}").contains("line 1 column 2"));
    }

    #[test]
    fn only_json_is_a_media_type_of_a_body() {
        let checked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            check_media_type(&headers).is_ok()
        };
        assert!(checked("application/json"));
        assert!(checked("Application/JSON; charset=utf-8"));
        assert!(checked("application/merge-patch+json"));
        assert!(!checked("text/plain"));
        assert!(!checked("application/x-www-form-urlencoded"));
        assert!(check_media_type(&HeaderMap::new()).is_ok());
        let mut packed = HeaderMap::new();
        packed.insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
        assert!(check_media_type(&packed).is_err());
    }
}
