//! Whether a rule is about something that exists. One about a misspelt name would leave open what was meant.

use svc_model::{ProjectName, ResourceName, Scope};
use svc_store::{ConnectedResource, Store};

use super::{NAMES, RightsTarget};
use crate::{
    admin::scope::PROJECTS,
    connect,
    error::{Error, StoreResult as _},
};

/// How alike two names must be to be taken for each other, from 0 to 1.
const ALIKE: f64 = 0.7;

/// Refuses a rule about a resource or a model that no environment of the project has.
pub(super) async fn check(
    store: &Store,
    project: &ProjectName,
    team: &str,
    on: &RightsTarget,
) -> Result<(), Error> {
    let Some(resource) = &on.resource else {
        return Ok(());
    };
    // A team that does not exist is said first.
    let rules = store.rights().list(project, team).await;
    rules.or_refused(PROJECTS, NAMES)?;
    let environments = store.environments().list(project).await;
    let environments = environments.or_refused(PROJECTS, NAMES)?;
    let mut names = Vec::new();
    let mut found = Vec::new();
    for environment in environments {
        let scope = Scope::new(project, environment.unique_name);
        let resources = store.resources();
        for known in resources.list(&scope).await? {
            if known.unique_name == *resource {
                found.push(resources.get(&scope, resource).await?);
            }
            names.push(known.unique_name.to_string());
        }
    }
    if found.is_empty() {
        let near = nearest(resource.as_str(), names.iter().map(String::as_str));
        return Err(Error::new(format!(
            "project {project} has no resource {resource}{near}; --later sets a rule for one that is yet to come"
        )));
    }
    match &on.model {
        Some(model) => check_model(resource, model.as_str(), found).await,
        None => Ok(()),
    }
}

/// Refuses a model that none of these databases has.
async fn check_model(
    resource: &ResourceName,
    model: &str,
    databases: Vec<ConnectedResource>,
) -> Result<(), Error> {
    let mut models: Vec<String> = Vec::new();
    let mut unreachable = None;
    let is_database = |known: &ConnectedResource| known.resource.engine.is_database();
    for database in databases.into_iter().filter(is_database) {
        match connect::open(resource.as_str(), &database.url).await {
            Ok(connected) => {
                let structure = connected.structure();
                if structure.model(model).is_some() {
                    return Ok(());
                }
                models.extend(structure.models().map(|model| model.name.clone()));
            }
            Err(error) => unreachable = Some(error),
        }
    }
    if let Some(error) = unreachable {
        return Err(Error::new(format!(
            "whether resource {resource} has a model {model} cannot be found out: {error}; --later sets the rule without \
             asking"
        )));
    }
    let near = nearest(model, models.iter().map(String::as_str));
    Err(Error::new(format!(
        "resource {resource} has no model {model}{near}; --later sets a rule for one that is yet to come"
    )))
}

/// The name that was probably meant, as the end of a sentence; nothing when none is alike.
pub(in crate::admin) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, &other.to_lowercase());
    let alike = known.filter(|other| likeness(other) >= ALIKE);
    let nearest = alike.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    nearest.map_or_else(String::new, |other| format!("; did you mean {other}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_the_most_alike_or_none() {
        let known = ["Customer", "Invoice", "InvoiceLine"];
        let near = |name| nearest(name, known.into_iter());
        assert_eq!(near("Customr"), "; did you mean Customer?");
        assert_eq!(near("customer"), "; did you mean Customer?");
        assert_eq!(near("invoiceline"), "; did you mean InvoiceLine?");
        assert_eq!(near("zz"), "");
    }
}
