//! Page settings (specification, section 4, "Pages"; wire contract, section 8).

use std::mem;

use http::StatusCode;
use svc_model::{
    Invalid, PageUid,
    pages::{self, Create, Delete, Discard, Discarded, Get, GetRevision, List, Publish, Published},
    pages::{Restore, Revisions, Update},
};
use svc_store::PageList;

use super::{administration::Made, call::Call};
use crate::{
    api::routes::Routes,
    http::{
        ApiError, ApiResult,
        response::{Chunks, empty_response, operation_response, raw_json_response},
    },
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Get, _>(retrieve)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
        .on::<Publish, _>(publish)
        .on::<Discard, _>(discard)
        .on::<Revisions, _>(revisions)
        .on::<GetRevision, _>(revision)
        .on::<Restore, _>(restore)
}

async fn list(mut call: Call<List>) -> ApiResult {
    let fields = call.operation.fields.take();
    let pages = call.store.pages();
    let list = pages.list(&call.operation.scope, call.operation.draft, fields);
    Ok(raw_json_response(StatusCode::OK, to_chunks(list.await?)))
}

/// A part of a list, the next one read when it is on its way.
fn to_chunks(list: PageList) -> Chunks {
    let chunks = Chunks::from([list.json]);
    match list.more {
        Some(more) => chunks
            .followed_by(async move { Ok(to_chunks(more.next().await.map_err(ApiError::from)?)) }),
        None => chunks,
    }
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        scope,
        draft,
        settings,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let pages = call.store.pages();
        let created = pages.create(scope, *draft, settings.clone()).await?;
        Ok(Made::entry(&created.json)?.tagged(created.etag))
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn retrieve(call: Call<Get>) -> ApiResult {
    let Get { scope, uid, .. } = &call.operation;
    let pages = call.store.pages();
    let page = pages.get(scope, call.operation.draft, uid);
    Ok(call.answer(page.await?))
}

async fn update(mut call: Call<Update>) -> ApiResult {
    let patch = mem::take(&mut call.operation.update.properties);
    let Update { scope, uid, .. } = &call.operation;
    let tags = call.operation.if_match.as_deref();
    let pages = call.store.pages();
    let updated = pages.update(scope, call.operation.draft, uid, patch, tags);
    Ok(call.answer(updated.await?))
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { scope, uid, .. } = &call.operation;
    let tags = call.operation.if_match.as_deref();
    let pages = call.store.pages();
    let deleted = pages.delete(scope, call.operation.draft, uid, tags);
    deleted.await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

async fn publish(mut call: Call<Publish>) -> ApiResult {
    let uids = checked(call.operation.uids.take())?;
    let pages = call.store.pages();
    let tags = call.operation.if_match.as_deref();
    let published = pages.publish(&call.operation.scope, uids, tags).await?;
    Ok(operation_response::<Publish>(&Published::new(published)))
}

async fn discard(mut call: Call<Discard>) -> ApiResult {
    let uids = checked(call.operation.uids.take())?;
    let pages = call.store.pages();
    let tags = call.operation.if_match.as_deref();
    let discarded = pages.discard(&call.operation.scope, uids, tags).await?;
    Ok(operation_response::<Discard>(&Discarded::new(discarded)))
}

/// The most pages that `uids` may name: each is looked up.
const MAX_UIDS: usize = 10_000;

fn checked(uids: Option<Vec<PageUid>>) -> Result<Option<Vec<PageUid>>, Invalid> {
    match &uids {
        Some(named) if named.len() > MAX_UIDS => Err(Invalid::field(
            "uids",
            format!("at most {MAX_UIDS} pages are allowed; leave it out for all pages"),
        )),
        _ => Ok(uids),
    }
}

async fn revisions(call: Call<Revisions>) -> ApiResult {
    let pages = call.store.pages();
    let revisions = pages.revisions(&call.operation.scope, &call.operation.uid);
    let revisions = revisions.await?.into_iter().map(to_revision).collect();
    Ok(operation_response::<Revisions>(&revisions))
}

fn to_revision(stored: svc_store::PageRevision) -> pages::Revision {
    let date_add = format!("{:.6}", stored.date_add);
    let mut revision = pages::Revision::new(stored.number, date_add);
    revision.author = stored.author;
    revision.draft = stored.draft;
    revision.deleted = stored.deleted;
    revision
}

async fn revision(call: Call<GetRevision>) -> ApiResult {
    let GetRevision {
        scope, uid, number, ..
    } = &call.operation;
    let pages = call.store.pages();
    let json = pages.revision(scope, uid, number_of(number)).await?;
    Ok(raw_json_response(StatusCode::OK, Chunks::from([json])))
}

async fn restore(call: Call<Restore>) -> ApiResult {
    let Restore { scope, uid, .. } = &call.operation;
    let tags = call.operation.if_match.as_deref();
    let pages = call.store.pages();
    let restored = pages.restore(scope, uid, number_of(&call.operation.number), tags);
    Ok(call.answer(restored.await?))
}

/// The number of a revision; a text that is not a number names no revision.
fn number_of(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use svc_model::wire::{ReadOperation as _, ReceivedRequest};

    use super::*;

    fn read(body: &str) -> Result<Option<Vec<PageUid>>, Invalid> {
        let headers = HeaderMap::new();
        let path = ["demo", "prod"].map(String::from);
        let body = serde_json::from_str(body).unwrap();
        let publish = Publish::from_request(ReceivedRequest::new(path, "", &headers, body)?)?;
        checked(publish.uids)
    }

    #[test]
    fn all_pages_are_meant_only_when_nothing_is_said_of_pages() {
        assert_eq!(read("{}"), Ok(None));
        assert_eq!(read(r#"{"uids":[]}"#), Ok(Some(Vec::new())));
        assert_eq!(
            read(r#"{"uids":["a","b"]}"#),
            Ok(Some(vec!["a".into(), "b".into()]))
        );
        for body in [
            r#"{"uids":null}"#,
            r#"{"uids":"a"}"#,
            r#"{"uids":[1]}"#,
            r#"{"uid":["a"]}"#,
            r#"{"uids":[],"all":true}"#,
        ] {
            assert!(read(body).is_err(), "{body}");
        }
        let many = |count| format!("{{\"uids\":[{}]}}", vec!["\"a\""; count].join(","));
        assert!(read(&many(MAX_UIDS)).is_ok());
        assert!(read(&many(MAX_UIDS + 1)).is_err());
    }
}
