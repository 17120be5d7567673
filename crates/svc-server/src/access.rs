//! What a caller may reach on the data host (wire contract, section 3): the resource of a static token, or what the
//! team of a session or a service token may do.
//!
//! It is decided before existence is looked at, so that a missing project and a foreign one answer alike.

use std::{ops::Deref, sync::Arc};

use http::request::Parts;
use serde_json::Value;
use svc_auth::AuthScheme;
use svc_data::{ErrorKind, Model, Resource, Structure};
use svc_model::{
    EnvironmentName, ListQuery, ProjectName, RecordView, ResourceName, resources::ModelDescription,
};
use svc_store::{
    Actor, ActorKind, ServiceTokenIdentity, SessionIdentity, Team, TeamRights, TokenIdentity,
};

use crate::{
    audit,
    credentials::{DATA_CHALLENGE, Identity, Used, identify, identify_session, presented},
    failure::Failure,
    state::Shared,
    suggestion::nearest,
};

/// A resource in an environment of a project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
    pub(crate) resource: ResourceName,
}

impl Place {
    pub(crate) fn new(project: String, environment: String, resource: String) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            resource: resource.into(),
        }
    }

    /// Whether these are the built-in tools: users and teams.
    pub(crate) fn is_tools(&self) -> bool {
        self.resource.as_str() == ResourceName::TOOLS
    }
}

/// What a request is about to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Read records of a model.
    Read(&'a str),
    /// Create or change records of a model.
    Write(&'a str),
    /// Delete records of a model.
    Delete(&'a str),
    /// Learn which models there are, among those that may be read.
    Describe,
    /// Something about the resource as a whole: SQL, reload.
    Whole,
}

/// A resource, and what the caller may do there.
#[derive(Debug)]
pub(crate) struct Access {
    resource: Resource,
    rights: Rights,
}

impl Deref for Access {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        &self.resource
    }
}

impl Access {
    /// Whether records of a model may be read.
    pub(crate) fn may_read(&self, model: &str) -> bool {
        self.rights
            .team()
            .is_none_or(|(_, rights)| rights.on(self.resource.name(), model).read)
    }

    /// What of a record that was written is answered. Who may not read the records of the model gets the key alone,
    /// or a change of nothing would read them.
    pub(crate) fn view_of_written(&self, model: &str, mut view: RecordView) -> RecordView {
        if !self.may_read(model) {
            view.fields = Some(Vec::new());
        }
        view
    }

    /// An error without the constraint of a model that may not be read.
    pub(crate) fn without_hidden_constraint(&self, error: svc_data::Error) -> svc_data::Error {
        let model = error.constraint().and_then(|found| found.model.as_deref());
        match model.is_none_or(|model| self.may_read(model)) {
            true => error,
            false => error.without_constraint(),
        }
    }

    /// Refuses a query that asks for records by what is written in a model that may not be read.
    pub(crate) fn check_query(&self, query: &ListQuery) -> Result<(), Failure> {
        let steps = query.relation.iter().flat_map(|relation| &relation.steps);
        for step in steps {
            if !self.may_read(&step.model) {
                return Err(Failure::PermissionDenied(
                    "the user's team may not read the related records",
                ));
            }
        }
        Ok(())
    }

    /// The rights of the caller's team; `None` where everything is allowed.
    pub(crate) fn team_rights(&self) -> Option<&TeamRights> {
        self.rights.team().map(|(_, rights)| rights)
    }

    /// The models of a structure that may be read, and what they say of each other.
    pub(crate) fn descriptions_of(&self, structure: &Structure) -> Vec<ModelDescription> {
        let mut models = structure.descriptions();
        models.retain(|model| self.may_read(&model.model));
        for model in &mut models {
            model
                .relations
                .retain(|relation| self.may_read(&relation.related_model));
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

    /// Who asks.
    pub(crate) fn actor(&self) -> Actor {
        match &self.rights {
            Rights::Token(token) => Actor::new(
                ActorKind::StaticToken,
                token.identity.token_uid,
                &token.identity.prefix,
            ),
            Rights::Session(session) => audit::user(session),
            Rights::Service(token) => Actor::new(
                ActorKind::ServiceToken,
                token.identity.token_uid,
                &token.identity.prefix,
            ),
        }
    }

    /// A model by its name. Where no model has it, the nearest name among the models that may be read is named.
    pub(crate) async fn find_model(&self, name: &str) -> Result<Arc<Model>, Failure> {
        let error = match self.resource.find_model(name).await {
            Ok(model) => return Ok(model),
            Err(error) if error.kind() == ErrorKind::NotFound => error,
            Err(error) => return Err(error.into()),
        };
        let structure = self.resource.structure();
        let known = structure.models().map(|model| model.name.as_str());
        let readable = known.filter(|model| self.may_read(model));
        let message = error.public_message();
        Err(Failure::NotFound(match nearest(name, readable) {
            Some(meant) => format!("{message}; did you mean {meant:?}?"),
            None => message.to_owned(),
        }))
    }

    /// The resource itself.
    pub(crate) fn into_resource(self) -> Resource {
        self.resource
    }
}

/// Whose rights count.
#[derive(Debug)]
enum Rights {
    /// Those of a static token, which opens its whole resource.
    Token(Arc<Used<TokenIdentity>>),
    Session(Arc<SessionIdentity>),
    Service(Arc<Used<ServiceTokenIdentity>>),
}

impl Rights {
    /// The team whose rights count, unless everything is allowed.
    fn team(&self) -> Option<(&Team, &TeamRights)> {
        match self {
            Self::Token(_) => None,
            Self::Session(session) => Some((&session.team, &session.rights)),
            Self::Service(token) => Some((&token.identity.team, &token.identity.rights)),
        }
    }

    fn check(&self, place: &Place, action: Action<'_>) -> Result<(), Failure> {
        let Some((team, rights)) = self.team() else {
            return Ok(());
        };
        let denied = |detail| Err(Failure::PermissionDenied(detail));
        if place.is_tools() {
            return denied("users and teams are opened by the static token of the built-in tools");
        }
        let on = |model| rights.on(place.resource.as_str(), model);
        match action {
            Action::Read(model) if !on(model).read => {
                denied("the user's team may not read these records")
            }
            Action::Write(model) if !on(model).write => {
                denied("the user's team may not write these records")
            }
            Action::Delete(model) if !on(model).delete => {
                denied("the user's team may not delete these records")
            }
            // SQL sees everything, and a reload concerns everybody.
            Action::Whole if !team.super_group => {
                denied("this takes an administrator, or the resource's static token")
            }
            _ => Ok(()),
        }
    }
}

/// The resource that the path names, once the caller is known to be allowed what the request is about to do.
pub(crate) async fn authorized(
    state: &Shared,
    parts: &Parts,
    place: &Place,
    action: Action<'_>,
) -> Result<Access, Failure> {
    let rights = rights(state, parts, place, action).await?;
    let resource = match place.is_tools() {
        true => state.tools.get(&state.store, place).await?,
        false => state.connections.get(place).await?,
    };
    Ok(Access { resource, rights })
}

/// Lets through who may do this.
pub(crate) async fn check(
    state: &Shared,
    parts: &Parts,
    place: &Place,
    action: Action<'_>,
) -> Result<(), Failure> {
    rights(state, parts, place, action).await.map(drop)
}

async fn rights(
    state: &Shared,
    parts: &Parts,
    place: &Place,
    action: Action<'_>,
) -> Result<Rights, Failure> {
    let refused = |detail| Failure::NotAuthenticated {
        detail,
        challenge: DATA_CHALLENGE,
    };
    let rights = match presented(&parts.headers, DATA_CHALLENGE)? {
        Some((AuthScheme::Raw | AuthScheme::Bearer, token)) => {
            match identify(state, token).await? {
                Some(Identity::StaticToken(token)) => {
                    let Place {
                        project,
                        environment,
                        resource,
                    } = place;
                    if !token.identity.covers(project, environment, resource) {
                        return Err(Failure::PermissionDenied(
                            "the static token does not cover this resource",
                        ));
                    }
                    Rights::Token(token)
                }
                Some(Identity::ApiKey(_)) => {
                    return Err(Failure::PermissionDenied(
                        "an API key opens the application host; the data host takes the resource's static token",
                    ));
                }
                Some(_) => {
                    return Err(refused(
                        "a service token is sent as Authorization: JWT <token>",
                    ));
                }
                // An access token has dots in it; the store's own tokens have none.
                None if token.contains('.') => {
                    return Err(refused(
                        "an access token is sent as Authorization: JWT <access token>",
                    ));
                }
                None => return Err(refused("the static token is unknown, expired or revoked")),
            }
        }
        Some((AuthScheme::Jwt, token)) => match jwt(state, token).await? {
            Some(Jwt::Session(session))
                if session.project == place.project && session.environment == place.environment =>
            {
                Rights::Session(session)
            }
            Some(Jwt::Service(token))
                if token.identity.covers(&place.project, &place.environment) =>
            {
                Rights::Service(token)
            }
            Some(Jwt::Service(_)) => {
                return Err(Failure::PermissionDenied(
                    "the service token does not cover this environment",
                ));
            }
            // A session of another project is none here.
            _ => {
                return Err(refused(
                    "the session is unknown, expired or ended; sign in again",
                ));
            }
        },
        _ => {
            return Err(refused(
                "the resource's static token or a session is required: Authorization: <token>, or JWT <access token>",
            ));
        }
    };
    rights.check(place, action)?;
    Ok(rights)
}

/// What stands behind `JWT`.
pub(crate) enum Jwt {
    /// The access token of a user's session.
    Session(Arc<SessionIdentity>),
    /// The token of a service.
    Service(Arc<Used<ServiceTokenIdentity>>),
}

/// Who presents a token behind `JWT`, if it is valid now.
pub(crate) async fn jwt(state: &Shared, token: &str) -> Result<Option<Jwt>, Failure> {
    // An access token has dots in it; the store's own tokens have none.
    if token.contains('.') {
        return Ok(identify_session(state, token).await?.map(Jwt::Session));
    }
    Ok(match identify(state, token).await? {
        Some(Identity::ServiceToken(token)) => Some(Jwt::Service(token)),
        _ => None,
    })
}
