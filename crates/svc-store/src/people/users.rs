//! Users of an application: who signs in to an environment of a project (specification, section 1; wire contract,
//! section 6). Lists and single users are read through the models of [`Store::tools`].

use jiff::Timestamp;
use svc_data::Row;
use svc_model::Scope;
use svc_model::administration::users::{Invite, Resume, Suspend};
use svc_model::users::{Create, Delete, Update};
use svc_model::wire::Operation as _;
use uuid::Uuid;

use crate::credentials::{Purpose, codes, sessions};
use crate::database::{Reader, Store, Tx, row, values};
use crate::error::{Error, Result};
use crate::people::person::{self, Person};
use crate::people::{MailKind, Team, TeamRights, UserScope, email, rights, teams};
use crate::secrets::Secret;

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct User {
    /// Identifier.
    pub uid: Uuid,
    /// E-mail address, unique within the environment without regard to case.
    pub email: String,
    /// Whether the user has shown that the address is theirs.
    pub email_confirmed: bool,
    /// Whether there is a password; not until an invitation is accepted.
    pub has_password: bool,
    /// First name, where known.
    pub first_name: Option<String>,
    /// Last name, where known.
    pub last_name: Option<String>,
    /// Language (BCP 47), where chosen.
    pub language: Option<String>,
    /// IANA time zone, where chosen.
    pub timezone: Option<String>,
    /// The team.
    pub team: Team,
    /// When the user was made.
    pub date_add: Timestamp,
    /// Since when the user cannot sign in, if so.
    pub suspended: Option<Timestamp>,
}

/// What a new user is made of; see [`NewUser::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewUser {
    /// E-mail address.
    pub email: String,
    /// The team: its uid, or its name.
    pub team: String,
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// A password, so that the user can sign in at once; `None` mails an invitation.
    pub password: Option<Secret>,
}

impl NewUser {
    /// A user who is invited by mail.
    pub fn new(email: impl Into<String>, team: impl Into<String>) -> Self {
        Self {
            email: email.into(),
            team: team.into(),
            first_name: None,
            last_name: None,
            password: None,
        }
    }
}

/// A change of a user; what is `None` stays.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UserPatch {
    /// Another team, by its uid. The user's sessions end.
    pub team: Option<String>,
    /// Another first name; `Some(None)` removes it.
    pub first_name: Option<Option<String>>,
    /// Another last name; `Some(None)` removes it.
    pub last_name: Option<Option<String>>,
}

/// The users of an environment: [`Store::users`].
#[derive(Debug, Clone)]
pub struct Users<'a> {
    store: &'a Store,
    scope: Scope,
}

impl Store {
    /// The users of an environment.
    pub fn users(&self, scope: &Scope) -> Users<'_> {
        Users {
            store: self,
            scope: scope.clone(),
        }
    }
}

impl Users<'_> {
    /// One user.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user.
    pub async fn get(&self, uid: Uuid) -> Result<User> {
        self.store
            .read_in(self.scope.clone(), move |reader, scope: UserScope| {
                get(reader, &scope, uid)
            })
            .await
    }

    /// Makes a user. One without a password is invited: a mail with a code goes to the address, with a link below
    /// `base_url` unless the project has links of its own.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field error on
    /// `email` when it is not an address or taken, on `group` when the project has no such team, on the names when
    /// they are too long, on `password` when it is too weak.
    pub async fn create(&self, new: NewUser, base_url: &str) -> Result<User> {
        let base_url = base_url.to_owned();
        let password = match &new.password {
            None => None,
            Some(password) => {
                let scope = self.scope.clone();
                let scope = self.store.read_in(scope, |_, scope: UserScope| Ok(scope));
                let scope = scope.await?;
                let settings = &scope.authentication;
                settings.check_password("password", password.expose(), &new.email)?;
                Some(self.store.passwords().hash(password.clone()).await?)
            }
        };
        let names = self.scope.clone();
        self.store
            .write_in(names, move |tx, scope: UserScope| {
                let team = team(tx, &scope, &new.team)?;
                let invited = password.is_none();
                let made = NewUserRow {
                    email: &new.email,
                    team: &team,
                    password,
                    // The administrator who sets the password confirms the address too.
                    email_confirmed: !invited,
                    names: [new.first_name, new.last_name, None, None],
                };
                let uid = insert(tx, &scope, made)?.ok_or_else(|| {
                    Error::invalid_field("email", "a user with this address exists already")
                })?;
                let user = get(tx, &scope, uid)?;
                if invited {
                    let mail = (MailKind::Invitation, Purpose::Invitation);
                    person::mail_code(tx, &scope, uid, mail, &user.email, &base_url)?;
                }
                tx.changed_row("users", uid, scope.entry(Create::INFO.name, uid))?;
                Ok(user)
            })
            .await
    }

    /// Changes a user.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user; a field error
    /// on `group` and the names; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the last administrator
    /// would leave the team.
    pub async fn update(&self, uid: Uuid, patch: UserPatch) -> Result<User> {
        self.store
            .write_in(self.scope.clone(), move |tx, scope: UserScope| {
                let old = get(tx, &scope, uid)?;
                let entry = scope.entry(Update::INFO.name, uid).before(tx.tag("users", uid)?);
                let team = match &patch.team {
                    Some(wanted) => team(tx, &scope, wanted)?,
                    None => old.team.clone(),
                };
                if !team.super_group {
                    ensure_other_administrator(tx, &scope, &old)?;
                }
                let first_name = patch.first_name.unwrap_or(old.first_name);
                let last_name = patch.last_name.unwrap_or(old.last_name);
                let first_name = person::name("first_name", first_name)?;
                let last_name = person::name("last_name", last_name)?;
                tx.execute(
                    "UPDATE users SET team_uid = ?1, first_name = ?2, last_name = ?3 WHERE uid = ?4",
                    &values![team.uid, first_name, last_name, uid],
                )?;
                if team.uid != old.team.uid {
                    sessions::end_all(tx, scope.person(Some(uid)))?;
                }
                tx.changed_row("users", uid, entry)?;
                get(tx, &scope, uid)
            })
            .await
    }

    /// A user, and what the user's team may do with records in this environment.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user.
    pub async fn rights_of(&self, uid: Uuid) -> Result<(User, TeamRights)> {
        let environment = self.scope.environment.clone();
        self.store
            .read_in(self.scope.clone(), move |reader, scope: UserScope| {
                let user = get(reader, &scope, uid)?;
                let rights = rights::of_team(reader, &user.team)?.in_environment(&environment);
                Ok((user, rights))
            })
            .await
    }

    /// Keeps a user from signing in: sessions end, codes that were mailed become invalid, and signing in answers like a wrong
    /// password.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator who can sign in.
    pub async fn suspend(&self, uid: Uuid) -> Result<User> {
        self.store
            .write_in(self.scope.clone(), move |tx, scope: UserScope| {
                let user = get(tx, &scope, uid)?;
                ensure_other_administrator(tx, &scope, &user)?;
                let entry = scope
                    .entry(Suspend::INFO.name, uid)
                    .before(tx.tag("users", uid)?);
                let since = user.suspended.unwrap_or(tx.now());
                let sql = "UPDATE users SET suspended = ?1 WHERE uid = ?2";
                tx.execute(sql, &values![since, uid])?;
                sessions::end_all(tx, scope.person(Some(uid)))?;
                codes::forget(tx, scope.person(Some(uid)))?;
                tx.changed_row("users", uid, entry)?;
                get(tx, &scope, uid)
            })
            .await
    }

    /// Lets a suspended user sign in again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user.
    pub async fn resume(&self, uid: Uuid) -> Result<User> {
        self.store
            .write_in(self.scope.clone(), move |tx, scope: UserScope| {
                get(tx, &scope, uid)?;
                let entry = scope
                    .entry(Resume::INFO.name, uid)
                    .before(tx.tag("users", uid)?);
                let sql = "UPDATE users SET suspended = NULL WHERE uid = ?1";
                tx.execute(sql, &values![uid])?;
                tx.changed_row("users", uid, entry)?;
                get(tx, &scope, uid)
            })
            .await
    }

    /// Mails an invitation again to a user who has no password yet, with a link below `base_url`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a user who has a password, or is suspended.
    pub async fn invite(&self, uid: Uuid, base_url: &str) -> Result<User> {
        let base_url = base_url.to_owned();
        self.store
            .write_in(self.scope.clone(), move |tx, scope: UserScope| {
                let user = get(tx, &scope, uid)?;
                if user.has_password {
                    return Err(Error::refused(
                        "the user has a password already; a forgotten one is reset",
                    ));
                }
                if user.suspended.is_some() {
                    return Err(Error::refused(
                        "the user is suspended; resume the user first",
                    ));
                }
                let mail = (MailKind::Invitation, Purpose::Invitation);
                person::mail_code(tx, &scope, uid, mail, &user.email, &base_url)?;
                tx.audit(scope.entry(Invite::INFO.name, uid));
                Ok(user)
            })
            .await
    }

    /// Deletes a user. The sessions end at once, and codes that were mailed become invalid.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or user;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator.
    pub async fn delete(&self, uid: Uuid) -> Result<()> {
        self.store
            .write_in(self.scope.clone(), move |tx, scope: UserScope| {
                let user = get(tx, &scope, uid)?;
                ensure_other_administrator(tx, &scope, &user)?;
                tx.delete_row("users", uid, scope.entry(Delete::INFO.name, uid))
            })
            .await
    }
}

/// A user to be written.
pub(crate) struct NewUserRow<'a> {
    pub(crate) email: &'a str,
    pub(crate) team: &'a Team,
    pub(crate) password: Option<String>,
    pub(crate) email_confirmed: bool,
    /// First name, last name, language, time zone.
    pub(crate) names: [Option<String>; 4],
}

/// Writes a new user; `None` when the address is taken.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    scope: &UserScope,
    made: NewUserRow<'_>,
) -> Result<Option<Uuid>> {
    let email = made.email.trim();
    email::check("email", email)?;
    let [first_name, last_name, language, timezone] = made.names;
    let uid = Uuid::now_v7();
    let row = row! {
        uid, environment_uid: scope.environment_uid, team_uid: made.team.uid, email,
        email_key: email::key(email), email_confirmed: made.email_confirmed,
        password: made.password,
        first_name: person::name("first_name", first_name)?, last_name: person::name("last_name", last_name)?,
        language: person::name("language", language)?, timezone: person::time_zone("timezone", timezone)?, date_add: tx.now()
    };
    match tx.insert("users", &row) {
        Ok(_) => Ok(Some(uid)),
        Err(error) if error.is_taken() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The user with an identifier.
fn get(reader: &mut Reader<'_>, scope: &UserScope, uid: Uuid) -> Result<User> {
    let sql = format!(
        "SELECT {}, {} FROM users u JOIN teams t ON t.uid = u.team_uid \
         WHERE u.environment_uid = ?1 AND u.uid = ?2",
        person::COLUMNS,
        teams::COLUMNS
    );
    let found = reader.find(&sql, &values![scope.environment_uid, uid], from_row)?;
    found.ok_or_else(|| Error::not_found("there is no such user"))
}

fn from_row(row: &Row) -> Result<User> {
    let Person {
        uid,
        email,
        email_confirmed,
        has_password,
        first_name,
        last_name,
        language,
        timezone,
        date_add,
        suspended,
    } = person::from_row(row)?.person;
    let team = teams::from_row(row)?;
    Ok(User {
        uid,
        email,
        email_confirmed,
        has_password,
        first_name,
        last_name,
        language,
        timezone,
        team,
        date_add,
        suspended,
    })
}

/// The team of a project with this uid or name.
fn team(reader: &mut Reader<'_>, scope: &UserScope, wanted: &str) -> Result<Team> {
    teams::named(reader, &scope.project_uid, wanted).map_err(|error| match error.invalid() {
        Some(_) => Error::invalid_field(
            "group",
            "the project has no such team; list the groups to see them",
        ),
        None => error,
    })
}

/// The team of a user who registers.
pub(crate) fn sign_up_team(reader: &mut Reader<'_>, scope: &UserScope) -> Result<Team> {
    teams::of_sign_up(reader, &scope.project_uid, &scope.authentication)
}

/// Refuses a change after which nobody would administer the environment.
fn ensure_other_administrator(
    reader: &mut Reader<'_>,
    scope: &UserScope,
    leaving: &User,
) -> Result<()> {
    if !leaving.team.super_group {
        return Ok(());
    }
    // Somebody who was invited and has not chosen a password yet, or has to confirm the address first, cannot sign in.
    let confirms = scope.authentication.confirms_email();
    let can_sign_in = leaving.suspended.is_none()
        && leaving.has_password
        && (leaving.email_confirmed || !confirms);
    let others = "SELECT u.uid FROM users u JOIN teams t ON t.uid = u.team_uid \
         WHERE u.environment_uid = ?1 AND u.uid <> ?2 AND t.super_group = ?3 \
         AND (?4 = FALSE OR (u.password IS NOT NULL AND u.suspended IS NULL AND (u.email_confirmed = TRUE OR ?5 = FALSE))) LIMIT 1";
    let values = values! { scope.environment_uid, leaving.uid, true, can_sign_in, confirms };
    match reader.exists(others, &values)? {
        true => Ok(()),
        false => Err(Error::refused(
            "this is the last administrator who can sign in; make another user an administrator first",
        )),
    }
}
