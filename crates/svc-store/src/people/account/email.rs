//! The e-mail address of an account: changed once the new one has shown that it is the user's.

use uuid::Uuid;

use super::{Account, changed_meanwhile, current, mail_change};
use crate::credentials::{Purpose, codes, sessions};
use crate::database::values;
use crate::error::Result;
use crate::people::{MailKind, UserScope, accounts, users};
use crate::projects::Located;
use crate::secrets::Secret;

impl Account<'_> {
    /// Mails a code to the address that a user wants instead of the present one, and gives that address. Nothing
    /// changes before the code comes back. The answer does not reveal whether the address has an account: the code
    /// is mailed in both cases, and is refused when it has one.
    ///
    /// # Errors
    /// A field error on `new_email` when it is not an address, on `current_password` when it is missing or wrong;
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn change_email(
        &self,
        user: Uuid,
        new_email: &str,
        current_password: Option<Secret>,
    ) -> Result<String> {
        let new_email = new_email.trim().to_owned();
        accounts::check_email("new_email", &new_email)?;
        let (scope, kept) = self.get(user).await?;
        self.check_current(&kept, current_password).await?;
        let base_url = self.base_url.clone();
        self.store
            .write(move |tx| {
                let user = current(tx, &scope, &kept)?.ok_or_else(changed_meanwhile)?;
                let mail = (MailKind::ChangeEmail, Purpose::ChangeEmail);
                users::mail_code(tx, &scope, &user, mail, &new_email, &base_url)?;
                tx.audit(scope.entry("account.change_email", user.uid));
                Ok(new_email)
            })
            .await
    }

    /// Gives an account the address that a code was mailed to, or records that the present one is the user's, and
    /// gives the old and the new address. When it changed, every session of the user ends, and a mail goes to
    /// the old address.
    ///
    /// # Errors
    /// A field error on `code` when it is not good, or when another user has the address by now.
    pub async fn change_email_complete(&self, code: &str) -> Result<(String, String)> {
        let scope = self.scope.clone();
        let code = code.to_owned();
        self.store
            .write(move |tx| {
                let scope =
                    UserScope::find(tx, &scope)?.ok_or_else(codes::invalid_code)?;
                let (uid, new_email) = codes::find(tx, &code, Purpose::ChangeEmail)?
                    .ok_or_else(codes::invalid_code)?;
                let user = users::get(tx, &scope, uid).map_err(|_| codes::invalid_code())?.user;
                let entry = scope
                    .entry("account.change_email_complete", uid)
                    .by_user(uid, &user.email)
                    .before(tx.tag("users", uid)?);
                codes::forget(tx, uid)?;
                let key = accounts::key(&new_email);
                tx.execute(
                    "UPDATE users SET email = ?1, email_key = ?2, email_confirmed = ?3 WHERE uid = ?4",
                    &values![new_email, key, true, uid],
                )
                .map_err(|error| {
                    let taken = "another account has this address by now; sign in to that one";
                    error.if_taken("code", taken)
                })?;
                if accounts::key(&user.email) != key {
                    sessions::end_all(tx, uid)?;
                    let about = Some(new_email.clone());
                    mail_change(tx, &scope, &user, MailKind::EmailChanged, about)?;
                }
                tx.changed_row("users", uid, entry)?;
                Ok((user.email, new_email))
            })
            .await
    }
}
