//! Sealing of secrets at rest (addresses of connected databases and what later versions add):
//! XChaCha20-Poly1305 under the store's key, each value bound to the row it belongs to.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{Key, KeyInit as _, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::error::{Error, Result};
use crate::secrets::{Secret, mac, random_bytes};

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Bytes of a nonce; long enough to be drawn at random for every value.
const NONCE_BYTES: usize = 24;
/// First byte of every sealed value, so that another construction can follow this one.
const VERSION: u8 = 1;

/// The key that seals the store's secrets: 256 random bits.
///
/// Its text form, in the key file and in a variable alike, is 43 characters of base64url.
#[derive(Clone)]
pub struct SealKey([u8; KEY_BYTES]);

impl SealKey {
    /// Makes a new random key.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when the system's random source fails.
    pub fn generate() -> Result<Self> {
        Ok(Self(random_bytes()?))
    }

    /// Reads a key from its text form; blanks around it are ignored.
    ///
    /// # Errors
    /// A field error on `seal_key` when the text is not a key. It does not quote the text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut key = [0; KEY_BYTES];
        match URL_SAFE_NO_PAD.decode_slice(text.trim(), &mut key) {
            Ok(KEY_BYTES) => Ok(Self(key)),
            _ => Err(Error::invalid_field(
                "seal_key",
                "must be 43 characters of base64url that stand for 32 bytes, as in the store's key file",
            )),
        }
    }

    /// The text form of the key. Anyone who has it can read every sealed secret.
    pub fn expose(&self) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(self.0))
    }

    /// Seals a secret: it opens only with this key and the same context, which says what it is for.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when the system's random source fails.
    pub fn seal(&self, context: &str, secret: &str) -> Result<String> {
        Sealer::new(self).seal(context, secret)
    }

    /// Opens what [`seal`](Self::seal) made with the same context; `None` for anything else.
    pub fn open(&self, context: &str, sealed: &str) -> Option<Secret> {
        Sealer::new(self).open(context, sealed).ok()
    }

    /// A short name that is always the same for this key and purpose, and says nothing about the key.
    pub fn short_name(&self, purpose: &str) -> String {
        let name = Sealer::new(self).derive(purpose).finalize().into_bytes();
        name.iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// Seals and opens values under one key.
#[derive(Clone)]
pub(crate) struct Sealer {
    cipher: XChaCha20Poly1305,
    /// What keys for other purposes are made from.
    root: Hmac<Sha256>,
    key: SealKey,
}

/// A sealed value could not be opened: another key, another row, or damage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotOpened;

impl Sealer {
    pub(crate) fn new(key: &SealKey) -> Self {
        Self {
            cipher: XChaCha20Poly1305::new(&Key::from(key.0)),
            root: mac::keyed(&key.0),
            key: key.clone(),
        }
    }

    /// The store's key.
    pub(crate) fn key(&self) -> &SealKey {
        &self.key
    }

    /// A key for another purpose, the same as long as the store's key is.
    pub(crate) fn derive(&self, purpose: &str) -> Hmac<Sha256> {
        let mut root = self.root.clone();
        root.update(purpose.as_bytes());
        mac::keyed(&root.finalize().into_bytes())
    }

    /// Seals a secret for the place named by `context`; it opens only with the same context.
    pub(crate) fn seal(&self, context: &str, secret: &str) -> Result<String> {
        let nonce = random_bytes::<NONCE_BYTES>()?;
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: context.as_bytes(),
        };
        let sealed = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| Error::internal("a secret could not be sealed: it is too long"))?;
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Opens what [`seal`](Self::seal) made for the same context.
    pub(crate) fn open(&self, context: &str, sealed: &str) -> Result<Secret, NotOpened> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| NotOpened)?;
        let rest = bytes.strip_prefix(&[VERSION]).ok_or(NotOpened)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(NotOpened)?;
        let payload = Payload {
            msg: sealed,
            aad: context.as_bytes(),
        };
        let opened = self
            .cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| NotOpened)?;
        String::from_utf8(opened)
            .map(Secret::new)
            .map_err(|_| NotOpened)
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sealer() -> Sealer {
        Sealer::new(&SealKey::generate().unwrap())
    }

    #[test]
    fn a_sealed_secret_opens_with_the_same_key_and_context_only() {
        let sealer = sealer();
        let sealed = sealer
            .seal("resource 1", "postgres://app:hunter2@db/shop")
            .unwrap();
        assert!(!sealed.contains("hunter2"));
        let opened = sealer.open("resource 1", &sealed).unwrap();
        assert_eq!(opened.expose(), "postgres://app:hunter2@db/shop");
        assert_eq!(sealer.open("resource 2", &sealed), Err(NotOpened));
        assert_eq!(self::sealer().open("resource 1", &sealed), Err(NotOpened));
    }

    #[test]
    fn equal_secrets_are_sealed_differently() {
        let sealer = sealer();
        assert_ne!(
            sealer.seal("a", "x").unwrap(),
            sealer.seal("a", "x").unwrap()
        );
    }

    #[test]
    fn a_key_survives_its_text_form_and_is_never_shown() {
        let key = SealKey::generate().unwrap();
        let text = key.expose();
        let read = SealKey::parse(&format!(" {}\n", text.expose())).unwrap();
        assert_eq!(read.expose(), text);
        assert_eq!(
            format!("{key:?} {:?}", Sealer::new(&key)),
            "SealKey(..) Sealer(..)"
        );
    }

    #[test]
    fn a_text_that_is_no_key_is_refused_without_being_quoted() {
        for text in ["", "short-secret", &"A".repeat(44), &"!".repeat(43)] {
            let error = SealKey::parse(text).unwrap_err();
            assert_eq!(error.invalid().unwrap().field_errors()[0].0, "seal_key");
            assert!(text.is_empty() || !error.to_string().contains(text));
        }
    }

    proptest! {
        #[test]
        fn damage_anywhere_is_noticed(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
            let sealer = sealer();
            let sealed = sealer.seal("context", "secret").unwrap();
            let mut bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let damaged = URL_SAFE_NO_PAD.encode(bytes);
            prop_assert_eq!(sealer.open("context", &damaged), Err(NotOpened));
        }

        #[test]
        fn any_text_is_opened_without_panic(text in ".{0,100}") {
            prop_assert_eq!(sealer().open("context", &text), Err(NotOpened));
        }
    }
}
