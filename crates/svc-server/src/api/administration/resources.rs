//! The resources of an environment.

use http::StatusCode;
use svc_model::{
    Invalid, ResourceName, Scope,
    administration::resources::{Create, Delete, Get, GetStatus, List, Test, Update},
    wire::Operation,
};
use svc_store::{
    Administered, Engine, ListedOf, NewResource, NewStaticToken, ResourcePatch, Secret,
};

use super::{
    answered::Made,
    entries::{ListCall, entry},
    environments::text,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiError, ApiResult, resource_path::ResourcePath, response::json_response},
    resources::places::GivenBy,
};

const WHAT: Administered = Administered::Resources;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
        .on::<Test, _>(test)
        .on::<GetStatus, _>(status)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_environment()).await
}

async fn get(call: Call<Get>) -> ApiResult {
    let Get { scope, name, .. } = &call.operation;
    let of = ListedOf::Environment(scope.clone());
    call.answer_entry(StatusCode::OK, WHAT, of, name.as_str())
        .await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        scope,
        resource,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let url = Secret::new(resource.url.expose());
        let unchecked = resource.unchecked.unwrap_or(false);
        check(&call, &url, unchecked).await?;
        let mut new = NewResource::new(resource.unique_name.clone(), url);
        new.name.clone_from(&resource.name);
        new.params = resource.params.as_ref().map(text).transpose()?;
        let made = call.store.resources().create(scope, new).await?;
        let token = match made.engine.is_database() {
            true => {
                let new = NewStaticToken::new(scope.clone(), made.unique_name.clone());
                let token = call.store.tokens().create(new).await?;
                Some(token.secret.expose().to_owned())
            }
            false => None,
        };
        call.state.sync_with_store().await?;
        let of = ListedOf::Environment(scope.clone());
        let entry = entry(&call.state, WHAT, of, made.unique_name.as_str()).await?;
        Made::with_secret(&entry.body, "token", token)
    };
    call.create_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        scope,
        name,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = ResourcePatch::default();
    change.name.clone_from(&patch.name);
    change.params = patch.params.as_ref().map(text).transpose()?;
    change.url = patch.url.as_ref().map(|url| Secret::new(url.expose()));
    let of = ListedOf::Environment(scope.clone());
    // Before the database is looked at: it may take a while, and who names nothing learns nothing.
    entry(&call.state, WHAT, of.clone(), name.as_str()).await?;
    if let Some(url) = &change.url {
        check(&call, url, patch.unchecked.unwrap_or(false)).await?;
    }
    let _writing = call.state.tools.begin_write().await;
    let tags = if_match.as_deref();
    call.check_entry_tag(tags, WHAT, of.clone(), name.as_str())
        .await?;
    call.store.resources().update(scope, name, change).await?;
    call.written(StatusCode::OK, WHAT, of, name.as_str()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { scope, name, .. } = &call.operation;
    call.store.resources().delete(scope, name).await?;
    call.done().await
}

async fn test(call: Call<Test>) -> ApiResult {
    let url = Secret::new(call.operation.url.expose());
    let outcome = call.state.test_resource(&url, given_by(&call)).await?;
    Ok(json_response(StatusCode::OK, &outcome))
}

async fn status(call: Call<GetStatus>) -> ApiResult {
    let GetStatus { scope, name, .. } = &call.operation;
    let status = call.state.resource_status(&path(scope, name));
    let status =
        status.ok_or_else(|| ApiError::NotFound("there is no such database".to_owned()))?;
    Ok(json_response(StatusCode::OK, &status))
}

fn path(scope: &Scope, name: &ResourceName) -> ResourcePath {
    ResourcePath {
        scope: scope.clone(),
        resource: name.clone(),
    }
}

fn given_by<O: Operation>(call: &Call<O>) -> GivenBy {
    match call.account.rights().operator {
        Some(_) => GivenBy::Operator,
        None => GivenBy::Administrator,
    }
}

/// Refuses an address that may not be connected, and a database that cannot be reached unless that is accepted.
async fn check<O: Operation>(call: &Call<O>, url: &Secret, unchecked: bool) -> ApiResult<()> {
    let by = given_by(call);
    if unchecked || !Engine::of_url(url)?.is_database() {
        return call.state.check_place(url, by).await;
    }
    let outcome = call.state.test_resource(url, by).await?;
    match outcome.reason() {
        None => Ok(()),
        Some(reason) => {
            let message = format!("{reason}; with \"unchecked\": true it is kept all the same");
            Err(Invalid::field("url", message).into())
        }
    }
}
