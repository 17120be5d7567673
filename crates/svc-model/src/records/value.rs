//! Raw values: one value of a record by itself, in whole or in part.

use std::{
    fmt,
    ops::{RangeFrom, RangeInclusive},
};

use bytes::Bytes;
use http::{HeaderName, StatusCode, header};

use super::Collection;
use crate::{FieldName, RecordId, ResponseError, wire::Operation};

/// Raw value: `GET B/{id}/{field}`, 200 with the value, 206 with a part of it, or 204 for NULL.
///
/// ```
/// use svc_model::{records, wire::Operation};
///
/// let files = records::Collection::new(("demo", "prod"), "shop", "files");
/// let value = records::GetValue::new(files, 7, "content").range(records::ByteRange::from(0..=99));
/// let request = value.to_request("https://data.example.com")?;
/// assert_eq!(request.uri().path(), "/projects/demo/prod/shop/models/files/7/content");
/// assert_eq!(request.headers()["range"], "bytes=0-99");
/// # Ok::<(), svc_model::wire::RequestError>(())
/// ```
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}/{field}")]
#[operation(name = "records.get_value", credential = StaticToken)]
#[operation(answer = Option<RawValue>, parse = read_value)]
#[operation(new = "Gets a value of a record.")]
#[non_exhaustive]
pub struct GetValue {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The field.
    #[wire(path)]
    pub field: FieldName,
    /// UTC offset or IANA time zone of a time; UTC when `None`.
    #[wire(query = "tz")]
    pub time_zone: Option<String>,
    /// Requests only this part of the value; the whole value when `None`.
    #[wire(header = "range")]
    pub range: Option<ByteRange>,
    /// Requests the part only if the value still has this entity tag, and otherwise the whole value.
    #[wire(header = "if-range")]
    pub if_range: Option<String>,
}

/// A part of a value, by its bytes, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteRange {
    /// From the first to the last of these bytes; a value that has fewer ends it.
    Between(u64, u64),
    /// From this byte to the end.
    From(u64),
    /// So many bytes at the end.
    Last(u64),
}

impl From<RangeInclusive<u64>> for ByteRange {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self::Between(*range.start(), *range.end())
    }
}

impl From<RangeFrom<u64>> for ByteRange {
    fn from(range: RangeFrom<u64>) -> Self {
        Self::From(range.start)
    }
}

impl fmt::Display for ByteRange {
    /// Writes the value of the `Range` header.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Between(first, last) => write!(f, "bytes={first}-{last}"),
            Self::From(first) => write!(f, "bytes={first}-"),
            Self::Last(length) => write!(f, "bytes=-{length}"),
        }
    }
}

/// A value as it is, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawValue {
    /// The bytes: of binary data as they are stored, of other values their text.
    pub bytes: Bytes,
    /// The media type, such as `application/octet-stream`.
    pub media_type: Option<String>,
    /// The entity tag of the value, with its quotes.
    pub etag: Option<String>,
    /// Where the part begins, and how many bytes the whole value has; `None` for the whole value.
    pub part: Option<(u64, u64)>,
}

/// Reads a value; `None` for NULL.
fn read_value(response: http::Response<Bytes>) -> Result<Option<RawValue>, ResponseError> {
    let (parts, bytes) = response.into_parts();
    if parts.status == StatusCode::NO_CONTENT {
        return Ok(None);
    }
    let text = |name: HeaderName| parts.headers.get(name)?.to_str().ok().map(str::to_owned);
    let range = text(header::CONTENT_RANGE).filter(|_| parts.status == StatusCode::PARTIAL_CONTENT);
    Ok(Some(RawValue {
        bytes,
        media_type: text(header::CONTENT_TYPE),
        etag: text(header::ETAG),
        part: range.and_then(|range| read_part(&range)),
    }))
}

/// Reads a `Content-Range`, such as `bytes 0-99/1000`.
fn read_part(range: &str) -> Option<(u64, u64)> {
    let (place, length) = range.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = place.split_once('-')?;
    Some((first.parse().ok()?, length.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: StatusCode, range: &str) -> Option<RawValue> {
        let mut response = http::Response::new(Bytes::from_static(b"abc"));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_RANGE, range.parse().unwrap());
        headers.insert(header::ETAG, "\"a\"".parse().unwrap());
        GetValue::parse_response(response).unwrap()
    }

    #[test]
    fn a_part_of_a_value_knows_where_it_begins_and_null_is_no_value() {
        let part = read(StatusCode::PARTIAL_CONTENT, "bytes 2-4/10").unwrap();
        assert_eq!((&part.bytes[..], part.part), (&b"abc"[..], Some((2, 10))));
        assert_eq!(part.etag.as_deref(), Some("\"a\""));
        assert_eq!(read(StatusCode::OK, "bytes 2-4/10").unwrap().part, None);
        assert_eq!(read(StatusCode::NO_CONTENT, ""), None);
    }

    #[test]
    fn ranges_are_written_as_the_header_has_them() {
        let written = |range: ByteRange| range.to_string();
        assert_eq!(written((3..=7).into()), "bytes=3-7");
        assert_eq!(written((3..).into()), "bytes=3-");
        assert_eq!(written(ByteRange::Last(5)), "bytes=-5");
    }
}
