//! Values as JSON, written straight into an answer.

use std::fmt::{Debug, Write};

use bytes::{BufMut, BytesMut};
use serde_json::value::RawValue;

pub(crate) mod instant;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a whole number.
pub(crate) fn write_integer(out: &mut BytesMut, number: impl itoa::Integer) {
    out.put_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a float with the fewest digits that read back as the same one; null for one that JSON does not have.
pub(crate) fn write_float(out: &mut BytesMut, number: impl Copy + Debug + Into<f64>) {
    match number.into().is_finite() {
        true => write_display(out, format_args!("{number:?}")),
        false => out.put_slice(b"null"),
    }
}

/// Writes what shows itself as JSON, such as a decimal.
pub(crate) fn write_display(out: &mut BytesMut, text: std::fmt::Arguments<'_>) {
    // Writing into a growing buffer does not fail.
    let _ = out.write_fmt(text);
}

/// Writes a text as a JSON string.
pub(crate) fn write_text(out: &mut BytesMut, text: &str) {
    // Neither a text nor a growing buffer can fail here.
    let _ = serde_json::to_writer(out.writer(), text);
}

pub(crate) fn write_hex(out: &mut BytesMut, bytes: &[u8]) {
    out.reserve(bytes.len() * 2 + 2);
    out.put_u8(b'"');
    put_hex(out, bytes);
    out.put_u8(b'"');
}

pub(crate) fn put_hex(out: &mut BytesMut, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.put_u8(HEX.get(usize::from(digit)).copied().unwrap_or(b'0'));
        }
    }
}

pub(crate) fn write_uuid(out: &mut BytesMut, bytes: &[u8]) -> bool {
    if bytes.len() != 16 {
        return false;
    }
    out.put_u8(b'"');
    for (number, part) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
        if number > 0 {
            out.put_u8(b'-');
        }
        put_hex(out, bytes.get(part).unwrap_or_default());
    }
    out.put_u8(b'"');
    true
}

/// Writes a decimal as a string with at least `scale` digits after the point; none is cut off.
pub(crate) fn write_decimal(
    out: &mut BytesMut,
    number: std::fmt::Arguments<'_>,
    scale: Option<u32>,
) {
    out.put_u8(b'"');
    let start = out.len();
    write_display(out, number);
    let scale = usize::try_from(scale.unwrap_or(0)).unwrap_or(0).min(100);
    let written = out.get(start..).unwrap_or_default();
    let digits = written
        .iter()
        .position(|byte| *byte == b'.')
        .map(|point| written.len() - point - 1);
    if digits.is_none() && scale > 0 {
        out.put_u8(b'.');
    }
    out.put_bytes(b'0', scale.saturating_sub(digits.unwrap_or(0)));
    out.put_u8(b'"');
}

/// Writes stored JSON as it is; false when it is not JSON.
pub(crate) fn write_json(out: &mut BytesMut, text: &[u8]) -> bool {
    match serde_json::from_slice::<&RawValue>(text) {
        Ok(json) => {
            out.put_slice(json.get().as_bytes());
            true
        }
        Err(_) => false,
    }
}
