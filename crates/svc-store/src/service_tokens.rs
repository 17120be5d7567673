//! Service tokens: what a service shows to act in an environment with the rights of a team
//! (`Authorization: JWT <token>`; specification, section 5, "Service requests").

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{EnvironmentName, ProjectName};
use uuid::Uuid;

use crate::clock;
use crate::credentials::{self, Table};
use crate::environments;
use crate::error::Error;
use crate::projects;
use crate::rights::{self, TeamRights};
use crate::row;
use crate::secret::{CredentialHash, CredentialKind, Secret};
use crate::store::Store;
use crate::teams::{self, Team};

const COLUMNS: &str = "s.uid AS token_uid, p.unique_name AS project, e.unique_name AS environment, \
     s.prefix, s.name, s.date_add, s.last_use, s.expires, s.revoked, s.hash";

/// A service token as lists show it: everything but the token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceToken {
    /// Identifier.
    pub uid: Uuid,
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The team whose rights it has.
    pub team: Team,
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
pub struct CreatedServiceToken {
    /// The token, beginning with `svcs_`.
    pub secret: Secret,
    /// What the store keeps of it.
    pub token: ServiceToken,
}

/// What a new token is made of; see [`NewServiceToken::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewServiceToken {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The team whose rights it shall have, by name.
    pub team: String,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl NewServiceToken {
    /// A token without a name and without an end.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        team: impl Into<String>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            team: team.into(),
            name: None,
            expires: None,
        }
    }
}

/// What a valid service token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceTokenIdentity {
    /// The token.
    pub token_uid: Uuid,
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The team whose rights it has.
    pub team: Team,
    /// What that team may do with records.
    pub rights: TeamRights,
    /// How the token begins.
    pub prefix: String,
    /// When the token ends. Whoever keeps this identity looks at [`is_expired`](Self::is_expired).
    pub expires: Option<Timestamp>,
}

impl ServiceTokenIdentity {
    /// Whether the token is for this environment.
    pub fn covers(&self, project: &ProjectName, environment: &EnvironmentName) -> bool {
        self.project == *project && self.environment == *environment
    }

    /// Whether the token has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        credentials::is_expired(self.expires, now)
    }
}

/// The store's service tokens: [`Store::service_tokens`].
#[derive(Debug, Clone, Copy)]
pub struct ServiceTokens<'a> {
    store: &'a Store,
}

impl Store {
    /// The tokens of services.
    pub fn service_tokens(&self) -> ServiceTokens<'_> {
        ServiceTokens { store: self }
    }
}

impl ServiceTokens<'_> {
    /// Makes a token with the rights of a team.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field error on
    /// `team`, or on `expires` when that has passed.
    pub async fn create(&self, new: NewServiceToken) -> Result<CreatedServiceToken, Error> {
        let now = self.store.clock().now();
        clock::check_expiry(new.expires, now)?;
        let made = CredentialKind::ServiceToken.generate()?;
        let (hash, prefix) = (made.hash, made.prefix);
        let token = self
            .store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &new.project, &new.environment)?;
                let project_uid = projects::uid(conn, &new.project)?;
                let team = teams::by_name(conn, &project_uid, &new.team)?;
                let uid = Uuid::now_v7();
                conn.execute(
                    "INSERT INTO service_tokens (uid, environment_uid, team_uid, hash, prefix, name, date_add, \
                     expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    &[
                        Value::from(uid.to_string()),
                        environment_uid.into(),
                        team.uid.to_string().into(),
                        hash.to_hex().into(),
                        prefix.into(),
                        new.name.into(),
                        clock::to_text(now).into(),
                        new.expires.map(clock::to_text).into(),
                    ],
                )?;
                let entry = credentials::created(conn, Table::ServiceTokens, uid)?;
                let entry = entry.place(&new.project, &new.environment);
                Ok((get(conn, uid)?, entry))
            })
            .await?;
        Ok(CreatedServiceToken {
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
    ) -> Result<Vec<ServiceToken>, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let sql = select("WHERE s.environment_uid = ?1 ORDER BY s.date_add, s.uid");
                let rows = conn.query(&sql, &[environment_uid.into()])?;
                rows.iter().map(from_row).collect()
            })
            .await
    }

    /// Ends a token for good. `which` is its uid, the prefix that lists show, or the token itself. A
    /// token that was revoked before stays so.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such token;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when several tokens have the prefix.
    pub async fn revoke(&self, which: &str) -> Result<ServiceToken, Error> {
        let which = which.to_owned();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let (uid, entry) = credentials::revoke(conn, Table::ServiceTokens, &which, now)?;
                let token = get(conn, uid)?;
                let entry = entry.place(&token.project, &token.environment);
                Ok((token, entry))
            })
            .await
    }

    /// What this token opens; `None` when it is unknown, malformed, revoked or expired. A text that is no
    /// token costs no look into the database.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn authenticate(
        &self,
        presented: &str,
    ) -> Result<Option<ServiceTokenIdentity>, Error> {
        if CredentialKind::of(presented) != Some(CredentialKind::ServiceToken) {
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
        self.store.touch(Table::ServiceTokens, token).await
    }
}

fn authenticate(
    conn: &mut dyn Connection,
    hash: CredentialHash,
    now: Timestamp,
) -> Result<Option<ServiceTokenIdentity>, Error> {
    let Some(row) = conn.query_one(&select("WHERE s.hash = ?1"), &[hash.to_hex().into()])? else {
        return Ok(None);
    };
    if !credentials::is_valid(&row, hash, now)? {
        return Ok(None);
    }
    let token = from_row(&row)?;
    Ok(Some(ServiceTokenIdentity {
        token_uid: token.uid,
        project: token.project,
        environment: token.environment,
        rights: rights::of_team(conn, &token.team)?,
        team: token.team,
        prefix: token.prefix,
        expires: token.expires,
    }))
}

fn get(conn: &mut dyn Connection, uid: Uuid) -> Result<ServiceToken, Error> {
    let row = conn.query_one(&select("WHERE s.uid = ?1"), &[uid.to_string().into()])?;
    from_row(&row.ok_or_else(|| Error::internal("a token that was written is missing"))?)
}

fn select(rest: &str) -> String {
    let team = teams::COLUMNS;
    format!(
        "SELECT {COLUMNS}, {team} FROM service_tokens s JOIN environments e ON e.uid = s.environment_uid \
         JOIN projects p ON p.uid = e.project_uid JOIN teams t ON t.uid = s.team_uid {rest}"
    )
}

fn from_row(row: &Row) -> Result<ServiceToken, Error> {
    Ok(ServiceToken {
        uid: row::uid(row, "token_uid")?,
        project: row.get::<String>("project")?.into(),
        environment: row.get::<String>("environment")?.into(),
        team: teams::from_row(row)?,
        prefix: row.get("prefix")?,
        name: row.get("name")?,
        date_add: row::time(row, "date_add")?,
        last_use: row::optional_time(row, "last_use")?,
        expires: row::optional_time(row, "expires")?,
        revoked: row::optional_time(row, "revoked")?,
    })
}
