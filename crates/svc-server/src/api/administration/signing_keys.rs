//! The keys that sign access tokens.

use svc_model::administration::signing_keys::{Rotate, SigningKey};

use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Rotate, _>(rotate)
}

async fn rotate(call: Call<Rotate>) -> ApiResult {
    let at_once = call.operation.now.unwrap_or(false);
    let kid = call.store.signing_keys().rotate(at_once).await?;
    call.state.sync_with_store().await?;
    Ok(operation_response::<Rotate>(&SigningKey::new(kid)))
}
