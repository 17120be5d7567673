//! Access tokens and the keys that sign them: JSON Web Tokens (RFC 7519) under HMAC-SHA-256, and nothing else.
//!
//! There is one algorithm and one place that reads it, so that a token has no say in how it is verified.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use svc_model::Realm;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::database::{Reader, Tx, handle, row, values};
use crate::error::{Error, Result};
use crate::secrets::{Secret, mac, random_bytes};

/// Longest access token that is looked at, in bytes.
const MAX_TOKEN: usize = 4096;
/// How far the clock of another node may be ahead.
const SKEW: i64 = 10;
/// How long a retired key verifies tokens: as long as the longest-lived access token.
const RETIRED_FOR: SignedDuration = SignedDuration::from_hours(24);
/// What the tokens of user sessions say they are.
const TOKEN_TYPE: &str = "access";
/// Context under which the keys are sealed.
const CONTEXT: &str = "signing key";

/// What an access token says (wire contract, section 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Claims {
    /// The user or the account.
    pub sub: Uuid,
    /// The session.
    pub sid: Uuid,
    /// The project of the user; empty for an account of the service.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// The environment of the user; empty for an account of the service.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub environment: String,
    /// When it ends, in seconds since 1970.
    pub exp: i64,
    /// When it was made, in seconds since 1970.
    pub iat: i64,
    /// Its own identifier.
    pub jti: Uuid,
    /// `access`.
    pub token_type: String,
}

impl Claims {
    pub(crate) fn new(
        (person, session): (Uuid, Uuid),
        realm: &Realm,
        iat: Timestamp,
        exp: Timestamp,
    ) -> Self {
        let name = |name: Option<&str>| name.unwrap_or_default().to_owned();
        let scope = realm.scope();
        Self {
            sub: person,
            sid: session,
            project: name(scope.map(|scope| scope.project.as_str())),
            environment: name(scope.map(|scope| scope.environment.as_str())),
            exp: exp.as_second(),
            iat: iat.as_second(),
            jti: Uuid::now_v7(),
            token_type: TOKEN_TYPE.to_owned(),
        }
    }

    /// Whose token it is.
    pub(crate) fn realm(&self) -> Realm {
        match self.project.as_str() {
            // No project has this name.
            "" => Realm::Service,
            project => (project, self.environment.as_str()).into(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    typ: String,
    kid: String,
}

#[derive(Deserialize)]
struct OnlyTimes {
    nbf: Option<i64>,
}

/// The keys that verify tokens now, the one that signs first. By default none.
#[derive(Clone, Default)]
pub struct Keyring(Vec<SigningKey>);

#[derive(Clone)]
struct SigningKey {
    kid: String,
    key: Hmac<Sha256>,
    expires: Option<Timestamp>,
}

impl Keyring {
    /// Signs claims with the newest key.
    pub(crate) fn sign(&self, claims: &Claims) -> Result<Secret> {
        let key = self
            .0
            .first()
            .ok_or_else(|| Error::internal("the store has no signing key"))?;
        let header = Header {
            alg: "HS256".to_owned(),
            typ: "JWT".to_owned(),
            kid: key.kid.clone(),
        };
        let mut token = format!("{}.{}", part(&header)?, part(claims)?);
        let mut mac = key.key.clone();
        mac.update(token.as_bytes());
        let tag = mac.finalize().into_bytes();
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(tag, &mut token);
        Ok(Secret::new(token))
    }

    /// What a token says, when one of these keys signed it and it is valid now; `None` for everything else.
    /// Costs no look into the database.
    pub fn verify(&self, token: &str, now: Timestamp) -> Option<Claims> {
        if token.len() > MAX_TOKEN {
            return None;
        }
        let (signed, tag) = token.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let header: Header = read(header)?;
        if header.alg != "HS256" {
            return None;
        }
        let key = self.0.iter().find(|key| key.kid == header.kid)?;
        if key.expires.is_some_and(|expires| expires <= now) {
            return None;
        }
        let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
        let mut mac = key.key.clone();
        mac.update(signed.as_bytes());
        // In constant time.
        mac.verify_slice(&tag).ok()?;
        let claims: Claims = read(payload)?;
        let times: OnlyTimes = read(payload)?;
        let seconds = now.as_second();
        // When it was made does not matter: this service made it, with a key of its own. A clock that was set back
        // must not end sessions, and a session that has ended admits no token however long the token is valid.
        let begun = times.nbf.is_none_or(|nbf| nbf <= seconds + SKEW);
        (claims.exp > seconds && begun && claims.token_type == TOKEN_TYPE).then_some(claims)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kids = self.0.iter().map(|key| &key.kid);
        f.debug_list().entries(kids).finish()
    }
}

fn part<T: Serialize>(value: &T) -> Result<String> {
    let json = serde_json::to_vec(value).map_err(Error::caused("a token cannot be written"))?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}

fn read<T: for<'de> Deserialize<'de>>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

handle! {
    /// The keys that sign access tokens: [`Store::signing_keys`](crate::Store::signing_keys).
    SigningKeys,
    /// The keys that sign access tokens.
    signing_keys
}

impl SigningKeys<'_> {
    /// The keys that verify tokens now. The first is made when there is none.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn keyring(&self) -> Result<Keyring> {
        if let Some(keys) = self.store.read(load).await? {
            return Ok(keys);
        }
        self.store
            .write(|tx| {
                tx.housekeeping().move_revision();
                current(tx)
            })
            .await
    }

    /// Makes a new key, which signs from now on. What the keys before have signed stays valid until it expires, at
    /// most a day; with `at_once` it ends now, so that every user has to renew the session.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn rotate(&self, at_once: bool) -> Result<String> {
        self.store
            .write(move |tx| {
                let now = tx.now();
                let until = match at_once {
                    true => now,
                    false => now.saturating_add(RETIRED_FOR).unwrap_or(now),
                };
                let expired = "DELETE FROM signing_keys WHERE expires <= ?1";
                tx.execute(expired, &values![now])?;
                tx.execute(
                    "UPDATE signing_keys SET expires = ?1 WHERE expires IS NULL OR expires > ?1",
                    &values![until],
                )?;
                let kid = insert(tx)?;
                tx.changed(AuditEntry::new("signing_keys.rotate").record(&kid));
                Ok(kid)
            })
            .await
    }
}

/// The keys, of which the first is made when there is none.
pub(crate) fn current(tx: &mut Tx<'_>) -> Result<Keyring> {
    if let Some(keys) = load(tx)? {
        return Ok(keys);
    }
    insert(tx)?;
    load(tx)?.ok_or_else(|| Error::internal("a signing key that was written is missing"))
}

fn insert(tx: &mut Tx<'_>) -> Result<String> {
    let kid = Uuid::now_v7().simple().to_string();
    let secret = URL_SAFE_NO_PAD.encode(random_bytes::<32>()?);
    let sealed = tx.sealer().seal(&format!("{CONTEXT} {kid}"), &secret)?;
    let row = row! {
        kid, secret: sealed, date_add: tx.now()
    };
    tx.insert("signing_keys", &row)?;
    Ok(kid)
}

/// The keys; `None` when none signs.
fn load(reader: &mut Reader<'_>) -> Result<Option<Keyring>> {
    let sealer = reader.sealer();
    let keys = reader.list(
        "SELECT kid, secret, expires FROM signing_keys WHERE expires IS NULL OR expires > ?1 \
         ORDER BY expires IS NOT NULL, date_add DESC, kid DESC",
        &values![reader.now()],
        |row| {
            let kid: String = row.get("kid")?;
            let damaged = || Error::internal("a signing key cannot be opened; it is damaged");
            let secret = sealer
                .open(&format!("{CONTEXT} {kid}"), &row.get::<String>("secret")?)
                .map_err(|_| damaged())?;
            let secret = URL_SAFE_NO_PAD
                .decode(secret.expose())
                .map_err(|_| damaged())?;
            Ok(SigningKey {
                kid,
                key: mac::keyed(&secret),
                expires: row::get(row, "expires")?,
            })
        },
    )?;
    let signs = keys.first().is_some_and(|key| key.expires.is_none());
    Ok(signs.then_some(Keyring(keys)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn keyring(kid: &str, secret: &[u8]) -> Keyring {
        Keyring(vec![SigningKey {
            kid: kid.to_owned(),
            key: mac::keyed(secret),
            expires: None,
        }])
    }

    fn claims() -> Claims {
        Claims::new(
            (Uuid::from_u128(1), Uuid::from_u128(2)),
            &("main", "prod").into(),
            at(NOW),
            at(NOW + 900),
        )
    }

    fn signed(header: &str, payload: &str, secret: &[u8]) -> String {
        let text = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header),
            URL_SAFE_NO_PAD.encode(payload)
        );
        let mut mac = mac::keyed(secret);
        mac.update(text.as_bytes());
        format!(
            "{text}.{}",
            URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
        )
    }

    #[test]
    fn a_token_is_read_back_until_it_expires() {
        let keys = keyring("k1", b"secret");
        let token = keys.sign(&claims()).unwrap();
        let read = keys.verify(token.expose(), at(NOW)).unwrap();
        assert_eq!(
            (read.sub, read.sid),
            (Uuid::from_u128(1), Uuid::from_u128(2))
        );
        assert_eq!(
            (read.project.as_str(), read.environment.as_str()),
            ("main", "prod")
        );
        assert!(keys.verify(token.expose(), at(NOW + 899)).is_some());
        assert!(keys.verify(token.expose(), at(NOW + 900)).is_none());
    }

    #[test]
    fn a_token_that_another_made_is_refused_whatever_it_says() {
        let keys = keyring("k1", b"secret");
        let payload = serde_json::to_string(&claims()).unwrap();
        let good = r#"{"alg":"HS256","typ":"JWT","kid":"k1"}"#;
        assert!(
            keys.verify(&signed(good, &payload, b"secret"), at(NOW))
                .is_some()
        );
        let (other, secret) = (&b"other"[..], &b"secret"[..]);
        let payload = payload.as_str();
        let until = NOW + 900;
        // Another key; another kid, none, a path as kid; another algorithm.
        let mut wrong = vec![(good.to_owned(), payload.to_owned(), other)];
        for (header, secret) in [
            (r#"{"alg":"HS256","typ":"JWT","kid":"k2"}"#, secret),
            (r#"{"alg":"HS256","typ":"JWT"}"#, secret),
            (r#"{"alg":"HS256","typ":"JWT","kid":"../../dev/null"}"#, b""),
            (r#"{"alg":"none","typ":"JWT","kid":"k1"}"#, secret),
            (r#"{"alg":"None","typ":"JWT","kid":"k1"}"#, secret),
            (r#"{"alg":"HS512","typ":"JWT","kid":"k1"}"#, secret),
            (r#"{"alg":"RS256","typ":"JWT","kid":"k1"}"#, secret),
        ] {
            wrong.push((header.to_owned(), payload.to_owned(), secret));
        }
        // Times that are wrong, missing, or no numbers; another type of token.
        for (from, to) in [
            (until.to_string(), NOW.to_string()),
            ("\"exp\"".to_owned(), "\"expires\"".to_owned()),
            (until.to_string(), "\"9999999999\"".to_owned()),
            (
                "{\"sub\"".to_owned(),
                format!("{{\"nbf\":{},\"sub\"", NOW + 60),
            ),
            ("\"access\"".to_owned(), "\"refresh\"".to_owned()),
        ] {
            wrong.push((good.to_owned(), payload.replace(&from, &to), secret));
        }
        for (header, payload, secret) in wrong {
            let token = signed(&header, &payload, secret);
            assert!(keys.verify(&token, at(NOW)).is_none(), "{header} {payload}");
        }
    }

    #[test]
    fn a_token_without_its_signature_or_with_more_behind_it_is_refused() {
        let keys = keyring("k1", b"secret");
        let token = keys.sign(&claims()).unwrap();
        let token = token.expose();
        let (signed, tag) = token.rsplit_once('.').unwrap();
        for wrong in [
            signed.to_owned(),
            format!("{signed}."),
            format!("{token}."),
            format!("{token}.{tag}"),
            format!("{token}A"),
            format!("{token}=="),
            format!("{token} "),
            format!(" {token}"),
            format!("{token}\0"),
            "a".repeat(1_000_000),
            String::new(),
            "..".to_owned(),
        ] {
            assert!(keys.verify(&wrong, at(NOW)).is_none());
        }
    }

    #[test]
    fn a_token_from_before_the_clock_was_set_back_is_still_valid() {
        let keys = keyring("k1", b"secret");
        let token = keys.sign(&claims()).unwrap();
        for back in [60, 3_600, 86_400] {
            assert!(keys.verify(token.expose(), at(NOW - back)).is_some());
        }
    }

    #[test]
    fn a_retired_key_is_believed_until_it_expires() {
        let mut keys = keyring("k1", b"secret");
        let token = keys.sign(&claims()).unwrap();
        keys.0[0].expires = Some(at(NOW + 60));
        assert!(keys.verify(token.expose(), at(NOW + 59)).is_some());
        assert!(keys.verify(token.expose(), at(NOW + 60)).is_none());
    }

    proptest! {
        #[test]
        fn no_text_is_a_token_and_none_panics(text in "\\PC{0,200}") {
            prop_assert!(keyring("k1", b"secret").verify(&text, at(NOW)).is_none());
        }

        #[test]
        fn a_changed_token_is_refused(at_byte in 0_usize..300, by in 1_u8..=127) {
            let keys = keyring("k1", b"secret");
            let token = keys.sign(&claims()).unwrap();
            let mut bytes = token.expose().as_bytes().to_vec();
            let index = at_byte % bytes.len();
            bytes[index] = (bytes[index] ^ by) & 0x7f;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assume!(changed != token.expose());
            prop_assert!(keys.verify(&changed, at(NOW)).is_none());
        }
    }
}
