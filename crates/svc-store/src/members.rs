//! Members: which account belongs to which project, and in which team.

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::ProjectName;
use uuid::Uuid;

use crate::accounts::{self, Account};
use crate::audit::{self, AuditEntry};
use crate::clock;
use crate::error::Error;
use crate::projects;
use crate::row;
use crate::store::Store;
use crate::teams::{self, Team};

/// An account as a member of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Identifier of the membership.
    pub uid: Uuid,
    /// Who.
    pub account: Account,
    /// In which team.
    pub team: Team,
    /// Since when.
    pub date_add: Timestamp,
}

/// The members of the store's projects: [`Store::members`].
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    store: &'a Store,
}

impl Store {
    /// The members of projects.
    pub fn members(&self) -> Members<'_> {
        Members { store: self }
    }
}

impl Members<'_> {
    /// The members of a project, the oldest membership first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Member>, Error> {
        let project = project.clone();
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let sql = select("WHERE m.project_uid = ?1 ORDER BY m.date_add, m.uid");
                conn.query(&sql, &[project_uid.into()])?
                    .iter()
                    .map(from_row)
                    .collect()
            })
            .await
    }

    /// Puts an account into a team of a project; an account of that address is made when there is none,
    /// a membership that exists is moved. The first administrator owns a project that has no owner.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error
    /// on `email` or `team`; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the last
    /// administrator would leave the administrator team.
    pub async fn replace(
        &self,
        project: &ProjectName,
        email: &str,
        team: &str,
    ) -> Result<Member, Error> {
        let (project, email, team) = (project.clone(), email.to_owned(), team.to_owned());
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let team = teams::by_name(conn, &project_uid, &team)?;
                let account = accounts::find_or_create(conn, &email, now)?;
                let before = tag(conn, &project_uid, account.uid)?;
                put(conn, &project_uid, &account, &team, now)?;
                let member = get(conn, &project_uid, account.uid)?
                    .ok_or_else(|| Error::internal("a new member is missing"))?;
                let entry = AuditEntry::new("members.replace")
                    .project(&project)
                    .record(account.uid.to_string())
                    .before(before)
                    .after(tag(conn, &project_uid, account.uid)?);
                Ok((member, entry))
            })
            .await
    }

    /// Takes an account out of a project. Its API keys no longer cover it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or member;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator.
    pub async fn delete(&self, project: &ProjectName, email: &str) -> Result<(), Error> {
        let (project, email) = (project.clone(), email.to_owned());
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let missing =
                    || Error::not_found("no member of this project has this e-mail address");
                let account = accounts::find(conn, &email)?.ok_or_else(missing)?;
                let member = get(conn, &project_uid, account.uid)?.ok_or_else(missing)?;
                keep_an_administrator(conn, &project_uid, &member)?;
                let entry = AuditEntry::new("members.delete")
                    .project(&project)
                    .record(account.uid.to_string())
                    .before(tag(conn, &project_uid, account.uid)?);
                conn.execute(
                    "DELETE FROM members WHERE uid = ?1",
                    &[member.uid.to_string().into()],
                )?;
                Ok(((), entry))
            })
            .await
    }
}

/// The entity tag of a membership.
fn tag(
    conn: &mut dyn Connection,
    project_uid: &str,
    account: Uuid,
) -> Result<Option<String>, Error> {
    audit::tag(
        conn,
        "SELECT * FROM members WHERE project_uid = ?1 AND account_uid = ?2",
        &[project_uid.into(), account.to_string().into()],
    )
}

/// The membership of an account in a project.
pub(crate) fn get(
    conn: &mut dyn Connection,
    project_uid: &str,
    account: Uuid,
) -> Result<Option<Member>, Error> {
    let sql = select("WHERE m.project_uid = ?1 AND m.account_uid = ?2");
    let found = conn.query_one(&sql, &[project_uid.into(), account.to_string().into()])?;
    found.as_ref().map(from_row).transpose()
}

/// Makes or moves a membership.
pub(crate) fn put(
    conn: &mut dyn Connection,
    project_uid: &str,
    account: &Account,
    team: &Team,
    now: Timestamp,
) -> Result<(), Error> {
    let account_uid = account.uid.to_string();
    match get(conn, project_uid, account.uid)? {
        Some(member) => {
            if !team.super_group {
                keep_an_administrator(conn, project_uid, &member)?;
            }
            conn.execute(
                "UPDATE members SET team_uid = ?1 WHERE uid = ?2",
                &[team.uid.to_string().into(), member.uid.to_string().into()],
            )?;
        }
        None => {
            conn.execute(
                "INSERT INTO members (uid, project_uid, account_uid, team_uid, date_add) VALUES (?1, ?2, ?3, ?4, ?5)",
                &[
                    Value::from(Uuid::now_v7().to_string()),
                    project_uid.into(),
                    account_uid.as_str().into(),
                    team.uid.to_string().into(),
                    clock::to_text(now).into(),
                ],
            )?;
        }
    }
    if team.super_group {
        conn.execute(
            "UPDATE projects SET owner_uid = ?1 WHERE uid = ?2 AND owner_uid IS NULL",
            &[account_uid.into(), project_uid.into()],
        )?;
    }
    Ok(())
}

/// Refuses a change after which nobody would administer the project.
fn keep_an_administrator(
    conn: &mut dyn Connection,
    project_uid: &str,
    leaving: &Member,
) -> Result<(), Error> {
    if !leaving.team.super_group {
        return Ok(());
    }
    let others = conn.query(
        "SELECT m.uid FROM members m JOIN teams t ON t.uid = m.team_uid \
         WHERE m.project_uid = ?1 AND m.uid <> ?2 AND t.super_group = ?3 LIMIT 1",
        &[
            project_uid.into(),
            leaving.uid.to_string().into(),
            true.into(),
        ],
    )?;
    if others.is_empty() {
        return Err(Error::refused(
            "this is the project's last administrator; make another member an administrator first",
        ));
    }
    Ok(())
}

fn select(rest: &str) -> String {
    let (account, team) = (accounts::COLUMNS, teams::COLUMNS);
    format!(
        "SELECT m.uid AS member_uid, m.date_add AS member_date_add, {account}, {team} FROM members m \
         JOIN accounts a ON a.uid = m.account_uid JOIN teams t ON t.uid = m.team_uid {rest}"
    )
}

fn from_row(row: &Row) -> Result<Member, Error> {
    Ok(Member {
        uid: row::uid(row, "member_uid")?,
        account: accounts::from_row(row)?,
        team: teams::from_row(row)?,
        date_add: row::time(row, "member_date_add")?,
    })
}
