//! Teams of a project (specification, section 1; wire contract, section 6): what may be written of them. They are
//! read through the models of the [built-in tools](crate::api::tools).

use svc_model::{Invalid, JsonObject, teams::TeamPatch, wire::ReadBody as _};
use svc_store::Store;
use uuid::Uuid;

use crate::http::{ApiResult, resource_path::ResourcePath};

/// Gives a team another name.
pub(crate) async fn update(
    store: &Store,
    path: &ResourcePath,
    uid: Uuid,
    body: JsonObject,
) -> ApiResult<()> {
    let Some(name) = TeamPatch::from_body(body)?.name else {
        return Err(Invalid::general("at least one property is required: name").into());
    };
    store
        .teams()
        .update(&path.scope.project, uid, &name)
        .await?;
    Ok(())
}
