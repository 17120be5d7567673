//! The built-in tools resource, `__svc_app__`: its models are read like records, and written by the rules of users
//! and teams (wire contract, section 6).

use std::{
    collections::HashMap,
    mem,
    sync::{PoisonError, RwLock},
};

use axum::extract::Request;
use http::{Method, StatusCode, request::Parts};
use svc_data::{RecordJson, Resource};
use svc_model::{JsonObject, RecordView, teams::MODEL as GROUPS, users::MODEL as USERS};
use svc_store::Store;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::{
    access::{Action, Place, authorized},
    answer::{Answer, empty_answer, tagged_answer},
    body::read_object,
    failure::Failure,
    records::read_if_match,
    state::Shared,
    teams, users,
};

/// What users and groups can be asked, at the list and at one of them.
const ALLOW_USERS: &str = "GET, HEAD, POST";
const ALLOW_USER: &str = "GET, HEAD, PATCH, DELETE";
const ALLOW_GROUPS: &str = "GET, HEAD";
const ALLOW_GROUP: &str = "GET, HEAD, PATCH";

/// The tools of every environment that was asked for, until the store changes.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    known: RwLock<HashMap<Place, Resource>>,
    /// Held from looking at the tag of a user or team until it is written.
    writing: Mutex<()>,
}

impl Tools {
    /// Users and teams of an environment.
    pub(crate) async fn get(&self, store: &Store, place: &Place) -> Result<Resource, Failure> {
        if let Some(tools) = self.known(place) {
            return Ok(tools);
        }
        let tools = store.tools(&place.project, &place.environment).await?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(place.clone(), tools.clone());
        Ok(tools)
    }

    fn known(&self, place: &Place) -> Option<Resource> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(place).cloned()
    }

    /// The store changed: environments may have come and gone.
    pub(crate) fn forget(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }
}

/// Makes a user.
pub(crate) async fn create(
    state: &Shared,
    place: &Place,
    model: &str,
    request: Request,
) -> Result<Answer, Failure> {
    let (action, allow) = (Action::Write(model), allowed(model, false));
    let mut asked = Asked::read(state, place, action, allow, request).await?;
    let body = mem::take(&mut asked.body);
    let uid = users::create(state, &asked.store, place, body).await?;
    asked.answer(state, StatusCode::CREATED, USERS, uid).await
}

/// Changes a user or a team. There is no replacing: most of what they have is not the caller's.
pub(crate) async fn change(
    state: &Shared,
    place: &Place,
    (model, id): (&str, &str),
    request: Request,
) -> Result<Answer, Failure> {
    let (action, allow) = (Action::Write(model), allowed(model, true));
    let mut asked = Asked::read(state, place, action, allow, request).await?;
    let uid = read_uid(id)?;
    let _writing = state.tools.writing.lock().await;
    asked.check_tag(model, uid).await?;
    let body = mem::take(&mut asked.body);
    match model {
        USERS => users::update(&asked.store, place, uid, body).await?,
        _ => teams::update(&asked.store, place, uid, body).await?,
    }
    asked.answer(state, StatusCode::OK, model, uid).await
}

/// Deletes a user.
pub(crate) async fn delete(
    state: &Shared,
    place: &Place,
    (model, id): (&str, &str),
    request: Request,
) -> Result<Answer, Failure> {
    let (action, allow) = (Action::Delete(model), allowed(model, true));
    let asked = Asked::read(state, place, action, allow, request).await?;
    let uid = read_uid(id)?;
    let _writing = state.tools.writing.lock().await;
    asked.check_tag(model, uid).await?;
    users::delete(&asked.store, place, uid).await?;
    state.sync_with_store().await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

/// The methods of a model, at its list or at one of its records.
fn allowed(model: &str, of_one: bool) -> Result<&'static str, Failure> {
    match (model, of_one) {
        (USERS, false) => Ok(ALLOW_USERS),
        (USERS, true) => Ok(ALLOW_USER),
        (GROUPS, false) => Ok(ALLOW_GROUPS),
        (GROUPS, true) => Ok(ALLOW_GROUP),
        _ => Err(Failure::NotFound(format!(
            "no model {model:?} in this resource"
        ))),
    }
}

/// A write that the caller may make.
struct Asked {
    parts: Parts,
    /// The store, to write to by whoever asks.
    store: Store,
    tools: Resource,
    view: RecordView,
    body: JsonObject,
}

impl Asked {
    async fn read(
        state: &Shared,
        place: &Place,
        action: Action<'_>,
        allow: Result<&'static str, Failure>,
        request: Request,
    ) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let access = authorized(state, &parts, place, action).await?;
        // Before the body: nothing in it could help.
        let allow = allow?;
        if !allow.split(", ").any(|method| parts.method == *method) {
            return Err(Failure::not_allowed(allow));
        }
        let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
        let body = match parts.method {
            Method::DELETE => JsonObject::new(),
            _ => read_object(&parts.headers, body, &state.config).await?,
        };
        Ok(Self {
            store: state.store_for(access.actor(), &parts),
            parts,
            tools: access.into_resource(),
            view,
            body,
        })
    }

    /// Holds a write to the entity tags that it is for, where it names some.
    async fn check_tag(&self, model: &str, uid: Uuid) -> Result<(), Failure> {
        let Some(tags) = read_if_match(&self.parts)? else {
            return Ok(());
        };
        let RecordJson { etag, .. } = self.record(model, uid).await?;
        match tags.holds(&etag) {
            true => Ok(()),
            false => Err(Failure::PreconditionFailed),
        }
    }

    async fn record(&self, model: &str, uid: Uuid) -> Result<RecordJson, Failure> {
        let model = self.tools.find_model(model).await?;
        Ok(self
            .tools
            .retrieve(&model, &uid.to_string(), &self.view)
            .await?)
    }

    /// The record as it is now. Whoever the write concerns feels it from now on.
    async fn answer(
        &self,
        state: &Shared,
        status: StatusCode,
        model: &str,
        uid: Uuid,
    ) -> Result<Answer, Failure> {
        state.sync_with_store().await?;
        let RecordJson { body, etag, .. } = self.record(model, uid).await?;
        Ok(tagged_answer(status, [body], &etag, None))
    }
}

fn read_uid(id: &str) -> Result<Uuid, Failure> {
    id.parse()
        .map_err(|_| Failure::NotFound("there is no such record".to_owned()))
}
