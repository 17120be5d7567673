//! The members of a project.

use http::StatusCode;
use svc_model::administration::members::{Create, Delete, Get, List, Update};
use svc_store::{Administered, ListedOf};
use uuid::Uuid;

use super::{
    answered::Made,
    entries::{ListCall, entry},
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiError, ApiResult},
};

const WHAT: Administered = Administered::Members;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_project()).await
}

async fn get(call: Call<Get>) -> ApiResult {
    let Get { project, uid, .. } = &call.operation;
    let of = ListedOf::Project(project.clone());
    call.answer_entry(StatusCode::OK, WHAT, of, uid).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        project,
        email,
        team,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let members = call.store.members();
        let base_url = call.state.app_base_url();
        let made = members.invite(project, email, team, base_url).await?;
        call.state.sync_with_store().await?;
        call.state.mail.wake();
        let of = ListedOf::Project(project.clone());
        let uid = made.account.uid.to_string();
        Made::entry(&entry(&call.state, WHAT, of, &uid).await?.body)
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project,
        uid,
        team,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid).await?;
    let members = store.members();
    members.update(project, parse_uid(uid)?, team).await?;
    call.written(StatusCode::OK, WHAT, of, uid).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        project,
        uid,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid).await?;
    let members = store.members();
    members.remove(project, parse_uid(uid)?).await?;
    call.done().await
}

/// A unique ID in a path. Any other text answers 404.
pub(super) fn parse_uid(text: &str) -> ApiResult<Uuid> {
    let uid = text.parse();
    uid.map_err(|_| ApiError::NotFound("there is no such entry".to_owned()))
}
