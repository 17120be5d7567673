//! The sessions of the caller's account, and of anybody else as lists show them.

use svc_model::{
    DEFAULT_PER_PAGE, Realm,
    administration::{
        Session,
        account_sessions::{Delete, List},
    },
    wire::Operation,
};
use svc_store::ListedSession;
use uuid::Uuid;

use super::members::parse_uid;
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<List, _>(list).on::<Delete, _>(delete)
}

async fn list(call: Call<List>) -> ApiResult {
    let List { page, per_page, .. } = call.operation;
    let person = call.account.uid();
    let page = call
        .sessions_of(&Realm::Service, person, page, per_page)
        .await?;
    Ok(operation_response::<List>(&page))
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let session = parse_uid(&call.operation.uid)?;
    let sessions = call.store.sessions();
    let ended = sessions.end_one(&Realm::Service, call.account.uid(), session);
    ended.await?;
    call.done().await
}

impl<O: Operation> Call<O> {
    /// A page of the sessions of a person.
    pub(super) async fn sessions_of(
        &self,
        realm: &Realm,
        person: Uuid,
        page: Option<u64>,
        per_page: Option<u32>,
    ) -> ApiResult<svc_model::Paginated<Session>> {
        let (page, per_page) = (page.unwrap_or(1), per_page.unwrap_or(DEFAULT_PER_PAGE));
        let skip = (page - 1).saturating_mul(per_page.into());
        let sessions = self.store.sessions();
        let listed = sessions.list(realm, person, (skip, per_page));
        let (sessions, count) = listed.await?;
        let own = self.account.session();
        let sessions = sessions.into_iter().map(|session| shown(session, own));
        Ok(self.page_of(sessions.collect(), count, page, per_page))
    }
}

fn shown(session: ListedSession, own: Option<Uuid>) -> Session {
    let mut shown = Session::default();
    shown.uid = session.uid.to_string();
    shown.date_add = format!("{:.6}", session.date_add);
    shown.last_use = format!("{:.6}", session.last_use);
    shown.user_agent = session.user_agent;
    shown.address = session.address;
    shown.current = own == Some(session.uid);
    shown
}
