//! The sessions of the caller's account, and of anybody else as lists show them.

use jiff::Timestamp;
use svc_model::{
    Lookup, Realm,
    administration::account_sessions::{Delete, List},
};
use svc_store::{Administered, ListedOf};
use uuid::Uuid;

use super::{
    entries::{EntriesRequest, ListCall, Refined, read_rows, write_rows},
    members::parse_uid,
};
use crate::{
    api::{call::Call, records::list::Completion, routes::Routes},
    http::ApiResult,
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<List, _>(list).on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    let account = call.account();
    let of = ListedOf::Account(account.uid());
    call.list_sessions(of, account.session()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let session = parse_uid(&call.operation.uid)?;
    let sessions = call.store.sessions();
    let ended = sessions.end_one(&Realm::Service, call.account.uid(), session);
    ended.await?;
    call.done().await
}

impl EntriesRequest {
    /// Answers with a page of the sessions of a person. `own` is the session of the call.
    pub(in crate::api) async fn list_sessions(&self, of: ListedOf, own: Option<Uuid>) -> ApiResult {
        let now = Timestamp::now().to_string();
        self.list_with(Administered::Sessions, of, &[], |query, _| {
            Ok(Refined {
                query: query.filter("expires", Lookup::Gt, now),
                completion: Some(is_current(own)),
            })
        })
        .await
    }
}

/// Whether each session is the one of the call.
fn is_current(own: Option<Uuid>) -> Completion {
    Completion {
        columns: &["current"],
        complete: Box::new(move |rows| {
            Box::pin(async move {
                write_rows(&mut read_rows(&rows)?, |row| {
                    let is_own = own.is_some() && row.get::<Uuid>("uid")? == own;
                    row.set("current", &is_own)
                })
            })
        }),
    }
}
