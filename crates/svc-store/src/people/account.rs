//! What users do with their own accounts: sign in, register, change password and address, and get back in when a
//! password is forgotten (specification, section 5; wire contract, section 9).
//!
//! No answer reveals whether an address has an account: the answers for both are the same, and so is the work.

mod email;
mod password;
mod register;

use jiff::SignedDuration;
use svc_model::Scope;
use uuid::Uuid;

use crate::credentials::{SessionTokens, sessions};
use crate::database::{Reader, Store, Tx};
use crate::error::{Error, Result};
use crate::people::mails::{Content, NewMail};
use crate::people::users::UserRow;
use crate::people::{MailKind, User, UserScope, mails, users};
use crate::projects::Located;
use crate::secrets::Secret;

pub use self::register::{Registered, Registration};

/// How long the mail about a change is tried to be sent.
const CHANGE_MAIL_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Users and their own accounts in an environment: [`Store::account`].
#[derive(Debug, Clone)]
pub struct Account<'a> {
    store: &'a Store,
    scope: Scope,
    /// What links in mails begin with.
    base_url: String,
}

/// How a try to sign in ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignIn {
    /// The user is signed in.
    Done(SessionTokens, Box<User>),
    /// The password is right, but the address was never confirmed, and this project asks for that.
    Unconfirmed,
    /// There is no such account, or it has another password; the answer does not say which.
    Refused,
}

impl Store {
    /// Users and their own accounts in an environment. `base_url` is what links in mails begin with, unless the
    /// project has links of its own; it must come from the configuration, never from a request.
    pub fn account(&self, scope: &Scope, base_url: impl Into<String>) -> Account<'_> {
        Account {
            store: self,
            scope: scope.clone(),
            base_url: base_url.into(),
        }
    }
}

impl Account<'_> {
    /// Signs a user in.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) when too many sign in at once, else when the store cannot be
    /// used.
    pub async fn sign_in(&self, email: &str, password: Secret) -> Result<SignIn> {
        let kept = self.find(email).await?;
        let hash = kept.as_ref().and_then(|(_, kept)| kept.password.clone());
        let same = self.store.passwords().verify(password, hash).await?;
        let Some((scope, kept)) = kept.filter(|_| same) else {
            return Ok(SignIn::Refused);
        };
        if scope.authentication.confirms_email() && !kept.user.email_confirmed {
            return Ok(SignIn::Unconfirmed);
        }
        self.store
            .write(move |tx| {
                // The password may have been changed, or the user deleted, while the hash was made.
                let Some(user) = current(tx, &scope, &kept)? else {
                    return Ok(SignIn::Refused);
                };
                let tokens = sessions::begin(tx, &scope, user.uid)?;
                let entry = scope.entry("account.login", user.uid);
                tx.audit(entry.by_user(user.uid, &user.email));
                Ok(SignIn::Done(tokens, Box::new(user)))
            })
            .await
    }

    /// The user with an e-mail address, and where.
    async fn find(&self, email: &str) -> Result<Option<(UserScope, UserRow)>> {
        let scope = self.scope.clone();
        let email = email.to_owned();
        self.store
            .read(move |reader| {
                let Some(scope) = UserScope::find(reader, &scope)? else {
                    return Ok(None);
                };
                let kept = users::find(reader, &scope, &email)?;
                Ok(kept.map(|kept| (scope, kept)))
            })
            .await
    }

    /// The user with an identifier, and where.
    async fn get(&self, user: Uuid) -> Result<(UserScope, UserRow)> {
        self.store
            .read_in(self.scope.clone(), move |reader, scope: UserScope| {
                let kept = users::get(reader, &scope, user)?;
                Ok((scope, kept))
            })
            .await
    }

    /// Refuses to change an account without its password, where it has one.
    async fn check_current(&self, kept: &UserRow, current: Option<Secret>) -> Result<()> {
        if kept.password.is_none() {
            return Ok(());
        }
        let wrong = |message| Err(Error::invalid_field("current_password", message));
        let Some(current) = current else {
            return wrong("this field is required");
        };
        let hash = kept.password.clone();
        match self.store.passwords().verify(current, hash).await? {
            true => Ok(()),
            false => wrong("is not the password of this account"),
        }
    }
}

/// The user as it is now, when the password is still the one that was looked at.
fn current(reader: &mut Reader<'_>, scope: &UserScope, seen: &UserRow) -> Result<Option<User>> {
    let now = users::find(reader, scope, &seen.user.email)?;
    let same = |now: &UserRow| now.user.uid == seen.user.uid && now.password == seen.password;
    Ok(now.filter(same).map(|now| now.user))
}

/// Mails the owner of an account that it was changed, with the new address where that is the change.
fn mail_change(
    tx: &mut Tx<'_>,
    scope: &UserScope,
    user: &User,
    kind: MailKind,
    about: Option<String>,
) -> Result<()> {
    let mail = NewMail {
        environment_uid: &scope.environment_uid,
        kind,
        to: &user.email,
        content: Content {
            about,
            ..Content::default()
        },
        expires: tx
            .now()
            .saturating_add(CHANGE_MAIL_LIFETIME)
            .unwrap_or(tx.now()),
    };
    mails::put(tx, &mail)
}

/// The error when another request changed the account at the same moment.
fn changed_meanwhile() -> Error {
    Error::refused("the account was changed at the same moment; sign in and try again")
}
