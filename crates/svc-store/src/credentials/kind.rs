//! The kinds of credential that the store makes, and the [`CredentialHash`] that replaces a credential everywhere
//! else.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::error::Result;
use crate::secrets::{Secret, random_bytes};

/// Random bytes in a credential.
const RANDOM_BYTES: usize = 32;
/// Characters of the random part that lists show: enough to tell keys apart, far too few to guess one.
const SHOWN_CHARACTERS: usize = 6;

/// What a credential of this store opens; the beginning of its text says which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CredentialKind {
    /// An API key of an account: `svck_...`.
    ApiKey,
    /// A static token of a resource: `svct_...`.
    StaticToken,
    /// A token of a service that acts with the rights of a team: `svcs_...`.
    ServiceToken,
    /// A code that was mailed: `svcc_...`.
    Code,
}

impl CredentialKind {
    const ALL: [Self; 4] = [
        Self::ApiKey,
        Self::StaticToken,
        Self::ServiceToken,
        Self::Code,
    ];

    /// How the text of such a credential begins.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "svck_",
            Self::StaticToken => "svct_",
            Self::ServiceToken => "svcs_",
            Self::Code => "svcc_",
        }
    }

    /// The kind of a presented text, or `None` when it cannot be a credential of this store: another
    /// beginning, another length, a character that is not base64url. Costs no look into the database.
    pub fn of(presented: &str) -> Option<Self> {
        let (kind, random) = Self::ALL
            .into_iter()
            .find_map(|kind| Some((kind, presented.strip_prefix(kind.prefix())?)))?;
        let mut bytes = [0; RANDOM_BYTES];
        match URL_SAFE_NO_PAD.decode_slice(random, &mut bytes) {
            Ok(RANDOM_BYTES) => Some(kind),
            _ => None,
        }
    }

    /// Makes a new credential of 256 random bits.
    pub(crate) fn generate(self) -> Result<GeneratedText> {
        let bytes = random_bytes::<RANDOM_BYTES>()?;
        let text = format!("{}{}", self.prefix(), URL_SAFE_NO_PAD.encode(bytes));
        let shown = self.prefix().len() + SHOWN_CHARACTERS;
        let prefix = text.chars().take(shown).collect();
        let hash = CredentialHash::of(&text);
        Ok(GeneratedText {
            secret: Secret::new(text),
            prefix,
            hash,
        })
    }
}

/// A credential that was just made.
pub(crate) struct GeneratedText {
    pub(crate) secret: Secret,
    pub(crate) prefix: String,
    pub(crate) hash: CredentialHash,
}

/// SHA-256 of a credential: what the store keeps, and what a cache may use as its key.
///
/// Credentials hold 256 random bits, so a plain hash is enough: there is no dictionary to try.
/// Two hashes are compared in constant time.
#[derive(Clone, Copy, Eq)]
pub struct CredentialHash([u8; 32]);

impl CredentialHash {
    /// The hash of a presented credential.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }

    /// The hash as the store keeps it: 64 lower-case hexadecimal digits.
    pub(crate) fn to_hex(self) -> String {
        use fmt::Write as _;
        let hex = String::with_capacity(64);
        self.0.iter().fold(hex, |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// Whether the kept form names this hash, in time that does not depend on where they differ.
    pub(crate) fn is(self, kept: &str) -> bool {
        self.to_hex().as_bytes().ct_eq(kept.as_bytes()).into()
    }
}

impl PartialEq for CredentialHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl std::hash::Hash for CredentialHash {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for CredentialHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CredentialHash(..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_credential_says_its_kind_and_shows_only_a_short_prefix() {
        for kind in CredentialKind::ALL {
            let made = kind.generate().unwrap();
            let text = made.secret.expose();
            assert_eq!(CredentialKind::of(text), Some(kind));
            assert_eq!(text.len(), 5 + 43);
            assert_eq!(made.prefix.len(), 11);
            assert!(text.starts_with(&made.prefix));
            assert!(made.hash == CredentialHash::of(text));
        }
    }

    #[test]
    fn debug_shows_neither_a_secret_nor_a_hash() {
        let made = CredentialKind::ApiKey.generate().unwrap();
        let shown = format!("{:?} {:?}", made.secret, made.hash);
        assert!(!shown.contains(made.secret.expose()));
        assert!(!shown.contains(&made.hash.to_hex()));
        assert_eq!(shown, "Secret(..) CredentialHash(..)");
    }

    #[test]
    fn the_hash_is_sha_256() {
        let hex = CredentialHash::of("abc").to_hex();
        assert_eq!(
            hex,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(CredentialHash::of("abc").is(&hex));
        assert!(!CredentialHash::of("abd").is(&hex));
        assert!(!CredentialHash::of("abc").is(""));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic_and_only_the_exact_shape_is_a_credential(text in ".{0,80}") {
            if let Some(kind) = CredentialKind::of(&text) {
                prop_assert!(text.starts_with(kind.prefix()));
                prop_assert_eq!(text.len(), 48);
            }
        }

        #[test]
        fn a_changed_credential_has_another_kind_or_another_hash(at in 0_usize..48, by in 1_u8..=127) {
            let made = CredentialKind::StaticToken.generate().unwrap();
            let mut bytes = made.secret.expose().as_bytes().to_vec();
            bytes[at] = (bytes[at] ^ by) & 0x7f;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assume!(changed != made.secret.expose());
            prop_assert!(CredentialHash::of(&changed) != made.hash);
        }
    }
}
