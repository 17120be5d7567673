//! The API keys of all accounts.

use svc_model::administration::keys::{Create, Delete, List};
use svc_store::{Administered, ListedOf, NewApiKey};

use super::{
    account_keys::{check_end, moment},
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Keys;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list_valid(WHAT, ListedOf::Service).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        new_key,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let email = match &new_key.email {
            Some(email) => email.clone(),
            None => call.store.projects().owner_email(&new_key.project).await?,
        };
        let mut new = NewApiKey::new(&new_key.project, email);
        new.name.clone_from(&new_key.name);
        new.expires = moment("expires", new_key.expires.as_deref())?;
        check_end(&call, new.expires)?;
        let made = call.store.api_keys().create(new).await?;
        call.state.sync_with_store().await?;
        let uid = made.credential.uid.to_string();
        let entry = entry(&call.state, WHAT, ListedOf::Service, &uid).await?;
        Made::with_secret(&entry.body, "api_key", made.secret.expose())
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let uid = parse_uid(&call.operation.uid)?;
    call.store.api_keys().revoke(&uid.to_string()).await?;
    call.done().await
}
