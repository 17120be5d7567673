//! The static tokens of an environment's resources.

use svc_model::{
    ModelName,
    administration::tokens::{Create, Delete, List},
};
use svc_store::{Administered, ListedOf, NewStaticToken, TokenLimits};

use super::{
    account_keys::moment,
    answered::Made,
    entries::{ListCall, entry},
    members::parse_uid,
    rights::rights,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Tokens;

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
        let mut new = NewStaticToken::new(scope.clone(), new_token.resource.clone());
        new.name.clone_from(&new_token.name);
        new.expires = moment("expires", new_token.expires.as_deref())?;
        if new_token.rights.is_some() || new_token.models.is_some() {
            let all = ["read", "write", "delete"].map(String::from);
            let names = new_token.rights.as_deref().unwrap_or(&all);
            let models = new_token.models.as_ref();
            let models = models.map(|models| models.iter().map(ModelName::from).collect());
            new = new.limited(TokenLimits::new(rights("rights", names)?, models));
        }
        let made = call.store.tokens().create(new).await?;
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
    let tokens = call.store.tokens();
    tokens.revoke_in(scope, parse_uid(uid)?).await?;
    call.done().await
}
