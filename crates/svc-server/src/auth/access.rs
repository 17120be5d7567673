//! What a caller may reach on the data host (wire contract, section 3): the resource of a static token, or what the
//! team of a session or a service token may do.
//!
//! It is decided before existence is looked at, so that a missing project and a foreign one answer alike. A handler says
//! by the type of its [`Call`] what it is about to do; the [`Access`] that it gets offers this and nothing else.

pub(crate) mod acting;
mod records;
mod right;

use std::{marker::PhantomData, sync::Arc};

use axum::{
    RequestPartsExt as _,
    body::Body,
    extract::{FromRequest, Path, Request},
};
use bytes::Bytes;
use http::{HeaderValue, request::Parts};
use serde::Deserialize;
use serde_json::Value;
use svc_auth::AuthScheme;
use svc_data::{IfMatch, Resource, SqlOutput, Structure};
use svc_model::{
    EnvironmentName, Invalid, JsonObject, ProjectName, ResourceName, Scope, functions,
    resources::{Can, ModelDescription, ResourceParams},
    sql::SqlQuery,
    statements::{MAX_STATEMENT_ID, is_statement_id},
    wire::Operation as _,
};
use svc_store::{
    Actor, ActorKind, AuditEntry, Import, ResourceGrant, StarterRights, Store, Team, TeamRights,
};

pub(crate) use self::{
    records::{Change, Records, Selection},
    right::{Administer, Delete, Describe, Read, Right, Write},
};
use crate::{
    auth::{
        account::Account,
        credentials::{DATA_CHALLENGE, identify, presented},
        identity::{Identity, Used},
        jwt::{Jwt, Resident, jwt},
        limits::{KeptLimits, Limits},
    },
    http::{
        ApiError, ApiResult,
        body::{read_object, read_object_or_nothing},
        limits::new_id,
        request::{check_draft, if_match, not_utf8},
        resource_path::ResourcePath,
    },
    state::{
        Shared,
        statements::{Query, Running, STATEMENT_ID, Seen},
    },
};

/// A request to a resource, by a caller who may do there what `R` says.
pub(crate) struct Call<R> {
    pub(crate) access: Access<R>,
    pub(crate) request: ResourceRequest,
    pub(crate) body: Body,
}

/// What else there is of a request to a resource. It has no `Debug`, which would show the credential.
pub(crate) struct ResourceRequest {
    pub(crate) state: Shared,
    pub(crate) parts: Parts,
}

/// What the paths of the data host name; a model and a key where there are some.
#[derive(Deserialize)]
struct Names {
    project: ProjectName,
    environment: EnvironmentName,
    resource: ResourceName,
    #[serde(default)]
    model: String,
    #[serde(default)]
    id: String,
    #[serde(default, alias = "statement", alias = "import", alias = "function")]
    field: Box<str>,
}

impl<R: Right> FromRequest<Shared> for Call<R> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        let (mut parts, body) = request.into_parts();
        let names = parts.extract::<Path<Names>>().await;
        let Path(names) = names.map_err(|_| not_utf8())?;
        let path = ResourcePath {
            scope: Scope::new(names.project, names.environment),
            resource: names.resource,
        };
        let rights = rights(state, &parts, &path).await?;
        let rights = acting::rights(state, &parts, &path, rights).await?;
        rights.check::<R>(&path, &names.model)?;
        let (resource, params) = match path.is_tools() {
            true => {
                // Seldom, so that it takes no part of the memory of every request.
                let tools = Box::pin(state.tools.get(&state.store, &path)).await?;
                (tools, Arc::default())
            }
            false => state.connections.get(&path).await?,
        };
        Ok(Self {
            access: Access {
                path,
                model: names.model,
                id: names.id,
                field: names.field,
                resource,
                params,
                rights,
                right: PhantomData,
            },
            request: ResourceRequest {
                state: Shared::clone(state),
                parts,
            },
            body,
        })
    }
}

impl ResourceRequest {
    /// The query string.
    pub(crate) fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// Checks a query string that may say nothing but `draft`.
    pub(crate) fn check_query(&self) -> ApiResult<()> {
        check_draft(&self.parts)
    }

    /// The entity tags that the request is for, where it names some.
    pub(crate) fn if_match(&self) -> ApiResult<Option<IfMatch>> {
        let tags = if_match(&self.parts.headers)?;
        Ok(tags.map(|tags| IfMatch::parse(&tags)).transpose()?)
    }

    /// The store, which writes in the name of the caller.
    pub(crate) fn store_for(&self, actor: Actor) -> Store {
        self.state.store_for(actor, &self.parts)
    }

    /// Reads the body, which must be a JSON object, or empty.
    pub(crate) async fn read_object_or_nothing(&self, body: Body) -> ApiResult<JsonObject> {
        read_object_or_nothing(&self.parts.headers, body, &self.state.config).await
    }

    /// Reads the body, which must be a JSON object.
    pub(crate) async fn read_object(&self, body: Body) -> ApiResult<JsonObject> {
        read_object(&self.parts.headers, body, &self.state.config).await
    }
}

/// What a caller may do with a resource: what `R` says, as far as the limits of the caller go.
#[derive(Debug)]
pub(crate) struct Access<R> {
    path: ResourcePath,
    /// The model that the path names; empty where it names none.
    model: String,
    /// The primary key that the path names; empty where it names none.
    id: String,
    /// The field, the id of a statement or an import, or the function that the path names; empty where it names none.
    field: Box<str>,
    resource: Resource,
    /// The settings of the resource.
    params: Arc<ResourceParams>,
    rights: Rights,
    right: PhantomData<R>,
}

impl<R> Access<R> {
    /// The resource.
    pub(crate) fn path(&self) -> &ResourcePath {
        &self.path
    }

    /// The name of the model in the path.
    pub(crate) fn model_name(&self) -> &str {
        &self.model
    }

    /// The primary key in the path.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The caller.
    pub(crate) fn actor(&self) -> Actor {
        match &self.rights {
            Rights::Token(token) => {
                let token = &token.identity.credential;
                Actor::new(ActorKind::StaticToken, token.uid, &token.prefix)
            }
            Rights::Resident(resident) => resident.actor(),
            Rights::Account(account) => account.account.actor(),
            Rights::ActingAs(acting) => acting.user.clone(),
            Rights::Starter(actor, _) => actor.clone(),
        }
    }

    /// Begins a statement of the caller, with the id that the request has for it, if any.
    pub(crate) fn begin(&self, request: &ResourceRequest, query: Query) -> ApiResult<Running> {
        let chosen = request.parts.headers.get(STATEMENT_ID);
        let is_fit = |id: &HeaderValue| id.to_str().is_ok_and(is_statement_id);
        if !chosen.is_none_or(is_fit) {
            let message =
                format!("must be 1 to {MAX_STATEMENT_ID} letters, digits, hyphens and underscores");
            return Err(Invalid::field("X-Statement-Id", message).into());
        }
        let statements = &request.state.statements;
        statements.begin(&self.path, self.actor(), query, chosen.cloned(), new_id)
    }

    /// Begins a statement for what the request itself says, such as a list.
    pub(crate) fn begin_request(&self, request: &ResourceRequest) -> ApiResult<Running> {
        let Parts { method, uri, .. } = &request.parts;
        self.begin(request, Query::Request(method.clone(), uri.clone()))
    }

    /// Whether records of a model may be read.
    fn may_read(&self, model: &str) -> bool {
        self.rights
            .limits()
            .is_none_or(|limits| limits.on(self.resource.name(), model).read)
    }
}

impl<R: Right> Access<R> {
    /// What who began an import may do with its records now.
    pub(crate) async fn of_starter(state: &Shared, import: &Import) -> ApiResult<Self> {
        let path = ResourcePath {
            scope: import.scope.clone(),
            resource: import.resource.clone(),
        };
        let imports = state.store.imports();
        let actor = import.actor.clone();
        let rights = imports.rights_of(&actor, &path.scope, &path.resource);
        let rights = rights.await?.ok_or(ApiError::PermissionDenied(
            "the token or the user that began the import is not valid any more",
        ))?;
        let rights = Rights::Starter(actor, rights);
        rights.check::<R>(&path, &import.model)?;
        let (resource, params) = state.connections.get(&path).await?;
        Ok(Self {
            resource,
            params,
            path,
            model: import.model.clone(),
            id: String::new(),
            field: Box::default(),
            rights,
            right: PhantomData,
        })
    }
}

impl Access<Administer> {
    /// Answers a query in SQL, which sees everything.
    pub(crate) async fn sql(&self, query: &SqlQuery) -> Result<SqlOutput, svc_data::Error> {
        self.resource.sql(query).await
    }

    /// Calls the function that the path names.
    pub(crate) async fn call(&self, arguments: &JsonObject) -> ApiResult<Bytes> {
        let listed = &self.params.functions;
        let called = self.resource.call(&self.field, listed, arguments).await;
        Ok(called?)
    }

    /// A line of the audit trail about a call of the function that the path names.
    pub(crate) fn function_entry(&self) -> AuditEntry {
        AuditEntry::new(functions::Call::INFO.name)
            .scope(&self.path.scope)
            .resource(self.path.resource.as_str())
            .record(&*self.field)
    }

    /// Reads the structure again.
    pub(crate) async fn reload(&self) -> ApiResult<()> {
        Ok(self.resource.reload().await?)
    }
}

impl Access<Describe> {
    /// The id of a statement in the path.
    pub(crate) fn statement(&self) -> &str {
        &self.field
    }

    /// The identifier of an import in the path.
    pub(crate) fn import(&self) -> &str {
        &self.field
    }

    /// Whether something that this actor began is the caller's to see: an administrator sees that of all.
    pub(crate) fn is_of(&self, actor: &Actor) -> bool {
        let caller = self.actor();
        self.rights.limits().is_some_and(Limits::is_administrator)
            || (caller.kind == actor.kind && caller.uid == actor.uid)
    }

    /// Whose statements the caller sees and may end. Whoever holds a static token sees those of the token.
    pub(crate) fn seen_statements(&self) -> Seen {
        match self.rights.limits() {
            Some(limits) if limits.is_administrator() => Seen::All,
            _ => Seen::own(&self.actor()),
        }
    }

    /// The settings of the resource.
    pub(crate) fn params(&self) -> Arc<ResourceParams> {
        Arc::clone(&self.params)
    }

    /// The structure of the resource as it is now.
    pub(crate) async fn structure(&self) -> ApiResult<Arc<Structure>> {
        self.resource.reload_if_changed().await?;
        Ok(self.resource.structure())
    }

    /// The limits of the caller; `None` where everything is allowed.
    pub(crate) fn limits(&self) -> Option<KeptLimits> {
        self.rights.limits().map(Limits::keep)
    }

    /// The models of a structure that may be read, and what they say of each other.
    pub(crate) fn descriptions_of(&self, structure: &Structure) -> Vec<ModelDescription> {
        let mut models = structure.descriptions();
        models.retain(|model| self.may_read(&model.model));
        for model in &mut models {
            // A field that a migration has removed leaves the guess.
            if let Some(fields) = self.params.labels.get(&model.model) {
                model.label_by(fields);
            }
            model
                .relations
                .retain(|relation| self.may_read(&relation.related_model));
            if self.path.is_tools() {
                model.permit(tools_can(&model.model));
            }
            if let Some(limits) = self.rights.limits() {
                let rights = limits.on(self.resource.name(), &model.model);
                let can = model.can;
                model.permit(Can::new(
                    can.create && rights.write,
                    can.update && rights.write,
                    can.delete && rights.delete,
                ));
            }
            for field in &mut model.fields {
                let related = field.params.get("related_model");
                if related
                    .and_then(Value::as_str)
                    .is_some_and(|model| !self.may_read(model))
                {
                    field.params.remove("related_model");
                    field.params.remove("related_field");
                }
            }
        }
        models
    }
}

/// What may be done to the users and teams of the built-in tools (wire contract, section 6).
fn tools_can(model: &str) -> Can {
    match model {
        "users" => Can::new(true, true, true),
        _ => Can::new(false, true, false),
    }
}

/// Whose rights count.
#[derive(Debug)]
enum Rights {
    /// Those of a static token, which opens its resource, or a part of it.
    Token(Arc<Used<ResourceGrant>>),
    /// Those of the team of a user or a service.
    Resident(Resident),
    /// Those of the team that an account has in the project.
    Account(Box<AccountHere>),
    /// Those of the user that an administrator sees as.
    ActingAs(Box<acting::ActingAs>),
    /// Those that who began an import has now.
    Starter(Actor, StarterRights),
}

impl Rights {
    /// What limits the caller, unless everything is allowed.
    fn limits(&self) -> Option<Limits<'_>> {
        match self {
            Self::Token(token) => {
                let grant = &token.identity.credential.grant;
                grant.limits.as_ref().map(Limits::Token)
            }
            Self::Resident(resident) => {
                let (team, rights) = resident.team();
                Some(Limits::Team(team, rights))
            }
            Self::Account(account) => Some(Limits::Team(&account.team, &account.rights)),
            Self::ActingAs(acting) => Some(Limits::Team(&acting.team, &acting.rights)),
            Self::Starter(_, StarterRights::OfTeam(team, rights)) => {
                Some(Limits::Team(team, rights))
            }
            Self::Starter(_, StarterRights::OfToken(limits)) => Some(Limits::Token(limits)),
            Self::Starter(..) => None,
        }
    }

    /// Refuses what is beyond the limits of the caller.
    fn check<R: Right>(&self, path: &ResourcePath, model: &str) -> ApiResult<()> {
        let refusal = match (self, self.limits()) {
            (_, None) => None,
            // Who may write users may make administrators.
            (Self::Account(account), Some(_)) if path.is_tools() => {
                match account.team.super_group {
                    true => None,
                    false => R::refusal_of_tools(),
                }
            }
            (_, Some(Limits::Team(..))) if path.is_tools() => {
                Some("users and teams are opened by the static token of the built-in tools")
            }
            (_, Some(limits)) => R::refusal(limits, || limits.on(path.resource.as_str(), model)),
        };
        refusal.map_or(Ok(()), |detail| Err(ApiError::PermissionDenied(detail)))
    }
}

/// An account, and its team in the project of the path.
#[derive(Debug)]
struct AccountHere {
    account: Account,
    team: Team,
    rights: TeamRights,
}

/// The rights that an account has in the environment of the path.
fn of_account(account: Account, path: &ResourcePath) -> ApiResult<Rights> {
    let found = account.rights().in_project(&path.scope.project);
    let Some((team, rights)) = found else {
        return Err(ApiError::PermissionDenied(
            "the account is not a member of this project",
        ));
    };
    let (team, rights) = (team.clone(), rights.in_environment(&path.scope.environment));
    Ok(Rights::Account(Box::new(AccountHere {
        account,
        team,
        rights,
    })))
}

/// Whose rights count for a request to a resource, once its credential is known to cover the resource.
async fn rights(state: &Shared, parts: &Parts, path: &ResourcePath) -> ApiResult<Rights> {
    let denied = |detail| Err(ApiError::PermissionDenied(detail));
    let refused = |detail| Err(ApiError::not_authenticated(detail, DATA_CHALLENGE));
    match presented(&parts.headers, DATA_CHALLENGE)? {
        Some((AuthScheme::Raw | AuthScheme::Bearer, text)) => match identify(state, text).await? {
            Some(Identity::StaticToken(token)) => {
                match token.identity.covers(&path.scope, &path.resource) {
                    true => Ok(Rights::Token(token)),
                    false => denied("the static token does not cover this resource"),
                }
            }
            Some(Identity::ApiKey(key)) => of_account(Account::Key(key), path),
            Some(Identity::Program(program)) => of_account(Account::Program(program), path),
            Some(_) => refused("a service token is sent as Authorization: JWT <token>"),
            // An access token has dots in it; the store's own tokens have none.
            None if text.contains('.') => {
                refused("an access token is sent as Authorization: JWT <access token>")
            }
            None => refused("the static token is unknown, expired or revoked"),
        },
        Some((AuthScheme::Jwt, token)) => match jwt(state, token).await? {
            Some(Jwt::Account(session)) => of_account(Account::Session(session), path),
            Some(Jwt::Session(session)) if session.scope == path.scope => {
                Ok(Rights::Resident(Resident::User(session)))
            }
            Some(Jwt::Service(token)) => {
                let resident = Resident::Service(token);
                match *resident.scope() == path.scope {
                    true => Ok(Rights::Resident(resident)),
                    false => denied("the service token does not cover this environment"),
                }
            }
            // A session of another project is rejected.
            _ => refused("the session is unknown, expired or ended; sign in again"),
        },
        _ => refused(
            "the resource's static token or a session is required: Authorization: <token>, or JWT <access token>",
        ),
    }
}
