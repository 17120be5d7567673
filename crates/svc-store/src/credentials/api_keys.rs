//! API keys: what an account shows to read projects and to read and write pages
//! (`Authorization: Bearer <API_KEY>`; specification, section 5).

use svc_data::{Row, Value};
use svc_model::ProjectName;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::{self, Credential, CredentialKind, Credentials, Grant, Identity};
use crate::credentials::{NewCredential, StoredGrant};
use crate::database::{Reader, Tx, columns, row, values};
use crate::error::Result;
use crate::people::{Team, accounts, members, teams};
use crate::projects::{Located, ProjectRow};

/// An API key as lists show it: everything but the key.
pub type ApiKey = Credential<AccountGrant>;
/// What a new API key is made of.
pub type NewApiKey = NewCredential<AccountGrant>;
/// A valid API key that was presented, and the projects that it opens.
pub type ApiKeyIdentity = Identity<AccountGrant>;

/// What an API key opens: the projects of an account, now and later.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountGrant {
    /// Whose key it is.
    pub account_uid: Uuid,
    /// E-mail address of that account.
    pub email: String,
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

impl NewApiKey {
    /// A key without a name and without an end, for a project and the account with an e-mail address. The account is
    /// made when new, as an administrator of the project. A member stays in the team it is in.
    pub fn new(project: impl Into<ProjectName>, email: impl Into<String>) -> Self {
        Self::without_end((project.into(), email.into()))
    }
}

impl ApiKeyIdentity {
    /// The team in which the key's account belongs to a project; `None` when the key does not cover it.
    pub fn team(&self, project: &ProjectName) -> Option<&Team> {
        let mut projects = self.rights.iter();
        let membership = projects.find(|membership| membership.project == *project);
        membership.map(|membership| &membership.team)
    }
}

impl Credentials<'_, AccountGrant> {
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

impl Grant for AccountGrant {
    type Wanted = (ProjectName, String);
    type Rights = Vec<Membership>;
}

impl StoredGrant for AccountGrant {
    const KIND: CredentialKind = CredentialKind::ApiKey;
    const WHAT: &'static str = "API key";
    const TABLE: &'static str = "api_keys";
    const ACTIONS: [&'static str; 2] = ["api_keys.create", "api_keys.revoke"];
    const COLUMNS: &'static [&'static str] = &["c.account_uid", "a.email"];
    const JOINS: &'static str = "JOIN accounts a ON a.uid = c.account_uid";

    fn from_row(row: &Row) -> Result<Self> {
        columns!(row => Self { account_uid, email })
    }

    fn columns(
        tx: &mut Tx<'_>,
        (project, email): &Self::Wanted,
    ) -> Result<Vec<(&'static str, Value)>> {
        let project = ProjectRow::get(tx, project)?;
        let account = accounts::find_or_create(tx, email)?;
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
        wanted: Option<&Self::Wanted>,
    ) -> Result<AuditEntry> {
        if let Some((project, _)) = wanted {
            return Ok(entry.project(project));
        }
        // A key opens every project of its account. With one project it is clear which.
        match self.rights(reader)?.as_slice() {
            [only] => Ok(entry.project(&only.project)),
            _ => Ok(entry),
        }
    }

    /// The projects that the account is a member of, the oldest first.
    fn rights(&self, reader: &mut Reader<'_>) -> Result<Vec<Membership>> {
        let team = teams::COLUMNS;
        let sql = format!(
            "SELECT p.unique_name AS project, {team} FROM members m JOIN projects p ON p.uid = m.project_uid \
             JOIN teams t ON t.uid = m.team_uid WHERE m.account_uid = ?1 ORDER BY p.date_add, p.uid"
        );
        reader.list(
            &sql,
            &values![self.account_uid],
            |row| columns!(row => Membership { project, team: teams::from_row(row)? }),
        )
    }
}
