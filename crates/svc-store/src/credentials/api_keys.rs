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
use crate::credentials::{Created, NewCredential, StoredGrant};
use crate::database::{Reader, Tx, columns, row, values};
use crate::error::{Error, Result};
use crate::people::{Team, TeamRights, accounts, members, rights, teams, users};
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
    /// Whether the account is an operator of the service.
    pub is_operator: bool,
    /// Whether nobody may act with the account now.
    pub is_suspended: bool,
    /// Whether the key opens some projects alone. A session is never limited.
    pub is_limited: bool,
}

/// A project that an account may act in, and the team that it has there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The project.
    pub project: ProjectName,
    /// The team.
    pub team: Team,
    /// What the team may do with records.
    pub rights: TeamRights,
}

/// What an account may do, by a session or by an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountRights {
    /// The projects of the account that are open.
    pub memberships: Vec<Membership>,
    /// What an operator is in the projects of others: an administrator. `None` for anybody else, and by a key that is
    /// limited to some projects.
    pub operator: Option<(Team, TeamRights)>,
}

impl AccountRights {
    /// The team of the account in a project, and what it may do there; `None` when the project is not open.
    pub fn in_project(&self, project: &ProjectName) -> Option<(&Team, &TeamRights)> {
        if let Some((team, rights)) = &self.operator {
            return Some((team, rights));
        }
        let mut projects = self.memberships.iter();
        let membership = projects.find(|membership| membership.project == *project)?;
        Some((&membership.team, &membership.rights))
    }

    /// What an account may do by its session.
    pub(crate) fn of_account(reader: &mut Reader<'_>, account: &AccountGrant) -> Result<Self> {
        let uid = account.account_uid;
        let sql = membership("WHERE m.account_uid = ?1");
        Ok(Self {
            memberships: memberships(reader, &sql, &values![uid])?,
            operator: account.is_operator.then(administrator),
        })
    }

    /// What the account behind an actor may do now; `None` when the key has ended, or the account is suspended or gone.
    pub(crate) fn of_actor(
        reader: &mut Reader<'_>,
        kind: ActorKind,
        uid: Uuid,
    ) -> Result<Option<Self>> {
        if kind != ActorKind::ApiKey {
            let account = AccountGrant::find(reader, uid)?.filter(StoredGrant::admits);
            let rights = account.map(|account| Self::of_account(reader, &account));
            return rights.transpose();
        }
        let valid =
            "WHERE c.uid = ?1 AND c.revoked IS NULL AND (c.expires IS NULL OR c.expires > ?2)";
        let sql = credentials::select::<AccountGrant>(valid);
        let values = values![uid, reader.now()];
        let grant = reader.find(&sql, &values, <AccountGrant as StoredGrant>::from_row)?;
        let grant = grant.filter(StoredGrant::admits);
        let rights = grant.map(|grant| Self::of_key(reader, &grant, uid));
        rights.transpose()
    }

    /// What an account may do by one of its keys.
    fn of_key(reader: &mut Reader<'_>, account: &AccountGrant, key: Uuid) -> Result<Self> {
        let uid = account.account_uid;
        let exception = "(SELECT 1 FROM api_key_projects k WHERE k.project_uid = p.uid AND k.key_uid = ?2 \
             AND k.is_allowed = ?3)";
        if !account.is_limited {
            let sql = membership(&format!(
                "WHERE m.account_uid = ?1 AND NOT EXISTS {exception}"
            ));
            return Ok(Self {
                memberships: memberships(reader, &sql, &values![uid, key, false])?,
                operator: account.is_operator.then(administrator),
            });
        }
        let sql = membership(&format!("WHERE m.account_uid = ?1 AND EXISTS {exception}"));
        let mut open = memberships(reader, &sql, &values![uid, key, true])?;
        if account.is_operator {
            let sql = "SELECT p.unique_name FROM projects p JOIN api_key_projects k ON k.project_uid = p.uid \
                 WHERE k.key_uid = ?1 AND k.is_allowed = ?2 ORDER BY p.date_add, p.uid";
            let named =
                reader.list(sql, &values![key, true], |row| row::get(row, "unique_name"))?;
            let (team, rights) = administrator();
            open = named
                .into_iter()
                .map(|project| Membership {
                    project,
                    team: team.clone(),
                    rights: rights.clone(),
                })
                .collect();
        }
        Ok(Self {
            memberships: open,
            operator: None,
        })
    }
}

/// What an operator is in every project.
fn administrator() -> (Team, TeamRights) {
    (Team::of_operators(), TeamRights::all())
}

fn membership(rest: &str) -> String {
    let team = teams::COLUMNS;
    format!(
        "SELECT p.unique_name AS project, {team} FROM members m JOIN projects p ON p.uid = m.project_uid \
         JOIN teams t ON t.uid = m.team_uid {rest} ORDER BY p.date_add, p.uid"
    )
}

fn memberships(reader: &mut Reader<'_>, sql: &str, values: &[Value]) -> Result<Vec<Membership>> {
    let rows = reader.query(sql, values)?;
    let memberships = rows.iter().map(|row| {
        let team = teams::from_row(row)?;
        Ok(Membership {
            project: row::get(row, "project")?,
            rights: rights::of_team(reader, &team)?,
            team,
        })
    });
    memberships.collect()
}

impl AccountGrant {
    /// The account with an identifier, as its sessions open it.
    pub(crate) fn find(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<Self>> {
        let sql = "SELECT a.uid AS account_uid, a.email, a.is_operator, a.suspended IS NOT NULL AS is_suspended, \
             FALSE AS is_limited FROM accounts a WHERE a.uid = ?1";
        reader.find(sql, &values![uid], <Self as StoredGrant>::from_row)
    }
}

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
    /// Makes a key of an account.
    ///
    /// # Errors
    /// A field error on `expires` when it has passed, and on `projects` when one of them is not open to the account.
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
        let name = users::name("name", name)?;
        let made = CredentialKind::ApiKey.generate()?;
        let (hash, prefix) = (made.hash.to_hex(), made.prefix);
        let credential = self.store.write(move |tx| {
            let missing = || Error::not_found("there is no such account");
            let owner = AccountGrant::find(tx, account)?.ok_or_else(missing)?;
            let rights = AccountRights::of_account(tx, &owner)?;
            let uid = Uuid::now_v7();
            let is_limited = projects.is_some();
            let row = row! {
                uid, account_uid: account, hash, prefix, name, date_add: tx.now(), expires, is_limited
            };
            tx.insert("api_keys", &row)?;
            for name in projects.into_iter().flatten() {
                let known = ProjectRow::find(tx, &name)?;
                let open = known.filter(|_| rights.in_project(&name).is_some());
                let project = open.ok_or_else(|| {
                    Error::invalid_field("projects", format!("{name} is no project of the account"))
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
    /// access to it.
    pub async fn exclude(&self, project: &ProjectName, uid: Uuid) -> Result<()> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let sql = "SELECT uid FROM api_project_keys WHERE uid = ?1 AND project_uid = ?2";
                if !tx.exists(sql, &values![uid, project.uid])? {
                    return Err(Error::not_found("there is no such API key"));
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
        columns!(row => Self { account_uid, email, is_operator, is_suspended, is_limited })
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
