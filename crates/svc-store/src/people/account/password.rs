//! Passwords: changed by their owner, or chosen again with a code that was mailed.

use uuid::Uuid;

use super::{Account, changed_meanwhile, current, mail_change};
use crate::audit::AuditEntry;
use crate::credentials::{Purpose, SessionTokens, codes, sessions};
use crate::database::{Reader, Tx, values};
use crate::error::Result;
use crate::people::users::UserRow;
use crate::people::{MailKind, User, UserScope, users};
use crate::projects::Located;
use crate::secrets::Secret;

/// What is known together with a new password.
#[derive(Default)]
struct Details {
    first_name: Option<String>,
    last_name: Option<String>,
    /// Anyone who sets it has read a mail at the account's address.
    email_confirmed: bool,
}

impl Account<'_> {
    /// Gives the account of a user another password. Every session of the user ends; the tokens are those of a new
    /// one.
    ///
    /// # Errors
    /// A field error on `current_password` when it is missing or wrong, on `new_password` when that is too weak;
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn change_password(
        &self,
        user: Uuid,
        new: Secret,
        current_password: Option<Secret>,
    ) -> Result<SessionTokens> {
        let (scope, kept) = self.get(user).await?;
        scope
            .authentication
            .check_password("new_password", new.expose(), &kept.user.email)?;
        self.check_current(&kept, current_password).await?;
        let hash = self.store.passwords().hash(new).await?;
        self.store
            .write(move |tx| {
                let user = current(tx, &scope, &kept)?.ok_or_else(changed_meanwhile)?;
                mail_change(tx, &scope, &user, MailKind::PasswordChanged, None)?;
                let entry = scope.entry("account.change_password", user.uid);
                set(tx, &scope, &user, &hash, &Details::default(), entry)
            })
            .await
    }

    /// Mails a code with which a new password can be chosen, when the address has an account. The answer does
    /// not reveal whether it has: where it has none, a code that nobody can use is made.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn reset_password(&self, email: &str) -> Result<()> {
        let scope = self.scope.clone();
        let (email, base_url) = (email.trim().to_owned(), self.base_url.clone());
        self.store
            .write(move |tx| {
                let scope = UserScope::find(tx, &scope)?;
                let known = match &scope {
                    Some(scope) => users::find(tx, scope, &email)?,
                    None => None,
                };
                let mut entry = AuditEntry::new("account.reset_password");
                match (&scope, known) {
                    (Some(scope), Some(UserRow { user, .. })) => {
                        entry = entry.user(user.uid);
                        let mail = (MailKind::ResetPassword, Purpose::ResetPassword);
                        users::mail_code(tx, scope, &user, mail, &user.email, &base_url)?;
                    }
                    _ => {
                        codes::create(tx, None, Purpose::ResetPassword, "")?;
                    }
                }
                // A line without a user means that the address has no account.
                match scope {
                    Some(scope) => tx.audit(entry.scope(&scope.names)),
                    None => drop(tx.housekeeping()),
                }
                Ok(())
            })
            .await
    }

    /// Chooses a new password with a code that [`reset_password`](Self::reset_password) mailed. Every session of
    /// the user ends; the tokens are those of a new one. Anyone who has read the mail owns the address.
    ///
    /// # Errors
    /// A field error on `code` when it is not good, on `new_password` when that is too weak;
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn reset_password_complete(&self, code: &str, new: Secret) -> Result<SessionTokens> {
        let known = Details {
            email_confirmed: true,
            ..Details::default()
        };
        self.choose(code, Purpose::ResetPassword, "new_password", new, known)
            .await
    }

    /// Accepts an invitation: chooses the first password.
    ///
    /// # Errors
    /// A field error on `code` when it is not good, on `password` when that is too weak, on the names when they are
    /// too long; [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn accept_invitation(
        &self,
        code: &str,
        password: Secret,
        first_name: Option<String>,
        last_name: Option<String>,
    ) -> Result<SessionTokens> {
        let known = Details {
            first_name: users::name("first_name", first_name)?,
            last_name: users::name("last_name", last_name)?,
            email_confirmed: true,
        };
        self.choose(code, Purpose::Invitation, "password", password, known)
            .await
    }

    async fn choose(
        &self,
        code: &str,
        purpose: Purpose,
        field: &'static str,
        new: Secret,
        known: Details,
    ) -> Result<SessionTokens> {
        let scope = self.scope.clone();
        let code = code.to_owned();
        // Before the work of a hash is done for it.
        let (scope, kept) = {
            let code = code.clone();
            let found = self.store.read(move |reader| {
                let Some(scope) = UserScope::find(reader, &scope)? else {
                    return Ok(None);
                };
                let kept = by_code(reader, &scope, &code, purpose)?;
                Ok(kept.map(|kept| (scope, kept)))
            });
            found.await?.ok_or_else(codes::invalid_code)?
        };
        scope
            .authentication
            .check_password(field, new.expose(), &kept.user.email)?;
        let hash = self.store.passwords().hash(new).await?;
        self.store
            .write(move |tx| {
                // It works once: another call may have used it while the hash was made.
                let kept = by_code(tx, &scope, &code, purpose)?;
                let user = kept.ok_or_else(codes::invalid_code)?.user;
                if purpose == Purpose::ResetPassword {
                    mail_change(tx, &scope, &user, MailKind::PasswordChanged, None)?;
                }
                let action = match purpose {
                    Purpose::Invitation => "account.accept_invitation",
                    _ => "account.reset_password_complete",
                };
                let entry = scope.entry(action, user.uid);
                let entry = entry.by_user(user.uid, &user.email);
                set(tx, &scope, &user, &hash, &known, entry)
            })
            .await
    }
}

/// The user that a code was mailed to, while the address is still that user's.
fn by_code(
    reader: &mut Reader<'_>,
    scope: &UserScope,
    code: &str,
    purpose: Purpose,
) -> Result<Option<UserRow>> {
    let Some((uid, email)) = codes::find(reader, code, purpose)? else {
        return Ok(None);
    };
    let kept = users::find(reader, scope, &email)?;
    Ok(kept.filter(|kept| kept.user.uid == uid))
}

/// Sets a password: earlier sessions end, codes that were mailed become invalid, and a new session begins. Whatever
/// another person had set up with this address becomes invalid too. `entry` becomes the line about it.
fn set(
    tx: &mut Tx<'_>,
    scope: &UserScope,
    user: &User,
    hash: &str,
    known: &Details,
    entry: AuditEntry,
) -> Result<SessionTokens> {
    let entry = entry.before(tx.tag("users", user.uid)?);
    codes::forget(tx, user.uid)?;
    sessions::end_all(tx, user.uid)?;
    tx.execute(
        "UPDATE users SET password = ?1, first_name = COALESCE(?2, first_name), \
         last_name = COALESCE(?3, last_name), \
         email_confirmed = (email_confirmed OR ?5) WHERE uid = ?4",
        &values![
            hash,
            known.first_name,
            known.last_name,
            user.uid,
            known.email_confirmed
        ],
    )?;
    let tokens = sessions::begin(tx, scope, user.uid)?;
    tx.changed_row("users", user.uid, entry)?;
    Ok(tokens)
}
