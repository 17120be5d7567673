//! What a team may do with records: read, write and delete, by resource and model.

use svc_data::{Connection, Row, Value};
use svc_model::{ModelName, ProjectName, ResourceName};
use uuid::Uuid;

use crate::audit::{self, AuditEntry};
use crate::error::Error;
use crate::projects;
use crate::store::Store;
use crate::teams::{self, PermissionsGroup, Team};

/// What may be done to records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rights {
    /// Lists, single records, aggregates, groups, descriptions.
    pub read: bool,
    /// Create, update, replace.
    pub write: bool,
    /// Delete.
    pub delete: bool,
}

impl Rights {
    /// These rights.
    pub fn new(read: bool, write: bool, delete: bool) -> Self {
        Self {
            read,
            write,
            delete,
        }
    }

    /// What the members of a group may do where no rule says otherwise.
    fn of_group(group: PermissionsGroup) -> Self {
        let writes = group != PermissionsGroup::ReadOnly;
        Self::new(true, writes, writes)
    }
}

/// A rule: the rights of a team on a resource, on one of its models, or everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RightsRule {
    /// The resource; `None` for every one.
    pub resource: Option<ResourceName>,
    /// The model; `None` for every one of the resource.
    pub model: Option<ModelName>,
    /// What may be done there.
    pub rights: Rights,
}

impl RightsRule {
    /// A rule.
    pub fn new(resource: Option<ResourceName>, model: Option<ModelName>, rights: Rights) -> Self {
        Self {
            resource,
            model,
            rights,
        }
    }
}

/// What a team may do everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRights {
    group: Rights,
    rules: Vec<RightsRule>,
}

impl TeamRights {
    /// The rights on a model: those of the closest rule, else those of the team's permissions group.
    pub fn on(&self, resource: &str, model: &str) -> Rights {
        let closest = self
            .rules
            .iter()
            .filter(|rule| {
                rule.resource
                    .as_ref()
                    .is_none_or(|name| name.as_str() == resource)
                    && rule
                        .model
                        .as_ref()
                        .is_none_or(|name| name.as_str() == model)
            })
            .max_by_key(|rule| (rule.resource.is_some(), rule.model.is_some()));
        closest.map_or(self.group, |rule| rule.rights)
    }
}

impl TeamRights {
    /// The rights on a resource as a whole: those of the closest rule that speaks of no single model, else those of the
    /// team's permissions group.
    pub fn on_resource(&self, resource: &str) -> Rights {
        // No model has this name.
        self.on(resource, "")
    }
}

/// The rules about what teams may do: [`Store::rights`].
#[derive(Debug, Clone, Copy)]
pub struct RightsRules<'a> {
    store: &'a Store,
}

impl Store {
    /// The rules about what teams may do.
    pub fn rights(&self) -> RightsRules<'_> {
        RightsRules { store: self }
    }
}

impl RightsRules<'_> {
    /// The rules of a team, by resource and model.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error on `team`.
    pub async fn list(&self, project: &ProjectName, team: &str) -> Result<Vec<RightsRule>, Error> {
        let (project, team) = (project.clone(), team.to_owned());
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let team = teams::by_name(conn, &project_uid, &team)?;
                rules(conn, team.uid)
            })
            .await
    }

    /// Sets a rule of a team, in place of the one for the same resource and model. Members feel it at once.
    ///
    /// # Errors
    /// As [`list`](Self::list); a field error on `resource` when a model is named without one;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the administrator team, which may do everything.
    pub async fn set(
        &self,
        project: &ProjectName,
        team: &str,
        rule: RightsRule,
    ) -> Result<(), Error> {
        if rule.model.is_some() && rule.resource.is_none() {
            return Err(Error::invalid_field(
                "resource",
                "name the resource of the model",
            ));
        }
        let (project, team) = (project.clone(), team.to_owned());
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let team = teams::by_name(conn, &project_uid, &team)?;
                if team.super_group {
                    return Err(Error::refused(
                        "administrators may do everything; move people to another team to limit them",
                    ));
                }
                let Rights { read, write, delete } = rule.rights;
                let entry = entry("rights.set", &project, &team, &rule);
                let place = place(&team, &rule);
                let before = tag(conn, &place)?;
                delete_rule(conn, &place)?;
                let [team, resource, model] = place.clone();
                conn.execute(
                    "INSERT INTO team_rights (team_uid, resource, model, can_read, can_write, can_delete) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    &[team, resource, model, read.into(), write.into(), delete.into()],
                )?;
                Ok(((), entry.before(before).after(tag(conn, &place)?)))
            })
            .await
    }

    /// Takes a rule away.
    ///
    /// # Errors
    /// As [`list`](Self::list), and [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the team has no rule
    /// for this.
    pub async fn remove(
        &self,
        project: &ProjectName,
        team: &str,
        resource: Option<ResourceName>,
        model: Option<ModelName>,
    ) -> Result<(), Error> {
        let (project, team) = (project.clone(), team.to_owned());
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let team = teams::by_name(conn, &project_uid, &team)?;
                let rule = RightsRule {
                    resource,
                    model,
                    rights: Rights::of_group(team.permissions_group),
                };
                let place = place(&team, &rule);
                let before = tag(conn, &place)?;
                match delete_rule(conn, &place)? {
                    0 => Err(Error::not_found("the team has no such rule")),
                    _ => {
                        let entry = entry("rights.remove", &project, &team, &rule);
                        Ok(((), entry.before(before)))
                    }
                }
            })
            .await
    }
}

fn entry(
    action: &'static str,
    project: &ProjectName,
    team: &Team,
    rule: &RightsRule,
) -> AuditEntry {
    let mut entry = AuditEntry::new(action)
        .project(project)
        .record(team.uid.to_string());
    entry.resource = rule.resource.as_ref().map(ToString::to_string);
    entry.model = rule.model.as_ref().map(ToString::to_string);
    entry
}

/// The entity tag of a rule.
fn tag(conn: &mut dyn Connection, place: &[Value]) -> Result<Option<String>, Error> {
    audit::tag(
        conn,
        "SELECT * FROM team_rights WHERE team_uid = ?1 AND resource = ?2 AND model = ?3",
        place,
    )
}

fn place(team: &Team, rule: &RightsRule) -> [Value; 3] {
    let text = |name: Option<&str>| Value::from(name.unwrap_or_default());
    [
        team.uid.to_string().into(),
        text(rule.resource.as_ref().map(ResourceName::as_str)),
        text(rule.model.as_ref().map(ModelName::as_str)),
    ]
}

fn delete_rule(conn: &mut dyn Connection, place: &[Value]) -> Result<u64, Error> {
    Ok(conn.execute(
        "DELETE FROM team_rights WHERE team_uid = ?1 AND resource = ?2 AND model = ?3",
        place,
    )?)
}

/// What a team may do.
pub(crate) fn of_team(conn: &mut dyn Connection, team: &Team) -> Result<TeamRights, Error> {
    let rules = match team.super_group {
        true => Vec::new(),
        false => rules(conn, team.uid)?,
    };
    Ok(TeamRights {
        group: Rights::of_group(team.permissions_group),
        rules,
    })
}

fn rules(conn: &mut dyn Connection, team: Uuid) -> Result<Vec<RightsRule>, Error> {
    conn.query(
        "SELECT resource, model, can_read, can_write, can_delete FROM team_rights WHERE team_uid = ?1 \
         ORDER BY resource, model",
        &[team.to_string().into()],
    )?
    .iter()
    .map(from_row)
    .collect()
}

fn from_row(row: &Row) -> Result<RightsRule, Error> {
    let (resource, model): (String, String) = (row.get("resource")?, row.get("model")?);
    Ok(RightsRule {
        resource: (!resource.is_empty()).then(|| resource.into()),
        model: (!model.is_empty()).then(|| model.into()),
        rights: Rights::new(
            row.get("can_read")?,
            row.get("can_write")?,
            row.get("can_delete")?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_rule_decides() {
        let rule = |resource: Option<&str>, model: Option<&str>, rights| RightsRule {
            resource: resource.map(ResourceName::from),
            model: model.map(ModelName::from),
            rights,
        };
        let (none, read, all) = (
            Rights::new(false, false, false),
            Rights::new(true, false, false),
            Rights::new(true, true, true),
        );
        let rights = TeamRights {
            group: Rights::of_group(PermissionsGroup::Editor),
            rules: vec![
                rule(None, None, none),
                rule(Some("shop"), None, read),
                rule(Some("shop"), Some("orders"), all),
            ],
        };
        assert_eq!(rights.on("shop", "orders"), all);
        assert_eq!(rights.on("shop", "customers"), read);
        assert_eq!(rights.on("crm", "orders"), none);
        assert_eq!(rights.on_resource("shop"), read);
        assert_eq!(rights.on_resource("crm"), none);
    }

    #[test]
    fn without_rules_readers_read_and_editors_do_the_rest_too() {
        for (group, writes) in [
            (PermissionsGroup::Administrator, true),
            (PermissionsGroup::Editor, true),
            (PermissionsGroup::ReadOnly, false),
        ] {
            let rights = TeamRights {
                group: Rights::of_group(group),
                rules: Vec::new(),
            };
            assert_eq!(
                rights.on("shop", "orders"),
                Rights::new(true, writes, writes)
            );
        }
    }
}
