//! Teams: what the members of a project may do. Every project comes with three.

use svc_data::Row;
use svc_model::administration::teams as administration;
use svc_model::teams::{MODEL, Update};
use svc_model::wire::Operation as _;
use svc_model::{ProjectName, ResourceName};
use uuid::Uuid;

use crate::database::{Bind, Reader, Tx, columns, handle, row, stored_by_name, values};
use crate::error::{Error, Result};
use crate::people::authentication::Authentication;
use crate::projects::ProjectRow;

const NAME_IS_TAKEN: &str = "another team of this project has this name";
/// Longest name of a team, in characters.
const MAX_NAME: usize = 255;

/// Columns of a team, for statements that call its table `t`.
pub(crate) const COLUMNS: &str =
    "t.uid AS team_uid, t.name AS team_name, t.permissions_group, t.super_group";

/// A team of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Team {
    /// Identifier.
    pub uid: Uuid,
    /// Name, unique within the project.
    pub name: String,
    /// What its members may do.
    pub permissions_group: PermissionsGroup,
    /// Whether its members administer the project.
    pub super_group: bool,
}

impl Team {
    /// What an operator of the service is in every project. No project has this team.
    pub(crate) fn of_operators() -> Self {
        Self {
            uid: Uuid::nil(),
            name: "Operators".to_owned(),
            permissions_group: PermissionsGroup::Administrator,
            super_group: true,
        }
    }
}

/// A change of a team; what is `None` stays.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TeamPatch {
    /// Another name.
    pub name: Option<String>,
    /// The rights that its members begin with: `editor` or `read_only`.
    pub permissions_group: Option<String>,
}

/// What the members of a team may do with a project's records and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PermissionsGroup {
    /// Everything, the project's administration too.
    Administrator,
    /// Read, write and delete.
    Editor,
    /// Read.
    ReadOnly,
}

impl PermissionsGroup {
    /// The name of the team that a project comes with.
    fn team_name(self) -> &'static str {
        match self {
            Self::Administrator => "Administrator",
            Self::Editor => "Editor",
            Self::ReadOnly => "Read Only",
        }
    }
}

// The groups of the teams that every project comes with.
stored_by_name!(PermissionsGroup, "the store holds an unknown permissions group", {
    Administrator: "administrator",
    Editor: "editor",
    ReadOnly: "read_only",
});

handle! {
    /// The teams of the store's projects: [`Store::teams`](crate::Store::teams).
    Teams,
    /// The teams of projects.
    teams
}

impl Teams<'_> {
    /// The teams of a project: Administrator, Editor, Read Only, under the names they have now.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Team>> {
        self.store
            .read_in(project.clone(), |reader, project: ProjectRow| {
                let sql = select("t.project_uid = ?1 ORDER BY t.position, t.uid");
                reader.list(&sql, &values![project.uid], from_row)
            })
            .await
    }

    /// Makes a team, whose members begin with the rights of a group: `editor` or `read_only`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error on `name` when it is
    /// empty, too long, or another team's, and on `permissions_group`.
    pub async fn create(&self, project: &ProjectName, name: &str, group: &str) -> Result<Team> {
        let name = checked_name(name)?;
        let group = own_group(group)?;
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                ensure_name_is_free(tx, &project.uid, None, &name)?;
                let sql = "SELECT COALESCE(MAX(position), 0) AS last FROM teams WHERE project_uid = ?1";
                let last = tx.find(sql, &values![project.uid], |row| Ok(row.get::<i64>("last")?))?;
                let uid = Uuid::now_v7();
                let position = last.unwrap_or_default() + 1;
                let row = row! {
                    uid, project_uid: project.uid, name, permissions_group: group.as_str(), super_group: false, position,
                    date_add: tx.now()
                };
                tx.insert("teams", &row).map_err(taken)?;
                let entry = project.entry(administration::Create::INFO.name);
                tx.changed_row("teams", uid, entry.record(uid.to_string()))?;
                get(tx, &project.uid, uid)
            })
            .await
    }

    /// Changes a team.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the project has no such team; a field error on `name` and
    /// `permissions_group`, also for that of the administrators, who have no other.
    pub async fn change(&self, project: &ProjectName, uid: Uuid, patch: TeamPatch) -> Result<Team> {
        let name = patch.name.as_deref().map(checked_name).transpose()?;
        let group = patch
            .permissions_group
            .as_deref()
            .map(own_group)
            .transpose()?;
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let old = get(tx, &project.uid, uid)?;
                if old.super_group && group.is_some() {
                    return Err(Error::invalid_field(
                        "permissions_group",
                        "administrators may do everything; make another team for people who may not",
                    ));
                }
                if group.is_some_and(|group| group != old.permissions_group) {
                    check_is_not_for_sign_up(tx, &project.uid, &old, |message| {
                        Error::invalid_field("permissions_group", message)
                    })?;
                }
                if let Some(name) = &name {
                    ensure_name_is_free(tx, &project.uid, Some(uid), name)?;
                }
                let before = tx.tag("teams", uid)?;
                let name = name.unwrap_or(old.name);
                let group = group.unwrap_or(old.permissions_group);
                let sql = "UPDATE teams SET name = ?1, permissions_group = ?2 WHERE uid = ?3";
                tx.execute(sql, &values![name, group.as_str(), uid])
                    .map_err(taken)?;
                let entry = project.entry(administration::Update::INFO.name);
                let entry = entry.record(uid.to_string()).before(before);
                tx.changed_row("teams", uid, entry)?;
                get(tx, &project.uid, uid)
            })
            .await
    }

    /// Deletes a team.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the project has no such team;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for that of the administrators, for the one that users who register
    /// come into, for one that has members or users, and for one that service tokens act for.
    pub async fn delete(&self, project: &ProjectName, uid: Uuid) -> Result<()> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = get(tx, &project.uid, uid)?;
                if team.super_group {
                    return Err(Error::refused("the team of the administrators stays"));
                }
                check_is_not_for_sign_up(tx, &project.uid, &team, Error::refused)?;
                for (table, condition, message) in [
                    (
                        "members",
                        "",
                        "the team has members; move them to another team first",
                    ),
                    (
                        "users",
                        "",
                        "the team has users; move them to another team first",
                    ),
                    (
                        "service_tokens",
                        " AND revoked IS NULL",
                        "the team has service tokens; revoke them first",
                    ),
                ] {
                    let sql =
                        format!("SELECT uid FROM {table} WHERE team_uid = ?1{condition} LIMIT 1");
                    if tx.exists(&sql, &values![uid])? {
                        return Err(Error::refused(message));
                    }
                }
                let entry = project.entry(administration::Delete::INFO.name);
                tx.delete_row("teams", uid, entry.record(uid.to_string()))
            })
            .await
    }

    /// Gives a team another name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the project has no such team; a field
    /// error on `name` when it is empty, too long, or another team's, without regard to case.
    pub async fn update(&self, project: &ProjectName, uid: Uuid, name: &str) -> Result<Team> {
        let name = checked_name(name)?;
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                ensure_name_is_free(tx, &project.uid, Some(uid), &name)?;
                let before = tx.tag("teams", uid)?;
                let sql = "UPDATE teams SET name = ?1 WHERE uid = ?2 AND project_uid = ?3";
                tx.execute(sql, &values![name, uid, project.uid])
                    .map_err(taken)?;
                let team = get(tx, &project.uid, uid)?;
                let entry = project
                    .entry(Update::INFO.name)
                    .resource(ResourceName::TOOLS);
                let entry = entry.model(MODEL).record(uid.to_string());
                tx.changed_row("teams", uid, entry.before(before))?;
                Ok(team)
            })
            .await
    }
}

/// A name as it is kept.
fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= MAX_NAME;
    match fits && !name.contains(char::is_control) {
        true => Ok(name.to_owned()),
        false => Err(Error::invalid_field(
            "name",
            format!("must have 1 to {MAX_NAME} characters, and no control characters"),
        )),
    }
}

/// The group of a team that is no administrators' team.
fn own_group(name: &str) -> Result<PermissionsGroup> {
    match PermissionsGroup::stored(name) {
        Ok(group) if group != PermissionsGroup::Administrator => Ok(group),
        _ => Err(Error::invalid_field(
            "permissions_group",
            "must be editor or read_only; a project has one team of administrators",
        )),
    }
}

fn taken(error: Error) -> Error {
    error.if_taken("name", NAME_IS_TAKEN)
}

/// Refuses the name of another team; teams are named without regard to case.
fn ensure_name_is_free(
    reader: &mut Reader<'_>,
    project_uid: &str,
    own: Option<Uuid>,
    name: &str,
) -> Result<()> {
    let sql = "SELECT uid, name FROM teams WHERE project_uid = ?1";
    let others = reader.list(sql, &values![project_uid], |row| {
        Ok((row::get::<Uuid>(row, "uid")?, row.get::<String>("name")?))
    })?;
    let name = name.to_lowercase();
    let is_it = |(uid, other): &(Uuid, String)| Some(*uid) != own && other.to_lowercase() == name;
    match others.iter().any(is_it) {
        true => Err(Error::invalid_field("name", NAME_IS_TAKEN)),
        false => Ok(()),
    }
}

fn get(reader: &mut Reader<'_>, project_uid: &str, uid: Uuid) -> Result<Team> {
    let found = find(reader, project_uid, &uid.to_string())?;
    found.ok_or_else(|| Error::not_found("no such team"))
}

/// A project's team by its uid or its name.
pub(crate) fn named(reader: &mut Reader<'_>, project_uid: &str, wanted: &str) -> Result<Team> {
    let uid = wanted.trim().to_lowercase();
    match find(reader, project_uid, &uid)? {
        Some(team) => Ok(team),
        None => by_name(reader, project_uid, wanted),
    }
}

/// Gives a new project its three teams.
pub(crate) fn create_shipped(tx: &mut Tx<'_>, project_uid: &str) -> Result<()> {
    for (position, group) in (1_i64..).zip(PermissionsGroup::ALL.iter().copied()) {
        let (uid, name) = (Uuid::now_v7(), group.team_name());
        let administers = group == PermissionsGroup::Administrator;
        tx.insert(
            "teams",
            &row! {
                uid, project_uid, name, permissions_group: group.as_str(), super_group: administers,
                position, date_add: tx.now()
            },
        )?;
    }
    Ok(())
}

/// A project's team by its name, without regard to case.
pub(crate) fn by_name(reader: &mut Reader<'_>, project_uid: &str, name: &str) -> Result<Team> {
    let sql = select("t.project_uid = ?1 ORDER BY t.position");
    let teams = reader.list(&sql, &values![project_uid], from_row)?;
    let wanted = name.trim().to_lowercase();
    if let Some(team) = teams.iter().find(|team| team.name.to_lowercase() == wanted) {
        return Ok(team.clone());
    }
    let names: Vec<&str> = teams.iter().map(|team| team.name.as_str()).collect();
    Err(Error::invalid_field(
        "team",
        format!("no such team; choose one of: {}", names.join(", ")),
    ))
}

/// A project's team by its identifier; `None` when the project has no such team.
pub(crate) fn find(reader: &mut Reader<'_>, project_uid: &str, uid: &str) -> Result<Option<Team>> {
    let sql = select("t.project_uid = ?1 AND t.uid = ?2");
    reader.find(&sql, &values![project_uid, uid], from_row)
}

/// The team whose members administer a project.
pub(crate) fn administrators(reader: &mut Reader<'_>, project_uid: &str) -> Result<Team> {
    first(reader, project_uid, "super_group", true)?
        .ok_or_else(|| Error::internal("the project has lost its administrator team"))
}

/// The team that users who register come into.
pub(crate) fn of_sign_up(
    reader: &mut Reader<'_>,
    project_uid: &str,
    settings: &Authentication,
) -> Result<Team> {
    let group = sign_up_group(settings);
    of_group(reader, project_uid, group)?.ok_or_else(|| {
        let message = format!(
            "nobody can register: the project has no team with permissions_group {}; an administrator of the project can \
             make one",
            group.as_str()
        );
        Error::refused(message)
    })
}

/// The group of the team that users who register come into.
fn sign_up_group(settings: &Authentication) -> PermissionsGroup {
    match settings.sign_up_team == PermissionsGroup::Editor.as_str() {
        true => PermissionsGroup::Editor,
        false => PermissionsGroup::ReadOnly,
    }
}

/// The first team of a permissions group.
fn of_group(
    reader: &mut Reader<'_>,
    project_uid: &str,
    group: PermissionsGroup,
) -> Result<Option<Team>> {
    first(reader, project_uid, "permissions_group", group.as_str())
}

/// Refuses to take a team away from the users who register, where they come into it.
fn check_is_not_for_sign_up(
    reader: &mut Reader<'_>,
    project_uid: &str,
    team: &Team,
    refused: impl FnOnce(&'static str) -> Error,
) -> Result<()> {
    let sql = "SELECT authentication FROM projects WHERE uid = ?1 AND sign_up";
    let settings = reader.find(sql, &values![project_uid], Authentication::from_row)?;
    let Some(group) = settings.as_ref().map(sign_up_group) else {
        return Ok(());
    };
    match of_group(reader, project_uid, group)?.is_some_and(|first| first.uid == team.uid) {
        true => Err(refused(
            "users who register come into this team; change sign_up_team or sign_up in the sign-in settings first",
        )),
        false => Ok(()),
    }
}

/// The first team of a project that has this value in a column.
fn first(
    reader: &mut Reader<'_>,
    project_uid: &str,
    column: &str,
    value: impl Bind,
) -> Result<Option<Team>> {
    let sql = select(&format!(
        "t.project_uid = ?1 AND t.{column} = ?2 ORDER BY t.position LIMIT 1"
    ));
    reader.find(&sql, &values![project_uid, value], from_row)
}

fn select(rest: &str) -> String {
    format!("SELECT {COLUMNS} FROM teams t WHERE {rest}")
}

/// Reads a team from a row with [`COLUMNS`].
pub(crate) fn from_row(row: &Row) -> Result<Team> {
    columns!(row => Team {
        uid: row::get(row, "team_uid")?,
        name: row::get(row, "team_name")?,
        permissions_group, super_group
    })
}
