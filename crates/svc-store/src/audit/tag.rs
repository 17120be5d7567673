//! Entity tags of the store's own rows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use svc_data::{Row, Value};

/// Bytes of a hash that a tag keeps, as the tags of records do.
const KEPT: usize = 24;

/// A hash of rows, none when there are none. It shows that something differs from
/// before and nothing of what it is.
pub(crate) fn tag(rows: &[Row]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    for row in rows {
        hash.update((row.values().len() as u64).to_le_bytes());
        for value in row.values() {
            let mut add = |sort: u8, bytes: &[u8]| {
                hash.update([sort]);
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            };
            match value {
                Value::Null => add(0, &[]),
                Value::Bool(truth) => add(1, &[u8::from(*truth)]),
                Value::Int(number) => add(1, &number.to_le_bytes()),
                Value::Float(number) => add(2, &number.to_bits().to_le_bytes()),
                Value::Text(text) => add(3, text.as_bytes()),
                Value::Blob(bytes) => add(4, bytes),
            }
        }
    }
    let digest = hash.finalize();
    Some(URL_SAFE_NO_PAD.encode(digest.get(..KEPT).unwrap_or(&digest)))
}
