//! An environment together with what its project says of the users in it.

use jiff::{SignedDuration, Timestamp};
use svc_model::Scope;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::Purpose;
use crate::database::{Reader, columns, row, values};
use crate::error::{Error, Result};
use crate::people::Authentication;
use crate::projects::{Located, ScopeRow};

/// An environment, and how users sign in there.
pub(crate) struct UserScope {
    pub(crate) project_uid: String,
    pub(crate) environment_uid: String,
    pub(crate) names: Scope,
    pub(crate) sign_up: bool,
    pub(crate) authentication: Authentication,
}

impl UserScope {
    /// A line about a user of the environment.
    pub(crate) fn entry(&self, action: &'static str, user: Uuid) -> AuditEntry {
        AuditEntry::new(action).scope(&self.names).user(user)
    }

    /// Where the link in a mail leads. The code follows `#`: browsers do not send that part.
    pub(crate) fn link(&self, base_url: &str, purpose: Purpose, code: &str) -> String {
        let call = purpose.call();
        match &self.authentication.link {
            Some(link) => link.replace("{call}", call).replace("{code}", code),
            None => format!(
                "{base_url}/projects/{}/{}/auth/{call}#{code}",
                self.names.project, self.names.environment
            ),
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
}

impl Located for UserScope {
    type Names = Scope;

    fn find(reader: &mut Reader<'_>, scope: &Scope) -> Result<Option<Self>> {
        let sql = "SELECT p.uid AS project_uid, e.uid AS environment_uid, p.unique_name AS project, \
             e.unique_name AS environment, p.sign_up, p.authentication FROM environments e \
             JOIN projects p ON p.uid = e.project_uid WHERE p.unique_name = ?1 AND e.unique_name = ?2";
        reader.find(sql, &values![scope.project, scope.environment], |row| {
            let authentication = Authentication::from_row(row)?;
            columns!(row => Self {
                names: row::scope(row)?,
                authentication: authentication,
                project_uid, environment_uid, sign_up
            })
        })
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
