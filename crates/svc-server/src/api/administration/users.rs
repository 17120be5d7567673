//! What administrators do with the users of an environment beside changing them.

use svc_model::{
    Realm, UserUid,
    administration::users::{
        Create, DeleteSession, Get, Invite, List, ListSessions, Resume, Suspend, User,
    },
};
use svc_store::{Administered, ListedOf, NewUser, Secret};
use uuid::Uuid;

use super::{
    answered::Made,
    entries::{ListCall, named_field},
    members::parse_uid,
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
};

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(get)
        .on::<ListSessions, _>(list_sessions)
        .on::<DeleteSession, _>(delete_session)
        .on::<Suspend, _>(suspend)
        .on::<Resume, _>(resume)
        .on::<Invite, _>(invite)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(Administered::Users, call.of_environment()).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        scope,
        new_user,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewUser::new(&new_user.email, &new_user.team);
        new.first_name.clone_from(&new_user.first_name);
        new.last_name.clone_from(&new_user.last_name);
        let password = new_user.password.as_ref();
        new.password = password.map(|password| Secret::new(password.expose()));
        let users = call.store.users(scope);
        let made = users.create(new, call.state.base_url()).await;
        let made = made.map_err(|error| named_field(error, "group", "team"))?;
        call.state.sync_with_store().await?;
        call.state.mail.wake();
        Made::of(&shown(made))
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn get(call: Call<Get>) -> ApiResult {
    let Get { scope, uid, .. } = &call.operation;
    let user = call.store.users(scope).get(parse(uid)?).await?;
    Ok(operation_response::<Get>(&shown(user)))
}

async fn list_sessions(call: ListCall<ListSessions>) -> ApiResult {
    let user = parse_uid(call.path_value(2))?;
    // Of nobody there is no list.
    call.state().store.users(&call.scope()).get(user).await?;
    let own = call.account().session();
    call.list_sessions(ListedOf::User(user), own).await
}

async fn delete_session(call: Call<DeleteSession>) -> ApiResult {
    let DeleteSession {
        scope,
        uid,
        session,
        ..
    } = &call.operation;
    let sessions = call.store.sessions();
    let realm = Realm::from(scope);
    let ended = sessions.end_one(&realm, parse(uid)?, parse_uid(session)?);
    ended.await?;
    call.done().await
}

async fn suspend(call: Call<Suspend>) -> ApiResult {
    let Suspend {
        scope,
        uid,
        idempotency_key,
        ..
    } = &call.operation;
    let suspend = async || {
        let user = call.store.users(scope).suspend(parse(uid)?).await?;
        call.state.sync_with_store().await?;
        Made::of(&shown(user))
    };
    call.answer_once(idempotency_key.as_deref(), suspend).await
}

async fn resume(call: Call<Resume>) -> ApiResult {
    let Resume {
        scope,
        uid,
        idempotency_key,
        ..
    } = &call.operation;
    let resume = async || {
        let user = call.store.users(scope).resume(parse(uid)?).await?;
        call.state.sync_with_store().await?;
        Made::of(&shown(user))
    };
    call.answer_once(idempotency_key.as_deref(), resume).await
}

async fn invite(call: Call<Invite>) -> ApiResult {
    let Invite {
        scope,
        uid,
        idempotency_key,
        ..
    } = &call.operation;
    let invite = async || {
        let users = call.store.users(scope);
        let user = users.invite(parse(uid)?, call.state.base_url()).await?;
        call.state.mail.wake();
        Made::of(&shown(user))
    };
    call.answer_once(idempotency_key.as_deref(), invite).await
}

fn parse(uid: &UserUid) -> ApiResult<Uuid> {
    parse_uid(uid.as_str())
}

fn shown(user: svc_store::User) -> User {
    let (uid, team) = (user.uid.to_string(), user.team.uid.to_string());
    // With six digits of a second, as in lists.
    let date_add = format!("{:.6}", user.date_add);
    let mut shown = User::new(uid, user.email, team, date_add);
    (shown.first_name, shown.last_name) = (user.first_name, user.last_name);
    shown.suspended = user.suspended.is_some();
    shown.has_password = user.has_password;
    shown.email_confirmed = user.email_confirmed;
    shown
}
