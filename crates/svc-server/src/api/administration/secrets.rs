//! The secret tokens of resources, which the HTTP proxy sends.

use http::StatusCode;
use svc_model::{
    Invalid,
    administration::secrets::{Delete, List, Set},
};
use svc_store::{Administered, HostName, ListedOf, NewSecretToken, Secret};

use super::entries::{ListCall, named_field};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Secrets;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Set, _>(set)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_environment()).await
}

async fn set(call: Call<Set>) -> ApiResult {
    let Set {
        scope,
        secret,
        if_match,
        ..
    } = &call.operation;
    let hosts = secret.hosts.iter().map(|host| HostName::parse(host));
    let hosts: Vec<_> = hosts
        .collect::<Result<_, _>>()
        .map_err(|error| named_field(error, "host", "hosts"))?;
    if hosts.is_empty() {
        let message = "name at least one host that the secret may be sent to";
        return Err(Invalid::field("hosts", message).into());
    }
    let (resource, name) = (secret.resource.clone(), secret.name.clone());
    let of = ListedOf::Environment(scope.clone());
    let tags = if_match.as_deref();
    let known = call.store.secret_tokens();
    let known = known.find(scope, &resource, &name);
    let store = call.store_if_replaced(tags, WHAT, &of, known).await?;
    let new = NewSecretToken::new(resource, name, Secret::new(secret.value.expose()), hosts);
    let (uid, is_new) = store.secret_tokens().set(scope, new).await?;
    let status = match is_new {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    call.written(status, WHAT, of, &uid.to_string()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        scope,
        resource,
        name,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Environment(scope.clone());
    let tags = if_match.as_deref();
    let known = call.store.secret_tokens();
    let known = known.find(scope, resource, name);
    let store = call.store_if_replaced(tags, WHAT, &of, known).await?;
    let secrets = store.secret_tokens();
    secrets.remove(scope, resource, name).await?;
    call.done().await
}
