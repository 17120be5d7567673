//! Static tokens: what opens the records of one resource, or the users and teams of the built-in tools
//! (`Authorization: <API_TOKEN>`, raw; specification, section 5).

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{EnvironmentName, ProjectName, ResourceName};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::clock;
use crate::credentials::{self, Table};
use crate::environments;
use crate::error::Error;
use crate::resources;
use crate::row;
use crate::secret::{CredentialHash, CredentialKind, Secret};
use crate::store::Store;

const COLUMNS: &str = "s.uid AS token_uid, p.unique_name AS project, e.unique_name AS environment, \
     r.unique_name AS resource, s.prefix, s.name, s.date_add, s.last_use, s.expires, s.revoked, s.hash";

/// A static token as lists show it: everything but the token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StaticToken {
    /// Identifier.
    pub uid: Uuid,
    /// The project it opens something of.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The resource it opens; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// How the token begins.
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

/// A token that was just made. This is the only time that its text is there to be shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CreatedStaticToken {
    /// The token, beginning with `svct_`.
    pub secret: Secret,
    /// What the store keeps of it.
    pub token: StaticToken,
}

/// What a new token is made of; see [`NewStaticToken::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewStaticToken {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The resource it shall open; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl NewStaticToken {
    /// A token without a name and without an end.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        resource: impl Into<ResourceName>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            resource: resource.into(),
            name: None,
            expires: None,
        }
    }
}

/// What a valid static token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenIdentity {
    /// The token.
    pub token_uid: Uuid,
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The one resource; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// How the token begins.
    pub prefix: String,
    /// When the token ends. Whoever keeps this identity looks at [`is_expired`](Self::is_expired).
    pub expires: Option<Timestamp>,
}

impl TokenIdentity {
    /// Whether the token opens this resource.
    pub fn covers(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        resource: &ResourceName,
    ) -> bool {
        self.project == *project && self.environment == *environment && self.resource == *resource
    }

    /// Whether the token has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        credentials::is_expired(self.expires, now)
    }
}

/// The store's static tokens: [`Store::tokens`].
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    store: &'a Store,
}

impl Store {
    /// The static tokens of resources.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { store: self }
    }
}

impl Tokens<'_> {
    /// Makes a token for one resource.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or resource;
    /// a field error on `expires` when that has passed.
    pub async fn create(&self, new: NewStaticToken) -> Result<CreatedStaticToken, Error> {
        let now = self.store.clock().now();
        clock::check_expiry(new.expires, now)?;
        let made = CredentialKind::StaticToken.generate()?;
        let (hash, prefix) = (made.hash, made.prefix);
        let token = self
            .store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &new.project, &new.environment)?;
                let resource_uid = match new.resource.as_str() {
                    ResourceName::TOOLS => None,
                    _ => Some(resources::uid(conn, &environment_uid, &new.resource)?),
                };
                let uid = Uuid::now_v7();
                conn.execute(
                    "INSERT INTO static_tokens (uid, environment_uid, resource_uid, hash, prefix, name, date_add, \
                     expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    &[
                        Value::from(uid.to_string()),
                        environment_uid.into(),
                        resource_uid.into(),
                        hash.to_hex().into(),
                        prefix.into(),
                        new.name.into(),
                        clock::to_text(now).into(),
                        new.expires.map(clock::to_text).into(),
                    ],
                )?;
                let entry = credentials::created(conn, Table::StaticTokens, uid)?;
                let token = get(conn, uid)?;
                let entry = placed(&token, entry);
                Ok((token, entry))
            })
            .await?;
        Ok(CreatedStaticToken {
            secret: made.secret,
            token,
        })
    }

    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Vec<StaticToken>, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let sql = select("WHERE s.environment_uid = ?1 ORDER BY s.date_add, s.uid");
                conn.query(&sql, &[environment_uid.into()])?
                    .iter()
                    .map(from_row)
                    .collect()
            })
            .await
    }

    /// Ends a token for good. `which` is its uid, the prefix that lists show, or the token itself. A
    /// token that was revoked before stays so.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such token;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when several tokens have the prefix.
    pub async fn revoke(&self, which: &str) -> Result<StaticToken, Error> {
        let which = which.to_owned();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let (uid, entry) = credentials::revoke(conn, Table::StaticTokens, &which, now)?;
                let token = get(conn, uid)?;
                let entry = placed(&token, entry);
                Ok((token, entry))
            })
            .await
    }

    /// What this token opens; `None` when it is unknown, malformed, revoked or expired. A text that is no
    /// token costs no look into the database.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn authenticate(&self, presented: &str) -> Result<Option<TokenIdentity>, Error> {
        if CredentialKind::of(presented) != Some(CredentialKind::StaticToken) {
            return Ok(None);
        }
        let hash = CredentialHash::of(presented);
        let now = self.store.clock().now();
        self.store
            .read(move |conn| authenticate(conn, hash, now))
            .await
    }

    /// Writes down that a token was used, at most once a minute. Meant to be called in the background,
    /// after the request was answered; [`Store::revision`] stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn touch(&self, token: Uuid) -> Result<(), Error> {
        self.store.touch(Table::StaticTokens, token).await
    }
}

fn authenticate(
    conn: &mut dyn Connection,
    hash: CredentialHash,
    now: Timestamp,
) -> Result<Option<TokenIdentity>, Error> {
    let Some(row) = conn.query_one(&select("WHERE s.hash = ?1"), &[hash.to_hex().into()])? else {
        return Ok(None);
    };
    if !credentials::is_valid(&row, hash, now)? {
        return Ok(None);
    }
    let token = from_row(&row)?;
    Ok(Some(TokenIdentity {
        token_uid: token.uid,
        project: token.project,
        environment: token.environment,
        resource: token.resource,
        prefix: token.prefix,
        expires: token.expires,
    }))
}

/// Says which resource a token opens.
fn placed(token: &StaticToken, entry: AuditEntry) -> AuditEntry {
    entry
        .place(&token.project, &token.environment)
        .resource(token.resource.as_str())
}

fn get(conn: &mut dyn Connection, uid: Uuid) -> Result<StaticToken, Error> {
    let row = conn.query_one(&select("WHERE s.uid = ?1"), &[uid.to_string().into()])?;
    from_row(&row.ok_or_else(|| Error::internal("a token that was written is missing"))?)
}

fn select(rest: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM static_tokens s JOIN environments e ON e.uid = s.environment_uid \
         JOIN projects p ON p.uid = e.project_uid LEFT JOIN resources r ON r.uid = s.resource_uid {rest}"
    )
}

fn from_row(row: &Row) -> Result<StaticToken, Error> {
    let resource: Option<String> = row.get("resource")?;
    Ok(StaticToken {
        uid: row::uid(row, "token_uid")?,
        project: row.get::<String>("project")?.into(),
        environment: row.get::<String>("environment")?.into(),
        resource: resource.map_or_else(
            || ResourceName::from(ResourceName::TOOLS),
            ResourceName::from,
        ),
        prefix: row.get("prefix")?,
        name: row.get("name")?,
        date_add: row::time(row, "date_add")?,
        last_use: row::optional_time(row, "last_use")?,
        expires: row::optional_time(row, "expires")?,
        revoked: row::optional_time(row, "revoked")?,
    })
}
