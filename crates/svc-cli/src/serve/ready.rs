//! What a service says once it accepts connections: where it is, and the credentials that were made now.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use svc_model::{EnvironmentName, ProjectName, ResourceName};
use svc_store::Secret;

/// The ready line. A secret that existed before and was not made now is null.
#[derive(Serialize)]
pub(crate) struct Ready {
    /// The application host; ends in `/api`.
    pub(crate) app_base_url: String,
    /// The data host.
    pub(crate) base_url: String,
    /// The project that the credentials open.
    pub(crate) project: ProjectName,
    /// Its environment.
    pub(crate) environment: EnvironmentName,
    /// An API key of the project.
    #[serde(serialize_with = "exposed")]
    pub(crate) api_key: Option<Secret>,
    /// The resources of the environment by name.
    pub(crate) resources: BTreeMap<String, ReadyResource>,
    /// The static token of the built-in tools.
    #[serde(serialize_with = "exposed")]
    pub(crate) tools_token: Option<Secret>,
    /// The console, for people: a link that signs in, or that makes the first operator. The ready line of the contract does
    /// not have it.
    #[serde(skip)]
    pub(crate) console: Option<Secret>,
}

/// A resource in the ready line.
#[derive(Serialize)]
pub(crate) struct ReadyResource {
    /// Its static token.
    #[serde(serialize_with = "exposed")]
    pub(crate) token: Option<Secret>,
}

impl Ready {
    /// The same for people, in aligned lines.
    pub(crate) fn to_text(&self) -> String {
        let (project, environment) = (&self.project, &self.environment);
        let secret = |secret: &Option<Secret>, command: String| match secret {
            Some(secret) => secret.expose().to_owned(),
            None => format!("as before; another one: {command}"),
        };
        let mut lines = vec![
            ("data host".to_owned(), self.base_url.clone()),
            ("application host".to_owned(), self.app_base_url.clone()),
            (
                "project".to_owned(),
                format!("{project}, environment {environment}"),
            ),
            (
                "API key".to_owned(),
                secret(&self.api_key, format!("svc key add --project {project}")),
            ),
        ];
        if let Some(console) = &self.console {
            lines.insert(0, ("console".to_owned(), console.expose().to_owned()));
        }
        let tokens = self.resources.iter();
        let tokens = tokens.map(|(name, resource)| (name.as_str(), &resource.token));
        for (name, token) in tokens.chain([(ResourceName::TOOLS, &self.tools_token)]) {
            let command = format!("svc token add {name} --project {project} --env {environment}");
            lines.push((format!("token of {name}"), secret(token, command)));
        }
        let widths = lines.iter().map(|(label, _)| label.chars().count());
        let width = widths.max().unwrap_or(0);
        let lines = lines
            .iter()
            .map(|(label, value)| format!("  {label:width$}  {value}\n"));
        lines.collect()
    }

    /// Whether a secret is shown, for the only time.
    pub(crate) fn has_secrets(&self) -> bool {
        let mut resources = self.resources.values();
        self.api_key.is_some()
            || self.tools_token.is_some()
            || resources.any(|resource| resource.token.is_some())
    }
}

/// The one place where secrets are written: to the caller who had them made.
fn exposed<S: Serializer>(secret: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(Secret::expose).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready() -> Ready {
        let resource = |token: Option<&str>| ReadyResource {
            token: token.map(Secret::new),
        };
        Ready {
            app_base_url: "http://127.0.0.1:8080/api".to_owned(),
            base_url: "http://127.0.0.1:8080".to_owned(),
            project: "main".into(),
            environment: "prod".into(),
            api_key: Some(Secret::new("svck_1")),
            resources: [
                ("shop".to_owned(), resource(Some("svct_2"))),
                ("old".to_owned(), resource(None)),
            ]
            .into(),
            tools_token: None,
            console: None,
        }
    }

    #[test]
    fn the_ready_line_has_the_names_of_the_contract_and_null_for_old_secrets() {
        assert_eq!(
            serde_json::to_string(&ready()).unwrap(),
            r#"{"app_base_url":"http://127.0.0.1:8080/api","base_url":"http://127.0.0.1:8080","project":"main","environment":"prod","api_key":"svck_1","resources":{"old":{"token":null},"shop":{"token":"svct_2"}},"tools_token":null}"#
        );
    }

    #[test]
    fn people_are_told_how_to_make_a_credential_that_is_not_shown() {
        let text = ready().to_text();
        assert!(text.contains("  token of shop         svct_2\n"), "{text}");
        assert!(
            text.contains("svc token add __svc_app__ --project main --env prod"),
            "{text}"
        );
        assert!(!text.contains("svc key add"), "{text}");
    }
}
