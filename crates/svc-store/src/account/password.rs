//! Passwords: changed by their owner, or chosen anew with a code that was mailed.

use jiff::{SignedDuration, Timestamp};
use svc_data::{Connection, Value};
use uuid::Uuid;

use super::{Account, changed_meanwhile, current};
use crate::audit::AuditEntry;
use crate::codes::{self, Purpose};
use crate::error::Error;
use crate::mails::{self, Content, MailKind, NewMail};
use crate::places::{self, Place};
use crate::seal::Sealer;
use crate::secret::Secret;
use crate::sessions::{self, SessionTokens};
use crate::users::{self, Kept, User};

/// How long the news of a change is worth sending.
const NEWS_FOR: SignedDuration = SignedDuration::from_hours(24);

/// What is known together with a new password.
#[derive(Default)]
struct Known {
    first_name: Option<String>,
    last_name: Option<String>,
    /// Whoever sets it has read a mail at the account's address.
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
    ) -> Result<SessionTokens, Error> {
        let (place, kept) = self.get(user).await?;
        place
            .authentication
            .check_password("new_password", new.expose(), &kept.user.email)?;
        self.check_current(&kept, current_password).await?;
        let hash = self.store.passwords().hash(new).await?;
        let sealer = self.store.sealer().clone();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let user = current(conn, &place, &kept)?.ok_or_else(changed_meanwhile)?;
                tell(conn, &sealer, &place, &user, now)?;
                let entry = users::entry("account.change_password", &place, user.uid)
                    .before(users::tag(conn, user.uid)?);
                let new = (hash, Known::default());
                let tokens = set(conn, &sealer, &place, &user, new, now)?;
                Ok((tokens, entry.after(users::tag(conn, user.uid)?)))
            })
            .await
    }

    /// Mails a code with which a new password can be chosen, when the address has an account. Nobody is told
    /// whether it has: a code that nobody can use is made where it has none.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn reset_password(&self, email: &str) -> Result<(), Error> {
        let (project, environment) = (self.project.clone(), self.environment.clone());
        let (email, base_url) = (email.trim().to_owned(), self.base_url.clone());
        let sealer = self.store.sealer().clone();
        let now = self.store.clock().now();
        self.store
            .write_uncached(move |conn| {
                let place = places::find(conn, &project, &environment)?;
                let known = match &place {
                    Some(place) => users::find(conn, place, &email)?,
                    None => None,
                };
                let mut entry = AuditEntry::new("account.reset_password");
                match (&place, known) {
                    (Some(place), Some(Kept { user, .. })) => {
                        entry = entry.user(user.uid);
                        let mail = (MailKind::ResetPassword, Purpose::ResetPassword);
                        let to = user.email.clone();
                        users::mail_code(conn, &sealer, place, &user, mail, &to, &base_url, now)?;
                    }
                    _ => {
                        codes::create(conn, None, Purpose::ResetPassword, "", now)?;
                    }
                }
                // One without a user tells that somebody asked for an address that has no account.
                let entry = place.map(|place| entry.place(&place.project, &place.environment));
                Ok(((), entry))
            })
            .await
    }

    /// Chooses a new password with a code that [`reset_password`](Self::reset_password) mailed. Every session of
    /// the user ends; the tokens are those of a new one. Whoever has read the mail owns the address.
    ///
    /// # Errors
    /// A field error on `code` when it is not good, on `new_password` when that is too weak;
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn reset_password_complete(
        &self,
        code: &str,
        new: Secret,
    ) -> Result<SessionTokens, Error> {
        let known = Known {
            email_confirmed: true,
            ..Known::default()
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
    ) -> Result<SessionTokens, Error> {
        let known = Known {
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
        known: Known,
    ) -> Result<SessionTokens, Error> {
        let (project, environment) = (self.project.clone(), self.environment.clone());
        let code = code.to_owned();
        let now = self.store.clock().now();
        // Before the work of a hash is done for it.
        let (place, kept) = {
            let (project, environment, code) = (project.clone(), environment.clone(), code.clone());
            let found =
                self.store.read(
                    move |conn| match places::find(conn, &project, &environment)? {
                        None => Ok(None),
                        Some(place) => {
                            let kept = by_code(conn, &place, &code, purpose, now)?;
                            Ok::<_, Error>(kept.map(|kept| (place, kept)))
                        }
                    },
                );
            found.await?.ok_or_else(codes::refused)?
        };
        place
            .authentication
            .check_password(field, new.expose(), &kept.user.email)?;
        let hash = self.store.passwords().hash(new).await?;
        let sealer = self.store.sealer().clone();
        self.store
            .write(move |conn| {
                // It works once: another call may have used it while the hash was made.
                let kept =
                    by_code(conn, &place, &code, purpose, now)?.ok_or_else(codes::refused)?;
                if purpose == Purpose::ResetPassword {
                    tell(conn, &sealer, &place, &kept.user, now)?;
                }
                let user = kept.user;
                let action = match purpose {
                    Purpose::Invitation => "account.accept_invitation",
                    _ => "account.reset_password_complete",
                };
                let entry = users::entry(action, &place, user.uid)
                    .by_user(user.uid, &user.email)
                    .before(users::tag(conn, user.uid)?);
                let tokens = set(conn, &sealer, &place, &user, (hash, known), now)?;
                Ok((tokens, entry.after(users::tag(conn, user.uid)?)))
            })
            .await
    }
}

/// The user that a code was mailed to, while the address is still that user's.
fn by_code(
    conn: &mut dyn Connection,
    place: &Place,
    code: &str,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<Kept>, Error> {
    let Some((uid, email)) = codes::find(conn, code, purpose, now)? else {
        return Ok(None);
    };
    let kept = users::find(conn, place, &email)?;
    Ok(kept.filter(|kept| kept.user.uid == uid))
}

/// Sets a password: the sessions that were end, codes that were mailed are worth nothing, and a new session begins.
/// Whatever somebody else had set up with this address is worth nothing with it.
fn set(
    conn: &mut dyn Connection,
    sealer: &Sealer,
    place: &Place,
    user: &User,
    (hash, known): (String, Known),
    now: Timestamp,
) -> Result<SessionTokens, Error> {
    codes::forget(conn, user.uid)?;
    sessions::end_all(conn, user.uid)?;
    conn.execute(
        "UPDATE users SET password = ?1, first_name = COALESCE(?2, first_name), \
         last_name = COALESCE(?3, last_name), \
         email_confirmed = (email_confirmed OR ?5) WHERE uid = ?4",
        &[
            Value::from(hash),
            known.first_name.into(),
            known.last_name.into(),
            user.uid.to_string().into(),
            known.email_confirmed.into(),
        ],
    )?;
    sessions::begin(conn, sealer, place, user.uid, now)
}

/// Tells the owner of an account by mail that its password was changed.
fn tell(
    conn: &mut dyn Connection,
    sealer: &Sealer,
    place: &Place,
    user: &User,
    now: Timestamp,
) -> Result<(), Error> {
    let mail = NewMail {
        environment_uid: &place.environment_uid,
        kind: MailKind::PasswordChanged,
        to: &user.email,
        content: Content::default(),
        expires: now.saturating_add(NEWS_FOR).unwrap_or(now),
    };
    mails::put(conn, sealer, &mail, now)
}
