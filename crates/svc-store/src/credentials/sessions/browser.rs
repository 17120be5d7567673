//! What the browser of somebody who uses the console keeps of a session.
//!
//! It names the session, and a MAC under the store's key proves it, so that every process on the store knows it and nothing
//! is stored for it. Unlike a refresh token it stays the same: a browser that was closed in the middle of an answer has not
//! lost its session. It is no credential of either host.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;
use svc_model::Realm;
use uuid::Uuid;

use super::{SessionTokens, Sessions, SignInOrigin, begin, read_token};
use crate::credentials::{Claims, Purpose, codes, has_operator, signing_keys};
use crate::database::{row, values};
use crate::error::{Error, Result};
use crate::people::RealmRow;
use crate::projects::Located as _;
use crate::secrets::{Sealer, Secret};

/// How it begins.
const PREFIX: &str = "svcb_";
/// Its bytes: session, MAC.
const BYTES: usize = 16 + 32;

impl Sessions<'_> {
    /// A short name of this store, by which a browser tells cookies of several services on one host apart.
    pub fn short_name(&self) -> String {
        self.store.sealer().key().short_name("name of the store")
    }

    /// What a browser keeps of the session of a refresh token; `None` when this store has not made the token.
    pub fn browser_session(&self, refresh_token: &str) -> Option<Secret> {
        let (session, _) = read_token(self.store.sealer(), refresh_token)?;
        Some(write(self.store.sealer(), session))
    }

    /// A code with which somebody signs in once, as this account and without a password. It is good for a day; an earlier one
    /// is void.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn sign_in_code(&self, account: Uuid, email: &str) -> Result<Secret> {
        let email = email.to_owned();
        self.store
            .write(move |tx| {
                let person = RealmRow::of_service().person(Some(account));
                codes::forget(tx, person.clone())?;
                let made = codes::create(tx, person, Purpose::SignIn, &email)?;
                tx.audit(RealmRow::of_service().entry("account.sign_in_code", account));
                let (code, _) = made.ok_or_else(|| Error::internal("there is no code left"))?;
                Ok(code)
            })
            .await
    }

    /// Signs somebody in who has such a code; `None` when it is unknown, was used before, or has expired.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn use_sign_in_code(
        &self,
        code: &str,
        origin: SignInOrigin,
    ) -> Result<Option<SessionTokens>> {
        let code = code.to_owned();
        self.store
            .write(move |tx| {
                let realm = RealmRow::of_service();
                let found = codes::find(tx, &realm, &code, Purpose::SignIn)?;
                let Some((account, email)) = found else {
                    return Ok(None);
                };
                codes::forget(tx, realm.person(Some(account)))?;
                let tokens = begin(tx, &realm, account, &origin)?;
                tx.audit(realm.entry_by("account.login", account, &email));
                Ok(Some(tokens))
            })
            .await
    }

    /// What opens the page that makes the first operator; `None` once somebody operates the service who can sign in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn first_run_code(&self) -> Result<Option<Secret>> {
        Ok(match self.store.read(has_operator).await? {
            true => None,
            false => Some(first_run_code(self.store.sealer())),
        })
    }

    /// A new access token of an account's session that a browser keeps, and when it expires. The session goes on as if its
    /// refresh token had been used. `None`: it has ended, the account is suspended, or the store has not made this.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn access(&self, browser_session: &str) -> Result<Option<(Secret, Timestamp)>> {
        // A text that this store has not made costs no look into the database.
        let Some(session) = read(self.store.sealer(), browser_session) else {
            return Ok(None);
        };
        self.store
            .write(move |tx| {
                tx.housekeeping();
                let Some(realm) = RealmRow::find(tx, &Realm::Service)? else {
                    return Ok(None);
                };
                let now = tx.now();
                let sql = "SELECT s.account_uid FROM sessions s JOIN accounts a ON a.uid = s.account_uid \
                     WHERE s.uid = ?1 AND s.expires > ?2 AND a.suspended IS NULL";
                let Some(found) = tx.query_one(sql, &values![session, now])? else {
                    return Ok(None);
                };
                let account = row::get(&found, "account_uid")?;
                let session_expires = realm.refresh_expiry(now);
                tx.execute(
                    "UPDATE sessions SET last_use = ?1, expires = ?2 WHERE uid = ?3",
                    &values![now, session_expires, session],
                )?;
                let expires = realm.access_expiry(now);
                let claims = Claims::new((account, session), &realm.realm, now, expires);
                let token = signing_keys::current(tx)?.sign(&claims)?;
                Ok(Some((token, expires)))
            })
            .await
    }
}

fn first_run_code(sealer: &Sealer) -> Secret {
    let code = sealer.derive("first operator").finalize().into_bytes();
    Secret::new(URL_SAFE_NO_PAD.encode(code))
}

fn mac(sealer: &Sealer, session: &[u8]) -> Hmac<Sha256> {
    let mut mac = sealer.derive("sessions of browsers");
    mac.update(session);
    mac
}

fn write(sealer: &Sealer, session: Uuid) -> Secret {
    let mut bytes = session.as_bytes().to_vec();
    bytes.extend_from_slice(&mac(sealer, session.as_bytes()).finalize().into_bytes());
    Secret::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// The session of what this store has made.
fn read(sealer: &Sealer, text: &str) -> Option<Uuid> {
    let encoded = text.strip_prefix(PREFIX)?;
    let bytes = URL_SAFE_NO_PAD.decode(encoded).ok()?;
    if bytes.len() != BYTES {
        return None;
    }
    let (session, tag) = bytes.split_first_chunk::<16>()?;
    // In constant time.
    mac(sealer, session).verify_slice(tag).ok()?;
    Some(Uuid::from_bytes(*session))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::seal::SealKey;

    #[test]
    fn what_a_browser_keeps_is_read_by_the_store_that_made_it_and_no_other() {
        let (mine, other) = (
            Sealer::new(&SealKey::generate().unwrap()),
            Sealer::new(&SealKey::generate().unwrap()),
        );
        let session = Uuid::now_v7();
        let kept = write(&mine, session);
        assert_eq!(read(&mine, kept.expose()), Some(session));
        assert_eq!(read(&other, kept.expose()), None);
        let mut changed = kept.expose().to_owned();
        changed.replace_range(10..11, if &changed[10..11] == "A" { "B" } else { "A" });
        assert_eq!(read(&mine, &changed), None);
    }
}
