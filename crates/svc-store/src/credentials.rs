//! What API keys, static tokens and service tokens have in common: they are made, listed, revoked and verified in one
//! way, and their last use is written down in one way.

pub(crate) mod account_rights;
pub(crate) mod api_keys;
pub(crate) mod codes;
mod kind;
pub(crate) mod passwords;
mod purpose;
pub(crate) mod service_tokens;
pub(crate) mod sessions;
pub(crate) mod signing_keys;
pub(crate) mod static_tokens;

pub(crate) use self::account_rights::has_operator;
pub use self::account_rights::{AccountGrant, AccountRights, Membership};
pub use self::api_keys::{ApiKey, ApiKeyIdentity, NewAccountKey, NewApiKey};
pub use self::kind::{CredentialHash, CredentialKind};
pub(crate) use self::passwords::Passwords;
pub(crate) use self::purpose::Purpose;
pub use self::service_tokens::{NewServiceToken, ServiceToken, ServiceTokenIdentity, TeamGrant};
pub use self::sessions::{
    AccountSession, SessionHolder, SessionIdentity, SessionTokens, Sessions, SignInOrigin,
};
pub use self::signing_keys::{Claims, Keyring, SigningKeys};
pub use self::static_tokens::{
    NewStaticToken, ResourceGrant, StaticToken, TokenIdentity, TokenLimits,
};

use std::fmt;
use std::marker::PhantomData;

use jiff::{SignedDuration, Timestamp};
use svc_data::{Row, Value};
use svc_model::Scope;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::clock;
use crate::database::{Reader, Store, Tx, columns, row, values};
use crate::error::{Error, Result};
use crate::people::person;
use crate::projects::ScopeRow;
use crate::secrets::Secret;

/// How often the use of one credential is written down at most.
const WRITE_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// What a kind of credential opens: [`AccountGrant`], [`ResourceGrant`] or [`TeamGrant`].
pub trait Grant: fmt::Debug + Clone + Sized + Send + Sync + 'static {
    /// What a new credential is to open.
    type Wanted: fmt::Debug + Clone + Send + 'static;
    /// What the holder of a valid one may do, beyond what lists show.
    type Rights: fmt::Debug + Clone + PartialEq + Eq + Send + Sync + 'static;
}

/// A credential as lists show it: everything but its text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Credential<G> {
    /// Identifier.
    pub uid: Uuid,
    /// What it opens.
    pub grant: G,
    /// How its text begins.
    pub prefix: String,
    /// Its name for people, where it has one.
    pub name: Option<String>,
    /// When it was made.
    pub date_add: Timestamp,
    /// When it was last used, exact to a minute; `None` when never.
    pub last_use: Option<Timestamp>,
    /// When it ends; `None` when never.
    pub expires: Option<Timestamp>,
    /// When it was revoked; `None` while it was not.
    pub revoked: Option<Timestamp>,
}

/// What a new credential is made of: [`NewApiKey`], [`NewStaticToken`] or [`NewServiceToken`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewCredential<G: Grant> {
    /// What it is to open.
    pub wanted: G::Wanted,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl<G: Grant> NewCredential<G> {
    /// A credential without a name and without an end.
    fn without_end(wanted: G::Wanted) -> Self {
        Self {
            wanted,
            name: None,
            expires: None,
        }
    }
}

/// A valid credential that was presented, and what its holder may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity<G: Grant> {
    /// The credential.
    pub credential: Credential<G>,
    /// What its holder may do.
    pub rights: G::Rights,
}

impl<G: Grant> Identity<G> {
    /// Whether the credential has ended. A caller that keeps an identity checks this.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        is_expired(self.credential.expires, now)
    }
}

/// How a kind of credential is stored.
pub(crate) trait StoredGrant: Grant {
    const KIND: CredentialKind;
    /// Its name in messages.
    const WHAT: &'static str;
    const TABLE: &'static str;
    /// The action in the audit trail when one is made, and when one is revoked.
    const ACTIONS: [&'static str; 2];
    /// The columns of the grant in lists, in which the table itself is called `c`.
    const COLUMNS: &'static [&'static str];
    /// The tables that those columns come from.
    const JOINS: &'static str;

    /// Reads the grant from a row with these columns.
    fn from_row(row: &Row) -> Result<Self>;

    /// The columns that say what a new credential opens. What is missing and can be made is made.
    fn columns(tx: &mut Tx<'_>, wanted: &Self::Wanted) -> Result<Vec<(&'static str, Value)>>;

    /// Adds to a line what the credential is for; `wanted` is given when it was just made.
    fn locate(
        &self,
        reader: &mut Reader<'_>,
        entry: AuditEntry,
        wanted: Option<&Self::Wanted>,
    ) -> Result<AuditEntry>;

    /// Whether somebody may act with it now, as far as it is not the credential itself that has ended.
    fn admits(&self) -> bool {
        true
    }

    /// What the holder of the credential with this identifier may do.
    fn rights(&self, reader: &mut Reader<'_>, uid: Uuid) -> Result<Self::Rights>;
}

/// The credentials of one kind: [`Store::api_keys`], [`Store::tokens`] or [`Store::service_tokens`].
#[derive(Debug, Clone, Copy)]
pub struct Credentials<'s, G> {
    store: &'s Store,
    kind: PhantomData<G>,
}

/// A credential that was just made. This is the only time that its text can be shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Created<G> {
    /// The text, which begins with the [prefix](CredentialKind::prefix) of its kind.
    pub secret: Secret,
    /// What the store keeps of it.
    pub credential: Credential<G>,
}

impl Store {
    /// The API keys of accounts.
    pub fn api_keys(&self) -> Credentials<'_, AccountGrant> {
        Credentials::new(self)
    }

    /// The static tokens of resources.
    pub fn tokens(&self) -> Credentials<'_, ResourceGrant> {
        Credentials::new(self)
    }

    /// The tokens of services.
    pub fn service_tokens(&self) -> Credentials<'_, TeamGrant> {
        Credentials::new(self)
    }
}

#[expect(private_bounds, reason = "the store makes three kinds, and no other")]
impl<'s, G: StoredGrant> Credentials<'s, G> {
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
    pub async fn create(&self, new: NewCredential<G>) -> Result<Created<G>> {
        let NewCredential {
            wanted,
            name,
            expires,
        } = new;
        clock::check_expiry(expires, self.store.clock().now())?;
        let name = person::name("name", name)?;
        let made = G::KIND.generate()?;
        let (hash, prefix) = (made.hash.to_hex(), made.prefix);
        let credential = self.store.write(move |tx| {
            let uid = Uuid::now_v7();
            let mut row = G::columns(tx, &wanted)?;
            row.extend(row! { uid, hash, prefix, name, date_add: tx.now(), expires });
            tx.insert(G::TABLE, &row)?;
            let credential: Credential<G> = get(tx, uid)?;
            let entry = AuditEntry::new(G::ACTIONS[0]).record(uid.to_string());
            let entry = entry.after(tag::<G>(tx, uid)?);
            let entry = credential.grant.locate(tx, entry, Some(&wanted))?;
            tx.changed(entry);
            Ok(credential)
        });
        Ok(Created {
            secret: made.secret,
            credential: credential.await?,
        })
    }

    /// Ends a credential for good. `which` is its uid, the prefix that lists show, or the credential itself. One that
    /// was revoked before stays revoked.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such credential;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when several have the prefix.
    pub async fn revoke(&self, which: &str) -> Result<Credential<G>> {
        let wanted = which.trim().to_owned();
        self.store
            .write(move |tx| {
                let hash = CredentialHash::of(&wanted).to_hex();
                let table = G::TABLE;
                let found = tx.query(
                    &format!("SELECT uid FROM {table} WHERE uid = ?1 OR prefix = ?2 OR hash = ?3"),
                    &values![wanted.to_lowercase(), wanted, hash],
                )?;
                let uid: Uuid = match found.as_slice() {
                    [] => {
                        return Err(Error::not_found(format!(
                            "there is no such {}; name it by its prefix or its uid",
                            G::WHAT
                        )));
                    }
                    [row] => row::get(row, "uid")?,
                    _ => {
                        return Err(Error::refused(format!(
                            "several are meant by this prefix; name the {} by its uid",
                            G::WHAT
                        )));
                    }
                };
                revoke(tx, uid)
            })
            .await
    }

    /// Ends a credential for good, of those that a column names: an environment or an account.
    async fn revoke_of(&self, column: &'static str, owner: String, uid: Uuid) -> Result<()> {
        self.store
            .write(move |tx| {
                let sql = format!(
                    "SELECT uid FROM {} WHERE uid = ?1 AND {column} = ?2",
                    G::TABLE
                );
                if !tx.exists(&sql, &values![uid, owner])? {
                    return Err(Error::not_found(format!("there is no such {}", G::WHAT)));
                }
                revoke::<G>(tx, uid).map(drop)
            })
            .await
    }

    /// What this credential opens; `None` when it is unknown, malformed, revoked or expired. A text that is no
    /// credential of this kind costs no look into the database.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn authenticate(&self, presented: &str) -> Result<Option<Identity<G>>> {
        if CredentialKind::of(presented) != Some(G::KIND) {
            return Ok(None);
        }
        let hash = CredentialHash::of(presented);
        self.store
            .read(move |reader| {
                let sql = select::<G>("WHERE c.hash = ?1");
                match reader.query_one(&sql, &values![hash.to_hex()])? {
                    Some(row) if is_valid(&row, hash, reader.now())? => {
                        let credential: Credential<G> = from_row(&row)?;
                        if !credential.grant.admits() {
                            return Ok(None);
                        }
                        let rights = credential.grant.rights(reader, credential.uid)?;
                        Ok(Some(Identity { credential, rights }))
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
                    G::TABLE
                );
                tx.housekeeping().execute(&sql, &values![now, uid, before])
            })
            .await?;
        Ok(())
    }
}

/// Ends a credential; one that was revoked before keeps its time.
fn revoke<G: StoredGrant>(tx: &mut Tx<'_>, uid: Uuid) -> Result<Credential<G>> {
    let entry = AuditEntry::new(G::ACTIONS[1]).record(uid.to_string());
    let entry = entry.before(tag::<G>(tx, uid)?);
    let table = G::TABLE;
    let sql = format!("UPDATE {table} SET revoked = ?1 WHERE uid = ?2 AND revoked IS NULL");
    tx.execute(&sql, &values![tx.now(), uid])?;
    let credential: Credential<G> = get(tx, uid)?;
    let entry = entry.after(tag::<G>(tx, uid)?);
    let entry = credential.grant.locate(tx, entry, None)?;
    tx.changed(entry);
    Ok(credential)
}

/// Ends a credential of an environment.
async fn revoke_in<G: StoredGrant>(
    credentials: &Credentials<'_, G>,
    scope: &Scope,
    uid: Uuid,
) -> Result<()> {
    let found =
        credentials.store.read_in(
            scope.clone(),
            |_, scope: ScopeRow| Ok(scope.environment_uid),
        );
    let environment = found.await?;
    credentials
        .revoke_of("environment_uid", environment, uid)
        .await
}

/// The credentials that a condition chooses, revoked and expired ones too, the oldest first.
fn list<G: StoredGrant>(
    reader: &mut Reader<'_>,
    condition: &str,
    values: &[Value],
) -> Result<Vec<Credential<G>>> {
    let sql = select::<G>(&format!("{condition} ORDER BY c.date_add, c.uid"));
    reader.list(&sql, values, from_row)
}

/// The credentials of an environment, revoked and expired ones too, the oldest first.
async fn list_of_environment<G: StoredGrant>(
    store: &Store,
    scope: &Scope,
) -> Result<Vec<Credential<G>>> {
    store
        .read_in(scope.clone(), |reader, scope: ScopeRow| {
            let condition = "WHERE c.environment_uid = ?1";
            list(reader, condition, &values![scope.environment_uid])
        })
        .await
}

/// Whether an expiry has come.
pub(crate) fn is_expired(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_some_and(|expires| expires <= now)
}

fn get<G: StoredGrant>(reader: &mut Reader<'_>, uid: Uuid) -> Result<Credential<G>> {
    reader
        .find(&select::<G>("WHERE c.uid = ?1"), &values![uid], from_row)?
        .ok_or_else(|| Error::internal("a credential that was written is missing"))
}

fn select<G: StoredGrant>(rest: &str) -> String {
    format!(
        "SELECT c.uid, c.prefix, c.name, c.date_add, c.last_use, c.expires, c.revoked, c.hash, {} \
         FROM {} c {} {rest}",
        G::COLUMNS.join(", "),
        G::TABLE,
        G::JOINS
    )
}

fn from_row<G: StoredGrant>(row: &Row) -> Result<Credential<G>> {
    columns!(row => Credential {
        grant: G::from_row(row)?, uid, prefix, name, date_add, last_use, expires, revoked
    })
}

/// The entity tag of a credential, whose use alone does not change it.
fn tag<G: StoredGrant>(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<String>> {
    let table = G::TABLE;
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
