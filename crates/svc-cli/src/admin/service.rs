//! The service that a command administers: that of a store, in this process, or one that runs somewhere.

use std::time::Duration;

use clap::{Args, Subcommand};
use svc_api::{
    Call, Client, ErrorKind, administration::Administration, auth::ApiToken,
    model::wire::PagedOperation,
};
use svc_model::{Invalid, ProjectName, Scope};
use svc_server::InProcess;

use super::scope::ENVIRONMENTS;
use crate::{context::Context, error::Error};

/// How the URL of an application host ends.
const APP_PATH: &str = "/api";
/// Copies and removals may take a while.
const DEADLINE: Duration = Duration::from_secs(600);
/// How many entries of a list are read at once.
const PER_PAGE: u32 = 1_000;

// A group of commands, and the service that they administer. The help of the group is that of its commands.
#[derive(Args)]
pub(crate) struct Administer<C: Subcommand> {
    #[command(subcommand)]
    command: C,
    #[command(flatten)]
    at: ServiceAddress,
}

impl<C: Command> Administer<C> {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        self.command.run(context, &self.at).await
    }
}

/// A group of commands that administer a service.
pub(crate) trait Command: Subcommand {
    /// Does what the command says with the service at this address.
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error>;
}

// Where the service is; without an address it is that of the store. Documentation here would be the help of each group.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct ServiceAddress {
    /// Application host of a running service, which ends in /api; without it the command works on the store
    #[arg(long, global = true, value_name = "URL", env = "SVC_APP_BASE_URL")]
    app_base_url: Option<String>,
    /// Data host of a running service [default: that of the application host, without /api]
    #[arg(long, global = true, value_name = "URL", env = "SVC_API_BASE_URL")]
    api_base_url: Option<String>,
    /// API key for a running service; better in the variable, since lists of processes show flags
    #[arg(
        long,
        global = true,
        value_name = "KEY",
        env = "SVC_API_KEY",
        hide_env_values = true
    )]
    api_key: Option<String>,
}

impl ServiceAddress {
    /// The service, for a command that has no use for an empty store.
    pub(crate) async fn connect(&self, context: &Context) -> Result<Service, Error> {
        self.connect_for_mails(context, None).await
    }

    /// The same for a command that mails links, which begin with this URL when the service is that of the store.
    pub(crate) async fn connect_for_mails(
        &self,
        context: &Context,
        public_url: Option<&str>,
    ) -> Result<Service, Error> {
        match self.running(context)? {
            Some(_) if context.is_flag("public_url") => Err(Error::usage(
                "--public-url is for the store; a running service begins links with its own URL, so leave it out",
            )),
            Some(url) => self.service_at(context, url),
            None => {
                let store = context.existing_store().await?;
                Service::of_store(store, public_url).await
            }
        }
    }

    /// The same for a command that makes the store when there is none.
    pub(crate) async fn connect_or_make(&self, context: &Context) -> Result<Service, Error> {
        match self.running(context)? {
            Some(url) => self.service_at(context, url),
            None => Service::of_store(context.store().await?, None).await,
        }
    }

    /// The application host of the running service that is meant, if one is. A store that is named wins over the variable:
    /// other commands may need that.
    pub(crate) fn running(&self, context: &Context) -> Result<Option<&str>, Error> {
        let named = self.app_base_url.as_deref().map(str::trim);
        let Some(url) = named.filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        match (context.names_store(), context.is_flag("app_base_url")) {
            (true, false) => Ok(None),
            (true, true) if context.is_flag("dir") || context.is_flag("store") => {
                Err(Error::usage(
                    "--dir and --store name a store, and --app-base-url a running service; leave one out",
                ))
            }
            _ => Ok(Some(url)),
        }
    }

    /// The data host that belongs to an application host. That of the variable belongs to the variable of the other.
    fn data_host<'a>(&'a self, context: &Context, url: &'a str) -> &'a str {
        let belongs = context.is_flag("api_base_url") || !context.is_flag("app_base_url");
        let named = self.api_base_url.as_deref().filter(|_| belongs);
        let named = named.map(str::trim).filter(|url| !url.is_empty());
        named.unwrap_or_else(|| url.strip_suffix(APP_PATH).unwrap_or(url))
    }

    fn service_at(&self, context: &Context, url: &str) -> Result<Service, Error> {
        let url = url.trim_end_matches('/');
        let key = self.api_key.as_deref().map(str::trim);
        let key = key.filter(|key| !key.is_empty()).ok_or_else(|| {
            Error::usage(format!(
                "no API key for {url}; set SVC_API_KEY (svc key add --project P makes a key where the store is)"
            ))
        })?;
        let key =
            ApiToken::new(key).map_err(|error| Error::usage(format!("SVC_API_KEY: {error}")))?;
        let data = self.data_host(context, url).to_owned();
        Ok(Service {
            hosts: [data, url.to_owned()],
            key,
            store: None,
        })
    }
}

/// A service, and the credential of who administers it.
pub(crate) struct Service {
    /// The data host and the application host.
    hosts: [String; 2],
    key: ApiToken,
    /// The service of the store, where it is that.
    store: Option<InProcess>,
}

impl Service {
    async fn of_store(store: svc_store::Store, public_url: Option<&str>) -> Result<Self, Error> {
        let actor = crate::context::actor();
        let service = InProcess::open(store, actor, public_url).await?;
        let key = ApiToken::new(service.key().expose());
        Ok(Self {
            hosts: [
                service.base_url().to_owned(),
                service.app_base_url().to_owned(),
            ],
            key: key.map_err(|error| Error::new(error.to_string()))?,
            store: Some(service),
        })
    }

    /// Whether it is the service of a store, which nobody has signed in to.
    pub(crate) fn is_of_store(&self) -> bool {
        self.store.is_some()
    }

    /// The administration beyond projects.
    pub(crate) fn administration(&self) -> Result<Administration, Error> {
        Ok(self.everything()?.administration())
    }

    /// A client for what is in no project.
    pub(crate) fn everything(&self) -> Result<Client, Error> {
        self.client_with(|client| client)
    }

    /// The administration of a project.
    pub(crate) fn project(&self, project: &ProjectName) -> Result<Administration, Error> {
        let client = self.client_with(|client| client.project(project))?;
        Ok(client.administration())
    }

    /// The administration of an environment.
    pub(crate) fn environment(&self, scope: &Scope) -> Result<Administration, Error> {
        Ok(self.client(scope)?.administration())
    }

    /// A client for an environment, on both hosts.
    pub(crate) fn client(&self, scope: &Scope) -> Result<Client, Error> {
        self.client_with(|client| {
            client
                .project(&scope.project)
                .environment(&scope.environment)
        })
    }

    fn client_with(
        &self,
        scope: impl FnOnce(
            svc_api::ClientBuilder<svc_api::NoTransport>,
        ) -> svc_api::ClientBuilder<svc_api::NoTransport>,
    ) -> Result<Client, Error> {
        let [data, application] = &self.hosts;
        let client = scope(Client::builder())
            .api_base_url(data)
            .app_base_url(application)
            .api_token(&self.key)
            .deadline(DEADLINE)
            .user_agent(concat!("svc/", env!("CARGO_PKG_VERSION")));
        Ok(match &self.store {
            Some(service) => client.transport(service.clone()).build()?,
            None => client.build()?,
        })
    }

    /// The environments of one project or of all that the caller may see.
    pub(crate) async fn scopes(&self, project: Option<&ProjectName>) -> Result<Vec<Scope>, Error> {
        let projects = match project {
            Some(project) => vec![project.clone()],
            None => {
                let projects = self.everything()?.projects();
                let projects = all(projects.list().order_by("date_add")).await?;
                projects
                    .into_iter()
                    .map(|project| project.unique_name)
                    .collect()
            }
        };
        let mut scopes = Vec::new();
        let is_one = projects.len() == 1;
        for project in projects {
            let environments = self.project(&project)?.environments();
            let environments = all(environments.list().order_by("date_add")).await;
            for environment in unless_hidden(environments, is_one)? {
                scopes.push(Scope::new(&project, environment.unique_name));
            }
        }
        Ok(scopes)
    }

    /// What is in these environments, each with its own. Of several, those are left out that the caller does not administer.
    pub(crate) async fn in_each<T>(
        &self,
        scopes: Vec<Scope>,
        list: impl AsyncFn(Administration) -> Result<Vec<T>, svc_api::Error>,
    ) -> Result<Vec<(Scope, T)>, Error> {
        let is_one = scopes.len() == 1;
        let mut found = Vec::new();
        for scope in scopes {
            let items = unless_hidden(list(self.environment(&scope)?).await, is_one);
            let items = items.or_missing(ENVIRONMENTS)?;
            found.extend(items.into_iter().map(|item| (scope.clone(), item)));
        }
        Ok(found)
    }
}

/// What a place has; nothing of one that the caller may not see or that is gone by now, unless it is the only one.
fn unless_hidden<T>(
    listed: Result<Vec<T>, svc_api::Error>,
    is_one: bool,
) -> Result<Vec<T>, svc_api::Error> {
    match listed {
        Err(error) if !is_one && (error.is_forbidden() || error.is_not_found()) => Ok(Vec::new()),
        listed => listed,
    }
}

/// All entries of a list.
pub(crate) async fn all<O>(list: Call<O>) -> Result<Vec<O::Item>, svc_api::Error>
where
    O: PagedOperation<Item: Send> + 'static,
{
    let mut items = list.per_page(PER_PAGE).by_item();
    let mut all = Vec::new();
    while let Some(item) = items.try_next().await? {
        all.push(item);
    }
    Ok(all)
}

/// What a service answered, as a command fails with it.
pub(crate) trait ServiceResult<T>: Sized {
    /// When the service has no such thing, says how to see what it has.
    fn or_missing(self, remedy: &str) -> Result<T, Error> {
        self.or_refused(remedy, &[])
    }

    /// The same, and fields that it refuses are called by the names that they have on the command line.
    fn or_refused(self, remedy: &str, names: &[(&str, &str)]) -> Result<T, Error>;
}

impl<T> ServiceResult<T> for Result<T, svc_api::Error> {
    fn or_refused(self, remedy: &str, names: &[(&str, &str)]) -> Result<T, Error> {
        self.map_err(|error| refused(error, remedy, names))
    }
}

fn refused(error: svc_api::Error, remedy: &str, names: &[(&str, &str)]) -> Error {
    let Some(answer) = error.error_response() else {
        return error.into();
    };
    if error.is_unauthenticated() || error.is_forbidden() || error.kind() != ErrorKind::Status {
        return error.into();
    }
    let detail = answer.detail();
    match (error.is_not_found(), answer.invalid().is_empty(), detail) {
        (true, _, Some(detail)) => Error::new(format!("{detail}; {remedy}")),
        (_, false, _) => fields(answer.invalid(), names),
        (_, true, Some(detail)) => Error::new(detail),
        (_, true, None) => error.into(),
    }
}

/// What is wrong with fields, under the names that they have on the command line.
fn fields(invalid: &Invalid, names: &[(&str, &str)]) -> Error {
    let mut messages = invalid.general_errors().to_vec();
    for (field, errors) in invalid.field_errors() {
        let known = names.iter().find(|(name, _)| name == field);
        let name = known.map_or(field.as_str(), |(_, option)| option);
        messages.extend(errors.iter().map(|message| format!("{name}: {message}")));
    }
    Error::new(messages.join("; "))
}
