//! The e-mail address of an account: changed once the new one has shown that it is the user's.

use uuid::Uuid;

use super::{Account, changed_meanwhile, current, mail_change};
use crate::credentials::{Purpose, codes, sessions};
use crate::database::values;
use crate::error::Result;
use crate::people::{MailKind, RealmRow, email, person};
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
        email::check("new_email", &new_email)?;
        let (realm, kept) = self.get(user).await?;
        self.check_current(&kept, current_password).await?;
        let base_url = self.base_url.clone();
        self.store
            .write(move |tx| {
                let person = current(tx, &realm, &kept)?.ok_or_else(changed_meanwhile)?;
                let mail = (MailKind::ChangeEmail, Purpose::ChangeEmail);
                person::mail_code(tx, &realm, person.uid, mail, &new_email, &base_url)?;
                tx.audit(realm.entry("account.change_email", person.uid));
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
        let realm = self.realm.clone();
        let code = code.to_owned();
        self.store
            .write(move |tx| {
                let realm =
                    RealmRow::find(tx, &realm)?.ok_or_else(codes::invalid_code)?;
                let (uid, new_email) = codes::find(tx, &realm, &code, Purpose::ChangeEmail)?
                    .ok_or_else(codes::invalid_code)?;
                let person = person::get(tx, &realm, uid).map_err(|_| codes::invalid_code())?.person;
                if person.suspended.is_some() {
                    return Err(codes::invalid_code());
                }
                let table = realm.table();
                let entry = realm
                    .entry_by("account.change_email_complete", uid, &person.email)
                    .before(tx.tag(table, uid)?);
                codes::forget(tx, realm.person(Some(uid)))?;
                let key = email::key(&new_email);
                let sql = format!(
                    "UPDATE {table} SET email = ?1, email_key = ?2, email_confirmed = ?3 WHERE uid = ?4"
                );
                tx.execute(&sql, &values![new_email, key, true, uid]).map_err(|error| {
                    let taken = "another account has this address by now; sign in to that one";
                    error.if_taken("code", taken)
                })?;
                if email::key(&person.email) != key {
                    sessions::end_all(tx, realm.person(Some(uid)))?;
                    let about = Some(new_email.clone());
                    mail_change(tx, &realm, &person, MailKind::EmailChanged, about)?;
                }
                tx.changed_row(table, uid, entry)?;
                Ok((person.email, new_email))
            })
            .await
    }
}
