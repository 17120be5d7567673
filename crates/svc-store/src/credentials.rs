//! What API keys, static tokens and service tokens have in common: which one is meant, and when it was last used.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use svc_data::{Connection, Row, Value};
use uuid::Uuid;

use crate::audit::{self, AuditEntry};
use crate::clock;
use crate::error::Error;
use crate::secret::CredentialHash;

/// How often the use of one credential is written down at most.
const WRITE_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// The tables that hold credentials.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Table {
    ApiKeys,
    StaticTokens,
    ServiceTokens,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::ApiKeys => "api_keys",
            Self::StaticTokens => "static_tokens",
            Self::ServiceTokens => "service_tokens",
        }
    }

    /// What the audit trail says when one is made, and when one is ended.
    fn actions(self) -> (&'static str, &'static str) {
        match self {
            Self::ApiKeys => ("api_keys.create", "api_keys.revoke"),
            Self::StaticTokens => ("tokens.create", "tokens.revoke"),
            Self::ServiceTokens => ("service_tokens.create", "service_tokens.revoke"),
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::ApiKeys => "API key",
            Self::StaticTokens => "static token",
            Self::ServiceTokens => "service token",
        }
    }
}

/// Whether an expiry has come.
pub(crate) fn is_expired(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_some_and(|expires| expires <= now)
}

/// The entity tag of a credential, whose use alone does not change it.
pub(crate) fn tag(
    conn: &mut dyn Connection,
    table: Table,
    uid: Uuid,
) -> Result<Option<String>, Error> {
    let sql = format!(
        "SELECT uid, hash, name, expires, revoked FROM {} WHERE uid = ?1",
        table.name()
    );
    audit::tag(conn, &sql, &[uid.to_string().into()])
}

/// The line about a credential that was just made.
pub(crate) fn created(
    conn: &mut dyn Connection,
    table: Table,
    uid: Uuid,
) -> Result<AuditEntry, Error> {
    let entry = AuditEntry::new(table.actions().0).record(uid.to_string());
    Ok(entry.after(tag(conn, table, uid)?))
}

/// Ends a credential. `which` is its identifier, its shown prefix, or the whole credential.
pub(crate) fn revoke(
    conn: &mut dyn Connection,
    table: Table,
    which: &str,
    now: Timestamp,
) -> Result<(Uuid, AuditEntry), Error> {
    let (name, what) = (table.name(), table.what());
    let wanted = which.trim();
    let sql = format!("SELECT uid, revoked FROM {name} WHERE uid = ?1 OR prefix = ?2 OR hash = ?3");
    let hash = CredentialHash::of(wanted).to_hex();
    let found = conn.query(
        &sql,
        &[wanted.to_lowercase().into(), wanted.into(), hash.into()],
    )?;
    let row = match found.as_slice() {
        [] => {
            return Err(Error::not_found(format!(
                "there is no such {what}; name it by its prefix or its uid"
            )));
        }
        [row] => row,
        _ => {
            return Err(Error::refused(format!(
                "several are meant by this prefix; name the {what} by its uid"
            )));
        }
    };
    let uid = crate::row::uid(row, "uid")?;
    let entry = AuditEntry::new(table.actions().1)
        .record(uid.to_string())
        .before(tag(conn, table, uid)?);
    if row.get::<Option<String>>("revoked")?.is_none() {
        let sql = format!("UPDATE {name} SET revoked = ?1 WHERE uid = ?2");
        conn.execute(&sql, &[clock::to_text(now).into(), uid.to_string().into()])?;
    }
    let after = tag(conn, table, uid)?;
    Ok((uid, entry.after(after)))
}

/// Writes down when a credential was used.
pub(crate) fn touch(
    conn: &mut dyn Connection,
    table: Table,
    uid: Uuid,
    now: Timestamp,
) -> Result<(), Error> {
    let name = table.name();
    let sql = format!(
        "UPDATE {name} SET last_use = ?1 WHERE uid = ?2 AND (last_use IS NULL OR last_use < ?1)"
    );
    conn.execute(
        &sql,
        &[Value::from(clock::to_text(now)), uid.to_string().into()],
    )?;
    Ok(())
}

/// Whether the row of a presented credential is the one and may still be used.
pub(crate) fn is_valid(row: &Row, hash: CredentialHash, now: Timestamp) -> Result<bool, Error> {
    let same = hash.is(&row.get::<String>("hash")?);
    let revoked = row.get::<Option<String>>("revoked")?.is_some();
    let expired = is_expired(crate::row::optional_time(row, "expires")?, now);
    Ok(same && !revoked && !expired)
}

/// Remembers when the use of each credential was last written down.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<HashMap<Uuid, Timestamp>>);

impl Uses {
    /// Whether this use is worth writing: the first within a minute.
    pub(crate) fn is_due(&self, uid: Uuid, now: Timestamp) -> bool {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match uses.get(&uid) {
            Some(&last) if now.duration_since(last) < WRITE_EVERY => false,
            _ => {
                uses.insert(uid, now);
                true
            }
        }
    }

    /// Forgets a use that could not be written.
    pub(crate) fn forget(&self, uid: Uuid) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&uid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_due_once_a_minute_for_each_credential() {
        let uses = Uses::default();
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(uses.is_due(a, at(0)));
        assert!(!uses.is_due(a, at(59)));
        assert!(uses.is_due(b, at(59)));
        assert!(uses.is_due(a, at(60)));
        uses.forget(a);
        assert!(uses.is_due(a, at(61)));
    }

    #[test]
    fn a_credential_expires_at_the_very_moment() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(!is_expired(None, at(10)));
        assert!(!is_expired(Some(at(10)), at(9)));
        assert!(is_expired(Some(at(10)), at(10)));
    }
}
