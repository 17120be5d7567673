//! A project as an API client sees it (wire contract, section 8): the project as one of its
//! members sees it. Never a credential or an address.

use serde_json::{Map, Value};
use svc_data::Row;
use svc_model::Project;
use svc_model::projects::{Environment, Feature, Member, Person, Resource, SecretTokenName, Team};
use uuid::Uuid;

use super::ProjectSettings;
use crate::clock;
use crate::credentials::AccountRights;
use crate::database::Reader;
use crate::error::{Error, Result};
use crate::people::{Account, accounts, members};
use crate::projects::{environments, resources};
use crate::secrets::{SecretToken, secret_tokens};

/// The project of a row as an account sees it.
pub(super) fn of(
    reader: &mut Reader<'_>,
    row: &Row,
    account: Uuid,
    rights: &AccountRights,
) -> Result<Project> {
    let uid: String = row.get("project_uid")?;
    let settings: ProjectSettings = super::from_row(row)?;
    let member = members::get(reader, &uid, account)?;
    let team = rights.in_project(&settings.unique_name);
    let team = team.map(|(team, _)| team.clone());
    let mut project = Project::new(settings.unique_name);
    project.name = settings.name;
    project.color = settings.color;
    project.domain = settings.domain;
    project.is_owner = settings.owner_uid == Some(account);
    project.owner = match settings.owner_uid {
        Some(owner) => accounts::get(reader, owner)?.map(person),
        None => None,
    };
    project.default_environment = Some(settings.default_environment.unwrap_or_default());
    project
        .features
        .insert("sign_up".to_owned(), Feature::from(settings.sign_up));
    project.params = object(&settings.params)?;
    project.environments = environments::list(reader, &uid)?
        .into_iter()
        .map(environment)
        .collect::<Result<_, _>>()?;
    let secrets = secret_tokens::names_of_project(reader, &uid)?;
    project.resources = resources::list_of_project(reader, &uid)?
        .into_iter()
        .map(|kept| resource(kept, &secrets))
        .collect::<Result<_, _>>()?;

    // An operator need not be a member.
    project.user = member.map(|member| {
        let mut user = Member::default();
        user.uid = member.account.uid.to_string();
        user.date_add = Some(clock::to_text(member.date_add));
        user
    });
    project.group = team.map(|team| {
        let mut group = Team::default();
        group.uid = team.uid.to_string();
        group.name = team.name;
        group.permissions_group = Some(team.permissions_group.as_str().to_owned());
        group.super_group = team.super_group;
        group
    });
    Ok(project)
}

fn person(account: Account) -> Person {
    let mut person = Person::default();
    person.uid = account.uid.to_string();
    person.username = account.email.clone();
    person.email = Some(account.email);
    person.first_name = account.first_name;
    person.last_name = account.last_name;
    person
}

fn environment(kept: environments::Environment) -> Result<Environment> {
    let mut environment = Environment::new(kept.unique_name);
    environment.name = kept.name;
    environment.color = kept.color;
    environment.params = object(&kept.params)?;
    environment.date_add = Some(clock::to_text(kept.date_add));
    Ok(environment)
}

fn resource(kept: resources::Resource, secrets: &[(Uuid, SecretToken)]) -> Result<Resource> {
    let engine = kept.engine.as_str();
    let kind = match kept.engine.is_database() {
        true => "database",
        false => "api",
    };
    let mut resource = Resource::new(kept.scope.environment, kept.unique_name, kind, engine);
    resource.name = kept.name;
    resource.params = object(&kept.params)?;
    let its_own = secrets.iter().filter(|(uid, _)| *uid == kept.uid);
    resource.secret_tokens = its_own
        .map(|(_, secret)| {
            let mut token = SecretTokenName::default();
            token.name.clone_from(&secret.name);
            token.kind.clone_from(&secret.kind);
            token
        })
        .collect();
    Ok(resource)
}

fn object(text: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(text).map_err(Error::caused(
        "the store holds settings that are not a JSON object",
    ))
}
