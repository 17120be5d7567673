//! The outbox.

use std::collections::HashMap;

use bytes::Bytes;
use jiff::Timestamp;
use svc_model::{Invalid, JsonObject, Lookup, administration::mails::List, parse_bool};
use svc_store::{Administered, ListedOf, Mail, Secret, Store};
use uuid::Uuid;

use super::entries::{ListCall, Refined, read_rows, write_rows};
use crate::{
    api::{records::list::Completion, routes::Routes},
    http::{ApiResult, response::headers},
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<List, _>(list)
}

async fn list(call: ListCall<List>) -> ApiResult {
    let now = Timestamp::now().to_string();
    let listed = call.list_with(
        Administered::Mails,
        ListedOf::Service,
        &["codes"],
        |query, values| {
            let codes = values.first().and_then(Option::as_deref);
            let with_codes = match codes.map(parse_bool) {
                None => false,
                Some(Some(codes)) => codes,
                Some(None) => return Err(Invalid::field("codes", "must be 1 or 0").into()),
            };
            Ok(Refined {
                query: query.filter("expires", Lookup::Gt, now),
                completion: with_codes.then(|| codes_and_links(&call.state().store)),
            })
        },
    );
    let mut answer = listed.await?;
    headers::set_secret(answer.headers_mut());
    Ok(answer)
}

/// The code and the link of each mail.
fn codes_and_links(store: &Store) -> Completion {
    let store = store.clone();
    Completion {
        columns: &["code", "link"],
        complete: Box::new(move |rows| {
            let store = store.clone();
            Box::pin(async move { add_codes(&store, &rows).await })
        }),
    }
}

async fn add_codes(store: &Store, rows: &Bytes) -> ApiResult<Bytes> {
    let mut rows = read_rows(rows)?;
    let uid = |row: &JsonObject| row.get::<Uuid>("uid").ok().flatten();
    let uids = rows.iter().filter_map(uid).collect();
    let mails = store.mails().get_all(uids).await?.into_iter();
    let mails: HashMap<Uuid, Mail> = mails.map(|mail| (mail.uid, mail)).collect();
    write_rows(&mut rows, |row| {
        let mail = uid(row).and_then(|uid| mails.get(&uid));
        let code = mail.and_then(|mail| mail.code.as_ref());
        let link = mail.and_then(|mail| mail.link.as_ref());
        row.set("code", &code.map(Secret::expose))?;
        row.set("link", &link.map(Secret::expose))
    })
}
