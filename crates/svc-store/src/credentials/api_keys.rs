//! API keys: what an account shows to read projects and to read and write pages
//! (`Authorization: Bearer <API_KEY>`; specification, section 5).

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::ProjectName;
use svc_model::administration::{account_keys, project_keys};
use svc_model::wire::Operation as _;
use uuid::Uuid;

use crate::audit::{ActorKind, AuditEntry};
use crate::clock;
use crate::credentials::{self, Credential, CredentialKind, Credentials, Grant, Identity};
use crate::credentials::{AccountGrant, AccountRights, Created, NewCredential, StoredGrant};
use crate::database::{Reader, Tx, row, values};
use crate::error::{Error, Result};
use crate::people::{accounts, members, person, teams};
use crate::projects::{Located, ProjectRow};

/// An API key as lists show it: everything but the key.
pub type ApiKey = Credential<AccountGrant>;
/// What a new API key is made of.
pub type NewApiKey = NewCredential<AccountGrant>;
/// A valid API key that was presented, and the projects that it opens.
pub type ApiKeyIdentity = Identity<AccountGrant>;

impl NewApiKey {
    /// A key without a name and without an end, for a project and the account with an e-mail address. The account is
    /// made when new, as an administrator of the project. A member stays in the team it is in.
    pub fn new(project: impl Into<ProjectName>, email: impl Into<String>) -> Self {
        Self::without_end((project.into(), email.into()))
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

/// An API key that an account makes for itself; see [`NewAccountKey::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewAccountKey {
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// The projects that it opens; `None` for all of the account.
    pub projects: Option<Vec<ProjectName>>,
}

impl NewAccountKey {
    /// A key without a name and without an end, for all projects of the account.
    pub fn new() -> Self {
        Self {
            name: None,
            expires: None,
            projects: None,
        }
    }
}

impl Default for NewAccountKey {
    fn default() -> Self {
        Self::new()
    }
}

impl Credentials<'_, AccountGrant> {
    /// Makes a key of an account. Where another key of the account makes it, it reaches no further than that one: what that one
    /// is [excluded](Self::exclude) from, it is excluded from too.
    ///
    /// # Errors
    /// A field error on `expires` when it has passed, and on `projects` when one of them is not open to the account, or to the
    /// key that makes it.
    pub async fn create_for(
        &self,
        account: Uuid,
        new: NewAccountKey,
    ) -> Result<Created<AccountGrant>> {
        let NewAccountKey {
            name,
            expires,
            projects,
        } = new;
        clock::check_expiry(expires, self.store.clock().now())?;
        let name = person::name("name", name)?;
        let made = CredentialKind::ApiKey.generate()?;
        let (hash, prefix) = (made.hash.to_hex(), made.prefix);
        let by = self.store.actor();
        let by_key = by.uid.filter(|_| by.kind == ActorKind::ApiKey);
        let credential = self.store.write(move |tx| {
            let missing = || Error::not_found("there is no such account");
            let owner = AccountGrant::find(tx, account)?.ok_or_else(missing)?;
            let rights = AccountRights::of_account(tx, &owner)?;
            let excluded = excluded_from(tx, by_key)?;
            let uid = Uuid::now_v7();
            let is_limited = projects.is_some();
            let row = row! {
                uid, account_uid: account, hash, prefix, name, date_add: tx.now(), expires, is_limited
            };
            tx.insert("api_keys", &row)?;
            if !is_limited {
                for project_uid in &excluded {
                    let row = row! { key_uid: uid, project_uid: project_uid, is_allowed: false };
                    tx.insert("api_key_projects", &row)?;
                }
            }
            for name in projects.into_iter().flatten() {
                let known = ProjectRow::find(tx, &name)?;
                let is_open = |project: &ProjectRow| {
                    rights.in_project(&name).is_some() && !excluded.contains(&project.uid)
                };
                let project = known.filter(is_open).ok_or_else(|| {
                    let message = match by_key {
                        Some(_) => format!("{name} is no project that the key of this call opens"),
                        None => format!("{name} is no project of the account"),
                    };
                    Error::invalid_field("projects", message)
                })?;
                let row = row! { key_uid: uid, project_uid: project.uid, is_allowed: true };
                // A name that is given twice counts once.
                match tx.insert("api_key_projects", &row) {
                    Err(error) if !error.is_taken() => return Err(error),
                    _ => {}
                }
            }
            let entry = AuditEntry::new(account_keys::Create::INFO.name).record(uid.to_string());
            let tag = credentials::tag::<AccountGrant>(tx, uid)?;
            tx.changed(entry.after(tag));
            credentials::get(tx, uid)
        });
        Ok(Created {
            secret: made.secret,
            credential: credential.await?,
        })
    }

    /// Ends a key of an account for good.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the account has no such key.
    pub async fn revoke_for(&self, account: Uuid, uid: Uuid) -> Result<()> {
        self.revoke_of("account_uid", account.to_string(), uid)
            .await
    }

    /// Ends the access of a key to a project. Its other projects stay open to it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project, or no key of a member that has
    /// access to it; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the key opens every project, since it is an
    /// operator's.
    pub async fn exclude(&self, project: &ProjectName, uid: Uuid) -> Result<()> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let sql = "SELECT uid FROM api_project_keys WHERE uid = ?1 AND project_uid = ?2";
                if !tx.exists(sql, &values![uid, project.uid])? {
                    return Err(Error::not_found("there is no such API key"));
                }
                let sql = "SELECT 1 FROM api_keys c JOIN accounts a ON a.uid = c.account_uid \
                     WHERE c.uid = ?1 AND a.is_operator AND NOT c.is_limited";
                if tx.exists(sql, &values![uid])? {
                    return Err(Error::refused(
                        "the key is an operator's and opens every project; end the key as a whole",
                    ));
                }
                let sql = "DELETE FROM api_key_projects WHERE key_uid = ?1 AND project_uid = ?2";
                tx.execute(sql, &values![uid, project.uid])?;
                let row = row! { key_uid: uid, project_uid: project.uid, is_allowed: false };
                tx.insert("api_key_projects", &row)?;
                tx.changed(
                    project
                        .entry(project_keys::Delete::INFO.name)
                        .record(uid.to_string()),
                );
                Ok(())
            })
            .await
    }
}

/// The projects that a key is excluded from.
fn excluded_from(reader: &mut Reader<'_>, key: Option<Uuid>) -> Result<Vec<String>> {
    let sql = "SELECT project_uid FROM api_key_projects WHERE key_uid = ?1 AND is_allowed = ?2";
    reader.list(sql, &values![key, false], |row| Ok(row.get("project_uid")?))
}

impl Grant for AccountGrant {
    type Wanted = (ProjectName, String);
    type Rights = AccountRights;
}

impl StoredGrant for AccountGrant {
    const KIND: CredentialKind = CredentialKind::ApiKey;
    const WHAT: &'static str = "API key";
    const TABLE: &'static str = "api_keys";
    const ACTIONS: [&'static str; 2] = ["api_keys.create", "api_keys.revoke"];
    const COLUMNS: &'static [&'static str] = &[
        "c.account_uid",
        "a.email",
        "a.is_operator",
        "a.suspended IS NOT NULL AS is_suspended",
        "c.is_limited",
    ];
    const JOINS: &'static str = "JOIN accounts a ON a.uid = c.account_uid";

    fn from_row(row: &Row) -> Result<Self> {
        Self::from_row(row)
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
        match AccountRights::of_account(reader, self)?
            .memberships
            .as_slice()
        {
            [only] => Ok(entry.project(&only.project)),
            _ => Ok(entry),
        }
    }

    fn admits(&self) -> bool {
        !self.is_suspended
    }

    fn rights(&self, reader: &mut Reader<'_>, key: Uuid) -> Result<AccountRights> {
        AccountRights::of_key(reader, self, key)
    }
}
