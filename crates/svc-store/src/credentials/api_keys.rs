//! API keys: what an account shows to read projects and to read and write pages
//! (`Authorization: Bearer <API_KEY>`; specification, section 5).

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::ProjectName;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials;
use crate::credentials::{Credential, CredentialKind, CredentialTable, Credentials};
use crate::database::{Reader, Tx, columns, row, values};
use crate::error::Result;
use crate::people::{Team, accounts, members, teams};
use crate::projects::{Located, ProjectRow};

/// An API key as lists show it: everything but the key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiKey {
    /// Identifier.
    pub uid: Uuid,
    /// Whose key it is.
    pub account_uid: Uuid,
    /// E-mail address of that account.
    pub email: String,
    /// How the key begins.
    pub prefix: String,
    /// Its name for people, where it has one.
    pub name: Option<String>,
    /// When it was made.
    pub date_add: Timestamp,
    /// When it was last used, exact to a minute; `None` when never.
    pub last_use: Option<Timestamp>,
    /// When it ends; `None` when never.
    pub expires: Option<Timestamp>,
    /// When it was revoked; `None` while it was not.
    pub revoked: Option<Timestamp>,
}

/// What a new key is made of; see [`NewApiKey::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewApiKey {
    /// The project it shall open.
    pub project: ProjectName,
    /// E-mail address of the account; made when new, as an administrator of the project. A member stays
    /// in the team it is in.
    pub email: String,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl NewApiKey {
    /// A key without a name and without an end.
    pub fn new(project: impl Into<ProjectName>, email: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            email: email.into(),
            name: None,
            expires: None,
        }
    }
}

/// Who presented a valid API key, and what it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiKeyIdentity {
    /// The key.
    pub key_uid: Uuid,
    /// Its account.
    pub account_uid: Uuid,
    /// The e-mail address of the account.
    pub email: String,
    /// The projects the account is a member of.
    pub projects: Vec<Membership>,
    /// When the key ends. A caller that keeps this identity checks [`is_expired`](Self::is_expired).
    pub expires: Option<Timestamp>,
}

/// A project that an API key opens, and the team in which its account is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The project.
    pub project: ProjectName,
    /// The team.
    pub team: Team,
}

impl ApiKeyIdentity {
    /// The team in which the key's account belongs to a project; `None` when the key does not cover it.
    pub fn team(&self, project: &ProjectName) -> Option<&Team> {
        self.projects
            .iter()
            .find(|membership| membership.project == *project)
            .map(|membership| &membership.team)
    }

    /// Whether the key has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        credentials::is_expired(self.expires, now)
    }
}

impl Credentials<'_, ApiKey> {
    /// The keys that open a project, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<ApiKey>> {
        self.store
            .read_in(project.clone(), |reader, project: ProjectRow| {
                let members = "JOIN members m ON m.account_uid = a.uid WHERE m.project_uid = ?1";
                credentials::list(reader, members, &values![project.uid])
            })
            .await
    }
}

impl Credential for ApiKey {
    type New = NewApiKey;
    type Identity = ApiKeyIdentity;
}

impl CredentialTable for ApiKey {
    const KIND: CredentialKind = CredentialKind::ApiKey;
    const WHAT: &'static str = "API key";
    const TABLE: &'static str = "api_keys";
    const ACTIONS: [&'static str; 2] = ["api_keys.create", "api_keys.revoke"];

    fn select() -> String {
        "SELECT c.uid, c.account_uid, a.email, c.prefix, c.name, c.date_add, c.last_use, c.expires, \
         c.revoked, c.hash FROM api_keys c JOIN accounts a ON a.uid = c.account_uid"
            .to_owned()
    }

    fn from_row(row: &Row) -> Result<Self> {
        columns!(row => Self {
            uid, account_uid, email, prefix, name, date_add, last_use, expires, revoked
        })
    }

    fn terms(new: &NewApiKey) -> (Option<String>, Option<Timestamp>) {
        (new.name.clone(), new.expires)
    }

    fn columns(tx: &mut Tx<'_>, new: &NewApiKey) -> Result<Vec<(&'static str, Value)>> {
        let project = ProjectRow::get(tx, &new.project)?;
        let account = accounts::find_or_create(tx, &new.email)?;
        if members::get(tx, &project.uid, account.uid)?.is_none() {
            let team = teams::administrators(tx, &project.uid)?;
            members::put(tx, &project.uid, &account, &team)?;
        }
        Ok(row! { account_uid: account.uid }.into())
    }

    fn locate(
        &self,
        reader: &mut Reader<'_>,
        entry: AuditEntry,
        new: Option<&NewApiKey>,
    ) -> Result<AuditEntry> {
        if let Some(new) = new {
            return Ok(entry.project(&new.project));
        }
        // A key opens every project of its account. With one project it is clear which.
        match memberships(reader, self.account_uid)?.as_slice() {
            [only] => Ok(entry.project(&only.project)),
            _ => Ok(entry),
        }
    }

    fn identity(self, reader: &mut Reader<'_>) -> Result<ApiKeyIdentity> {
        Ok(ApiKeyIdentity {
            key_uid: self.uid,
            account_uid: self.account_uid,
            email: self.email,
            projects: memberships(reader, self.account_uid)?,
            expires: self.expires,
        })
    }
}

/// The projects that an account is a member of, the oldest first.
fn memberships(reader: &mut Reader<'_>, account: Uuid) -> Result<Vec<Membership>> {
    let team = teams::COLUMNS;
    let sql = format!(
        "SELECT p.unique_name AS project, {team} FROM members m JOIN projects p ON p.uid = m.project_uid \
         JOIN teams t ON t.uid = m.team_uid WHERE m.account_uid = ?1 ORDER BY p.date_add, p.uid"
    );
    reader.list(&sql, &values![account], |row| {
        Ok(Membership {
            project: row.get::<String>("project")?.into(),
            team: teams::from_row(row)?,
        })
    })
}
