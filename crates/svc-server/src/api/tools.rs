//! The built-in tools resource, `__svc_app__`: its models are read like records, and written by the rules of users
//! and teams (wire contract, section 6).

use std::mem;

use http::{Method, StatusCode};
use svc_data::RecordJson;
use svc_model::{JsonObject, RecordView, teams::MODEL as GROUPS, users::MODEL as USERS};
use svc_store::Store;
use uuid::Uuid;

use crate::{
    api::{teams, users},
    auth::access::{Access, Call, Delete, ResourceRequest, Write},
    http::{
        ApiError, ApiResult,
        response::{empty_response, tagged_response},
    },
};

/// What users and groups can be asked, at the list and at one of them.
const ALLOW_USERS: &str = "GET, HEAD, POST";
const ALLOW_USER: &str = "GET, HEAD, PATCH, DELETE";
const ALLOW_GROUPS: &str = "GET, HEAD";
const ALLOW_GROUP: &str = "GET, HEAD, PATCH";

/// Makes a user.
pub(crate) async fn create(call: Call<Write>) -> ApiResult {
    let allow = allowed(call.access.model_name(), false);
    let mut write = ToolsWrite::read(call, allow).await?;
    let body = mem::take(&mut write.body);
    let path = write.access.path();
    let uid = users::create(&write.request.state, &write.store, path, body).await?;
    write.answer(StatusCode::CREATED, uid).await
}

/// Changes a user or a team. They cannot be replaced: most of their fields are not the caller's.
pub(crate) async fn change(call: Call<Write>) -> ApiResult {
    let allow = allowed(call.access.model_name(), true);
    let mut write = ToolsWrite::read(call, allow).await?;
    let body = mem::take(&mut write.body);
    let uid = write.uid()?;
    let path = write.access.path();
    let store = write.store_if_match(uid).await?;
    match write.access.model_name() {
        USERS => users::update(&store, path, uid, body).await?,
        _ => teams::update(&store, path, uid, body).await?,
    }
    write.answer(StatusCode::OK, uid).await
}

/// Deletes a user.
pub(crate) async fn delete(call: Call<Delete>) -> ApiResult {
    let allow = allowed(call.access.model_name(), true);
    let write = ToolsWrite::read(call, allow).await?;
    let uid = write.uid()?;
    let state = &write.request.state;
    let store = write.store_if_match(uid).await?;
    users::delete(&store, write.access.path(), uid).await?;
    state.sync_with_store().await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

/// The refusal of a method at the list of a model.
pub(crate) fn not_allowed_on_list(model: &str) -> ApiError {
    match allowed(model, false) {
        Ok(allow) => ApiError::not_allowed(allow),
        Err(missing) => missing,
    }
}

/// The methods of a model, at its list or at one of its records.
fn allowed(model: &str, of_one: bool) -> ApiResult<&'static str> {
    match (model, of_one) {
        (USERS, false) => Ok(ALLOW_USERS),
        (USERS, true) => Ok(ALLOW_USER),
        (GROUPS, false) => Ok(ALLOW_GROUPS),
        (GROUPS, true) => Ok(ALLOW_GROUP),
        _ => Err(ApiError::NotFound(format!(
            "no model {model:?} in this resource"
        ))),
    }
}

/// A write that the caller may make.
struct ToolsWrite<R> {
    access: Access<R>,
    request: ResourceRequest,
    /// The store, which writes in the name of the caller.
    store: Store,
    view: RecordView,
    body: JsonObject,
}

impl<R> ToolsWrite<R> {
    async fn read(call: Call<R>, allow: ApiResult<&'static str>) -> ApiResult<Self> {
        let Call {
            access,
            request,
            body,
        } = call;
        // Before the body: nothing in it could help.
        let allow = allow?;
        let method = &request.parts.method;
        if !allow.split(", ").any(|allowed| method == allowed) {
            return Err(ApiError::not_allowed(allow));
        }
        let view = RecordView::parse_of_write(request.query())?;
        let body = match request.parts.method {
            Method::DELETE => JsonObject::new(),
            _ => request.read_object(body).await?,
        };
        Ok(Self {
            store: request.store_for(access.actor()),
            access,
            request,
            view,
            body,
        })
    }

    /// The key of the user or team that the path names.
    fn uid(&self) -> ApiResult<Uuid> {
        let uid = self.access.id().parse();
        uid.map_err(|_| ApiError::NotFound("there is no such record".to_owned()))
    }

    /// The store for a write, which is held to the entity tags that it is for, where it names some.
    async fn store_if_match(&self, uid: Uuid) -> ApiResult<Store> {
        let Some(tags) = self.request.if_match()? else {
            return Ok(self.store.clone());
        };
        // Before the record is read: another process may change it until it is written.
        let store = self.store.while_user_or_team_unchanged(uid).await?;
        match tags.holds(&self.record(uid).await?.etag) {
            true => Ok(store),
            false => Err(ApiError::changed()),
        }
    }

    async fn record(&self, uid: Uuid) -> ApiResult<RecordJson> {
        self.access.tools_record(&uid.to_string(), &self.view).await
    }

    /// The record as it is now. The write takes effect for everybody from now on.
    async fn answer(&self, status: StatusCode, uid: Uuid) -> ApiResult {
        self.request.state.sync_with_store().await?;
        let RecordJson { body, etag, .. } = self.record(uid).await?;
        Ok(tagged_response(status, [body], &etag, None))
    }
}
