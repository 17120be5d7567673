//! Codes that are mailed: each for one purpose, one address and one use, and for a short time.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::credentials::{CredentialHash, CredentialKind};
use crate::database::{Reader, Tx, row, values};
use crate::error::{Error, Result};
use crate::secrets::Secret;

/// How many codes for one purpose an account can have at once; a mail for each of them is enough.
const MAX_CODES: usize = 5;

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Invitation,
    ResetPassword,
    /// The account gets this address; or, when it has it already, is known to own it.
    ChangeEmail,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::ResetPassword => "reset_password",
            Self::ChangeEmail => "change_email",
        }
    }

    /// How long such a code is good.
    pub(crate) fn lifetime(self) -> SignedDuration {
        match self {
            Self::Invitation => SignedDuration::from_hours(7 * 24),
            Self::ResetPassword => SignedDuration::from_hours(1),
            Self::ChangeEmail => SignedDuration::from_hours(24),
        }
    }

    /// The account call that the code is sent to.
    pub(crate) fn call(self) -> &'static str {
        match self {
            Self::Invitation => "accept_invitation",
            Self::ResetPassword => "reset_password_complete",
            Self::ChangeEmail => "change_email_complete",
        }
    }
}

/// Makes a code. `None` for the user makes one that nobody can use. `None` comes back when the user has enough of
/// them; one that nobody can use is made then too, so that it takes the same time.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    user: Option<Uuid>,
    purpose: Purpose,
    email: &str,
) -> Result<Option<(Secret, Timestamp)>> {
    let (now, name) = (tx.now(), purpose.as_str());
    tx.execute("DELETE FROM codes WHERE expires <= ?1", &values![now])?;
    let sql = "SELECT hash FROM codes WHERE user_uid = ?1 AND purpose = ?2";
    let enough = tx.query(sql, &values![user, name])?.len() >= MAX_CODES;
    let user = user.filter(|_| !enough);
    let made = CredentialKind::Code.generate()?;
    let expires = now.saturating_add(purpose.lifetime()).unwrap_or(now);
    let row = row! {
        hash: made.hash.to_hex(), user_uid: user, purpose: name, email, date_add: now, expires
    };
    tx.insert("codes", &row)?;
    Ok((!enough).then_some((made.secret, expires)))
}

/// The user of a code, and the address that it was mailed for; `None` when it is unknown, expired, used, or for another
/// purpose.
pub(crate) fn find(
    reader: &mut Reader<'_>,
    code: &str,
    purpose: Purpose,
) -> Result<Option<(Uuid, String)>> {
    if CredentialKind::of(code) != Some(CredentialKind::Code) {
        return Ok(None);
    }
    let hash = CredentialHash::of(code).to_hex();
    reader.find(
        "SELECT user_uid, email FROM codes \
         WHERE hash = ?1 AND purpose = ?2 AND expires > ?3 AND user_uid IS NOT NULL",
        &values![hash, purpose.as_str(), reader.now()],
        |row| Ok((row::get(row, "user_uid")?, row.get("email")?)),
    )
}

/// Deletes every code of a user: one was used, or they no longer apply.
pub(crate) fn forget(tx: &mut Tx<'_>, user: Uuid) -> Result<()> {
    let sql = "DELETE FROM codes WHERE user_uid = ?1";
    tx.execute(sql, &values![user]).map(drop)
}

/// The error about a code that is not valid.
pub(crate) fn invalid_code() -> Error {
    Error::invalid_field(
        "code",
        "is unknown, was used before, or has expired; ask for a new mail",
    )
}
