//! Reading a request body: limit, time, media type, JSON.

pub(crate) mod arriving;
pub(crate) mod memory;

use std::{error::Error, fmt};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::{
    Deserializer as _,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::{Invalid, JsonObject, MAX_JSON_DEPTH, json_depth};

use crate::{
    Config,
    http::{ApiError, ApiResult, body::arriving::Cause},
};

/// The most properties of an object: more than any table has columns.
const MAX_PROPERTIES: usize = 10_000;

/// Reads a body that must be a JSON object.
pub(crate) async fn read_object(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
) -> ApiResult<JsonObject> {
    read_object_within(headers, body, config, config.body_limit).await
}

/// Reads a body that must be a JSON object, or empty, which means an object without properties.
pub(crate) async fn read_object_or_nothing(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
) -> ApiResult<JsonObject> {
    check_media_type(headers)?;
    let bytes = read(headers, body, config, config.body_limit).await?;
    match bytes.is_empty() {
        true => Ok(JsonObject::new()),
        false => parse_object(&bytes),
    }
}

/// Reads a body that must be a JSON object of at most `limit` bytes.
pub(crate) async fn read_object_within(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
    limit: usize,
) -> ApiResult<JsonObject> {
    check_media_type(headers)?;
    parse_object(&read(headers, body, config, limit).await?)
}

/// Reads a body that must be a JSON array of objects, at most `most` of them.
pub(crate) async fn read_objects(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
    most: usize,
) -> ApiResult<Vec<JsonObject>> {
    check_media_type(headers)?;
    parse_objects(&read(headers, body, config, config.body_limit).await?, most)
}

fn check_media_type(headers: &HeaderMap) -> ApiResult<()> {
    // A compressed body is not unpacked: a small one could become a large one.
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::UnsupportedMediaType);
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
        Err(ApiError::UnsupportedMediaType)
    }
}

/// Reads a body of at most `limit` bytes, of whatever media type.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    config: &Config,
    limit: usize,
) -> ApiResult<Bytes> {
    let limit = limit.min(config.body_limit);
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(ApiError::PayloadTooLarge { limit });
    }
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::PayloadTooLarge { limit }),
        Err(error) => Err(broken_off(&*error)),
    }
}

/// Why a body did not arrive as a whole.
pub(crate) fn broken_off(error: &(dyn Error + 'static)) -> ApiError {
    match Cause::of(error) {
        Some(Cause::TooSlow) => ApiError::BodyTimeout,
        Some(Cause::NoMemory) => ApiError::Overloaded(
            "there is no memory for this request body now; try again, or send less at once",
        ),
        None => ApiError::Invalid(Invalid::general("the request body broke off")),
    }
}

fn parse_object(bytes: &[u8]) -> ApiResult<JsonObject> {
    let text = text(bytes, "object")?;
    // The object itself is a level above its values.
    check_depth(text, MAX_JSON_DEPTH + 1)?;
    JsonObject::parse(text, MAX_PROPERTIES)
        .map_err(|error| wrong(format!("the request body must be a JSON object: {error}")))
}

fn parse_objects(bytes: &[u8], most: usize) -> ApiResult<Vec<JsonObject>> {
    let text = text(bytes, "array of objects")?;
    check_depth(text, MAX_JSON_DEPTH + 2)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let elements = json
        .deserialize_seq(Elements { most })
        .and_then(|elements| json.end().map(|()| elements))
        .map_err(|error| {
            wrong(format!(
                "the request body must be a JSON array of objects: {error}"
            ))
        })?;
    let objects = elements.iter().enumerate().map(|(index, element)| {
        JsonObject::parse(element.get(), MAX_PROPERTIES).map_err(|error| {
            wrong(format!(
                "element {index} of the array, counted from 0, must be a JSON object: {error}"
            ))
        })
    });
    objects.collect()
}

/// Reads the elements of an array, up to the first that is too many.
struct Elements {
    most: usize,
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            if elements.len() == self.most {
                return Err(A::Error::custom(format_args!(
                    "at most {} records are allowed at once",
                    self.most
                )));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}

/// The text of a body. It is checked as a whole, since a raw value would let bytes that are no text through
/// to its field.
fn text<'b>(bytes: &'b [u8], expected: &str) -> ApiResult<&'b str> {
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

/// Refuses what many readers of JSON could not read again.
fn check_depth(text: &str, most: usize) -> ApiResult<()> {
    match json_depth(text) <= most {
        true => Ok(()),
        false => Err(wrong(format!(
            "the values in the request body may be nested {MAX_JSON_DEPTH} levels deep, and they are deeper"
        ))),
    }
}

fn wrong(message: String) -> ApiError {
    ApiError::Invalid(Invalid::general(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> String {
        match parse_object(body) {
            Err(ApiError::Invalid(invalid)) => invalid.to_string(),
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
        let many: Vec<_> = (0..=MAX_PROPERTIES).map(|n| format!("\"{n}\":0")).collect();
        let many = format!("{{{}}}", many.join(","));
        assert!(refused(many.as_bytes()).contains("at most 10000 properties"));
    }

    #[test]
    fn an_array_is_one_of_objects_and_not_longer_than_it_may_be() {
        let refused = |body: &str| match parse_objects(body.as_bytes(), 2) {
            Err(ApiError::Invalid(invalid)) => invalid.to_string(),
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
    fn a_body_is_not_nested_deeper_than_its_readers_can_read() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let object = |levels| format!("{{\"a\":{}}}", nested(levels));
        assert!(parse_object(object(100).as_bytes()).is_ok());
        assert!(refused(object(101).as_bytes()).contains("100 levels"));
        assert!(refused(object(100_000).as_bytes()).contains("100 levels"));
        let array = |levels| format!("[{}]", object(levels));
        assert!(parse_objects(array(100).as_bytes(), 1).is_ok());
        assert!(parse_objects(array(101).as_bytes(), 1).is_err());
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
