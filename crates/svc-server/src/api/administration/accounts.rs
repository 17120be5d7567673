//! The accounts of the service.

use http::StatusCode;
use svc_model::administration::accounts::{Create, Delete, Get, List, Update};
use svc_store::{AccountPatch, Administered, ListedOf, NewAccount, Secret};

use super::{
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Accounts;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, ListedOf::Service).await
}

async fn get(call: Call<Get>) -> ApiResult {
    let uid = &call.operation.uid;
    call.answer_entry(StatusCode::OK, WHAT, ListedOf::Service, uid)
        .await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        account,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewAccount::new(account.email.clone());
        new.first_name.clone_from(&account.first_name);
        new.last_name.clone_from(&account.last_name);
        new.is_operator = account.is_operator.unwrap_or(false);
        let password = account.password.as_ref();
        new.password = password.map(|password| Secret::new(password.expose()));
        let accounts = call.store.accounts();
        let made = accounts.create(new, call.state.app_base_url()).await?;
        call.state.sync_with_store().await?;
        call.state.mail.wake();
        let uid = made.uid.to_string();
        Made::entry(
            &entry(&call.state, WHAT, ListedOf::Service, &uid)
                .await?
                .body,
        )
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        uid,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = AccountPatch::by_operator();
    change.first_name.clone_from(&patch.first_name);
    change.last_name.clone_from(&patch.last_name);
    change.is_operator = patch.is_operator;
    change.suspended = patch.suspended;
    let tags = if_match.as_deref();
    let store = call
        .store_if_match(tags, WHAT, &ListedOf::Service, uid)
        .await?;
    store.accounts().update(parse_uid(uid)?, change).await?;
    call.written(StatusCode::OK, WHAT, ListedOf::Service, uid)
        .await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { uid, if_match, .. } = &call.operation;
    let tags = if_match.as_deref();
    let store = call
        .store_if_match(tags, WHAT, &ListedOf::Service, uid)
        .await?;
    store.accounts().delete(parse_uid(uid)?).await?;
    call.done().await
}
