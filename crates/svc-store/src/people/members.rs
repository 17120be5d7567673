//! Members: which account belongs to which project, and in which team.

use jiff::Timestamp;
use svc_data::Row;
use svc_model::ProjectName;
use svc_model::administration::members::{Create, Delete, Update};
use svc_model::wire::Operation as _;
use uuid::Uuid;

use crate::database::{Reader, Tx, columns, handle, row, values};
use crate::error::{Error, Result};
use crate::people::{Account, Team, accounts, teams};
use crate::projects::ProjectRow;

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

handle! {
    /// The members of the store's projects: [`Store::members`](crate::Store::members).
    Members,
    /// The members of projects.
    members
}

impl Members<'_> {
    /// The members of a project, the oldest membership first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Member>> {
        self.store
            .read_in(project.clone(), |reader, project: ProjectRow| {
                let sql = select("WHERE m.project_uid = ?1 ORDER BY m.date_add, m.uid");
                reader.list(&sql, &values![project.uid], from_row)
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
    pub async fn replace(&self, project: &ProjectName, email: &str, team: &str) -> Result<Member> {
        let (email, team) = (email.to_owned(), team.to_owned());
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::by_name(tx, &project.uid, &team)?;
                let account = accounts::find_or_create(tx, &email)?;
                let before = tag(tx, &project.uid, account.uid)?;
                put(tx, &project.uid, &account, &team)?;
                let member = get(tx, &project.uid, account.uid)?
                    .ok_or_else(|| Error::internal("a new member is missing"))?;
                let entry = project.entry("members.replace").before(before);
                let entry = entry.after(tag(tx, &project.uid, account.uid)?);
                tx.changed(entry.record(account.uid.to_string()));
                Ok(member)
            })
            .await
    }

    /// Adds a member. An address without an account gets one, and an account without a password is invited by mail, with a
    /// link below `base_url`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error on `email`, also
    /// when it is a member already, and on `team`.
    pub async fn invite(
        &self,
        project: &ProjectName,
        email: &str,
        team: &str,
        base_url: &str,
    ) -> Result<Member> {
        let (email, team) = (email.to_owned(), team.to_owned());
        let base_url = base_url.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::named(tx, &project.uid, &team)?;
                let account = accounts::find_or_create(tx, &email)?;
                if get(tx, &project.uid, account.uid)?.is_some() {
                    return Err(Error::invalid_field("email", "is a member already"));
                }
                put(tx, &project.uid, &account, &team)?;
                accounts::invite(tx, account.uid, &base_url)?;
                written(tx, &project, Create::INFO.name, account.uid, None)
            })
            .await
    }

    /// Moves a member, by the account, to another team.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or member; a field error on
    /// `team`; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator.
    pub async fn update(&self, project: &ProjectName, account: Uuid, team: &str) -> Result<Member> {
        let team = team.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::named(tx, &project.uid, &team)?;
                let member = get(tx, &project.uid, account)?.ok_or_else(missing)?;
                let before = tag(tx, &project.uid, account)?;
                put(tx, &project.uid, &member.account, &team)?;
                written(tx, &project, Update::INFO.name, account, before)
            })
            .await
    }

    /// Removes a member, by the account. Its API keys no longer cover the project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or member;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator.
    pub async fn remove(&self, project: &ProjectName, account: Uuid) -> Result<()> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let member = get(tx, &project.uid, account)?.ok_or_else(missing)?;
                ensure_other_administrator(tx, &project.uid, &member)?;
                let entry = project.entry(Delete::INFO.name).record(account.to_string());
                tx.delete_row("members", member.uid, entry)
            })
            .await
    }

    /// Removes an account from a project. Its API keys no longer cover it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or member;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last administrator.
    pub async fn delete(&self, project: &ProjectName, email: &str) -> Result<()> {
        let email = email.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let missing =
                    || Error::not_found("no member of this project has this e-mail address");
                let account = accounts::find(tx, &email)?.ok_or_else(missing)?;
                let member = get(tx, &project.uid, account.uid)?.ok_or_else(missing)?;
                ensure_other_administrator(tx, &project.uid, &member)?;
                let entry = project
                    .entry("members.delete")
                    .record(account.uid.to_string());
                tx.delete_row("members", member.uid, entry)
            })
            .await
    }
}

fn missing() -> Error {
    Error::not_found("the project has no such member")
}

/// Leaves the line about a membership that was just written, and gives it.
fn written(
    tx: &mut Tx<'_>,
    project: &ProjectRow,
    action: &'static str,
    account: Uuid,
    before: Option<String>,
) -> Result<Member> {
    let entry = project.entry(action).before(before);
    let entry = entry.after(tag(tx, &project.uid, account)?);
    tx.changed(entry.record(account.to_string()));
    get(tx, &project.uid, account)?.ok_or_else(|| Error::internal("a new member is missing"))
}

/// The entity tag of a membership.
fn tag(reader: &mut Reader<'_>, project: &str, account: Uuid) -> Result<Option<String>> {
    let sql = "SELECT * FROM members WHERE project_uid = ?1 AND account_uid = ?2";
    reader.tag_of(sql, &values![project, account])
}

/// The membership of an account in a project.
pub(crate) fn get(
    reader: &mut Reader<'_>,
    project_uid: &str,
    account: Uuid,
) -> Result<Option<Member>> {
    let sql = select("WHERE m.project_uid = ?1 AND m.account_uid = ?2");
    reader.find(&sql, &values![project_uid, account], from_row)
}

/// Makes or moves a membership.
pub(crate) fn put(
    tx: &mut Tx<'_>,
    project_uid: &str,
    account: &Account,
    team: &Team,
) -> Result<()> {
    match get(tx, project_uid, account.uid)? {
        Some(member) => {
            if !team.super_group {
                ensure_other_administrator(tx, project_uid, &member)?;
            }
            let sql = "UPDATE members SET team_uid = ?1 WHERE uid = ?2";
            tx.execute(sql, &values![team.uid, member.uid])?;
        }
        None => {
            tx.insert(
                "members",
                &row! {
                    uid: Uuid::now_v7(), project_uid, account_uid: account.uid, team_uid: team.uid,
                    date_add: tx.now()
                },
            )?;
        }
    }
    if team.super_group {
        let sql = "UPDATE projects SET owner_uid = ?1 WHERE uid = ?2 AND owner_uid IS NULL";
        tx.execute(sql, &values![account.uid, project_uid])?;
    }
    Ok(())
}

/// Refuses a change after which nobody would administer the project.
fn ensure_other_administrator(
    reader: &mut Reader<'_>,
    project_uid: &str,
    leaving: &Member,
) -> Result<()> {
    if !leaving.team.super_group {
        return Ok(());
    }
    let others = "SELECT m.uid FROM members m JOIN teams t ON t.uid = m.team_uid \
         WHERE m.project_uid = ?1 AND m.uid <> ?2 AND t.super_group = ?3 LIMIT 1";
    match reader.exists(others, &values![project_uid, leaving.uid, true])? {
        true => Ok(()),
        false => Err(Error::refused(
            "this is the project's last administrator; make another member an administrator first",
        )),
    }
}

fn select(rest: &str) -> String {
    let (account, team) = (accounts::COLUMNS, teams::COLUMNS);
    format!(
        "SELECT m.uid, m.date_add, {account}, {team} FROM members m \
         JOIN accounts a ON a.uid = m.account_uid JOIN teams t ON t.uid = m.team_uid {rest}"
    )
}

fn from_row(row: &Row) -> Result<Member> {
    columns!(row => Member {
        uid, date_add, account: accounts::from_row(row)?, team: teams::from_row(row)?
    })
}
