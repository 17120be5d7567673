//! What the administration lists, as models over the store's tables, so that its lists are those of records: the same
//! filters, order, search and paging.

mod unchanged;

use svc_data::{DeclaredField, DeclaredModel, Resource};
use svc_model::{ProjectName, Scope};
use uuid::Uuid;

use crate::database::Store;
use crate::error::Result;
use crate::people::tools;
use crate::projects::{ProjectRow, ScopeRow};

/// What the administration lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Administered {
    /// Accounts of the service.
    Accounts,
    /// API keys of all accounts.
    Keys,
    /// API keys of an account.
    AccountKeys,
    /// API keys that have access to a project.
    ProjectKeys,
    /// Environments of a project.
    Environments,
    /// Members of a project.
    Members,
    /// Teams of a project.
    Teams,
    /// Rules about what the teams of a project may do.
    Rights,
    /// Hosts that the HTTP proxy of a project may reach.
    AllowedHosts,
    /// Resources of an environment.
    Resources,
    /// Static tokens of an environment.
    Tokens,
    /// Service tokens of an environment.
    ServiceTokens,
    /// Secret tokens of an environment.
    Secrets,
    /// Items of an environment.
    Items,
    /// Users of an environment.
    Users,
    /// Lines of the audit trail.
    Audit,
    /// Sessions of an account or a user, with those that have ended by themselves.
    Sessions,
    /// Mails that wait to be sent, with those that have expired.
    Mails,
    /// Projects.
    Projects,
}

/// Whose entries are listed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListedOf {
    /// All of the service.
    Service,
    /// Those of an account.
    Account(Uuid),
    /// Those of a user.
    User(Uuid),
    /// Those of a project.
    Project(ProjectName),
    /// Those of an environment.
    Environment(Scope),
}

impl Administered {
    const ALL: &'static [Self] = &[
        Self::Accounts,
        Self::Keys,
        Self::AccountKeys,
        Self::ProjectKeys,
        Self::Environments,
        Self::Members,
        Self::Teams,
        Self::Rights,
        Self::AllowedHosts,
        Self::Resources,
        Self::Tokens,
        Self::ServiceTokens,
        Self::Secrets,
        Self::Items,
        Self::Users,
        Self::Audit,
        Self::Sessions,
        Self::Mails,
        Self::Projects,
    ];

    /// The name of the model.
    pub fn model(self) -> &'static str {
        self.parts().0
    }

    /// The field by which entries are ordered where nothing is said about it, the newest first.
    pub fn newest_first(self) -> Option<&'static str> {
        match self {
            // The key of each is a UUID of version 7, which is ordered by the time, and there may be very many.
            Self::Rights | Self::Audit | Self::Users => None,
            _ => Some("date_add"),
        }
    }

    /// The name of the model, its view, and its fields, the key first.
    fn parts(self) -> (&'static str, &'static str, &'static [DeclaredField]) {
        match self {
            Self::Accounts => ("accounts", "api_accounts", ACCOUNTS),
            Self::Keys => ("api_keys", "api_account_keys", KEYS),
            Self::AccountKeys => ("api_keys", "api_account_keys", ACCOUNT_KEYS),
            Self::ProjectKeys => ("api_keys", "api_project_keys", PROJECT_KEYS),
            Self::Environments => ("environments", "api_environments", ENVIRONMENTS),
            Self::Members => ("members", "api_members", MEMBERS),
            Self::Teams => ("teams", "api_teams", TEAMS),
            Self::Rights => ("rights", "api_rights", RIGHTS),
            Self::AllowedHosts => ("allowed_hosts", "api_allowed_hosts", ALLOWED_HOSTS),
            Self::Resources => ("resources", "api_resources", RESOURCES),
            Self::Tokens => ("tokens", "api_tokens", TOKENS),
            Self::ServiceTokens => ("service_tokens", "api_service_tokens", SERVICE_TOKENS),
            Self::Secrets => ("secrets", "api_secrets", SECRETS),
            Self::Items => ("items", "api_items", ITEMS),
            Self::Users => ("users", "api_user_states", USERS),
            Self::Audit => ("audit", "api_audit", AUDIT),
            Self::Sessions => ("sessions", "api_sessions", SESSIONS),
            Self::Mails => ("mails", "api_mails", MAILS),
            Self::Projects => ("projects", "api_projects", PROJECTS),
        }
    }
}

/// Every model that is listed: of the service, of projects, of environments and of accounts.
pub(crate) fn declared() -> Vec<DeclaredModel> {
    let administered = Administered::ALL.iter().map(|what| {
        let (name, table, fields) = what.parts();
        DeclaredModel {
            name,
            table,
            fields,
            scope: None,
        }
    });
    administered.chain(tools::models(None)).collect()
}

const fn field(name: &'static str, db_type: &'static str) -> DeclaredField {
    DeclaredField {
        name,
        db_type,
        nullable: false,
        editable: false,
        required: false,
        related: None,
    }
}

const fn text(name: &'static str) -> DeclaredField {
    field(name, "TEXT")
}

const fn time(name: &'static str) -> DeclaredField {
    field(name, "DATETIME")
}

const fn truth(name: &'static str) -> DeclaredField {
    field(name, "BOOLEAN")
}

const fn json(name: &'static str) -> DeclaredField {
    field(name, "JSON")
}

const fn uid() -> DeclaredField {
    field("uid", "UUID")
}

const fn or_null(field: DeclaredField) -> DeclaredField {
    DeclaredField {
        nullable: true,
        ..field
    }
}

const ACCOUNTS: &[DeclaredField] = &[
    uid(),
    text("email"),
    or_null(text("first_name")),
    or_null(text("last_name")),
    truth("is_operator"),
    truth("suspended"),
    truth("has_password"),
    time("date_add"),
];
const KEYS: &[DeclaredField] = &[
    uid(),
    text("email"),
    or_null(text("name")),
    text("prefix"),
    or_null(json("projects")),
    time("date_add"),
    or_null(time("last_use")),
    or_null(time("expires")),
    or_null(time("revoked")),
];
const ACCOUNT_KEYS: &[DeclaredField] = &[
    uid(),
    or_null(text("name")),
    text("prefix"),
    or_null(json("projects")),
    time("date_add"),
    or_null(time("last_use")),
    or_null(time("expires")),
    or_null(time("revoked")),
];
const PROJECT_KEYS: &[DeclaredField] = &[
    uid(),
    text("email"),
    or_null(text("name")),
    text("prefix"),
    time("date_add"),
    or_null(time("last_use")),
    or_null(time("expires")),
    or_null(time("revoked")),
];
const ENVIRONMENTS: &[DeclaredField] = &[
    text("unique_name"),
    text("name"),
    or_null(text("color")),
    json("params"),
    time("date_add"),
];
const MEMBERS: &[DeclaredField] = &[
    uid(),
    text("email"),
    or_null(text("first_name")),
    or_null(text("last_name")),
    json("team"),
    truth("has_password"),
    time("date_add"),
];
const TEAMS: &[DeclaredField] = &[
    uid(),
    text("name"),
    text("permissions_group"),
    truth("super_group"),
    time("date_add"),
];
const RIGHTS: &[DeclaredField] = &[
    uid(),
    json("team"),
    or_null(text("environment")),
    or_null(text("resource")),
    or_null(text("model")),
    json("rights"),
];
const ALLOWED_HOSTS: &[DeclaredField] = &[text("host"), time("date_add")];
const RESOURCES: &[DeclaredField] = &[
    text("unique_name"),
    text("name"),
    text("type"),
    text("type_item"),
    json("params"),
    or_null(text("url_hint")),
    time("date_add"),
];
const TOKENS: &[DeclaredField] = &[
    uid(),
    text("resource"),
    or_null(text("name")),
    text("prefix"),
    or_null(json("rights")),
    or_null(json("models")),
    time("date_add"),
    or_null(time("last_use")),
    or_null(time("expires")),
    or_null(time("revoked")),
];
const SERVICE_TOKENS: &[DeclaredField] = &[
    uid(),
    json("team"),
    or_null(text("name")),
    text("prefix"),
    time("date_add"),
    or_null(time("last_use")),
    or_null(time("expires")),
    or_null(time("revoked")),
];
const SECRETS: &[DeclaredField] = &[
    uid(),
    text("resource"),
    text("name"),
    json("hosts"),
    time("date_add"),
    time("date_update"),
];
const ITEMS: &[DeclaredField] = &[
    uid(),
    text("kind"),
    text("name"),
    or_null(text("model")),
    json("value"),
    truth("shared"),
    field("owner", "UUID"),
    time("date_add"),
    time("date_update"),
];
const USERS: &[DeclaredField] = &[
    uid(),
    text("email"),
    field("group", "UUID"),
    or_null(text("first_name")),
    or_null(text("last_name")),
    truth("suspended"),
    truth("has_password"),
    truth("email_confirmed"),
    time("date_add"),
];
const AUDIT: &[DeclaredField] = &[
    uid(),
    time("time"),
    or_null(text("project")),
    or_null(text("environment")),
    text("actor_kind"),
    or_null(text("actor_uid")),
    or_null(text("actor")),
    text("action"),
    or_null(text("resource")),
    or_null(text("model")),
    or_null(text("record")),
    or_null(field("records", "INTEGER")),
    or_null(json("keys")),
    or_null(text("request_id")),
    or_null(text("before")),
    or_null(text("after")),
    or_null(field("status", "INTEGER")),
    or_null(text("outcome")),
];

const SESSIONS: &[DeclaredField] = &[
    uid(),
    time("date_add"),
    time("last_use"),
    time("expires"),
    or_null(text("user_agent")),
    or_null(text("address")),
];
const MAILS: &[DeclaredField] = &[
    uid(),
    text("recipient"),
    text("kind"),
    or_null(text("project")),
    or_null(text("environment")),
    text("subject"),
    time("date_add"),
    time("expires"),
    field("attempts", "INTEGER"),
    or_null(text("last_error")),
];
const PROJECTS: &[DeclaredField] = &[
    text("unique_name"),
    text("name"),
    or_null(text("color")),
    or_null(text("domain")),
    text("default_environment"),
    json("params"),
    time("date_add"),
];

impl Store {
    /// Entries of the administration, to be listed. They are written through the handles of their kinds.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or environment.
    pub async fn administered(&self, what: Administered, of: &ListedOf) -> Result<Resource> {
        let scope = self.scope_of(what, of).await?;
        let (name, table, fields) = what.parts();
        let model = DeclaredModel {
            name,
            table,
            fields,
            scope,
        };
        Ok(self.database().resource(name, vec![model]).await?)
    }

    /// The column that says whose an entry is, and what is in it.
    async fn scope_of(
        &self,
        what: Administered,
        of: &ListedOf,
    ) -> Result<Option<(&'static str, String)>> {
        Ok(match of.clone() {
            ListedOf::Service => None,
            ListedOf::Account(uid) => Some(("account_uid", uid.to_string())),
            ListedOf::User(uid) => Some(("user_uid", uid.to_string())),
            // Lines name their project, so that those about what is gone stay readable.
            ListedOf::Project(project) if what == Administered::Audit => {
                Some(("project", project.to_string()))
            }
            ListedOf::Project(project) => {
                let found = self.read_in(project, |_, project: ProjectRow| Ok(project.uid));
                Some(("project_uid", found.await?))
            }
            ListedOf::Environment(scope) => {
                let found = self.read_in(scope, |_, scope: ScopeRow| Ok(scope.environment_uid));
                Some(("environment_uid", found.await?))
            }
        })
    }
}
