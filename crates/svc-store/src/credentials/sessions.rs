//! Sessions: the sign-ins of users and accounts, and the tokens that carry them (wire contract, section 9).
//!
//! A refresh token is not stored. It names its session and its generation, and a MAC under the store's key proves
//! it; the session knows which generation is the newest. So the token that follows another is the same however
//! often it is asked for, and a lost reply or a parallel tab gets what the first one got.

mod browser;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use jiff::{SignedDuration, Timestamp};
use sha2::Sha256;
use svc_data::Row;
use svc_model::{Realm, Scope};
use uuid::Uuid;

use crate::credentials::{AccountGrant, AccountRights, Claims, signing_keys};
use crate::database::{Bind as _, Reader, Tx, handle, row, values};
use crate::error::{Error, Result};
use crate::people::{PersonColumn, RealmRow, Team, TeamRights, rights, teams};
use crate::projects::Located;
use crate::secrets::{Sealer, Secret};

/// How a refresh token begins.
const PREFIX: &str = "svcr_";
/// Bytes of a refresh token: session, generation, MAC.
const TOKEN_BYTES: usize = 16 + 8 + 32;
/// The longest name of a program that a session keeps, in characters.
const MAX_USER_AGENT: usize = 255;
/// How long a rotated refresh token still works.
const GRACE: SignedDuration = SignedDuration::from_secs(10);

/// The tokens of a session, as they are handed out once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionTokens {
    /// The access token.
    pub access_token: Secret,
    /// The refresh token.
    pub refresh_token: Secret,
    /// When the access token expires.
    pub access_token_expires: Timestamp,
    /// When the refresh token expires.
    pub refresh_token_expires: Timestamp,
}

/// The user of a valid access token, and what that user may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionIdentity {
    /// The session.
    pub session_uid: Uuid,
    /// The user.
    pub user_uid: Uuid,
    /// The e-mail address of the user.
    pub email: String,
    /// The environment that the user is in.
    pub scope: Scope,
    /// The user's team.
    pub team: Team,
    /// What the team may do with records.
    pub rights: TeamRights,
    /// When the access token expires, in seconds since 1970. A caller that keeps this identity checks it.
    pub expires: i64,
}

/// Whose session it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionHolder {
    /// A user of an environment.
    User(SessionIdentity),
    /// An account of the service.
    Account(AccountSession),
}

/// The account of a valid access token, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountSession {
    /// The session.
    pub session_uid: Uuid,
    /// The account.
    pub account: AccountGrant,
    /// What it may do.
    pub rights: AccountRights,
    /// When the access token expires, in seconds since 1970. A caller that keeps this identity checks it.
    pub expires: i64,
}

/// Where somebody signs in from, as lists of sessions show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignInOrigin {
    /// The address.
    pub address: Option<String>,
    /// What the browser or the program calls itself.
    pub user_agent: Option<String>,
}

impl SignInOrigin {
    /// This address, and what is there, of which the first 255 characters are kept.
    pub fn new(address: impl Into<String>, user_agent: Option<&str>) -> Self {
        let user_agent = user_agent.map(|text| text.chars().take(MAX_USER_AGENT).collect());
        Self {
            address: Some(address.into()),
            user_agent,
        }
    }
}

handle! {
    /// The sessions of users and accounts: [`Store::sessions`](crate::Store::sessions).
    Sessions,
    /// The sessions of users and accounts.
    sessions
}

impl Sessions<'_> {
    /// How many sessions of users and accounts have not ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn count(&self) -> Result<u64> {
        self.store
            .read(|reader| {
                let sql = "SELECT COUNT(*) AS count FROM sessions WHERE expires > ?1";
                let count = reader.find(sql, &values![reader.now()], |row| {
                    Ok(row.get::<i64>("count")?)
                })?;
                Ok(u64::try_from(count.unwrap_or_default()).unwrap_or_default())
            })
            .await
    }

    /// The session that the claims of an access token name; `None` when it has ended. Whether the token is genuine
    /// is [`Keyring::verify`](crate::Keyring::verify)'s to say.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find(&self, claims: &Claims) -> Result<Option<SessionHolder>> {
        let claims = claims.clone();
        self.store.read(move |reader| find(reader, &claims)).await
    }

    /// Changes a refresh token for new tokens. A rotated one works for ten seconds more and gives what the first
    /// call gave; later it ends the session. `None`: it is unknown, expired, or the session has ended.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn refresh(&self, realm: &Realm, token: &str) -> Result<Option<SessionTokens>> {
        // A text that this store has not made costs no look into the database.
        let Some((session, generation)) = read_token(self.store.sealer(), token) else {
            return Ok(None);
        };
        let realm = realm.clone();
        self.store
            .write(move |tx| match RealmRow::find(tx, &realm)? {
                Some(realm) => refresh(tx, &realm, session, generation),
                None => Ok(None),
            })
            .await
    }

    /// Ends the session of a person, who has left.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn end(&self, realm: &Realm, person: Uuid, session: Uuid) -> Result<()> {
        self.store
            .write_in(realm.clone(), move |tx, realm: RealmRow| {
                tx.changed(realm.entry("account.logout", person));
                end(tx, session)
            })
            .await
    }

    /// Ends one of the sessions of a person of the realm.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the realm has no such person, or the person no such session.
    pub async fn end_one(&self, realm: &Realm, person: Uuid, session: Uuid) -> Result<()> {
        self.store
            .write_in(realm.clone(), move |tx, realm: RealmRow| {
                let (column, person_value) = realm.person(Some(person));
                if let Some(environment) = realm.environment_uid() {
                    let sql = "SELECT uid FROM users WHERE uid = ?1 AND environment_uid = ?2";
                    if !tx.exists(sql, &values![person, environment])? {
                        return Err(Error::not_found("this environment has no such user"));
                    }
                }
                let sql = format!("DELETE FROM sessions WHERE uid = ?1 AND {column} = ?2");
                if tx.execute(&sql, &[session.bind(), person_value])? == 0 {
                    return Err(Error::not_found("there is no such session"));
                }
                tx.changed(realm.entry("account.end_session", person));
                Ok(())
            })
            .await
    }

    /// Ends all sessions of a person of the realm but this one.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when this one has ended: it ends no others.
    pub async fn end_others(&self, realm: &Realm, person: Uuid, own: Uuid) -> Result<()> {
        self.store
            .write_in(realm.clone(), move |tx, realm: RealmRow| {
                let (column, person_value) = realm.person(Some(person));
                let values = [own.bind(), person_value];
                let sql = format!("SELECT uid FROM sessions WHERE uid = ?1 AND {column} = ?2");
                if !tx.exists(&sql, &values)? {
                    return Err(Error::not_found("the session has ended"));
                }
                let sql = format!("DELETE FROM sessions WHERE uid <> ?1 AND {column} = ?2");
                match tx.execute(&sql, &values)? {
                    // Nothing that anybody has to learn of.
                    0 => drop(tx.housekeeping()),
                    _ => tx.changed(realm.entry("account.end_other_sessions", person)),
                }
                Ok(())
            })
            .await
    }
}

/// Begins a session.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    person: Uuid,
    origin: &SignInOrigin,
) -> Result<SessionTokens> {
    let (session, now) = (Uuid::now_v7(), tx.now());
    let expires = realm.refresh_expiry(now);
    tx.execute("DELETE FROM sessions WHERE expires <= ?1", &values![now])?;
    let row = row! {
        uid: session, generation: 1_i64, date_add: now, last_use: now, expires,
        address: origin.address, user_agent: origin.user_agent
    };
    let mut row = Vec::from(row);
    row.push(realm.person(Some(person)));
    tx.insert("sessions", &row)?;
    tokens(tx, realm, person, (session, 1), expires)
}

/// Ends every session of a person.
pub(crate) fn end_all(tx: &mut Tx<'_>, (column, person): PersonColumn) -> Result<()> {
    let sql = format!("DELETE FROM sessions WHERE {column} = ?1");
    tx.execute(&sql, &[person]).map(drop)
}

fn end(tx: &mut Tx<'_>, session: Uuid) -> Result<()> {
    let sql = "DELETE FROM sessions WHERE uid = ?1";
    tx.execute(sql, &values![session]).map(drop)
}

fn find(reader: &mut Reader<'_>, claims: &Claims) -> Result<Option<SessionHolder>> {
    match claims.realm() {
        Realm::Service => Ok(find_of_account(reader, claims)?.map(SessionHolder::Account)),
        _ => Ok(find_of_user(reader, claims)?.map(SessionHolder::User)),
    }
}

fn find_of_account(reader: &mut Reader<'_>, claims: &Claims) -> Result<Option<AccountSession>> {
    let sql = "SELECT s.uid FROM sessions s JOIN accounts a ON a.uid = s.account_uid \
         WHERE s.uid = ?1 AND s.account_uid = ?2 AND s.expires > ?3 AND a.suspended IS NULL";
    if !reader.exists(sql, &values![claims.sid, claims.sub, reader.now()])? {
        return Ok(None);
    }
    let Some(account) = AccountGrant::find(reader, claims.sub)? else {
        return Ok(None);
    };
    Ok(Some(AccountSession {
        session_uid: claims.sid,
        rights: AccountRights::of_account(reader, &account)?,
        account,
        expires: claims.exp,
    }))
}

fn find_of_user(reader: &mut Reader<'_>, claims: &Claims) -> Result<Option<SessionIdentity>> {
    let sql = format!(
        "SELECT s.uid AS session_uid, u.uid AS user_uid, u.email, p.unique_name AS project, \
         e.unique_name AS environment, {team} FROM sessions s JOIN users u ON u.uid = s.user_uid \
         JOIN environments e ON e.uid = u.environment_uid JOIN projects p ON p.uid = e.project_uid \
         JOIN teams t ON t.uid = u.team_uid \
         WHERE s.uid = ?1 AND s.user_uid = ?2 AND s.expires > ?3 AND p.unique_name = ?4 AND e.unique_name = ?5 \
         AND u.suspended IS NULL",
        team = teams::COLUMNS,
    );
    let now = reader.now();
    let values = values![
        claims.sid,
        claims.sub,
        now,
        claims.project,
        claims.environment
    ];
    let Some(row) = reader.query_one(&sql, &values)? else {
        return Ok(None);
    };
    let team = teams::from_row(&row)?;
    let scope = row::scope(&row)?;
    Ok(Some(SessionIdentity {
        session_uid: row::get(&row, "session_uid")?,
        user_uid: row::get(&row, "user_uid")?,
        email: row.get("email")?,
        rights: rights::of_team(reader, &team)?.in_environment(&scope.environment),
        scope,
        team,
        expires: claims.exp,
    }))
}

fn refresh(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    session: Uuid,
    presented: i64,
) -> Result<Option<SessionTokens>> {
    let now = tx.now();
    let (table, (column, _)) = (realm.table(), realm.person(None));
    let sql = format!(
        "SELECT s.{column} AS person_uid, s.generation, s.rotations, s.expires FROM sessions s \
         JOIN {table} u ON u.uid = s.{column} WHERE s.uid = ?1 AND s.expires > ?2 AND u.suspended IS NULL"
    );
    let found = match realm.environment_uid() {
        None => tx.query_one(&sql, &values![session, now])?,
        Some(environment) => {
            let sql = format!("{sql} AND u.environment_uid = ?3");
            tx.query_one(&sql, &values![session, now, environment])?
        }
    };
    let Some(row) = found else {
        return Ok(None);
    };
    let user = row::get(&row, "person_uid")?;
    let newest: i64 = row.get("generation")?;
    let mut rotations = rotations(&row)?;
    rotations.retain(|(_, at)| now.duration_since(*at) <= GRACE);
    if presented == newest {
        let (next, expires) = (newest + 1, realm.refresh_expiry(now));
        rotations.push((newest, now));
        // The same session goes on: nothing that an administrator would look for.
        tx.housekeeping().execute(
            "UPDATE sessions SET generation = ?1, rotations = ?2, last_use = ?3, expires = ?4 WHERE uid = ?5",
            &values![next, rotations_text(&rotations)?, now, expires, session],
        )?;
        return tokens(tx, realm, user, (session, next), expires).map(Some);
    }
    if rotations.iter().any(|(rotated, _)| *rotated == presented) {
        let expires = row::get(&row, "expires")?;
        tx.housekeeping();
        return tokens(tx, realm, user, (session, presented + 1), expires).map(Some);
    }
    if presented < newest {
        tracing::warn!(%session, "a refresh token was used again; its session ends");
        end(tx, session)?;
        tx.changed(realm.entry("account.end_session", user));
    }
    Ok(None)
}

fn tokens(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    user: Uuid,
    (session, generation): (Uuid, i64),
    refresh_token_expires: Timestamp,
) -> Result<SessionTokens> {
    let access_token_expires = realm.access_expiry(tx.now());
    let claims = Claims::new(
        (user, session),
        &realm.realm,
        tx.now(),
        access_token_expires,
    );
    Ok(SessionTokens {
        access_token: signing_keys::current(tx)?.sign(&claims)?,
        refresh_token: write_token(tx.sealer(), session, generation),
        access_token_expires,
        refresh_token_expires,
    })
}

fn mac(sealer: &Sealer, named: &[u8]) -> Hmac<Sha256> {
    let mut mac = sealer.derive("refresh tokens");
    mac.update(named);
    mac
}

fn write_token(sealer: &Sealer, session: Uuid, generation: i64) -> Secret {
    let mut bytes = Vec::with_capacity(TOKEN_BYTES);
    bytes.extend_from_slice(session.as_bytes());
    bytes.extend_from_slice(&generation.to_be_bytes());
    let tag = mac(sealer, &bytes).finalize().into_bytes();
    bytes.extend_from_slice(&tag);
    Secret::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// Session and generation of a token that this store has made.
fn read_token(sealer: &Sealer, token: &str) -> Option<(Uuid, i64)> {
    let mut bytes = [0; TOKEN_BYTES];
    let written = URL_SAFE_NO_PAD.decode_slice(token.strip_prefix(PREFIX)?, &mut bytes);
    if written != Ok(TOKEN_BYTES) {
        return None;
    }
    let (named, tag) = bytes.split_at(24);
    // In constant time.
    mac(sealer, named).verify_slice(tag).ok()?;
    let (session, generation) = named.split_first_chunk::<16>()?;
    let generation = i64::from_be_bytes(generation.try_into().ok()?);
    Some((Uuid::from_bytes(*session), generation))
}

fn rotations(row: &Row) -> Result<Vec<(i64, Timestamp)>> {
    let text: String = row.get("rotations")?;
    let kept: Vec<(i64, i64)> = serde_json::from_str(&text)
        .map_err(Error::caused("a session of the store cannot be read"))?;
    let each = kept.into_iter().map(|(generation, micros)| {
        let at = Timestamp::from_microsecond(micros)
            .map_err(Error::caused("the store holds a time that cannot be read"))?;
        Ok((generation, at))
    });
    each.collect()
}

fn rotations_text(rotations: &[(i64, Timestamp)]) -> Result<String> {
    let kept: Vec<(i64, i64)> = rotations
        .iter()
        .map(|(generation, at)| (*generation, at.as_microsecond()))
        .collect();
    serde_json::to_string(&kept).map_err(Error::caused("a session cannot be written"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secrets::seal::SealKey;

    #[test]
    fn a_refresh_token_is_read_by_the_store_that_made_it_and_no_other() {
        let (mine, other) = (
            Sealer::new(&SealKey::generate().unwrap()),
            Sealer::new(&SealKey::generate().unwrap()),
        );
        let session = Uuid::now_v7();
        let token = write_token(&mine, session, 7);
        assert_eq!(read_token(&mine, token.expose()), Some((session, 7)));
        assert_eq!(read_token(&other, token.expose()), None);
        assert_eq!(write_token(&mine, session, 7), token);
        assert_ne!(write_token(&mine, session, 8), token);
    }

    proptest! {
        #[test]
        fn a_changed_refresh_token_is_refused(at in 0_usize..80, by in 1_u8..=127) {
            let sealer = Sealer::new(&SealKey::generate().unwrap());
            let token = write_token(&sealer, Uuid::from_u128(1), 1);
            let mut bytes = token.expose().as_bytes().to_vec();
            let index = at % bytes.len();
            bytes[index] = (bytes[index] ^ by) & 0x7f;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assume!(changed != token.expose());
            prop_assert_eq!(read_token(&sealer, &changed), None);
        }
    }
}
