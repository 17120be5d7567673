//! The e-mail address of an account: changed once the new one has shown that it is the user's.

use jiff::SignedDuration;
use svc_data::Value;
use uuid::Uuid;

use super::{Account, changed_meanwhile, current};
use crate::accounts;
use crate::codes::{self, Purpose};
use crate::error::{Error, is_taken};
use crate::mails::{self, Content, MailKind, NewMail};
use crate::places;
use crate::secret::Secret;
use crate::sessions;
use crate::users;

/// How long the news of a change is worth sending.
const NEWS_FOR: SignedDuration = SignedDuration::from_hours(24);

impl Account<'_> {
    /// Mails a code to the address that a user wants instead of the present one, and gives that address. Nothing
    /// changes before the code comes back. Whether the address has an account is not told: the code is mailed all
    /// the same, and will not be taken.
    ///
    /// # Errors
    /// A field error on `new_email` when it is none, on `current_password` when it is missing or wrong;
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn change_email(
        &self,
        user: Uuid,
        new_email: &str,
        current_password: Option<Secret>,
    ) -> Result<String, Error> {
        let new_email = new_email.trim().to_owned();
        accounts::check_email("new_email", &new_email)?;
        let (place, kept) = self.get(user).await?;
        self.check_current(&kept, current_password).await?;
        let sealer = self.store.sealer().clone();
        let base_url = self.base_url.clone();
        let now = self.store.clock().now();
        self.store
            .write_uncached(move |conn| {
                let user = current(conn, &place, &kept)?.ok_or_else(changed_meanwhile)?;
                let mail = (MailKind::ChangeEmail, Purpose::ChangeEmail);
                users::mail_code(
                    conn, &sealer, &place, &user, mail, &new_email, &base_url, now,
                )?;
                let entry = users::entry("account.change_email", &place, user.uid);
                Ok((new_email, Some(entry)))
            })
            .await
    }

    /// Gives an account the address that a code was mailed to, or notes that the present one is the user's, and
    /// gives the old and the new address. When it changed, every session of the user ends, and the old address is
    /// told.
    ///
    /// # Errors
    /// A field error on `code` when it is not good, or when another user has the address by now.
    pub async fn change_email_complete(&self, code: &str) -> Result<(String, String), Error> {
        let (project, environment) = (self.project.clone(), self.environment.clone());
        let sealer = self.store.sealer().clone();
        let code = code.to_owned();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let place =
                    places::find(conn, &project, &environment)?.ok_or_else(codes::refused)?;
                let (uid, new_email) = codes::find(conn, &code, Purpose::ChangeEmail, now)?
                    .ok_or_else(codes::refused)?;
                let user = users::get(conn, &place, uid).map_err(|_| codes::refused())?.user;
                let entry = users::entry("account.change_email_complete", &place, uid)
                    .by_user(uid, &user.email)
                    .before(users::tag(conn, uid)?);
                codes::forget(conn, uid)?;
                let changed = conn.execute(
                    "UPDATE users SET email = ?1, email_key = ?2, email_confirmed = ?3 WHERE uid = ?4",
                    &[
                        Value::from(new_email.as_str()),
                        accounts::key(&new_email).into(),
                        true.into(),
                        uid.to_string().into(),
                    ],
                );
                match changed {
                    Err(error) if is_taken(&error) => {
                        return Err(Error::invalid_field(
                            "code",
                            "another account has this address by now; sign in to that one",
                        ));
                    }
                    changed => changed?,
                };
                if accounts::key(&user.email) != accounts::key(&new_email) {
                    sessions::end_all(conn, uid)?;
                    let mail = NewMail {
                        environment_uid: &place.environment_uid,
                        kind: MailKind::EmailChanged,
                        to: &user.email,
                        content: Content {
                            about: Some(new_email.clone()),
                            ..Content::default()
                        },
                        expires: now.saturating_add(NEWS_FOR).unwrap_or(now),
                    };
                    mails::put(conn, &sealer, &mail, now)?;
                }
                let entry = entry.after(users::tag(conn, uid)?);
                Ok(((user.email, new_email), entry))
            })
            .await
    }
}
