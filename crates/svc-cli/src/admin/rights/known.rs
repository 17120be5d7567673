//! Whether a rule is about something that exists. One about a misspelt name would leave open what was meant.

use svc_model::{ProjectName, ResourceName, Scope};

use super::{NAMES, RightsTarget};
use crate::{
    admin::{
        scope::PROJECTS,
        service::{Service, ServiceResult as _, all},
    },
    error::Error,
};

/// How alike two names must be to be taken for each other, from 0 to 1.
const ALIKE: f64 = 0.7;

/// Refuses a rule about an environment that the project does not have, or about a resource or a model that is not there.
pub(super) async fn check(
    service: &Service,
    project: &ProjectName,
    on: &RightsTarget,
) -> Result<(), Error> {
    let scopes = scopes(service, project, on).await?;
    let Some(resource) = &on.resource else {
        return Ok(());
    };
    let mut names = Vec::new();
    let mut found = Vec::new();
    for scope in scopes {
        let resources = service.environment(&scope)?.resources().list();
        let resources = all(resources).await.or_refused(PROJECTS, NAMES)?;
        for known in resources {
            if known.unique_name == *resource {
                found.push((scope.clone(), known.kind == "database"));
            }
            names.push(known.unique_name);
        }
    }
    if found.is_empty() {
        let near = nearest(resource.as_str(), names.iter().map(ResourceName::as_str));
        return Err(Error::new(format!(
            "project {project} has no resource {resource}{near}; --later sets a rule for one that is yet to come"
        )));
    }
    let databases = found.into_iter().filter(|(_, is_database)| *is_database);
    let scopes = databases.map(|(scope, _)| scope);
    match &on.model {
        Some(model) => check_model(service, resource, model.as_str(), scopes).await,
        None => Ok(()),
    }
}

/// The environments that a rule is about.
async fn scopes(
    service: &Service,
    project: &ProjectName,
    on: &RightsTarget,
) -> Result<Vec<Scope>, Error> {
    let mut scopes = service.scopes(Some(project)).await?;
    let Some(env) = &on.env else {
        return Ok(scopes);
    };
    match scopes.iter().position(|scope| scope.environment == *env) {
        Some(at) => Ok(vec![scopes.swap_remove(at)]),
        None => {
            let names = scopes.iter().map(|scope| scope.environment.as_str());
            let near = nearest(env.as_str(), names);
            Err(Error::new(format!(
                "project {project} has no environment {env}{near}; --later sets a rule for one that is yet to come"
            )))
        }
    }
}

/// Refuses a model that the resource has in none of these environments.
async fn check_model(
    service: &Service,
    resource: &ResourceName,
    model: &str,
    scopes: impl Iterator<Item = Scope>,
) -> Result<(), Error> {
    let mut models: Vec<String> = Vec::new();
    let mut unreachable = None;
    for scope in scopes {
        let described = service.client(&scope)?.resource(resource);
        match described.model_descriptions().max_tries(1).await {
            Ok(known) if known.iter().any(|known| known.model == model) => return Ok(()),
            Ok(known) => models.extend(known.into_iter().map(|known| known.model)),
            Err(error) => unreachable = Some(error),
        }
    }
    if let Some(error) = unreachable {
        let reason = error
            .detail()
            .map_or_else(|| error.to_string(), str::to_owned);
        return Err(Error::new(format!(
            "whether resource {resource} has a model {model} cannot be found out: {reason}; --later sets the rule without \
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
