//! The API keys of the caller's account.

use jiff::Timestamp;
use svc_model::{
    Invalid,
    administration::account_keys::{Create, Delete, List},
    wire::Operation,
};
use svc_store::{Administered, ListedOf, NewAccountKey};

use super::{
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
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
