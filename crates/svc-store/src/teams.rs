//! Teams: what the members of a project may do. Every project comes with three.

use svc_data::{Connection, Row, Value};
use svc_model::{ProjectName, ResourceName, teams::MODEL};
use uuid::Uuid;

use crate::audit::{self, AuditEntry};
use crate::clock;
use crate::error::{Error, is_taken};
use crate::projects;
use crate::row;
use crate::store::Store;

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
    /// The groups of the teams that every project comes with, in the order of lists.
    pub(crate) const ALL: [Self; 3] = [Self::Administrator, Self::Editor, Self::ReadOnly];

    /// Its name on the wire: `administrator`, `editor`, `read_only`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Administrator => "administrator",
            Self::Editor => "editor",
            Self::ReadOnly => "read_only",
        }
    }

    /// The name of the team that a project comes with.
    fn team_name(self) -> &'static str {
        match self {
            Self::Administrator => "Administrator",
            Self::Editor => "Editor",
            Self::ReadOnly => "Read Only",
        }
    }

    fn stored(text: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|group| group.as_str() == text)
            .ok_or_else(|| Error::internal("the store holds an unknown permissions group"))
    }
}

/// The teams of the store's projects: [`Store::teams`].
#[derive(Debug, Clone, Copy)]
pub struct Teams<'a> {
    store: &'a Store,
}

impl Store {
    /// The teams of projects.
    pub fn teams(&self) -> Teams<'_> {
        Teams { store: self }
    }
}

impl Teams<'_> {
    /// The teams of a project: Administrator, Editor, Read Only, under the names they have now.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Team>, Error> {
        let project = project.clone();
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let sql = format!("SELECT {COLUMNS} FROM teams t WHERE t.project_uid = ?1 ORDER BY t.position, t.uid");
                conn.query(&sql, &[project_uid.into()])?.iter().map(from_row).collect()
            })
            .await
    }

    /// Gives a team another name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the project has no such team; a field
    /// error on `name` when it is empty, too long, or another team's, without regard to case.
    pub async fn update(
        &self,
        project: &ProjectName,
        uid: Uuid,
        name: &str,
    ) -> Result<Team, Error> {
        let (project, name) = (project.clone(), name.trim().to_owned());
        if name.is_empty() || name.chars().count() > MAX_NAME {
            return Err(Error::invalid_field(
                "name",
                format!("must have 1 to {MAX_NAME} characters"),
            ));
        }
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let taken =
                    || Error::invalid_field("name", "another team of this project has this name");
                // Teams are named without regard to case.
                let others = conn.query(
                    "SELECT name FROM teams WHERE project_uid = ?1 AND uid <> ?2",
                    &[project_uid.as_str().into(), uid.to_string().into()],
                )?;
                for other in &others {
                    if other.get::<String>("name")?.to_lowercase() == name.to_lowercase() {
                        return Err(taken());
                    }
                }
                let before = tag(conn, uid)?;
                let changed = conn
                    .execute(
                        "UPDATE teams SET name = ?1 WHERE uid = ?2 AND project_uid = ?3",
                        &[name.into(), uid.to_string().into(), project_uid.into()],
                    )
                    .map_err(|error| match is_taken(&error) {
                        true => taken(),
                        false => error.into(),
                    })?;
                if changed == 0 {
                    return Err(Error::not_found("no such team"));
                }
                let sql = format!("SELECT {COLUMNS} FROM teams t WHERE t.uid = ?1");
                let found = conn.query_one(&sql, &[uid.to_string().into()])?;
                let team = found.as_ref().map(from_row).transpose()?;
                let team = team.ok_or_else(|| Error::not_found("no such team"))?;
                let entry = AuditEntry::new("teams.update")
                    .project(&project)
                    .resource(ResourceName::TOOLS)
                    .model(MODEL)
                    .record(uid.to_string())
                    .before(before)
                    .after(tag(conn, uid)?);
                Ok((team, entry))
            })
            .await
    }
}

/// The entity tag of a team.
fn tag(conn: &mut dyn Connection, uid: Uuid) -> Result<Option<String>, Error> {
    let uid = uid.to_string();
    audit::tag(conn, "SELECT * FROM teams WHERE uid = ?1", &[uid.into()])
}

/// Gives a new project its three teams.
pub(crate) fn create_shipped(
    conn: &mut dyn Connection,
    project_uid: &str,
    now: jiff::Timestamp,
) -> Result<(), Error> {
    for (position, group) in (1_i64..).zip(PermissionsGroup::ALL) {
        conn.execute(
            "INSERT INTO teams (uid, project_uid, name, permissions_group, super_group, position, date_add) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            &[
                Value::from(Uuid::now_v7().to_string()),
                project_uid.into(),
                group.team_name().into(),
                group.as_str().into(),
                (group == PermissionsGroup::Administrator).into(),
                position.into(),
                clock::to_text(now).into(),
            ],
        )?;
    }
    Ok(())
}

/// A project's team by its name, without regard to case.
pub(crate) fn by_name(
    conn: &mut dyn Connection,
    project_uid: &str,
    name: &str,
) -> Result<Team, Error> {
    let sql = format!("SELECT {COLUMNS} FROM teams t WHERE t.project_uid = ?1 ORDER BY t.position");
    let teams = conn.query(&sql, &[project_uid.into()])?;
    let teams: Vec<Team> = teams.iter().map(from_row).collect::<Result<_, _>>()?;
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

/// The team whose members administer a project.
pub(crate) fn administrators(conn: &mut dyn Connection, project_uid: &str) -> Result<Team, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM teams t WHERE t.project_uid = ?1 AND t.super_group = ?2 ORDER BY t.position LIMIT 1"
    );
    let found = conn.query_one(&sql, &[project_uid.into(), true.into()])?;
    found
        .as_ref()
        .map(from_row)
        .transpose()?
        .ok_or_else(|| Error::internal("the project has lost its administrator team"))
}

/// The team that a project came with for a permissions group.
pub(crate) fn of_group(
    conn: &mut dyn Connection,
    project_uid: &str,
    group: PermissionsGroup,
) -> Result<Team, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM teams t WHERE t.project_uid = ?1 AND t.permissions_group = ?2 \
         ORDER BY t.position LIMIT 1"
    );
    let found = conn.query_one(&sql, &[project_uid.into(), group.as_str().into()])?;
    found
        .as_ref()
        .map(from_row)
        .transpose()?
        .ok_or_else(|| Error::internal("the project has lost one of its teams"))
}

/// Reads a team from a row with [`COLUMNS`].
pub(crate) fn from_row(row: &Row) -> Result<Team, Error> {
    Ok(Team {
        uid: row::uid(row, "team_uid")?,
        name: row.get("team_name")?,
        permissions_group: PermissionsGroup::stored(&row.get::<String>("permissions_group")?)?,
        super_group: row.get("super_group")?,
    })
}
