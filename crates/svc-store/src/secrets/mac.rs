//! HMAC-SHA-256 (RFC 2104), which separates what this store made from what others made.

use hmac::{Hmac, KeyInit as _};
use sha2::Sha256;

/// A MAC under a key of 256 bits.
pub(crate) fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of every length; the type of the call cannot say so.
    Hmac::new_from_slice(key).expect("HMAC takes a key of any length")
}
