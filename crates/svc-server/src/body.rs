//! Reading a request body: limit, time, media type, JSON.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::value::RawValue;
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

/// Reads a body that must be a JSON array of objects, at most `most` of them.
pub(crate) async fn read_objects(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
    most: usize,
) -> Result<Vec<JsonObject>, Failure> {
    check_media_type(headers)?;
    parse_objects(&read(headers, body, config).await?, most)
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
    serde_json::from_str(text(bytes, "object")?)
        .map_err(|error| wrong(format!("the request body must be a JSON object: {error}")))
}

fn parse_objects(bytes: &[u8], most: usize) -> Result<Vec<JsonObject>, Failure> {
    let elements: Vec<&RawValue> =
        serde_json::from_str(text(bytes, "array of objects")?).map_err(|error| {
            wrong(format!(
                "the request body must be a JSON array of objects: {error}"
            ))
        })?;
    if elements.len() > most {
        return Err(wrong(format!(
            "at most {most} records are taken at once, not {}",
            elements.len()
        )));
    }
    let objects = elements.iter().enumerate().map(|(index, element)| {
        serde_json::from_str(element.get()).map_err(|error| {
            wrong(format!(
                "element {index} of the array, counted from 0, must be a JSON object: {error}"
            ))
        })
    });
    objects.collect()
}

/// The text of a body. It is checked as a whole, since a raw value would let bytes that are no text through
/// to its field.
fn text<'b>(bytes: &'b [u8], expected: &str) -> Result<&'b str, Failure> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong(format!(
            "the request body is empty; a JSON {expected} is expected"
        )));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        wrong(format!(
            "the request body is not UTF-8 at byte {}",
            error.valid_up_to()
        ))
    })
}

fn wrong(message: String) -> Failure {
    Failure::Invalid(Invalid::general(message))
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
    fn an_array_is_one_of_objects_and_not_longer_than_it_may_be() {
        let refused = |body: &str| match parse_objects(body.as_bytes(), 2) {
            Err(Failure::Invalid(invalid)) => invalid.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(parse_objects(b"[]", 2).unwrap().len(), 0);
        assert_eq!(parse_objects(br#"[{"a":1},{}]"#, 2).unwrap().len(), 2);
        assert!(refused("[{},{},{}]").contains("at most 2 records"));
        assert!(refused("[{},7]").contains("element 1"));
        assert!(refused("{}").contains("array of objects"));
        assert!(refused("").contains("empty"));
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
