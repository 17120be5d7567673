//! The realms of people who sign in: an environment together with what its project says of the users in it, or the
//! accounts of the service.

use std::ops::Deref;

use jiff::{SignedDuration, Timestamp};
use svc_data::Value;
use svc_model::{Realm, Scope};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::Purpose;
use crate::database::{Bind as _, Reader, columns, row, values};
use crate::error::{Error, Result};
use crate::people::Authentication;
use crate::projects::{Located, ScopeRow};

/// A realm, and how people sign in there.
pub(crate) struct RealmRow {
    pub(crate) realm: Realm,
    /// The environment; `None` for the accounts of the service.
    environment: Option<EnvironmentIds>,
    pub(crate) sign_up: bool,
    pub(crate) authentication: Authentication,
}

/// An environment, and how users sign in there.
pub(crate) struct UserScope {
    pub(crate) project_uid: String,
    pub(crate) environment_uid: String,
    row: RealmRow,
}

#[derive(Clone)]
struct EnvironmentIds {
    project_uid: String,
    environment_uid: String,
}

/// Whose session or code something is: the column that says so, and its value.
pub(crate) type PersonColumn = (&'static str, Value);

impl RealmRow {
    /// The table of the people.
    pub(crate) fn table(&self) -> &'static str {
        match self.environment {
            Some(_) => "users",
            None => "accounts",
        }
    }

    /// The column of a session or a code that names one of the people, with its value.
    pub(crate) fn person(&self, uid: Option<Uuid>) -> PersonColumn {
        let column = match self.environment {
            Some(_) => "user_uid",
            None => "account_uid",
        };
        (column, uid.bind())
    }

    pub(crate) fn environment_uid(&self) -> Option<&str> {
        let ids = self.environment.as_ref();
        ids.map(|ids| ids.environment_uid.as_str())
    }

    /// A line about one of the people.
    pub(crate) fn entry(&self, action: &'static str, person: Uuid) -> AuditEntry {
        let entry = AuditEntry::new(action);
        match &self.realm {
            Realm::Environment(scope) => entry.scope(scope).user(person),
            _ => entry.record(person.to_string()),
        }
    }

    /// The same line, by the person, who has shown that by the call itself.
    pub(crate) fn entry_by(&self, action: &'static str, person: Uuid, email: &str) -> AuditEntry {
        let entry = self.entry(action, person);
        match &self.realm {
            Realm::Environment(_) => entry.by_user(person, email),
            _ => entry.by_account(person, email),
        }
    }

    /// Where the link in a mail leads. The code follows `#`: browsers do not send that part.
    pub(crate) fn link(&self, base_url: &str, purpose: Purpose, code: &str) -> String {
        let call = purpose.call();
        match (&self.authentication.link, &self.realm) {
            (Some(link), _) => link.replace("{call}", call).replace("{code}", code),
            (
                None,
                Realm::Environment(Scope {
                    project,
                    environment,
                    ..
                }),
            ) => {
                format!("{base_url}/projects/{project}/{environment}/auth/{call}#{code}")
            }
            _ => format!("{base_url}/account/auth/{call}#{code}"),
        }
    }

    pub(crate) fn access_expiry(&self, now: Timestamp) -> Timestamp {
        later(
            now,
            SignedDuration::from_secs(self.authentication.access_token_seconds.into()),
        )
    }

    pub(crate) fn refresh_expiry(&self, now: Timestamp) -> Timestamp {
        let days = i64::from(self.authentication.refresh_token_days);
        later(now, SignedDuration::from_hours(days * 24))
    }

    /// The accounts of the service.
    pub(crate) fn of_service() -> Self {
        Self {
            realm: Realm::Service,
            environment: None,
            sign_up: false,
            authentication: Authentication::default(),
        }
    }
}

impl Deref for UserScope {
    type Target = RealmRow;

    fn deref(&self) -> &RealmRow {
        &self.row
    }
}

impl Located for RealmRow {
    type Names = Realm;

    fn find(reader: &mut Reader<'_>, realm: &Realm) -> Result<Option<Self>> {
        let Some(scope) = realm.scope() else {
            return Ok(Some(Self::of_service()));
        };
        let sql = "SELECT p.uid AS project_uid, e.uid AS environment_uid, p.unique_name AS project, \
             e.unique_name AS environment, p.sign_up, p.authentication FROM environments e \
             JOIN projects p ON p.uid = e.project_uid WHERE p.unique_name = ?1 AND e.unique_name = ?2";
        reader.find(sql, &values![scope.project, scope.environment], |row| {
            let ids: Result<EnvironmentIds> =
                columns!(row => EnvironmentIds { project_uid, environment_uid });
            let authentication = Authentication::from_row(row)?;
            columns!(row => Self {
                realm: row::scope(row)?.into(),
                environment: Some(ids?),
                authentication: authentication,
                sign_up
            })
        })
    }

    fn missing(realm: &Realm) -> Error {
        match realm {
            Realm::Environment(scope) => ScopeRow::missing(scope),
            _ => Error::internal("the service has lost its accounts"),
        }
    }
}

impl Located for UserScope {
    type Names = Scope;

    fn find(reader: &mut Reader<'_>, scope: &Scope) -> Result<Option<Self>> {
        let found = RealmRow::find(reader, &scope.into())?;
        Ok(found.and_then(|row| {
            let ids = row.environment.clone()?;
            Some(Self {
                project_uid: ids.project_uid,
                environment_uid: ids.environment_uid,
                row,
            })
        }))
    }

    fn missing(scope: &Scope) -> Error {
        ScopeRow::missing(scope)
    }
}

/// Whole seconds, so that a token says no more than its expiry.
fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    let then = now.saturating_add(by).unwrap_or(now);
    Timestamp::from_second(then.as_second()).unwrap_or(then)
}
