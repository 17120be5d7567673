//! Parts of an answer by its bytes (RFC 9110, section 14).

use std::ops::Range;

use http::{HeaderMap, Method, header};

/// What of an answer is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    /// All of it: also where several parts are requested, in another unit or form, or of an earlier state.
    Whole,
    Part(Range<usize>),
    /// A part that it does not have.
    Nothing,
}

/// What a request asks for of an answer of so many bytes, which has this entity tag.
pub(crate) fn requested(
    method: &Method,
    headers: &HeaderMap,
    etag: &str,
    length: usize,
) -> Requested {
    let mut ranges = headers.get_all(header::RANGE).iter();
    let range = ranges.next().filter(|_| ranges.next().is_none());
    let range = range.and_then(|it| it.to_str().ok());
    let Some(range) = range.filter(|_| method == Method::GET) else {
        return Requested::Whole;
    };
    // Of the date that may stand there nothing is known, and a weak tag never matches.
    let is_current = |tag: &http::HeaderValue| tag.as_bytes() == etag.as_bytes();
    if !headers.get(header::IF_RANGE).is_none_or(is_current) {
        return Requested::Whole;
    }
    read(range, length).unwrap_or(Requested::Whole)
}

/// Reads a `Range` of one part; `None` for anything else.
fn read(range: &str, length: usize) -> Option<Requested> {
    let (unit, range) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = range.trim().split_once('-')?;
    if first.is_empty() {
        let suffix = number(last)?;
        return match suffix {
            0 => Some(Requested::Nothing),
            _ if length == 0 => None,
            suffix => Some(Requested::Part(length.saturating_sub(suffix)..length)),
        };
    }
    let first = number(first)?;
    let last = match last {
        "" => usize::MAX,
        last => number(last)?,
    };
    if last < first {
        return None;
    }
    Some(match first < length {
        true => Requested::Part(first..last.saturating_add(1).min(length)),
        false => Requested::Nothing,
    })
}

/// Reads a number; one that is too large is the largest there is.
fn number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(range: &str, length: usize) -> Option<Requested> {
        read(range, length)
    }

    #[test]
    fn one_range_of_bytes_is_a_part_and_anything_else_the_whole() {
        use Requested::{Nothing, Part};
        for (range, expected) in [
            ("bytes=0-0", Some(Part(0..1))),
            ("bytes=2-4", Some(Part(2..5))),
            ("Bytes = 2-99", Some(Part(2..10))),
            ("bytes=9-", Some(Part(9..10))),
            ("bytes=-3", Some(Part(7..10))),
            ("bytes=-30", Some(Part(0..10))),
            ("bytes=0-99999999999999999999999", Some(Part(0..10))),
            ("bytes=10-", Some(Nothing)),
            ("bytes=99999999999999999999999-", Some(Nothing)),
            ("bytes=-0", Some(Nothing)),
            ("bytes=4-2", None),
            ("bytes=0-1,3-4", None),
            ("bytes=-", None),
            ("bytes=+1-2", None),
            ("bytes=a-b", None),
            ("bytes", None),
            ("items=0-1", None),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
        assert_eq!(part("bytes=0-", 0), Some(Nothing));
        assert_eq!(part("bytes=-5", 0), None);
    }

    #[test]
    fn a_part_is_given_of_the_state_that_is_meant_and_to_get_alone() {
        let asked = |method: Method, tag: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, "bytes=1-2".parse().unwrap());
            if let Some(tag) = tag {
                headers.insert(header::IF_RANGE, tag.parse().unwrap());
            }
            requested(&method, &headers, "\"a\"", 10)
        };
        let part = Requested::Part(1..3);
        assert_eq!(asked(Method::GET, None), part);
        assert_eq!(asked(Method::GET, Some("\"a\"")), part);
        assert_eq!(asked(Method::GET, Some("\"b\"")), Requested::Whole);
        assert_eq!(asked(Method::GET, Some("W/\"a\"")), Requested::Whole);
        let date = "Wed, 21 Oct 2015 07:28:00 GMT";
        assert_eq!(asked(Method::GET, Some(date)), Requested::Whole);
        assert_eq!(asked(Method::HEAD, None), Requested::Whole);
    }
}
