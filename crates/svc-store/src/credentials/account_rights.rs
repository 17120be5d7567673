//! What an account may do, by a session or by an API key.

use svc_data::{Row, Value};
use svc_model::ProjectName;
use uuid::Uuid;

use crate::audit::ActorKind;
use crate::database::{Reader, columns, row, values};
use crate::error::Result;
use crate::people::{Team, TeamRights, rights, teams};

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
    /// What an operator may do: everything.
    pub fn of_operator() -> Self {
        Self {
            memberships: Vec::new(),
            operator: Some(administrator()),
        }
    }

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
            let account = AccountGrant::find(reader, uid)?;
            let account = account.filter(|account| !account.is_suspended);
            let rights = account.map(|account| Self::of_account(reader, &account));
            return rights.transpose();
        }
        let sql = "SELECT c.account_uid, a.email, a.is_operator, a.suspended IS NOT NULL AS is_suspended, c.is_limited \
             FROM api_keys c JOIN accounts a ON a.uid = c.account_uid \
             WHERE c.uid = ?1 AND c.revoked IS NULL AND (c.expires IS NULL OR c.expires > ?2)";
        let grant = reader.find(sql, &values![uid, reader.now()], AccountGrant::from_row)?;
        let grant = grant.filter(|grant| !grant.is_suspended);
        let rights = grant.map(|grant| Self::of_key(reader, &grant, uid));
        rights.transpose()
    }

    /// What an account may do by one of its keys.
    pub(crate) fn of_key(
        reader: &mut Reader<'_>,
        account: &AccountGrant,
        key: Uuid,
    ) -> Result<Self> {
        let uid = account.account_uid;
        let exception = "(SELECT 1 FROM api_key_projects k WHERE k.project_uid = p.uid AND k.key_uid = ?2 \
             AND k.is_allowed = ?3)";
        if !account.is_limited {
            // A key that a project has shut out opens it no more, also when its account becomes an operator.
            let sql = "SELECT key_uid FROM api_key_projects WHERE key_uid = ?1 AND is_allowed = ?2";
            let is_whole = !reader.exists(sql, &values![key, false])?;
            let sql = membership(&format!(
                "WHERE m.account_uid = ?1 AND NOT EXISTS {exception}"
            ));
            return Ok(Self {
                memberships: memberships(reader, &sql, &values![uid, key, false])?,
                operator: (account.is_operator && is_whole).then(administrator),
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
    /// The grant of the process that has the store open, which is nobody's account.
    pub fn of_program() -> Self {
        Self {
            account_uid: Uuid::nil(),
            email: String::new(),
            is_operator: true,
            is_suspended: false,
            is_limited: false,
        }
    }

    /// The account with an identifier, as its sessions open it.
    pub(crate) fn find(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<Self>> {
        let sql = "SELECT a.uid AS account_uid, a.email, a.is_operator, a.suspended IS NOT NULL AS is_suspended, \
             FALSE AS is_limited FROM accounts a WHERE a.uid = ?1";
        reader.find(sql, &values![uid], Self::from_row)
    }

    /// Reads the grant from a row with its columns.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        columns!(row => Self { account_uid, email, is_operator, is_suspended, is_limited })
    }
}

/// Whether somebody operates the service who can sign in.
pub(crate) fn has_operator(reader: &mut Reader<'_>) -> Result<bool> {
    let sql =
        "SELECT uid FROM accounts WHERE is_operator AND password IS NOT NULL AND suspended IS NULL";
    reader.exists(sql, &[])
}
