//! What people do with their own accounts, users of an environment and accounts of the service alike: sign in, register, change password and address, and get back in when a
//! password is forgotten (specification, section 5; wire contract, section 9).
//!
//! No answer reveals whether an address has an account: the answers for both are the same, and so is the work.

mod email;
mod password;
mod register;

use jiff::SignedDuration;
use svc_model::Realm;
use uuid::Uuid;

use crate::credentials::{SessionTokens, SignInOrigin, sessions};
use crate::database::{Reader, Store, Tx};
use crate::error::{Error, Result};
use crate::people::mails::{Content, NewMail};
use crate::people::person::{self, PersonRow};
use crate::people::{MailKind, Person, RealmRow, mails};
use crate::projects::Located;
use crate::secrets::Secret;

pub use self::register::{Registered, Registration};

/// How long the mail about a change is tried to be sent.
const CHANGE_MAIL_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// People and their own accounts in a realm: [`Store::account`].
#[derive(Debug, Clone)]
pub struct Account<'a> {
    store: &'a Store,
    realm: Realm,
    /// What links in mails begin with.
    base_url: String,
    origin: SignInOrigin,
}

/// How a try to sign in ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignIn {
    /// The person is signed in.
    Done(SessionTokens, Box<Person>),
    /// The password is right, but the address was never confirmed, and this project asks for that.
    Unconfirmed,
    /// There is no such account, or it has another password; the answer does not say which.
    Refused,
}

impl Store {
    /// People and their own accounts in a realm. `base_url` is what links in mails begin with, unless the
    /// project has links of its own; it must come from the configuration, never from a request.
    pub fn account(&self, realm: impl Into<Realm>, base_url: impl Into<String>) -> Account<'_> {
        Account {
            store: self,
            realm: realm.into(),
            base_url: base_url.into(),
            origin: SignInOrigin::default(),
        }
    }
}

impl Account<'_> {
    /// The same, for somebody who signs in from there.
    #[must_use]
    pub fn from(mut self, origin: SignInOrigin) -> Self {
        self.origin = origin;
        self
    }

    /// Signs somebody in. Who is suspended is refused like a wrong password.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) when too many sign in at once, else when the store cannot be
    /// used.
    pub async fn sign_in(&self, email: &str, password: Secret) -> Result<SignIn> {
        let kept = self.find(email).await?;
        let hash = kept.as_ref().and_then(|(_, kept)| kept.password.clone());
        let same = self.store.passwords().verify(password, hash).await?;
        let is_right = |kept: &PersonRow| same && kept.person.suspended.is_none();
        let Some((realm, kept)) = kept.filter(|(_, kept)| is_right(kept)) else {
            return Ok(SignIn::Refused);
        };
        if realm.authentication.confirms_email() && !kept.person.email_confirmed {
            return Ok(SignIn::Unconfirmed);
        }
        let origin = self.origin.clone();
        self.store
            .write(move |tx| {
                // The password may have been changed, or the person deleted, while the hash was made.
                let Some(person) = current(tx, &realm, &kept)? else {
                    return Ok(SignIn::Refused);
                };
                let tokens = sessions::begin(tx, &realm, person.uid, &origin)?;
                tx.audit(realm.entry_by("account.login", person.uid, &person.email));
                Ok(SignIn::Done(tokens, Box::new(person)))
            })
            .await
    }

    /// One of the people.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or person.
    pub async fn person(&self, uid: Uuid) -> Result<Person> {
        Ok(self.get(uid).await?.1.person)
    }

    /// The person with an e-mail address, and where.
    async fn find(&self, email: &str) -> Result<Option<(RealmRow, PersonRow)>> {
        let realm = self.realm.clone();
        let email = email.to_owned();
        self.store
            .read(move |reader| {
                let Some(realm) = RealmRow::find(reader, &realm)? else {
                    return Ok(None);
                };
                let kept = person::find(reader, &realm, &email)?;
                Ok(kept.map(|kept| (realm, kept)))
            })
            .await
    }

    /// The person with an identifier, and where.
    async fn get(&self, uid: Uuid) -> Result<(RealmRow, PersonRow)> {
        self.store
            .read_in(self.realm.clone(), move |reader, realm: RealmRow| {
                let kept = person::get(reader, &realm, uid)?;
                Ok((realm, kept))
            })
            .await
    }

    /// Refuses to change an account without its password, where it has one.
    async fn check_current(&self, kept: &PersonRow, current: Option<Secret>) -> Result<()> {
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

/// The person as it is now, when the password is still the one that was looked at.
fn current(reader: &mut Reader<'_>, realm: &RealmRow, seen: &PersonRow) -> Result<Option<Person>> {
    let now = person::find(reader, realm, &seen.person.email)?;
    let same = |now: &PersonRow| {
        let is_same = now.person.uid == seen.person.uid && now.password == seen.password;
        is_same && now.person.suspended.is_none()
    };
    Ok(now.filter(same).map(|now| now.person))
}

/// Mails the owner of an account that it was changed, with the new address where that is the change.
fn mail_change(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    person: &Person,
    kind: MailKind,
    about: Option<String>,
) -> Result<()> {
    let mail = NewMail {
        environment_uid: realm.environment_uid(),
        kind,
        to: &person.email,
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
