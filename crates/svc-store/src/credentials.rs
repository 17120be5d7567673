//! What API keys, static tokens and service tokens have in common: they are made, listed, revoked and verified in one
//! way, and their last use is written down in one way.

pub(crate) mod api_keys;
pub(crate) mod codes;
mod kind;
pub(crate) mod passwords;
pub(crate) mod service_tokens;
pub(crate) mod sessions;
pub(crate) mod signing_keys;
pub(crate) mod static_tokens;

pub use self::api_keys::{ApiKey, ApiKeyIdentity, Membership, NewApiKey};
pub(crate) use self::codes::Purpose;
pub use self::kind::{CredentialHash, CredentialKind};
pub(crate) use self::passwords::Passwords;
pub use self::service_tokens::{NewServiceToken, ServiceToken, ServiceTokenIdentity};
pub use self::sessions::{SessionIdentity, SessionTokens, Sessions};
pub use self::signing_keys::{Claims, Keyring, SigningKeys};
pub use self::static_tokens::{NewStaticToken, StaticToken, TokenIdentity};

use std::marker::PhantomData;

use jiff::{SignedDuration, Timestamp};
use svc_data::{Row, Value};
use svc_model::Scope;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::clock;
use crate::database::{Reader, Store, Tx, row, values};
use crate::error::{Error, Result};
use crate::projects::ScopeRow;
use crate::secrets::Secret;

/// How often the use of one credential is written down at most.
const WRITE_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// A kind of credential that the store makes: [`ApiKey`], [`StaticToken`] or [`ServiceToken`].
pub trait Credential: Sized + Send + 'static {
    /// What a new one is made of.
    type New: Send + 'static;
    /// What a valid one opens.
    type Identity: Send + 'static;
}

/// How a kind of credential is kept.
pub(crate) trait CredentialTable: Credential {
    const KIND: CredentialKind;
    /// Its name in messages.
    const WHAT: &'static str;
    const TABLE: &'static str;
    /// What the audit trail says when one is made, and when one is revoked.
    const ACTIONS: [&'static str; 2];

    /// The columns of lists and the tables they come from, in which the table itself is called `c`.
    fn select() -> String;

    /// Reads one from a row of [`select`](Self::select).
    fn from_row(row: &Row) -> Result<Self>;

    /// The name and the expiry of a new one.
    fn terms(new: &Self::New) -> (Option<String>, Option<Timestamp>);

    /// The columns that say what a new one opens. What is missing and can be made is made.
    fn columns(tx: &mut Tx<'_>, new: &Self::New) -> Result<Vec<(&'static str, Value)>>;

    /// Says in a line where it counts; `new` is given when it was just made.
    fn locate(
        &self,
        reader: &mut Reader<'_>,
        entry: AuditEntry,
        new: Option<&Self::New>,
    ) -> Result<AuditEntry>;

    /// What it opens.
    fn identity(self, reader: &mut Reader<'_>) -> Result<Self::Identity>;
}

/// The credentials of one kind: [`Store::api_keys`], [`Store::tokens`] or [`Store::service_tokens`].
#[derive(Debug, Clone, Copy)]
pub struct Credentials<'s, C> {
    store: &'s Store,
    kind: PhantomData<C>,
}

/// A credential that was just made. This is the only time that its text is there to be shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Created<C> {
    /// The text, which begins with the [prefix](CredentialKind::prefix) of its kind.
    pub secret: Secret,
    /// What the store keeps of it.
    pub credential: C,
}

impl Store {
    /// The API keys of accounts.
    pub fn api_keys(&self) -> Credentials<'_, ApiKey> {
        Credentials::new(self)
    }

    /// The static tokens of resources.
    pub fn tokens(&self) -> Credentials<'_, StaticToken> {
        Credentials::new(self)
    }

    /// The tokens of services.
    pub fn service_tokens(&self) -> Credentials<'_, ServiceToken> {
        Credentials::new(self)
    }
}

#[expect(private_bounds, reason = "the store makes three kinds, and no other")]
impl<'s, C: CredentialTable> Credentials<'s, C> {
    fn new(store: &'s Store) -> Self {
        let kind = PhantomData;
        Self { store, kind }
    }

    /// Makes a credential. An API key opens every project of its account, now and later; a static token one resource;
    /// a service token acts with the rights of a team.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project, environment or resource; a
    /// field error on `email`, on `team`, or on `expires` when that has passed.
    pub async fn create(&self, new: C::New) -> Result<Created<C>> {
        let (name, expires) = C::terms(&new);
        clock::check_expiry(expires, self.store.clock().now())?;
        let made = C::KIND.generate()?;
        let (hash, prefix) = (made.hash.to_hex(), made.prefix);
        let credential = self.store.write(move |tx| {
            let uid = Uuid::now_v7();
            let mut row = C::columns(tx, &new)?;
            row.extend(row! { uid, hash, prefix, name, date_add: tx.now(), expires });
            tx.insert(C::TABLE, &row)?;
            let credential: C = get(tx, uid)?;
            let entry = AuditEntry::new(C::ACTIONS[0]).record(uid.to_string());
            let entry = entry.after(tag::<C>(tx, uid)?);
            let entry = credential.locate(tx, entry, Some(&new))?;
            tx.changed(entry);
            Ok(credential)
        });
        Ok(Created {
            secret: made.secret,
            credential: credential.await?,
        })
    }

    /// Ends a credential for good. `which` is its uid, the prefix that lists show, or the credential itself. One that
    /// was revoked before stays so.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such credential;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when several have the prefix.
    pub async fn revoke(&self, which: &str) -> Result<C> {
        let wanted = which.trim().to_owned();
        self.store
            .write(move |tx| {
                let hash = CredentialHash::of(&wanted).to_hex();
                let table = C::TABLE;
                let found = tx.query(
                    &format!("SELECT uid FROM {table} WHERE uid = ?1 OR prefix = ?2 OR hash = ?3"),
                    &values![wanted.to_lowercase(), wanted, hash],
                )?;
                let uid: Uuid = match found.as_slice() {
                    [] => {
                        return Err(Error::not_found(format!(
                            "there is no such {}; name it by its prefix or its uid",
                            C::WHAT
                        )));
                    }
                    [row] => row::get(row, "uid")?,
                    _ => {
                        return Err(Error::refused(format!(
                            "several are meant by this prefix; name the {} by its uid",
                            C::WHAT
                        )));
                    }
                };
                let entry = AuditEntry::new(C::ACTIONS[1]).record(uid.to_string());
                let entry = entry.before(tag::<C>(tx, uid)?);
                // One that was revoked before stays so.
                let sql =
                    format!("UPDATE {table} SET revoked = ?1 WHERE uid = ?2 AND revoked IS NULL");
                tx.execute(&sql, &values![tx.now(), uid])?;
                let credential: C = get(tx, uid)?;
                let entry = entry.after(tag::<C>(tx, uid)?);
                let entry = credential.locate(tx, entry, None)?;
                tx.changed(entry);
                Ok(credential)
            })
            .await
    }

    /// What this credential opens; `None` when it is unknown, malformed, revoked or expired. A text that is no
    /// credential of this kind costs no look into the database.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn authenticate(&self, presented: &str) -> Result<Option<C::Identity>> {
        if CredentialKind::of(presented) != Some(C::KIND) {
            return Ok(None);
        }
        let hash = CredentialHash::of(presented);
        self.store
            .read(move |reader| {
                let sql = format!("{} WHERE c.hash = ?1", C::select());
                match reader.query_one(&sql, &values![hash.to_hex()])? {
                    Some(row) if is_valid(&row, hash, reader.now())? => {
                        C::from_row(&row)?.identity(reader).map(Some)
                    }
                    _ => Ok(None),
                }
            })
            .await
    }

    /// Writes down that a credential was used, at most once a minute. Meant to be called in the background, after the
    /// request was answered; [`Store::revision`] stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn touch(&self, uid: Uuid) -> Result<()> {
        self.store
            .write(move |tx| {
                let now = tx.now();
                let before = now.checked_sub(WRITE_EVERY).unwrap_or(now);
                let sql = format!(
                    "UPDATE {} SET last_use = ?1 WHERE uid = ?2 AND (last_use IS NULL OR last_use <= ?3)",
                    C::TABLE
                );
                tx.housekeeping().execute(&sql, &values![now, uid, before])
            })
            .await?;
        Ok(())
    }
}

/// The credentials that a condition chooses, revoked and expired ones too, the oldest first.
fn list<C: CredentialTable>(
    reader: &mut Reader<'_>,
    condition: &str,
    values: &[Value],
) -> Result<Vec<C>> {
    let sql = format!("{} {condition} ORDER BY c.date_add, c.uid", C::select());
    reader.list(&sql, values, C::from_row)
}

/// The credentials of an environment, revoked and expired ones too, the oldest first.
async fn list_of_environment<C: CredentialTable>(store: &Store, scope: Scope) -> Result<Vec<C>> {
    store
        .read_in(scope, |reader, scope: ScopeRow| {
            let condition = "WHERE c.environment_uid = ?1";
            list(reader, condition, &values![scope.environment_uid])
        })
        .await
}

/// Whether an expiry has come.
pub(crate) fn is_expired(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_some_and(|expires| expires <= now)
}

fn get<C: CredentialTable>(reader: &mut Reader<'_>, uid: Uuid) -> Result<C> {
    let sql = format!("{} WHERE c.uid = ?1", C::select());
    reader
        .find(&sql, &values![uid], C::from_row)?
        .ok_or_else(|| Error::internal("a credential that was written is missing"))
}

/// The entity tag of a credential, whose use alone does not change it.
fn tag<C: CredentialTable>(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<String>> {
    let table = C::TABLE;
    let sql = format!("SELECT uid, hash, name, expires, revoked FROM {table} WHERE uid = ?1");
    reader.tag_of(&sql, &values![uid])
}

/// Whether the row of a presented credential is the one and may still be used.
fn is_valid(row: &Row, hash: CredentialHash, now: Timestamp) -> Result<bool> {
    let same = hash.is(&row.get::<String>("hash")?);
    let revoked = row.get::<Option<String>>("revoked")?.is_some();
    let expired = is_expired(row::get(row, "expires")?, now);
    Ok(same && !revoked && !expired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_expires_at_the_very_moment() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(!is_expired(None, at(10)));
        assert!(!is_expired(Some(at(10)), at(9)));
        assert!(is_expired(Some(at(10)), at(10)));
    }
}
