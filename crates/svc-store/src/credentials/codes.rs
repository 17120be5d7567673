//! Codes that are mailed: each for one purpose, one address and one use, and for a short time.

use jiff::Timestamp;
use svc_data::Value;
use uuid::Uuid;

use crate::credentials::{CredentialHash, CredentialKind, Purpose};
use crate::database::{Bind as _, Reader, Tx, row, values};
use crate::error::{Error, Result};
use crate::people::{PersonColumn, RealmRow};
use crate::secrets::Secret;

/// How many codes for one purpose an account can have at once; a mail for each of them is enough.
const MAX_CODES: usize = 5;

/// Makes a code. NULL for the person makes one that nobody can use. `None` comes back when the person has enough of
/// them; one that nobody can use is made then too, so that it takes the same time.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    (column, person): PersonColumn,
    purpose: Purpose,
    email: &str,
) -> Result<Option<(Secret, Timestamp)>> {
    let (now, name) = (tx.now(), purpose.as_str());
    tx.execute("DELETE FROM codes WHERE expires <= ?1", &values![now])?;
    let sql = format!("SELECT hash FROM codes WHERE {column} = ?1 AND purpose = ?2");
    let sent = tx.query(&sql, &[person.clone(), name.bind()])?;
    let enough = sent.len() >= MAX_CODES;
    let person = if enough { Value::Null } else { person };
    let made = CredentialKind::Code.generate()?;
    let expires = now.saturating_add(purpose.lifetime()).unwrap_or(now);
    let row = row! {
        hash: made.hash.to_hex(), purpose: name, email, date_add: now, expires
    };
    let mut row = Vec::from(row);
    row.push((column, person));
    tx.insert("codes", &row)?;
    Ok((!enough).then_some((made.secret, expires)))
}

/// The person of a code, and the address that it was mailed for; `None` when it is unknown, expired, used, or for another
/// purpose.
pub(crate) fn find(
    reader: &mut Reader<'_>,
    realm: &RealmRow,
    code: &str,
    purpose: Purpose,
) -> Result<Option<(Uuid, String)>> {
    if CredentialKind::of(code) != Some(CredentialKind::Code) {
        return Ok(None);
    }
    let hash = CredentialHash::of(code).to_hex();
    let (column, _) = realm.person(None);
    let sql = format!(
        "SELECT {column}, email FROM codes \
         WHERE hash = ?1 AND purpose = ?2 AND expires > ?3 AND {column} IS NOT NULL"
    );
    let values = values![hash, purpose.as_str(), reader.now()];
    reader.find(&sql, &values, |row| {
        Ok((row::get(row, column)?, row.get("email")?))
    })
}

/// Deletes every code of a person: one was used, or they no longer apply.
pub(crate) fn forget(tx: &mut Tx<'_>, (column, person): PersonColumn) -> Result<()> {
    let sql = format!("DELETE FROM codes WHERE {column} = ?1");
    tx.execute(&sql, &[person]).map(drop)
}

/// The error about a code that is not valid.
pub(crate) fn invalid_code() -> Error {
    Error::invalid_field(
        "code",
        "is unknown, was used before, or has expired; ask for a new mail",
    )
}
