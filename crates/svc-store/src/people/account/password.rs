//! Passwords: changed by their owner, or chosen again with a code that was mailed.

use uuid::Uuid;

use super::{Account, changed_meanwhile, current, mail_change};
use crate::audit::AuditEntry;
use crate::credentials::{Purpose, SessionTokens, SignInOrigin, codes, sessions};
use crate::database::{Reader, Tx, values};
use crate::error::Result;
use crate::people::person::{self, PersonRow};
use crate::people::{MailKind, Person, RealmRow};
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
        let (realm, kept) = self.get(user).await?;
        realm
            .authentication
            .check_password("new_password", new.expose(), &kept.person.email)?;
        self.check_current(&kept, current_password).await?;
        let hash = self.store.passwords().hash(new).await?;
        let origin = self.origin.clone();
        self.store
            .write(move |tx| {
                let person = current(tx, &realm, &kept)?.ok_or_else(changed_meanwhile)?;
                mail_change(tx, &realm, &person, MailKind::PasswordChanged, None)?;
                let entry = realm.entry("account.change_password", person.uid);
                let details = Details::default();
                set(tx, &realm, (&person, &origin), &hash, &details, entry)
            })
            .await
    }

    /// Mails a code with which a new password can be chosen, when the address has an account. The answer does
    /// not reveal whether it has: where it has none, a code that nobody can use is made.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn reset_password(&self, email: &str) -> Result<()> {
        let realm = self.realm.clone();
        let (email, base_url) = (email.trim().to_owned(), self.base_url.clone());
        self.store
            .write(move |tx| {
                let Some(realm) = RealmRow::find(tx, &realm)? else {
                    let nobody = RealmRow::of_service().person(None);
                    codes::create(tx.housekeeping(), nobody, Purpose::ResetPassword, "")?;
                    return Ok(());
                };
                let known = person::find(tx, &realm, &email)?;
                let known = known.filter(|known| known.person.suspended.is_none());
                let action = "account.reset_password";
                let entry = match known {
                    Some(PersonRow { person, .. }) => {
                        let mail = (MailKind::ResetPassword, Purpose::ResetPassword);
                        person::mail_code(tx, &realm, person.uid, mail, &person.email, &base_url)?;
                        realm.entry(action, person.uid)
                    }
                    None => {
                        codes::create(tx, realm.person(None), Purpose::ResetPassword, "")?;
                        // A line without a person means that the address has no account.
                        let entry = AuditEntry::new(action);
                        match realm.realm.scope() {
                            Some(scope) => entry.scope(scope),
                            None => entry,
                        }
                    }
                };
                tx.audit(entry);
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
            first_name: person::name("first_name", first_name)?,
            last_name: person::name("last_name", last_name)?,
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
        let realm = self.realm.clone();
        let code = code.to_owned();
        // Before the work of a hash is done for it.
        let (realm, kept) = {
            let code = code.clone();
            let found = self.store.read(move |reader| {
                let Some(realm) = RealmRow::find(reader, &realm)? else {
                    return Ok(None);
                };
                let kept = by_code(reader, &realm, &code, purpose)?;
                Ok(kept.map(|kept| (realm, kept)))
            });
            found.await?.ok_or_else(codes::invalid_code)?
        };
        realm
            .authentication
            .check_password(field, new.expose(), &kept.person.email)?;
        let hash = self.store.passwords().hash(new).await?;
        let origin = self.origin.clone();
        self.store
            .write(move |tx| {
                // It works once: another call may have used it while the hash was made.
                let kept = by_code(tx, &realm, &code, purpose)?;
                let person = kept.ok_or_else(codes::invalid_code)?.person;
                if purpose == Purpose::ResetPassword {
                    mail_change(tx, &realm, &person, MailKind::PasswordChanged, None)?;
                }
                let action = match purpose {
                    Purpose::Invitation => "account.accept_invitation",
                    _ => "account.reset_password_complete",
                };
                let entry = realm.entry_by(action, person.uid, &person.email);
                set(tx, &realm, (&person, &origin), &hash, &known, entry)
            })
            .await
    }
}

/// The person that a code was mailed to, while the address is still that person's. Who is suspended has no use for it.
fn by_code(
    reader: &mut Reader<'_>,
    realm: &RealmRow,
    code: &str,
    purpose: Purpose,
) -> Result<Option<PersonRow>> {
    let Some((uid, email)) = codes::find(reader, realm, code, purpose)? else {
        return Ok(None);
    };
    let kept = person::find(reader, realm, &email)?;
    Ok(kept.filter(|kept| kept.person.uid == uid && kept.person.suspended.is_none()))
}

/// Sets a password: earlier sessions end, codes that were mailed become invalid, and a new session begins. Whatever
/// another person had set up with this address becomes invalid too. `entry` becomes the line about it.
fn set(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    (person, origin): (&Person, &SignInOrigin),
    hash: &str,
    known: &Details,
    entry: AuditEntry,
) -> Result<SessionTokens> {
    let (table, uid) = (realm.table(), person.uid);
    let entry = entry.before(tx.tag(table, uid)?);
    codes::forget(tx, realm.person(Some(uid)))?;
    sessions::end_all(tx, realm.person(Some(uid)))?;
    let sql = format!(
        "UPDATE {table} SET password = ?1, first_name = COALESCE(?2, first_name), \
         last_name = COALESCE(?3, last_name), \
         email_confirmed = (email_confirmed OR ?5) WHERE uid = ?4"
    );
    let Details {
        first_name,
        last_name,
        email_confirmed,
    } = known;
    let values = values![hash, first_name, last_name, uid, *email_confirmed];
    tx.execute(&sql, &values)?;
    let tokens = sessions::begin(tx, realm, uid, origin)?;
    tx.changed_row(table, uid, entry)?;
    Ok(tokens)
}
