//! The API keys that have access to a project.

use svc_model::administration::project_keys::{Delete, List};
use svc_store::Administered;

use super::{entries::ListCall, members::parse_uid};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<List, _>(list).on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list_valid(Administered::ProjectKeys, call.of_project())
        .await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { project, uid, .. } = &call.operation;
    let keys = call.store.api_keys();
    keys.exclude(project, parse_uid(uid)?).await?;
    call.done().await
}
