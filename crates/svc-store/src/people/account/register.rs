//! Registration: a user makes an account for an address of their own, where the project allows it.

use uuid::Uuid;

use super::Account;
use crate::credentials::Purpose;
use crate::error::{Error, Result};
use crate::people::users::NewUserRow;
use crate::people::{MailKind, Person, UserScope, email, person, users};
use crate::projects::Located;
use crate::secrets::Secret;

/// Who registers; see [`Registration::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Registration {
    /// E-mail address.
    pub email: String,
    /// Password.
    pub password: Secret,
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Language (BCP 47).
    pub language: Option<String>,
    /// IANA time zone.
    pub timezone: Option<String>,
}

impl Registration {
    /// Somebody with nothing but an address and a password.
    pub fn new(email: impl Into<String>, password: Secret) -> Self {
        Self {
            email: email.into(),
            password,
            first_name: None,
            last_name: None,
            language: None,
            timezone: None,
        }
    }
}

/// How a registration ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Registered {
    /// The address has an account now: this new one, or the one that it had before, whose owner got a mail.
    /// What is given of the user is the same in both cases.
    Done(Box<Person>),
    /// The project does not allow registration.
    SignUpOff,
}

impl Account<'_> {
    /// Makes an account for somebody who registers, and mails a code that confirms the address. The answer does
    /// not reveal whether the address had an account before.
    ///
    /// # Errors
    /// A field error on `email` when it is not an address or of a domain that may not register, on `password` when it is
    /// too weak, on the names when they are too long; [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn register(&self, registration: Registration) -> Result<Registered> {
        // There is no open registration of accounts.
        let Some(scope) = self.realm.scope().cloned() else {
            return Ok(Registered::SignUpOff);
        };
        let scope = self
            .store
            .read(move |reader| UserScope::find(reader, &scope));
        let Some(scope) = scope.await?.filter(|scope| scope.sign_up) else {
            return Ok(Registered::SignUpOff);
        };
        let email = registration.email.trim().to_owned();
        email::check("email", &email)?;
        if !scope.authentication.admits(&email) {
            return Err(Error::invalid_field(
                "email",
                "addresses of this domain cannot register here",
            ));
        }
        let password = registration.password;
        scope
            .authentication
            .check_password("password", password.expose(), &email)?;
        let names = [
            person::name("first_name", registration.first_name)?,
            person::name("last_name", registration.last_name)?,
            person::name("language", registration.language)?,
            person::time_zone("timezone", registration.timezone)?,
        ];
        let hash = self.store.passwords().hash(password).await?;
        let base_url = self.base_url.clone();
        self.store
            .write(move |tx| {
                let team = users::sign_up_team(tx, &scope)?;
                let made = NewUserRow {
                    email: &email,
                    team: &team,
                    password: Some(hash),
                    email_confirmed: false,
                    names: names.clone(),
                };
                let made = users::insert(tx, &scope, made)?;
                let [first_name, last_name, language, timezone] = names;
                let user = Person {
                    uid: made.unwrap_or_else(Uuid::now_v7),
                    email,
                    email_confirmed: false,
                    has_password: true,
                    first_name,
                    last_name,
                    language,
                    timezone,
                    date_add: tx.now(),
                    suspended: None,
                };
                let taken = match made {
                    Some(_) => None,
                    None => {
                        let owner = person::find(tx, &scope, &user.email)?;
                        let missing = || Error::internal("a taken address has no user");
                        Some(owner.ok_or_else(missing)?.person)
                    }
                };
                let (owner, mail) = match &taken {
                    None => (&user, (MailKind::ConfirmEmail, Purpose::ChangeEmail)),
                    // The owner has probably forgotten the account and wants to sign in again.
                    Some(owner) => (owner, (MailKind::AlreadyRegistered, Purpose::ResetPassword)),
                };
                // Who is suspended cannot sign in again that way.
                if owner.suspended.is_none() {
                    person::mail_code(tx, &scope, owner.uid, mail, &owner.email, &base_url)?;
                }
                let tag = tx.tag("users", owner.uid)?;
                let before = tag.clone().filter(|_| taken.is_some());
                let entry = scope.entry("account.register", owner.uid);
                tx.audit(entry.before(before).after(tag));
                Ok(Registered::Done(Box::new(user)))
            })
            .await
    }
}
