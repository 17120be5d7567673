//! Answers of bytes that are no JSON of ours: with a type, a name for those who save them, and parts
//! (RFC 9110, section 14).

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{ApiResponse, Kept, etag_of, is_known, unmodified_response};
use crate::http::{
    ApiError, ApiResult,
    range::{Requested, requested},
};

/// What is escaped in a parameter of a header (RFC 8187, section 3.2.1).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// What is answered besides the bytes.
pub(crate) struct Named<'a> {
    pub(crate) media_type: &'static str,
    /// Whether a browser saves it rather than showing it.
    pub(crate) is_attachment: bool,
    /// The name of the file that it is saved as.
    pub(crate) name: &'a str,
}

/// An answer of bytes, or of the part of them that the request asks for.
pub(crate) fn raw_response(request: &Parts, bytes: Bytes, named: &Named<'_>) -> ApiResult {
    let etag = etag_of(&bytes);
    if is_known(&request.headers, &etag) {
        return Ok(unmodified_response(&etag));
    }
    let length = bytes.len();
    let mut answer = match requested(&request.method, &request.headers, &etag, length) {
        Requested::Whole => Response::new([bytes].into()),
        Requested::Nothing => return Err(ApiError::NoSuchRange { length }),
        Requested::Part(range) => part(&bytes, range),
    };
    let headers = answer.headers_mut();
    let texts = [
        (header::ETAG, etag),
        (header::CONTENT_DISPOSITION, disposition(named)),
    ];
    for (name, text) in texts {
        headers.extend(HeaderValue::try_from(text).map(|value| (name, value)));
    }
    let media_type = HeaderValue::from_static(named.media_type);
    headers.insert(header::CONTENT_TYPE, media_type);
    let unit = HeaderValue::from_static("bytes");
    headers.insert(header::ACCEPT_RANGES, unit);
    Ok(answer)
}

fn part(bytes: &Bytes, range: std::ops::Range<usize>) -> ApiResponse {
    let length = bytes.len();
    let place = format!(
        "bytes {}-{}/{length}",
        range.start,
        range.end.saturating_sub(1)
    );
    // A short part does not keep the rest in memory.
    let (part, kept) = match range.len() < length / 2 {
        true => (bytes.get(range).map(Bytes::copy_from_slice), 0),
        false => (Some(bytes.slice(range.clone())), length - range.len()),
    };
    let mut answer = Response::new([part.unwrap_or_default()].into());
    *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
    if kept > 0 {
        answer.extensions_mut().insert(Kept(kept));
    }
    let headers = answer.headers_mut();
    headers.extend(HeaderValue::try_from(place).map(|place| (header::CONTENT_RANGE, place)));
    answer
}

/// The value of `Content-Disposition` (RFC 6266): a name of other characters than those of most names is given for all
/// programs with `_` in their place, and exactly for those who read it.
fn disposition(named: &Named<'_>) -> String {
    let kind = match named.is_attachment {
        true => "attachment",
        false => "inline",
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let plain = named.name.replace(|c| !is_plain(c), "_");
    match plain == named.name {
        true => format!("{kind}; filename=\"{plain}\""),
        false => {
            let exact = utf8_percent_encode(named.name, ESCAPED);
            format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{exact}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_parameter() {
        let named = |name| {
            disposition(&Named {
                media_type: "",
                is_attachment: true,
                name,
            })
        };
        assert_eq!(
            named("files-7-content"),
            "attachment; filename=\"files-7-content\""
        );
        assert_eq!(
            named("a\"; b\r\nSet-Cookie: ö/.."),
            "attachment; filename=\"a___b__Set-Cookie____..\"; \
             filename*=UTF-8''a%22%3B%20b%0D%0ASet-Cookie%3A%20%C3%B6%2F.."
        );
    }
}
