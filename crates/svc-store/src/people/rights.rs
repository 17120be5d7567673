//! What a team may do with records: read, write and delete, by resource and model.

use svc_data::{Row, Value};
use svc_model::administration::rights::{Delete, Set};
use svc_model::wire::Operation as _;
use svc_model::{EnvironmentName, ModelName, ProjectName, ResourceName};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::database::{Reader, Tx, handle, row, values};
use crate::error::{Error, Result};
use crate::people::{PermissionsGroup, Team, teams};
use crate::projects::ProjectRow;

/// Tells a rule from the others.
const IS_KEY: &str = "team_uid = ?1 AND resource = ?2 AND model = ?3 AND environment = ?4";

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
    /// All of them.
    pub const ALL: Self = Self {
        read: true,
        write: true,
        delete: true,
    };

    /// These rights.
    pub fn new(read: bool, write: bool, delete: bool) -> Self {
        Self {
            read,
            write,
            delete,
        }
    }

    /// The rights that these words name: `read`, `write` and `delete`; `None` when there is another word.
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        let mut rights = Self::new(false, false, false);
        for word in words {
            match word {
                "read" => rights.read = true,
                "write" => rights.write = true,
                "delete" => rights.delete = true,
                _ => return None,
            }
        }
        Some(rights)
    }

    /// The words of these rights.
    pub fn words(self) -> Vec<&'static str> {
        [
            (self.read, "read"),
            (self.write, "write"),
            (self.delete, "delete"),
        ]
        .into_iter()
        .filter_map(|(has, word)| has.then_some(word))
        .collect()
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
    /// The environment; `None` for every one.
    pub environment: Option<EnvironmentName>,
    /// What may be done there.
    pub rights: Rights,
}

impl RightsRule {
    /// A rule.
    pub fn new(resource: Option<ResourceName>, model: Option<ModelName>, rights: Rights) -> Self {
        Self {
            resource,
            model,
            environment: None,
            rights,
        }
    }
}

/// What a team may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRights {
    group: Rights,
    rules: Vec<RightsRule>,
}

impl TeamRights {
    /// What rules say, and elsewhere the permissions group.
    pub(crate) fn new(group: Rights, rules: Vec<RightsRule>) -> Self {
        Self { group, rules }
    }

    /// Everything.
    pub(crate) fn all() -> Self {
        Self::new(Rights::ALL, Vec::new())
    }

    /// The rules.
    pub(crate) fn rules(&self) -> &[RightsRule] {
        &self.rules
    }

    /// What the team may do in an environment: the rules about others count no more.
    #[must_use]
    pub fn in_environment(&self, environment: &EnvironmentName) -> Self {
        let is_here = |rule: &&RightsRule| {
            let wanted = rule.environment.as_ref();
            wanted.is_none_or(|wanted| wanted == environment)
        };
        Self {
            group: self.group,
            rules: self.rules.iter().filter(is_here).cloned().collect(),
        }
    }

    /// The rights on a model: those of the closest rule, else those of the team's permissions group.
    pub fn on(&self, resource: &str, model: &str) -> Rights {
        let closest = self
            .rules
            .iter()
            .filter(|rule| {
                let (of_resource, of_model) = (rule.resource.as_ref(), rule.model.as_ref());
                of_resource.is_none_or(|name| name.as_str() == resource)
                    && of_model.is_none_or(|name| name.as_str() == model)
            })
            .max_by_key(|rule| {
                let RightsRule {
                    resource,
                    model,
                    environment,
                    ..
                } = rule;
                (resource.is_some(), model.is_some(), environment.is_some())
            });
        closest.map_or(self.group, |rule| rule.rights)
    }

    /// The rights on a resource as a whole: those of the closest rule that names no model, else those of the
    /// team's permissions group.
    pub fn on_resource(&self, resource: &str) -> Rights {
        // No model has this name.
        self.on(resource, "")
    }
}

handle! {
    /// The rules about what teams may do: [`Store::rights`](crate::Store::rights).
    RightsRules,
    /// The rules about what teams may do.
    rights
}

impl RightsRules<'_> {
    /// The rules of a team, by resource and model.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error on `team`.
    pub async fn list(&self, project: &ProjectName, team: &str) -> Result<Vec<RightsRule>> {
        let team = team.to_owned();
        self.store
            .read_in(project.clone(), move |reader, project: ProjectRow| {
                let team = teams::by_name(reader, &project.uid, &team)?;
                rules(reader, team.uid)
            })
            .await
    }

    /// Sets a rule of a team, in place of the one for the same resource and model. It applies to members at once.
    ///
    /// # Errors
    /// As [`list`](Self::list); a field error on `resource` when a model is named without one;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the administrator team, which may do everything.
    pub async fn set(&self, project: &ProjectName, team: &str, rule: RightsRule) -> Result<()> {
        check_rule(&rule)?;
        let team = team.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::by_name(tx, &project.uid, &team)?;
                put(tx, &project, &team, &rule).map(drop)
            })
            .await
    }

    /// Sets a rule of a team that is given by its uid or its name, and says its identifier and whether it is new.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn put(
        &self,
        project: &ProjectName,
        team: &str,
        rule: RightsRule,
    ) -> Result<(Uuid, bool)> {
        check_rule(&rule)?;
        let team = team.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::named(tx, &project.uid, &team)?;
                put(tx, &project, &team, &rule)
            })
            .await
    }

    /// The identifier of the rule that [`put`](Self::put) would replace; `None` when there is none.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error on `team`.
    pub async fn find(
        &self,
        project: &ProjectName,
        team: &str,
        rule: &RightsRule,
    ) -> Result<Option<Uuid>> {
        let (team, rule) = (team.to_owned(), rule.clone());
        self.store
            .read_in(project.clone(), move |reader, project: ProjectRow| {
                let team = teams::named(reader, &project.uid, &team)?;
                find(reader, &key(&team, &rule))
            })
            .await
    }

    /// Removes a rule of a project by its identifier.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the project has no such rule.
    pub async fn delete(&self, project: &ProjectName, uid: Uuid) -> Result<()> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let sql = "SELECT r.uid FROM team_rights r JOIN teams t ON t.uid = r.team_uid \
                     WHERE r.uid = ?1 AND t.project_uid = ?2";
                if !tx.exists(sql, &values![uid, project.uid])? {
                    return Err(Error::not_found("there is no such rule"));
                }
                let entry = project.entry(Delete::INFO.name).record(uid.to_string());
                tx.delete_row("team_rights", uid, entry)
            })
            .await
    }

    /// Removes a rule.
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
    ) -> Result<()> {
        let team = team.to_owned();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let team = teams::by_name(tx, &project.uid, &team)?;
                let rights = Rights::of_group(team.permissions_group);
                let rule = RightsRule::new(resource, model, rights);
                let key = key(&team, &rule);
                let before = tag(tx, &key)?;
                if delete_rule(tx, &key)? == 0 {
                    return Err(Error::not_found("the team has no such rule"));
                }
                tx.changed(entry("rights.remove", &project, &team, &rule).before(before));
                Ok(())
            })
            .await
    }
}

/// Refuses a rule about a model of no resource.
fn check_rule(rule: &RightsRule) -> Result<()> {
    match rule.model.is_some() && rule.resource.is_none() {
        true => Err(Error::invalid_field(
            "resource",
            "name the resource of the model",
        )),
        false => Ok(()),
    }
}

/// Sets a rule in place of the one for the same, and says its identifier and whether it is new.
fn put(
    tx: &mut Tx<'_>,
    project: &ProjectRow,
    team: &Team,
    rule: &RightsRule,
) -> Result<(Uuid, bool)> {
    if team.super_group {
        return Err(Error::refused(
            "administrators may do everything; move people to another team to limit them",
        ));
    }
    let Rights {
        read,
        write,
        delete,
    } = rule.rights;
    let key = key(team, rule);
    let before = tag(tx, &key)?;
    let known = find(tx, &key)?;
    let uid = known.unwrap_or_else(Uuid::now_v7);
    delete_rule(tx, &key)?;
    tx.execute(
        "INSERT INTO team_rights (team_uid, resource, model, environment, can_read, can_write, can_delete, uid) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &[key.as_slice(), &values![read, write, delete, uid]].concat(),
    )?;
    let entry = entry(Set::INFO.name, project, team, rule).before(before);
    let entry = entry.after(tag(tx, &key)?);
    tx.changed(entry);
    Ok((uid, known.is_none()))
}

fn entry(action: &'static str, project: &ProjectRow, team: &Team, rule: &RightsRule) -> AuditEntry {
    let mut entry = project.entry(action).record(team.uid.to_string());
    entry.resource = rule.resource.as_ref().map(ToString::to_string);
    entry.model = rule.model.as_ref().map(ToString::to_string);
    entry.environment = rule.environment.as_ref().map(ToString::to_string);
    entry
}

/// The identifier of a rule.
fn find(reader: &mut Reader<'_>, key: &[Value]) -> Result<Option<Uuid>> {
    let sql = format!("SELECT uid FROM team_rights WHERE {IS_KEY}");
    reader.find(&sql, key, |row| row::get(row, "uid"))
}

/// The entity tag of a rule.
fn tag(reader: &mut Reader<'_>, key: &[Value]) -> Result<Option<String>> {
    reader.tag_of(&format!("SELECT * FROM team_rights WHERE {IS_KEY}"), key)
}

/// The values that [`IS_KEY`] compares with.
fn key(team: &Team, rule: &RightsRule) -> [Value; 4] {
    let resource = rule.resource.as_ref().map_or("", ResourceName::as_str);
    let model = rule.model.as_ref().map_or("", ModelName::as_str);
    let environment = rule.environment.as_ref();
    let environment = environment.map_or("", EnvironmentName::as_str);
    values![team.uid, resource, model, environment]
}

fn delete_rule(tx: &mut Tx<'_>, key: &[Value]) -> Result<u64> {
    tx.execute(&format!("DELETE FROM team_rights WHERE {IS_KEY}"), key)
}

/// What a team may do.
pub(crate) fn of_team(reader: &mut Reader<'_>, team: &Team) -> Result<TeamRights> {
    let rules = match team.super_group {
        true => Vec::new(),
        false => rules(reader, team.uid)?,
    };
    Ok(TeamRights::new(
        Rights::of_group(team.permissions_group),
        rules,
    ))
}

fn rules(reader: &mut Reader<'_>, team: Uuid) -> Result<Vec<RightsRule>> {
    let sql = "SELECT resource, model, environment, can_read, can_write, can_delete FROM team_rights \
         WHERE team_uid = ?1 ORDER BY resource, model, environment";
    reader.list(sql, &values![team], from_row)
}

fn from_row(row: &Row) -> Result<RightsRule> {
    let (resource, model): (String, String) = (row.get("resource")?, row.get("model")?);
    let environment: String = row.get("environment")?;
    Ok(RightsRule {
        environment: (!environment.is_empty()).then(|| environment.into()),
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
            environment: None,
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
