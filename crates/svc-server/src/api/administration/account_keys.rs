//! The API keys of the caller's account.

use jiff::Timestamp;
use svc_model::{
    Filter, Invalid, ListQuery, Lookup,
    administration::account_keys::{ApiKey, Create, Delete, List},
    wire::Operation,
};
use svc_store::{Administered, ListedOf, NewAccountKey};
use uuid::Uuid;

use super::{
    answered::Made,
    entries::{ListCall, entries, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiError, ApiResult},
    state::Shared,
};

const WHAT: Administered = Administered::AccountKeys;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    let of = ListedOf::Account(call.account().uid());
    call.list_valid(WHAT, of).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        key,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewAccountKey::new();
        new.name.clone_from(&key.name);
        new.expires = moment("expires", key.expires.as_deref())?;
        let projects = key.projects.as_ref();
        new.projects = projects.map(|names| names.iter().map(Into::into).collect());
        check_end(&call, new.expires)?;
        let uid = call.account.uid();
        let made = call.store.api_keys().create_for(uid, new).await?;
        call.state.sync_with_store().await?;
        let key = made.credential.uid.to_string();
        let entry = entry(&call.state, WHAT, ListedOf::Account(uid), &key).await?;
        Made::with_secret(&entry.body, "api_key", made.secret.expose())
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let uid = parse_uid(&call.operation.uid)?;
    let keys = call.store.api_keys();
    keys.revoke_for(call.account.uid(), uid).await?;
    call.done().await
}

/// The keys of an account that work, the newest first.
pub(in crate::api) async fn valid_keys(state: &Shared, account: Uuid) -> ApiResult<Vec<ApiKey>> {
    let resource = entries(state, WHAT, ListedOf::Account(account)).await?;
    let model = resource.find_model(WHAT.model()).await?;
    let mut query = ListQuery::new()
        .filter("revoked", Lookup::Isnull, "true")
        .order_by("-date_add");
    query.filter = Some(Filter::or([
        Filter::field("expires", Lookup::Isnull, "true"),
        Filter::field("expires", Lookup::Gt, Timestamp::now().to_string()),
    ]));
    query.no_pagination = true;
    let mut keys = Vec::new();
    let mut page = resource.list(&model, &query).await?;
    loop {
        let part = serde_json::from_slice::<Vec<ApiKey>>(&page.results);
        keys.extend(part.map_err(|error| ApiError::Internal(error.to_string()))?);
        match page.rest {
            Some(rest) => page = rest.read().await?,
            None => return Ok(keys),
        }
    }
}

/// Refuses a key that would live longer than the one of this call.
pub(super) fn check_end<O: Operation>(call: &Call<O>, expires: Option<Timestamp>) -> ApiResult<()> {
    match call.account.expires() {
        Some(ends) if expires.is_none_or(|expires| expires > ends) => {
            let message = format!("must not be later than {ends}, when the key of this call ends");
            Err(Invalid::field("expires", message).into())
        }
        _ => Ok(()),
    }
}

/// A time in a body.
pub(super) fn moment(field: &str, text: Option<&str>) -> ApiResult<Option<Timestamp>> {
    let read = text.map(str::parse).transpose();
    Ok(read.map_err(|_| {
        Invalid::field(
            field,
            "must be a time with an offset (RFC 3339), like 2027-01-31T00:00:00Z",
        )
    })?)
}
