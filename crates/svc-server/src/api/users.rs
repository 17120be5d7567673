//! Users of the application (specification, section 1; wire contract, section 6): what may be written of them. They
//! are read through the models of the [built-in tools](crate::api::tools).

use svc_model::{JsonObject, users, wire::ReadBody as _};
use svc_store::{NewUser, Store, UserPatch};
use uuid::Uuid;

use crate::{
    http::{ApiResult, resource_path::ResourcePath},
    state::Shared,
};

/// Makes a user, who is invited by mail.
pub(crate) async fn create(
    state: &Shared,
    store: &Store,
    path: &ResourcePath,
    body: JsonObject,
) -> ApiResult<Uuid> {
    let body = users::NewUser::from_body(body)?;
    let mut new = NewUser::new(body.email, body.group.as_str());
    new.first_name = body.first_name;
    new.last_name = body.last_name;
    let users = store.users(&path.scope);
    let user = users.create(new, state.base_url()).await?;
    state.mail.wake();
    Ok(user.uid)
}

/// Changes a user.
pub(crate) async fn update(
    store: &Store,
    path: &ResourcePath,
    uid: Uuid,
    body: JsonObject,
) -> ApiResult<()> {
    let body = users::UserPatch::from_body(body)?;
    let mut patch = UserPatch::default();
    patch.team = body.group.map(|team| team.to_string());
    patch.first_name = body.first_name;
    patch.last_name = body.last_name;
    store.users(&path.scope).update(uid, patch).await?;
    Ok(())
}

/// Deletes a user, whose sessions end at once.
pub(crate) async fn delete(store: &Store, path: &ResourcePath, uid: Uuid) -> ApiResult<()> {
    Ok(store.users(&path.scope).delete(uid).await?)
}
