//! Values that clients send, as text in a query string or as JSON in a body, read as the type of a
//! column. What does not fit is refused with a message; nothing is rounded in silence.

pub(crate) mod excerpt;
pub(crate) mod json;
mod json_equality;
pub(crate) mod json_value;
pub(crate) mod time;

use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use serde_json::value::RawValue;
use svc_model::{json_depth, parse_bool};

pub(crate) use self::json_equality::{is_equal_json, is_same_json};
use crate::{
    structure::{Field, Kind},
    value::time::{Written, Zone, parse_clock, parse_date},
};

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Integer(i64),
    /// A whole number beyond 63 bits, of a column that holds it.
    Unsigned(u64),
    Float(f64),
    /// The digits as they were written, without exponent or blanks.
    Decimal(String),
    Boolean(bool),
    Date(Date),
    /// The time of day and how many digits of its fraction were written.
    Time(Time, u8),
    /// A point in time and how many digits of its fraction were written.
    DateTime(Timestamp, u8),
    Json(String),
    Bytes(Vec<u8>),
    /// A UUID as it was written, and its bytes.
    Uuid(String, [u8; 16]),
    Text(String),
    /// A value that only the column's engine has, such as a negative time or the day 0, as the engine writes it.
    Special(String),
}

/// Why a column refuses a time that is [finer](Scalar::is_finer_than) than it holds.
pub(crate) const TOO_FINE: &str = "the column does not hold fractions of a second this fine";

/// Fields and their values.
pub(crate) type Values = Vec<(usize, Scalar)>;

impl Scalar {
    /// Whether two values of a field are equal, however they were written.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::DateTime(one, _), Self::DateTime(other, _)) => one == other,
            (Self::Time(one, _), Self::Time(other, _)) => one == other,
            (Self::Uuid(_, one), Self::Uuid(_, other)) => one == other,
            (Self::Decimal(one), Self::Decimal(other)) => {
                let digits = |text: &str| match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                    false => text.to_owned(),
                };
                digits(one) == digits(other)
            }
            (Self::Json(one), Self::Json(other)) => is_same_json(one, other),
            _ => self == other,
        }
    }

    /// Whether it has a fraction of a second with more digits than these.
    pub(crate) fn is_finer_than(&self, most: u8) -> bool {
        let nanoseconds = match self {
            Self::Time(time, digits) if *digits > most => time.subsec_nanosecond(),
            Self::DateTime(timestamp, digits) if *digits > most => timestamp.subsec_nanosecond(),
            _ => 0,
        };
        nanoseconds % 10_i32.pow(9_u32.saturating_sub(most.into())) != 0
    }

    /// Reads a value of a query string or a path.
    pub(crate) fn from_text(field: &Field, text: &str, zone: &Zone) -> Result<Self, String> {
        Self::of_kind(field, text, zone).or_else(|message| special(field, text).ok_or(message))
    }

    /// Reads a value of a lookup or a key: also one that the column may hold although it is not of its type.
    pub(crate) fn to_find(field: &Field, text: &str, zone: &Zone) -> Result<Self, String> {
        if field.detail.holds_anything && field.kind == Kind::Float && is_long_integer(text) {
            return Ok(Self::Special(text.to_owned()));
        }
        Self::from_text(field, text, zone).or_else(|message| {
            if !field.detail.holds_anything {
                return Err(message);
            }
            // A fraction that is finer than points in time are compared.
            Ok(match (field.kind, cut_fraction(text)) {
                (Kind::DateTime, Some(cut)) => Self::from_text(field, &cut, zone)
                    .unwrap_or_else(|_| Self::Special(text.to_owned())),
                _ => Self::Special(text.to_owned()),
            })
        })
    }

    /// Reads a value that every engine has for a column of this kind.
    fn of_kind(field: &Field, text: &str, zone: &Zone) -> Result<Self, String> {
        let trimmed = text.trim();
        match field.kind {
            Kind::Integer => read_integer(field, trimmed),
            Kind::Float => read_float(trimmed).map(Self::Float),
            Kind::Decimal => read_decimal(trimmed).map(Self::Decimal),
            Kind::Boolean => parse_bool(trimmed)
                .map(Self::Boolean)
                .ok_or_else(|| "must be true or false".to_owned()),
            Kind::Date => parse_date(trimmed.as_bytes())
                .map(Scalar::Date)
                .ok_or_else(|| "must be a date such as 2026-01-31".to_owned()),
            Kind::Time => read_time(trimmed),
            Kind::DateTime => read_date_time(trimmed, zone),
            // An empty value is the empty array.
            Kind::Json if field.detail.element.is_some() && trimmed.is_empty() => {
                Ok(Self::Json("[]".to_owned()))
            }
            Kind::Json => serde_json::from_str::<&RawValue>(text)
                .map_err(|_| "must be JSON".to_owned())
                .and_then(|_| read_json_in(field, text, zone)),
            Kind::Binary => read_hex(trimmed).map(Self::Bytes),
            Kind::Uuid => read_uuid(trimmed),
            Kind::Text | Kind::Any => Ok(Self::Text(text.to_owned())),
        }
    }

    /// Reads a value of a body.
    pub(crate) fn from_json(field: &Field, raw: &RawValue, zone: &Zone) -> Result<Self, String> {
        let json = raw.get();
        let sort = json.as_bytes().first().copied().unwrap_or(b' ');
        if sort == b'n' {
            return Ok(Self::Null);
        }
        let text = || -> Result<String, String> {
            serde_json::from_str(json).map_err(|_| "is not valid text".to_owned())
        };
        let is_number = matches!(sort, b'-' | b'0'..=b'9');
        match (field.kind, sort) {
            (Kind::Json, _) => read_json_in(field, json, zone),
            (Kind::Integer, _) if is_number => read_json_integer(field, json),
            (Kind::Float, _) if is_number => read_float(json).map(Self::Float),
            (Kind::Decimal, _) if is_number => read_decimal(json).map(Self::Decimal),
            (Kind::Boolean, _) if is_number => Self::from_text(field, json, zone),
            (Kind::Boolean, b't') => Ok(Self::Boolean(true)),
            (Kind::Boolean, b'f') => Ok(Self::Boolean(false)),
            // Digits of a number that is stored as text are kept as they are written.
            (Kind::Text, _) if is_number => Ok(Self::Text(json.to_owned())),
            (Kind::Any, b't') => Ok(Self::Boolean(true)),
            (Kind::Any, b'f') => Ok(Self::Boolean(false)),
            (Kind::Any, b'{') if field.detail.holds_anything => match hex_object(json) {
                Some(bytes) => Ok(Self::Bytes(bytes)),
                None => read_json(field, json),
            },
            (Kind::Any, b'{' | b'[') => read_json(field, json),
            (Kind::Any, _) if is_number => match json.parse() {
                Ok(number) => Ok(Self::Integer(number)),
                Err(_) => read_decimal(json).map(Self::Decimal),
            },
            (_, b'"') => Self::from_text(field, &text()?, zone),
            (kind, _) => Err(match kind {
                Kind::Integer => "a valid integer is required",
                Kind::Float | Kind::Decimal => "a valid number is required",
                Kind::Boolean => "must be true or false",
                Kind::Date => "must be a date such as \"2026-01-31\"",
                Kind::Time => "must be a time such as \"13:30:00\"",
                Kind::DateTime => "must be a date and time such as \"2026-01-31T13:30:00Z\"",
                Kind::Binary => "must be a text of hexadecimal digits",
                Kind::Uuid => "must be a UUID",
                _ => "must be a text",
            }
            .to_owned()),
        }
    }
}

/// Reads JSON as [`read_json`] does, with the times of an array that have no offset in the zone of the caller.
fn read_json_in(field: &Field, json: &str, zone: &Zone) -> Result<Scalar, String> {
    let read = read_json(field, json)?;
    let element = field.detail.element.as_deref();
    match element.filter(|element| element.kind == Kind::DateTime && !zone.is_utc) {
        Some(element) => Ok(Scalar::Json(times_in(element, json, zone)?)),
        None => Ok(read),
    }
}

/// An array of times with the offset of each. Its depth was checked.
fn times_in(element: &Field, json: &str, zone: &Zone) -> Result<String, String> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else {
        // The engine says what is wrong with it.
        return Ok(json.to_owned());
    };
    let mut times = Vec::with_capacity(items.len());
    for item in items {
        let json = item.get();
        times.push(match json.as_bytes().first() {
            Some(b'[') => times_in(element, json, zone)?,
            _ => match Scalar::from_json(element, item, zone) {
                Ok(Scalar::DateTime(time, _)) => format!("\"{time}\""),
                Ok(_) => json.to_owned(),
                Err(message) => return Err(format!("an element is not valid: {message}")),
            },
        });
    }
    Ok(format!("[{}]", times.join(",")))
}

/// JSON that is not nested deeper than its column, or those who read it, can take.
pub(crate) fn read_json(field: &Field, json: &str) -> Result<Scalar, String> {
    let most = field.json_depth();
    match json_depth(json) <= most {
        true => Ok(Scalar::Json(json.to_owned())),
        false => Err(format!("may be nested {most} levels deep at most")),
    }
}

/// Reads a value that only the column's engine has. Among them are truth values that are neither true nor false.
fn special(field: &Field, text: &str) -> Option<Scalar> {
    let known = (field.detail.values?.special)(field, text.trim())?;
    match field.kind {
        Kind::Boolean => known.parse().ok().map(Scalar::Integer),
        _ => Some(Scalar::Special(known)),
    }
}

fn read_integer(field: &Field, text: &str) -> Result<Scalar, String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a valid integer is required".to_owned());
    }
    if let Ok(number) = text.parse() {
        return Ok(Scalar::Integer(number));
    }
    let (least, most) = field.integers();
    match text.parse::<u64>() {
        Ok(number) if i128::from(number) <= most => Ok(Scalar::Unsigned(number)),
        _ => Err(format!("must be an integer between {least} and {most}")),
    }
}

/// JSON may write a whole number as `1.0` or `1e3`.
fn read_json_integer(field: &Field, json: &str) -> Result<Scalar, String> {
    if !json.contains(['.', 'e', 'E']) {
        return read_integer(field, json);
    }
    let decimal = read_decimal(json)?;
    let (whole, fraction) = decimal.split_once('.').unwrap_or((&decimal, ""));
    if fraction.bytes().any(|digit| digit != b'0') {
        return Err("a valid integer is required".to_owned());
    }
    read_integer(field, whole)
}

fn read_float(text: &str) -> Result<f64, String> {
    let valid = !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    match text.parse::<f64>() {
        Ok(number) if valid && number.is_finite() => Ok(number),
        Ok(_) if valid => Err("the number is too large".to_owned()),
        _ => Err("a valid number is required".to_owned()),
    }
}

/// The most digits that a decimal is written out with.
const MAX_DECIMAL_DIGITS: i64 = 1000;

/// Writes a decimal without exponent.
pub(crate) fn read_decimal(text: &str) -> Result<String, String> {
    let wrong = || "a valid number is required".to_owned();
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| wrong())?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0
        || !whole
            .bytes()
            .chain(fraction.bytes())
            .all(|b| b.is_ascii_digit())
    {
        return Err(wrong());
    }
    let digits = format!("{whole}{fraction}");
    let length = i64::try_from(digits.len()).map_err(|_| wrong())?;
    if length > MAX_DECIMAL_DIGITS || exponent.abs() > MAX_DECIMAL_DIGITS {
        return Err("the number has too many digits".to_owned());
    }
    let point = i64::try_from(whole.len()).map_err(|_| wrong())? + exponent;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let (whole, fraction) = if point <= 0 {
        (String::new(), format!("{}{digits}", zeros(-point)))
    } else if point >= length {
        (format!("{digits}{}", zeros(point - length)), String::new())
    } else {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
        (whole.to_owned(), fraction.to_owned())
    };
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let dot = if fraction.is_empty() { "" } else { "." };
    Ok(format!("{sign}{whole}{dot}{fraction}"))
}

fn read_time(text: &str) -> Result<Scalar, String> {
    let wrong = || "must be a time such as 13:30:00".to_owned();
    let (hour, minute, second, fraction, rest) = parse_clock(text.as_bytes()).ok_or_else(wrong)?;
    if !rest.is_empty() {
        return Err(wrong());
    }
    let digits = fraction_digits(fraction)?;
    let written = Written {
        hour,
        minute,
        second,
        fraction,
        ..Written::default()
    };
    let civil = written.civil().ok_or_else(wrong)?;
    Ok(Scalar::Time(civil.time(), digits))
}

fn read_date_time(text: &str, zone: &Zone) -> Result<Scalar, String> {
    let wrong = || "must be a date and time such as 2026-01-31T13:30:00Z".to_owned();
    // A plus that was not escaped in a query string arrives as a blank.
    let with_plus = text
        .rsplit_once(' ')
        .map(|(start, offset)| format!("{start}+{offset}"));
    let written = Written::parse(text.as_bytes())
        .or_else(|| Written::parse(with_plus.as_deref()?.as_bytes()))
        .ok_or_else(wrong)?;
    let digits = fraction_digits(written.fraction)?;
    let timestamp = written.timestamp(&zone.zone).ok_or_else(wrong)?;
    if !(0..=9999).contains(&TimeZone::UTC.to_datetime(timestamp).year()) {
        return Err("the year must be between 0000 and 9999".to_owned());
    }
    Ok(Scalar::DateTime(timestamp, digits))
}

/// Whether it is a whole number that floating point numbers may not hold.
fn is_long_integer(text: &str) -> bool {
    const EXACT: u64 = 1 << 53;
    text.parse::<i64>()
        .is_ok_and(|number| number.unsigned_abs() > EXACT)
}

/// A point in time without the digits of its fraction behind the ninth, where it has such.
fn cut_fraction(text: &str) -> Option<String> {
    const MOST: usize = 9;
    let (clock, rest) = text.split_once('.')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, offset) = rest.split_at_checked(digits)?;
    (digits > MOST).then(|| format!("{clock}.{}{offset}", &fraction[..MOST]))
}

fn fraction_digits(fraction: &[u8]) -> Result<u8, String> {
    match u8::try_from(fraction.len()) {
        Ok(digits) if digits <= 9 => Ok(digits),
        _ => Err("at most 9 digits may follow the seconds".to_owned()),
    }
}

/// The bytes of `{"$hex": "..."}`.
pub(crate) fn hex_object(json: &str) -> Option<Vec<u8>> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Hex {
        #[serde(rename = "$hex")]
        digits: String,
    }
    if !json.starts_with('{') {
        return None;
    }
    let hex: Hex = serde_json::from_str(json).ok()?;
    read_hex(&hex.digits).ok()
}

pub(crate) fn read_hex(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || "must be an even number of hexadecimal digits".to_owned();
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err(wrong());
    }
    digits
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(hex_digit(*high)? << 4 | hex_digit(*low)?),
            _ => None,
        })
        .collect::<Option<_>>()
        .ok_or_else(wrong)
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

fn read_uuid(text: &str) -> Result<Scalar, String> {
    let wrong = || "must be a UUID".to_owned();
    let hyphens: Vec<usize> = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| *byte == b'-')
        .map(|(position, _)| position)
        .collect();
    if !(hyphens.is_empty() || hyphens == [8, 13, 18, 23]) {
        return Err(wrong());
    }
    let bytes = read_hex(&text.replace('-', "")).map_err(|_| wrong())?;
    let bytes: [u8; 16] = bytes.try_into().map_err(|_| wrong())?;
    Ok(Scalar::Uuid(text.to_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_model::resources::FieldType;

    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        for (text, expected) in [
            ("1.10", "1.10"),
            ("-0.5", "-0.5"),
            (".5", "0.5"),
            ("1e3", "1000"),
            ("12.345e-2", "0.12345"),
            ("1.2345e2", "123.45"),
            ("007", "7"),
            (
                "123456789012345678901234567890.12",
                "123456789012345678901234567890.12",
            ),
        ] {
            assert_eq!(read_decimal(text).as_deref(), Ok(expected), "{text}");
        }
        for text in [
            "", "-", ".", "1.2.3", "1e", "0x1", "NaN", "1e99999", "--1", "1 2",
        ] {
            assert!(read_decimal(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_read_from_every_json_spelling_and_no_other() {
        let signed = Field::new("n".into(), FieldType::IntegerField, Kind::Integer, "");
        let read = |json| read_json_integer(&signed, json);
        assert_eq!(read("1.0"), Ok(Scalar::Integer(1)));
        assert_eq!(read("1e3"), Ok(Scalar::Integer(1000)));
        assert_eq!(read("9223372036854775807"), Ok(Scalar::Integer(i64::MAX)));
        assert!(read("9223372036854775808").unwrap_err().contains("between"));
        assert!(read("1.5").is_err());
    }

    #[test]
    fn a_naive_date_time_is_read_in_the_zone_and_one_with_an_offset_is_not() {
        let zone = Zone::parse(Some("Europe/Berlin")).unwrap();
        let read = |text| match read_date_time(text, &zone) {
            Ok(Scalar::DateTime(timestamp, _)) => timestamp.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(read("2026-01-31T12:00:00"), "2026-01-31T11:00:00Z");
        assert_eq!(read("2026-01-31 12:00"), "2026-01-31T11:00:00Z");
        assert_eq!(read("2026-07-31"), "2026-07-30T22:00:00Z");
        assert_eq!(read("2026-01-31T12:00:00.5Z"), "2026-01-31T12:00:00.5Z");
        assert_eq!(read("2026-01-31T12:00:00+02:00"), "2026-01-31T10:00:00Z");
        assert_eq!(read("2026-01-31T12:00:00 02:00"), "2026-01-31T10:00:00Z");
        for text in [
            "2026-02-30",
            "2026-01-31T25:00",
            "2026-01-31T10:00:00+99:00",
            "today",
            "10000-01-01",
        ] {
            assert!(read_date_time(text, &zone).is_err(), "{text}");
        }
    }

    #[test]
    fn zones_are_offsets_or_names() {
        assert!(Zone::parse(None).unwrap().is_utc);
        assert!(Zone::parse(Some("+00:00")).unwrap().is_utc);
        assert!(!Zone::parse(Some(" 02:00")).unwrap().is_utc);
        assert!(Zone::parse(Some("Mars/Olympus")).is_err());
        assert!(Zone::parse(Some("../../etc/passwd")).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in "\\PC{0,40}") {
            let zone = Zone::UTC;
            let _ = read_decimal(&text);
            let _ = read_float(&text);
            let _ = read_uuid(&text);
            let _ = read_time(&text);
            let _ = read_date_time(&text, &zone);
            let _ = Zone::parse(Some(&text));
        }

        #[test]
        fn a_decimal_is_the_number_that_was_written(whole in any::<i64>(), fraction in "[0-9]{0,12}", exponent in -20..20_i32) {
            let text = format!("{whole}.{fraction}e{exponent}");
            let written: f64 = text.parse().unwrap();
            let read: f64 = read_decimal(&text).unwrap().parse().unwrap();
            prop_assert_eq!(written, read);
        }
    }
}
