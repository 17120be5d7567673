//! The trace that a request belongs to: the header `traceparent` (W3C Trace Context).

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header of a trace.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// The flags that are defined: the caller records the trace, and its identifier is random.
const KNOWN_FLAGS: u8 = 0b11;
/// The length of the fields of the first version. Later ones may have more behind them.
const LENGTH: usize = 55;

/// A request as part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    id: u128,
    /// What the caller calls its own part; none where the trace begins here.
    parent: Option<u64>,
    /// What this request is called.
    span: u64,
    flags: u8,
}

/// A number in lower-case hexadecimal digits, as many as its type has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex<T>(T);

impl Trace {
    /// The trace that a request names, with a new identifier for the request. A header that is not valid is ignored, and
    /// so is one that is there twice.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        // Most requests have none.
        let value = headers.get(TRACEPARENT)?;
        if headers.get_all(TRACEPARENT).iter().count() > 1 {
            return None;
        }
        let (id, parent, flags) = parse(value.to_str().ok()?)?;
        Some(Self {
            id,
            parent: Some(parent),
            span: fastrand::u64(1..),
            flags,
        })
    }

    /// A trace that begins with this request, and is recorded.
    #[cfg(feature = "otlp")]
    pub(crate) fn begin() -> Self {
        Self {
            id: fastrand::u128(1..),
            parent: None,
            span: fastrand::u64(1..),
            flags: KNOWN_FLAGS,
        }
    }

    /// Whether the trace is recorded, as its beginning decided.
    #[cfg(feature = "otlp")]
    pub(crate) fn is_sampled(self) -> bool {
        self.flags & 1 == 1
    }

    /// The numbers of the trace, of this request, and of its caller's part.
    #[cfg(feature = "otlp")]
    pub(crate) fn identifiers(self) -> (u128, u64, Option<u64>) {
        (self.id, self.span, self.parent)
    }

    pub(crate) fn id(&self) -> Hex<u128> {
        Hex(self.id)
    }

    pub(crate) fn parent(&self) -> Option<Hex<u64>> {
        self.parent.map(Hex)
    }

    pub(crate) fn span(&self) -> Hex<u64> {
        Hex(self.span)
    }

    /// The header for another service: what it does is part of this request.
    pub(crate) fn to_header(self) -> Option<HeaderValue> {
        let Self {
            id, span, flags, ..
        } = self;
        let flags = flags & KNOWN_FLAGS;
        HeaderValue::try_from(format!("00-{id:032x}-{span:016x}-{flags:02x}")).ok()
    }
}

/// Trace, parent and flags of a header.
fn parse(text: &str) -> Option<(u128, u64, u8)> {
    let (known, more) = text.split_at_checked(LENGTH)?;
    let mut fields = known.split('-');
    let mut next = |length: usize| {
        let field = fields.next()?;
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        (field.len() == length && field.bytes().all(is_digit)).then_some(field)
    };
    let version = next(2)?;
    let id = u128::from_str_radix(next(32)?, 16).ok()?;
    let parent = u64::from_str_radix(next(16)?, 16).ok()?;
    let flags = u8::from_str_radix(next(2)?, 16).ok()?;
    let fits = match version {
        "00" => more.is_empty(),
        "ff" => false,
        _ => more.is_empty() || more.starts_with('-'),
    };
    (fits && id != 0 && parent != 0).then_some((id, parent, flags))
}

impl fmt::Display for Hex<u128> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for Hex<u64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    fn trace(values: &[&str]) -> Option<Trace> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, value.parse().unwrap());
        }
        Trace::of(&headers)
    }

    #[test]
    fn the_trace_of_a_caller_goes_on_with_a_part_of_its_own() {
        for (given, flags) in [
            (format!("00-{ID}-{PARENT}-01"), "01"),
            (format!("00-{ID}-{PARENT}-00"), "00"),
            (format!("00-{ID}-{PARENT}-ff"), "03"),
            (format!("cc-{ID}-{PARENT}-01"), "01"),
            (format!("cc-{ID}-{PARENT}-01-what-will-be"), "01"),
        ] {
            let trace = trace(&[&given]).unwrap();
            assert_eq!(
                (trace.id().to_string(), trace.parent().unwrap().to_string()),
                (ID.into(), PARENT.into())
            );
            assert_ne!(Some(trace.span), trace.parent);
            let sent = trace.to_header().unwrap();
            assert_eq!(sent, format!("00-{ID}-{}-{flags}", trace.span()));
        }
    }

    #[test]
    fn a_header_that_is_not_valid_is_ignored() {
        let zeros = "0".repeat(32);
        for wrong in [
            String::new(),
            format!("00-{ID}-{PARENT}"),
            format!("00-{ID}-{PARENT}-01-more"),
            format!("00-{ID}-{PARENT}-01-"),
            format!("cc-{ID}-{PARENT}-01x"),
            format!("ff-{ID}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", ID.to_uppercase()),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{ID}-0000000000000000-01"),
            format!("00-{ID}-{PARENT}-0g"),
            format!("00-+{}-{PARENT}-01", &ID[1..]),
            format!("00-{ID}_{PARENT}-01"),
            format!("0-0{ID}-{PARENT}-01"),
        ] {
            assert_eq!(trace(&[&wrong]), None, "{wrong}");
        }
        let good = format!("00-{ID}-{PARENT}-01");
        assert_eq!(trace(&[&good, &good]), None);
        assert_eq!(trace(&[]), None);
    }
}
