//! What tells contents from each other without keeping them: of the rows of a table, and of a key.

use hmac::Mac as _;
use sha2::{Digest as _, Sha256};
use svc_data::Value;

use crate::error::Result;
use crate::secrets::{SealKey, Sealer};

/// The number of rows, and a sum of their hashes: the same for the same rows in any order, whichever engine keeps them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) rows: u64,
    sum: [u64; 4],
}

impl Fingerprint {
    pub(super) fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        for value in row {
            // Each with its kind and its length, so that nothing can be moved from one value to the next.
            match value {
                Value::Null => hash.update([0]),
                // SQLite keeps truth values as numbers.
                Value::Bool(truth) => number(&mut hash, 1, &i64::from(*truth).to_le_bytes()),
                Value::Int(value) => number(&mut hash, 1, &value.to_le_bytes()),
                Value::Float(value) => number(&mut hash, 2, &value.to_bits().to_le_bytes()),
                Value::Text(text) => number(&mut hash, 3, text.as_bytes()),
                Value::Blob(bytes) => number(&mut hash, 4, bytes),
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        for (sum, part) in self.sum.iter_mut().zip(hash.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*part));
        }
        self.rows += 1;
    }
}

fn number(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// What tells a key from others, of no use to anyone who does not have the key.
pub(super) fn of_key(key: &SealKey) -> Result<String> {
    let bytes = Sealer::new(key).derive("key fingerprint").finalize();
    let bytes = bytes.into_bytes();
    let digits = bytes.iter().take(8).map(|byte| format!("{byte:02x}"));
    Ok(digits.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[Vec<Value>]) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        rows.iter().for_each(|row| fingerprint.add(row));
        fingerprint
    }

    #[test]
    fn the_order_of_rows_and_the_engine_make_no_difference() {
        let (a, b) = (
            vec!["a".into(), true.into()],
            vec!["b".into(), Value::Int(0)],
        );
        let others = [
            vec!["b".into(), false.into()],
            vec!["a".into(), Value::Int(1)],
        ];
        assert_eq!(of(&[a, b]), of(&others));
    }

    #[test]
    fn any_other_content_makes_a_difference() {
        let row = |first: &str, second: &str| vec![Value::from(first), Value::from(second)];
        let all = of(&[row("a", "b"), row("c", "d")]);
        for other in [
            vec![row("a", "b")],
            vec![row("a", "b"), row("a", "b"), row("c", "d")],
            vec![row("a", "d"), row("c", "b")],
            vec![row("ab", ""), row("c", "d")],
            vec![vec!["a".into(), Value::Null], row("c", "d")],
            vec![row("a", "b"), row("c", "d ")],
        ] {
            assert_ne!(of(&other), all, "{other:?}");
        }
        assert_ne!(
            of(&[row("a", "a"), row("a", "a")]),
            of(&[row("b", "b"), row("b", "b")])
        );
        assert_ne!(of(&[vec![Value::Null]]), of(&[vec!["".into()]]));
        assert_ne!(of(&[vec![Value::Int(1)]]), of(&[vec!["1".into()]]));
    }

    #[test]
    fn a_key_is_told_from_others_and_not_shown() {
        let key = SealKey::generate().unwrap();
        let shown = of_key(&key).unwrap();
        assert_eq!(shown, of_key(&key).unwrap());
        assert_ne!(shown, of_key(&SealKey::generate().unwrap()).unwrap());
        assert_eq!(shown.len(), 16);
    }
}
