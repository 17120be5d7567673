//! Registration: a user makes an account for an address of their own, where the project allows it.

use uuid::Uuid;

use super::Account;
use crate::accounts;
use crate::codes::Purpose;
use crate::error::Error;
use crate::mails::MailKind;
use crate::places;
use crate::secret::Secret;
use crate::users::{self, Made, User};

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
    /// The address has an account now: this new one, or the one that it had before, whose owner was told by mail.
    /// What is given of the user is the same in both cases.
    Done(Box<User>),
    /// The project does not let anybody register.
    SignUpOff,
}

impl Account<'_> {
    /// Makes an account for somebody who registers, and mails a code that confirms the address. Nobody is told
    /// whether the address had an account before.
    ///
    /// # Errors
    /// A field error on `email` when it is none or of a domain that may not register, on `password` when it is too
    /// weak, on the names when they are too long; [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    pub async fn register(&self, registration: Registration) -> Result<Registered, Error> {
        let (project, environment) = (self.project.clone(), self.environment.clone());
        let place = self
            .store
            .read(move |conn| places::find(conn, &project, &environment));
        let Some(place) = place.await?.filter(|place| place.sign_up) else {
            return Ok(Registered::SignUpOff);
        };
        let email = registration.email.trim().to_owned();
        accounts::check_email("email", &email)?;
        if !place.authentication.admits(&email) {
            return Err(Error::invalid_field(
                "email",
                "addresses of this domain cannot register here",
            ));
        }
        let password = registration.password;
        place
            .authentication
            .check_password("password", password.expose(), &email)?;
        let names = [
            users::name("first_name", registration.first_name)?,
            users::name("last_name", registration.last_name)?,
            users::name("language", registration.language)?,
            users::time_zone("timezone", registration.timezone)?,
        ];
        let hash = self.store.passwords().hash(password).await?;
        let sealer = self.store.sealer().clone();
        let base_url = self.base_url.clone();
        let now = self.store.clock().now();
        self.store
            .write_uncached(move |conn| {
                let team = users::sign_up_team(conn, &place)?;
                let made = Made {
                    email: &email,
                    team: &team,
                    password: Some(hash),
                    email_confirmed: false,
                    names: names.clone(),
                };
                let [first_name, last_name, language, timezone] = names;
                let user = |uid| User {
                    uid,
                    email: email.clone(),
                    email_confirmed: false,
                    has_password: true,
                    first_name,
                    last_name,
                    language,
                    timezone,
                    team: team.clone(),
                    date_add: now,
                };
                let entry = |uid| users::entry("account.register", &place, uid);
                let (user, mail) = match users::insert(conn, &place, made, now)? {
                    Some(uid) => (user(uid), (MailKind::ConfirmEmail, Purpose::ChangeEmail)),
                    None => {
                        let owner = users::find(conn, &place, &email)?
                            .ok_or_else(|| Error::internal("a taken address has no user"))?
                            .user;
                        // Back in is what somebody wants who has forgotten the account.
                        let mail = (MailKind::AlreadyRegistered, Purpose::ResetPassword);
                        let to = owner.email.clone();
                        users::mail_code(conn, &sealer, &place, &owner, mail, &to, &base_url, now)?;
                        let tag = users::tag(conn, owner.uid)?;
                        let entry = entry(owner.uid).before(tag.clone()).after(tag);
                        return Ok((
                            Registered::Done(Box::new(user(Uuid::now_v7()))),
                            Some(entry),
                        ));
                    }
                };
                users::mail_code(conn, &sealer, &place, &user, mail, &email, &base_url, now)?;
                let entry = entry(user.uid).after(users::tag(conn, user.uid)?);
                Ok((Registered::Done(Box::new(user)), Some(entry)))
            })
            .await
    }
}
