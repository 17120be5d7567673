//! The teams of a project.

use http::StatusCode;
use svc_model::administration::teams::{Create, Delete, Get, List, Update};
use svc_store::{Administered, ListedOf, TeamPatch};

use super::{
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Teams;

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
    call.answer_entry(StatusCode::OK, WHAT, of, uid.as_str())
        .await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        project,
        name,
        permissions_group,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let teams = call.store.teams();
        let group = permissions_group.as_deref().unwrap_or("read_only");
        let made = teams.create(project, name, group).await?;
        call.state.sync_with_store().await?;
        let of = ListedOf::Project(project.clone());
        Made::entry(
            &entry(&call.state, WHAT, of, &made.uid.to_string())
                .await?
                .body,
        )
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project,
        uid,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = TeamPatch::default();
    change.name.clone_from(&patch.name);
    change
        .permissions_group
        .clone_from(&patch.permissions_group);
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid.as_str()).await?;
    let teams = store.teams();
    teams
        .change(project, parse_uid(uid.as_str())?, change)
        .await?;
    call.written(StatusCode::OK, WHAT, of, uid.as_str()).await
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
    let store = call.store_if_match(tags, WHAT, &of, uid.as_str()).await?;
    let teams = store.teams();
    teams.delete(project, parse_uid(uid.as_str())?).await?;
    call.done().await
}
