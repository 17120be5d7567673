//! The service tokens of an environment.

use svc_model::administration::service_tokens::{Create, Delete, List};
use svc_store::{Administered, ListedOf, NewServiceToken};

use super::{
    account_keys::moment,
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::ServiceTokens;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list_valid(WHAT, call.of_environment()).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        scope,
        new_token,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewServiceToken::new(scope.clone(), new_token.team.clone());
        new.name.clone_from(&new_token.name);
        new.expires = moment("expires", new_token.expires.as_deref())?;
        let made = call.store.service_tokens().create(new).await?;
        call.state.sync_with_store().await?;
        let of = ListedOf::Environment(scope.clone());
        let uid = made.credential.uid.to_string();
        let entry = entry(&call.state, WHAT, of, &uid).await?;
        Made::with_secret(&entry.body, "token", made.secret.expose())
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { scope, uid, .. } = &call.operation;
    let tokens = call.store.service_tokens();
    tokens.revoke_in(scope, parse_uid(uid)?).await?;
    call.done().await
}
