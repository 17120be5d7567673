//! Users of the application (specification, section 1; wire contract, section 6): what may be written of them. They
//! are read through the models of the [built-in tools](crate::tools).

use svc_model::JsonObject;
use svc_store::{NewUser, Store, UserPatch};
use uuid::Uuid;

use crate::{access::Place, failure::Failure, fields::Fields, state::Shared};

/// Makes a user, who is invited by mail.
pub(crate) async fn create(
    state: &Shared,
    store: &Store,
    place: &Place,
    body: &JsonObject,
) -> Result<Uuid, Failure> {
    let mut fields = Fields::of(body);
    let mut new = NewUser::new(fields.required("email"), fields.required("group"));
    new.first_name = fields.optional("first_name");
    new.last_name = fields.optional("last_name");
    fields.finish()?;
    let users = store.users(&place.project, &place.environment);
    let user = users.create(new, state.base_url()).await?;
    state.mail.wake();
    Ok(user.uid)
}

/// Changes a user.
pub(crate) async fn update(
    store: &Store,
    place: &Place,
    uid: Uuid,
    body: &JsonObject,
) -> Result<(), Failure> {
    let mut fields = Fields::of(body);
    let mut patch = UserPatch::default();
    patch.team = fields.changed("group");
    patch.first_name = fields.patch("first_name");
    patch.last_name = fields.patch("last_name");
    fields.finish()?;
    let users = store.users(&place.project, &place.environment);
    users.update(uid, patch).await?;
    Ok(())
}

/// Deletes a user, whose sessions end at once.
pub(crate) async fn delete(store: &Store, place: &Place, uid: Uuid) -> Result<(), Failure> {
    let users = store.users(&place.project, &place.environment);
    Ok(users.delete(uid).await?)
}
