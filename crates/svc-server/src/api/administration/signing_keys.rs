//! The keys that sign access tokens.

use svc_model::administration::signing_keys::{Rotate, SigningKey};

use super::answered::Made;
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Rotate, _>(rotate)
}

async fn rotate(call: Call<Rotate>) -> ApiResult {
    let Rotate {
        now,
        idempotency_key,
        ..
    } = &call.operation;
    let rotate = async || {
        let at_once = now.unwrap_or(false);
        let kid = call.store.signing_keys().rotate(at_once).await?;
        call.state.sync_with_store().await?;
        Made::of(&SigningKey::new(kid))
    };
    call.answer_once(idempotency_key.as_deref(), rotate).await
}
