//! API keys: what an account shows to read projects and to read and write pages
//! (`Authorization: Bearer <API_KEY>`; specification, section 5).

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::ProjectName;
use uuid::Uuid;

use crate::accounts;
use crate::clock;
use crate::credentials::{self, Table};
use crate::error::Error;
use crate::members;
use crate::projects;
use crate::row;
use crate::secret::{CredentialHash, CredentialKind, Secret};
use crate::store::Store;
use crate::teams::{self, Team};

const COLUMNS: &str = "k.uid AS key_uid, k.account_uid, a.email, k.prefix, k.name, k.date_add, k.last_use, \
     k.expires, k.revoked, k.hash";

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

/// A key that was just made. This is the only time that its text is there to be shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CreatedApiKey {
    /// The key, beginning with `svck_`.
    pub secret: Secret,
    /// What the store keeps of it.
    pub key: ApiKey,
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
    /// When the key ends. Whoever keeps this identity looks at [`is_expired`](Self::is_expired).
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

/// The store's API keys: [`Store::api_keys`].
#[derive(Debug, Clone, Copy)]
pub struct ApiKeys<'a> {
    store: &'a Store,
}

impl Store {
    /// The API keys of accounts.
    pub fn api_keys(&self) -> ApiKeys<'_> {
        ApiKeys { store: self }
    }
}

impl ApiKeys<'_> {
    /// Makes a key. It opens every project of its account, now and later.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error
    /// on `email`, or on `expires` when that has passed.
    pub async fn create(&self, new: NewApiKey) -> Result<CreatedApiKey, Error> {
        let now = self.store.clock().now();
        clock::check_expiry(new.expires, now)?;
        let made = CredentialKind::ApiKey.generate()?;
        let (hash, prefix) = (made.hash, made.prefix);
        let key = self
            .store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &new.project)?;
                let account = accounts::find_or_create(conn, &new.email, now)?;
                if members::get(conn, &project_uid, account.uid)?.is_none() {
                    let team = teams::administrators(conn, &project_uid)?;
                    members::put(conn, &project_uid, &account, &team, now)?;
                }
                let uid = Uuid::now_v7();
                conn.execute(
                    "INSERT INTO api_keys (uid, account_uid, hash, prefix, name, date_add, expires) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    &[
                        Value::from(uid.to_string()),
                        account.uid.to_string().into(),
                        hash.to_hex().into(),
                        prefix.into(),
                        new.name.into(),
                        clock::to_text(now).into(),
                        new.expires.map(clock::to_text).into(),
                    ],
                )?;
                let entry = credentials::created(conn, Table::ApiKeys, uid)?;
                Ok((get(conn, uid)?, entry.project(&new.project)))
            })
            .await?;
        Ok(CreatedApiKey {
            secret: made.secret,
            key,
        })
    }

    /// The keys that open a project, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<ApiKey>, Error> {
        let project = project.clone();
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let sql = select(
                    "JOIN members m ON m.account_uid = a.uid WHERE m.project_uid = ?1 ORDER BY k.date_add, k.uid",
                );
                conn.query(&sql, &[project_uid.into()])?.iter().map(from_row).collect()
            })
            .await
    }

    /// Ends a key for good. `which` is its uid, the prefix that lists show, or the key itself. A key that
    /// was revoked before stays so.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such key;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when several keys have the prefix.
    pub async fn revoke(&self, which: &str) -> Result<ApiKey, Error> {
        let which = which.to_owned();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let (uid, mut entry) = credentials::revoke(conn, Table::ApiKeys, &which, now)?;
                let key = get(conn, uid)?;
                // A key opens every project of its account. With one project it is clear which.
                if let [only] = memberships(conn, key.account_uid)?.as_slice() {
                    entry = entry.project(&only.project);
                }
                Ok((key, entry))
            })
            .await
    }

    /// Who presents this key; `None` when it is unknown, malformed, revoked or expired. A text that is no
    /// key costs no look into the database.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn authenticate(&self, presented: &str) -> Result<Option<ApiKeyIdentity>, Error> {
        if CredentialKind::of(presented) != Some(CredentialKind::ApiKey) {
            return Ok(None);
        }
        let hash = CredentialHash::of(presented);
        let now = self.store.clock().now();
        self.store
            .read(move |conn| authenticate(conn, hash, now))
            .await
    }

    /// Writes down that a key was used, at most once a minute. Meant to be called in the background,
    /// after the request was answered; [`Store::revision`] stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn touch(&self, key: Uuid) -> Result<(), Error> {
        self.store.touch(Table::ApiKeys, key).await
    }
}

fn authenticate(
    conn: &mut dyn Connection,
    hash: CredentialHash,
    now: Timestamp,
) -> Result<Option<ApiKeyIdentity>, Error> {
    let Some(row) = conn.query_one(&select("WHERE k.hash = ?1"), &[hash.to_hex().into()])? else {
        return Ok(None);
    };
    if !credentials::is_valid(&row, hash, now)? {
        return Ok(None);
    }
    let account_uid = row::uid(&row, "account_uid")?;
    Ok(Some(ApiKeyIdentity {
        key_uid: row::uid(&row, "key_uid")?,
        account_uid,
        email: row.get("email")?,
        projects: memberships(conn, account_uid)?,
        expires: row::optional_time(&row, "expires")?,
    }))
}

/// The projects that an account is a member of, the oldest first.
fn memberships(conn: &mut dyn Connection, account: Uuid) -> Result<Vec<Membership>, Error> {
    let team = teams::COLUMNS;
    let sql = format!(
        "SELECT p.unique_name AS project, {team} FROM members m JOIN projects p ON p.uid = m.project_uid \
         JOIN teams t ON t.uid = m.team_uid WHERE m.account_uid = ?1 ORDER BY p.date_add, p.uid"
    );
    let projects = conn.query(&sql, &[account.to_string().into()])?;
    projects.iter().map(membership).collect()
}

fn get(conn: &mut dyn Connection, uid: Uuid) -> Result<ApiKey, Error> {
    let row = conn.query_one(&select("WHERE k.uid = ?1"), &[uid.to_string().into()])?;
    from_row(&row.ok_or_else(|| Error::internal("a key that was written is missing"))?)
}

fn membership(row: &Row) -> Result<Membership, Error> {
    Ok(Membership {
        project: row.get::<String>("project")?.into(),
        team: teams::from_row(row)?,
    })
}

fn select(rest: &str) -> String {
    format!("SELECT {COLUMNS} FROM api_keys k JOIN accounts a ON a.uid = k.account_uid {rest}")
}

fn from_row(row: &Row) -> Result<ApiKey, Error> {
    Ok(ApiKey {
        uid: row::uid(row, "key_uid")?,
        account_uid: row::uid(row, "account_uid")?,
        email: row.get("email")?,
        prefix: row.get("prefix")?,
        name: row.get("name")?,
        date_add: row::time(row, "date_add")?,
        last_use: row::optional_time(row, "last_use")?,
        expires: row::optional_time(row, "expires")?,
        revoked: row::optional_time(row, "revoked")?,
    })
}
