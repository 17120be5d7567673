//! What people keep for themselves or share in an environment.

use http::StatusCode;
use serde::Deserialize;
use svc_model::{
    Filter, Lookup, Scope,
    administration::items::{Create, Delete, Get, List, Update},
    wire::Operation,
};
use svc_store::{Administered, ItemCaller, ItemPatch, ListedOf, NewItem, TeamRights};
use uuid::Uuid;

use super::{
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    auth::account::Account,
    http::{ApiError, ApiResult},
};

const WHAT: Administered = Administered::Items;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    let own = call.account().uid().to_string();
    let rights = rights(call.account(), &call.scope());
    let readable = rights.map_or_else(|| Filter::or([]), |rights| rights.readable_items());
    call.list_with(WHAT, call.of_environment(), &[], |mut query, _| {
        let shared = Filter::field("shared", Lookup::Exact, "true");
        let seen = Filter::or([
            Filter::field("owner", Lookup::Exact, own.as_str()),
            Filter::and([shared, readable]),
        ]);
        query.filter = Some(match query.filter.take() {
            None => seen,
            Some(asked) => Filter::and([seen, asked]),
        });
        Ok(query)
    })
    .await
}

async fn get(call: Call<Get>) -> ApiResult {
    let Get { scope, uid, .. } = &call.operation;
    ensure_seen(&call, scope, uid).await?;
    let of = ListedOf::Environment(scope.clone());
    call.answer_entry(StatusCode::OK, WHAT, of, uid).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        scope,
        item,
        idempotency_key,
        ..
    } = &call.operation;
    call.account.check_is_account()?;
    let create = async || {
        let mut new = NewItem::new(item.kind.clone(), item.name.clone(), item.value.get());
        new.model.clone_from(&item.model);
        new.shared = item.shared.unwrap_or(false);
        let items = call.store.items();
        let uid = items.create(scope, call.account.uid(), new).await?;
        let of = ListedOf::Environment(scope.clone());
        Made::entry(&entry(&call.state, WHAT, of, &uid.to_string()).await?.body)
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        scope,
        uid,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = ItemPatch::default();
    change.name.clone_from(&patch.name);
    change.model.clone_from(&patch.model);
    change.value = patch.value.as_ref().map(|value| value.get().to_owned());
    change.shared = patch.shared;
    ensure_changeable(&call, scope, uid).await?;
    let of = ListedOf::Environment(scope.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid).await?;
    let caller = caller(&call, scope);
    let items = store.items();
    items.update(scope, caller, parse_uid(uid)?, change).await?;
    call.written(StatusCode::OK, WHAT, of, uid).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        scope,
        uid,
        if_match,
        ..
    } = &call.operation;
    ensure_changeable(&call, scope, uid).await?;
    let of = ListedOf::Environment(scope.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid).await?;
    let items = store.items();
    items
        .delete(scope, caller(&call, scope), parse_uid(uid)?)
        .await?;
    call.done().await
}

fn caller<O: Operation>(call: &Call<O>, scope: &Scope) -> ItemCaller {
    let team = call.account.rights().in_project(&scope.project);
    let is_administrator = team.is_some_and(|(team, _)| team.super_group);
    ItemCaller::new(call.account.uid(), is_administrator)
}

/// What the team of an account may do in an environment.
fn rights(account: &Account, scope: &Scope) -> Option<TeamRights> {
    let (_, rights) = account.rights().in_project(&scope.project)?;
    Some(rights.in_environment(&scope.environment))
}

/// Whose an item is, and what it is about.
#[derive(Deserialize)]
struct Seen {
    owner: Uuid,
    shared: bool,
    model: Option<String>,
}

/// Refuses a change of somebody else's item by anybody but an administrator.
async fn ensure_changeable<O: Operation>(
    call: &Call<O>,
    scope: &Scope,
    uid: &str,
) -> ApiResult<()> {
    let item = ensure_seen(call, scope, uid).await?;
    let caller = caller(call, scope);
    match item.owner == caller.account || caller.is_administrator {
        true => Ok(()),
        false => Err(ApiError::PermissionDenied(
            "the item is somebody else's; its owner and administrators change it",
        )),
    }
}

/// An item that another account keeps for itself, or that is about what the caller may not read, is not there.
async fn ensure_seen<O: Operation>(call: &Call<O>, scope: &Scope, uid: &str) -> ApiResult<Seen> {
    let of = ListedOf::Environment(scope.clone());
    let found = entry(&call.state, WHAT, of, uid).await?;
    let item: Seen = serde_json::from_slice(&found.body)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let about = item.model.as_deref();
    let is_readable = || rights(&call.account, scope).is_some_and(|it| it.read_item_about(about));
    match item.owner == call.account.uid() || (item.shared && is_readable()) {
        true => Ok(item),
        false => Err(ApiError::NotFound("there is no such entry".to_owned())),
    }
}
