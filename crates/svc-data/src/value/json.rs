//! Values as JSON, written straight into an answer.

use std::{fmt::Debug, io::Write as _};

use serde_json::value::RawValue;

pub(crate) mod instant;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a whole number.
pub(crate) fn write_integer(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a float with the fewest digits that read back as the same one; null for one that JSON does not have.
pub(crate) fn write_float(out: &mut Vec<u8>, number: impl Copy + Debug + Into<f64>) {
    match number.into().is_finite() {
        true => write_display(out, format_args!("{number:?}")),
        false => out.extend_from_slice(b"null"),
    }
}

/// Writes what shows itself as JSON, such as a decimal.
pub(crate) fn write_display(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into a growing buffer does not fail.
    let _ = out.write_fmt(text);
}

/// Writes a text as a JSON string.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    if is_plain(text.as_bytes()) {
        return write_plain_text(out, text.as_bytes());
    }
    // Neither a text nor a growing buffer can fail here.
    let _ = serde_json::to_writer(out, text);
}

/// Writes bytes as a JSON string, with U+FFFD for what is not UTF-8.
pub(crate) fn write_stored_text(out: &mut Vec<u8>, text: &[u8]) {
    if !write_utf8(out, text) {
        write_text(out, &String::from_utf8_lossy(text));
    }
}

/// Writes bytes as a JSON string; false when they are not UTF-8.
pub(crate) fn write_utf8(out: &mut Vec<u8>, text: &[u8]) -> bool {
    if is_plain(text) {
        write_plain_text(out, text);
        return true;
    }
    match str::from_utf8(text) {
        Ok(text) => {
            write_text(out, text);
            true
        }
        Err(_) => false,
    }
}

fn write_plain_text(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Whether JSON shows a text as it is: ASCII, of which nothing is escaped. Eight bytes are looked at together.
fn is_plain(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks();
    words.iter().all(is_plain_word)
        && match text.last_chunk() {
            Some(last) => is_plain_word(last),
            None => rest
                .iter()
                .all(|byte| matches!(byte, b' '..=0x7f) && !matches!(byte, b'"' | b'\\')),
        }
}

fn is_plain_word(word: &[u8; 8]) -> bool {
    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    // The highest bit of a byte is set where it is less than the limit. One that is not ASCII has it set itself.
    let less = |word: u64, limit: u8| word.wrapping_sub(each(limit)) & !word;
    let word = u64::from_ne_bytes(*word);
    let special =
        word | less(word, b' ') | less(word ^ each(b'"'), 1) | less(word ^ each(b'\\'), 1);
    special & each(0x80) == 0
}

pub(crate) fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() * 2 + 2);
    out.push(b'"');
    put_hex(out, bytes);
    out.push(b'"');
}

pub(crate) fn put_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(HEX.get(usize::from(digit)).copied().unwrap_or(b'0'));
        }
    }
}

pub(crate) fn write_uuid(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    if bytes.len() != 16 {
        return false;
    }
    out.push(b'"');
    for (number, part) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
        if number > 0 {
            out.push(b'-');
        }
        put_hex(out, bytes.get(part).unwrap_or_default());
    }
    out.push(b'"');
    true
}

/// Writes a decimal as a string with at least `scale` digits after the point; none is cut off.
pub(crate) fn write_decimal(
    out: &mut Vec<u8>,
    number: std::fmt::Arguments<'_>,
    scale: Option<u32>,
) {
    out.push(b'"');
    let start = out.len();
    write_display(out, number);
    let scale = usize::try_from(scale.unwrap_or(0)).unwrap_or(0).min(100);
    let written = out.get(start..).unwrap_or_default();
    let digits = written
        .iter()
        .position(|byte| *byte == b'.')
        .map(|point| written.len() - point - 1);
    if digits.is_none() && scale > 0 {
        out.push(b'.');
    }
    let zeros = scale.saturating_sub(digits.unwrap_or(0));
    out.resize(out.len() + zeros, b'0');
    out.push(b'"');
}

/// Writes a float as [`write_decimal`] does, with the fewest digits that read back as the same one.
pub(crate) fn write_float_as_decimal(out: &mut Vec<u8>, number: f64, scale: Option<u32>) {
    if let Some((scale, powers)) =
        scale.and_then(|scale| Some((scale, POWERS.get(scale as usize)?)))
    {
        let units = (number * powers).round();
        // Numbers of at most 15 digits are different floats, so that this is the shortest where it reads back.
        let is_exact = units.abs() < 1e15 && units / powers == number;
        if is_exact && (units != 0.0 || number.is_sign_positive()) {
            return write_units(out, units as i64, scale);
        }
    }
    write_decimal(out, format_args!("{number}"), scale);
}

/// The powers of ten by which a decimal of so many digits after the point is a whole number.
const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// Writes a decimal that is given as a whole number of its smallest unit.
fn write_units(out: &mut Vec<u8>, units: i64, scale: u32) {
    let unit = 10_u64.pow(scale);
    let (whole, rest) = (units.unsigned_abs() / unit, units.unsigned_abs() % unit);
    out.extend_from_slice(if units < 0 { b"\"-" } else { b"\"" });
    write_integer(out, whole);
    if scale > 0 {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(rest).as_bytes();
        out.push(b'.');
        let zeros = (scale as usize).saturating_sub(digits.len());
        out.resize(out.len() + zeros, b'0');
        out.extend_from_slice(digits);
    }
    out.push(b'"');
}

/// Writes stored JSON as it is; false when it is not JSON.
pub(crate) fn write_json(out: &mut Vec<u8>, text: &[u8]) -> bool {
    match serde_json::from_slice::<&RawValue>(text) {
        Ok(json) => {
            out.extend_from_slice(json.get().as_bytes());
            true
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_written_as_json_writes_it(text in "[ -~]{0,20}[\\x00-\\x20\"\\\\\\x7fé𝄞]?[ -~]{0,20}") {
            let mut out = Vec::new();
            write_text(&mut out, &text);
            prop_assert_eq!(&out, &serde_json::to_vec(&text).unwrap());
            out.clear();
            write_stored_text(&mut out, text.as_bytes());
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }

        #[test]
        fn bytes_that_are_no_text_are_written_as_the_text_that_they_are_most_like(
            bytes in proptest::collection::vec(any::<u8>(), 0..20),
        ) {
            let mut out = Vec::new();
            write_stored_text(&mut out, &bytes);
            let text = String::from_utf8_lossy(&bytes);
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }

        #[test]
        fn a_float_is_written_as_the_decimal_that_it_shows_itself_as(
            number in prop_oneof![
                any::<f64>(),
                (any::<i32>(), 0..12_i32).prop_map(|(units, scale)| f64::from(units) / 10_f64.powi(scale)),
                (-1e16..1e16_f64).prop_map(|number| (number * 100.0).round() / 100.0),
                Just(-0.0),
            ],
            scale in proptest::option::of(0..12_u32),
        ) {
            prop_assume!(number.is_finite());
            let (mut quick, mut shown) = (Vec::new(), Vec::new());
            write_float_as_decimal(&mut quick, number, scale);
            write_decimal(&mut shown, format_args!("{number}"), scale);
            prop_assert_eq!(quick, shown);
        }
    }
}
