//! The environments of a project.

use http::StatusCode;
use svc_model::administration::environments::{
    CopiedEnvironment, Copy, Create, Delete, Get, List, Update,
};
use svc_model::{JsonObject, Scope};
use svc_store::{Administered, EnvironmentCopy, EnvironmentPatch, ListedOf, NewEnvironment};

use super::{
    answered::Made,
    entries::{ListCall, entry},
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiError, ApiResult},
};

const WHAT: Administered = Administered::Environments;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
        .on::<Copy, _>(copy)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_project()).await
}

async fn get(call: Call<Get>) -> ApiResult {
    let Get { project, name, .. } = &call.operation;
    let of = ListedOf::Project(project.clone());
    call.answer_entry(StatusCode::OK, WHAT, of, name.as_str())
        .await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        project,
        environment,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewEnvironment::new(environment.unique_name.clone());
        new.name.clone_from(&environment.name);
        new.color.clone_from(&environment.color);
        new.params = environment.params.as_ref().map(text).transpose()?;
        let environments = call.store.environments();
        let made = environments.create(project, new).await?;
        call.state.sync_with_store().await?;
        let of = ListedOf::Project(project.clone());
        let entry = entry(&call.state, WHAT, of, made.unique_name.as_str()).await?;
        Made::entry(&entry.body)
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project,
        name,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = EnvironmentPatch::default();
    change.name.clone_from(&patch.name);
    change.color.clone_from(&patch.color);
    change.params = patch.params.as_ref().map(text).transpose()?;
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, name.as_str()).await?;
    let environments = store.environments();
    let scope = Scope::new(project, name);
    environments.update(&scope, change).await?;
    call.written(StatusCode::OK, WHAT, of, name.as_str()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        project,
        name,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, name.as_str()).await?;
    let environments = store.environments();
    let scope = Scope::new(project, name);
    environments.delete(&scope).await?;
    call.done().await
}

async fn copy(call: Call<Copy>) -> ApiResult {
    let Copy {
        project,
        name,
        to,
        pages,
        settings,
        replace,
        idempotency_key,
        ..
    } = &call.operation;
    let copy = async || {
        let mut copy = EnvironmentCopy::new(name.clone(), to.clone());
        copy.pages = pages.unwrap_or(true);
        copy.settings = settings.unwrap_or(true);
        copy.replace = replace.unwrap_or(false);
        let copied = call.store.environments().copy(project, copy).await?;
        call.state.sync_with_store().await?;
        let of = ListedOf::Project(project.clone());
        let entry = entry(&call.state, WHAT, of, to.as_str()).await?;
        let environment = serde_json::from_slice(&entry.body)
            .map_err(|error| ApiError::Internal(error.to_string()))?;
        let copied = CopiedEnvironment::new(environment, copied);
        Ok(Made::of(&copied)?.tagged(entry.etag))
    };
    call.answer_once(idempotency_key.as_deref(), copy).await
}

/// Settings as the store keeps them.
pub(super) fn text(settings: &JsonObject) -> ApiResult<String> {
    serde_json::to_string(settings).map_err(|error| ApiError::Internal(error.to_string()))
}
