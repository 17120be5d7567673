//! The resources of an environment.

use http::StatusCode;
use svc_data::Structure;
use svc_model::{
    Invalid, JsonObject, ResourceName, Scope,
    administration::resources::{Create, Delete, Get, GetStatus, List, Test, Update},
    resources::ResourceParams,
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
        let (params, read) = read_params(resource.params.as_ref())?;
        check(&call, &url, unchecked, &read).await?;
        let mut new = NewResource::new(resource.unique_name.clone(), url);
        new.name.clone_from(&resource.name);
        new.params = params;
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
    call.answer_once(idempotency_key.as_deref(), create).await
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
    let (params, read) = read_params(patch.params.as_ref())?;
    change.params = params;
    change.url = patch.url.as_ref().map(|url| Secret::new(url.expose()));
    let of = ListedOf::Environment(scope.clone());
    // Before the database is looked at: it may take a while, and who names nothing learns nothing.
    entry(&call.state, WHAT, of.clone(), name.as_str()).await?;
    let unchecked = patch.unchecked.unwrap_or(false);
    if let Some(url) = &change.url {
        check(&call, url, unchecked, &read).await?;
    } else if !read.labels.is_empty() && !unchecked {
        check_kept(&call, &path(scope, name), &read).await?;
    }
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, name.as_str()).await?;
    store.resources().update(scope, name, change).await?;
    call.written(StatusCode::OK, WHAT, of, name.as_str()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        scope,
        name,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Environment(scope.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, name.as_str()).await?;
    store.resources().delete(scope, name).await?;
    call.done().await
}

async fn test(call: Call<Test>) -> ApiResult {
    let Test {
        scope,
        url,
        unique_name,
        idempotency_key,
        ..
    } = &call.operation;
    let test = async || {
        if let Some(name) = unique_name {
            call.store.resources().check_new_name(scope, name).await?;
        }
        let url = Secret::new(url.expose());
        Made::of(&call.state.test_resource(&url, given_by(&call)).await?)
    };
    call.answer_once(idempotency_key.as_deref(), test).await
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

/// Refuses an address that may not be connected, a database that cannot be reached unless that is accepted, and settings that
/// do not fit what was reached.
async fn check<O: Operation>(
    call: &Call<O>,
    url: &Secret,
    unchecked: bool,
    params: &ResourceParams,
) -> ApiResult<()> {
    let by = given_by(call);
    if !Engine::of_url(url)?.is_database() || (unchecked && params.labels.is_empty()) {
        return call.state.check_place(url, by).await;
    }
    match call.state.examine_resource(url, by).await? {
        Ok(structure) => Ok(check_labels(&structure, params)?),
        Err(_) if unchecked => Ok(()),
        Err(reason) => {
            let message = format!("{reason}; unchecked keeps the address all the same");
            Err(Invalid::field("url", message).into())
        }
    }
}

/// Refuses settings that do not fit the database that is connected. An HTTP API has no models.
async fn check_kept<O: Operation>(
    call: &Call<O>,
    path: &ResourcePath,
    params: &ResourceParams,
) -> ApiResult<()> {
    match call.state.structure(path).await {
        Ok(structure) => Ok(check_labels(&structure, params)?),
        Err(ApiError::NotFound(_)) => Ok(()),
        Err(_) => {
            let message = "cannot be compared with the database, which cannot be used now; unchecked keeps it all the same";
            Err(Invalid::field("params", message).into())
        }
    }
}

/// Refuses names of records by fields that the database does not have. A misspelt one would be left out in silence.
fn check_labels(structure: &Structure, params: &ResourceParams) -> Result<(), Invalid> {
    let mut invalid = Invalid::new();
    for (model, fields) in &params.labels {
        let path = format!("params.labels.{model}");
        let Some(known) = structure.model(model) else {
            invalid.push_field(&path, "the resource has no such model");
            continue;
        };
        for field in fields.iter().filter(|field| !known.has_field(field)) {
            let message = format!("the model has no field {field:?}");
            invalid.push_field(&path, message);
        }
    }
    invalid.into_result()
}

/// The settings that a body gives, as the store keeps them and as they are read.
fn read_params(params: Option<&JsonObject>) -> ApiResult<(Option<String>, ResourceParams)> {
    let text = params.map(text).transpose()?;
    let read = text.as_deref().map(ResourceParams::parse).transpose()?;
    Ok((text, read.unwrap_or_default()))
}
