//! Page settings (specification, section 4, "Pages"; wire contract, section 8).

use axum::extract::{FromRequest, Request};
use http::{StatusCode, request::Parts};
use svc_model::{
    Invalid, PageUid, Scope,
    pages::{self, Create, Delete, Discard, Discarded, Get, List, Publish, Published, Restore},
    pages::{Revisions, Update},
    wire::{Operation, PathPart as _, ReadOperation},
};
use svc_store::{PageList, Store};

use crate::{
    api::routes::Routes,
    auth::credentials,
    http::{
        error::Failure,
        request::{path_values, read_operation},
        response::{
            Answer, Chunks, empty_answer, operation_answer, raw_json_answer, tagged_answer,
        },
    },
    state::Shared,
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .gives("PageSettingsList")
        .on::<Create, _>(create)
        .takes("PageSettings")
        .gives("PageSettings")
        .on::<Get, _>(retrieve)
        .gives("PageSettings")
        .on::<Update, _>(update)
        .takes("UpdatePageSettings")
        .gives("PageSettings")
        .on::<Delete, _>(delete)
        .on::<Publish, _>(publish)
        .takes("PageUids")
        .gives("PublishedPages")
        .on::<Discard, _>(discard)
        .takes("PageUids")
        .gives("DiscardedPages")
        .on::<Revisions, _>(revisions)
        .gives("PageRevisionList")
        .on::<Restore, _>(restore)
        .gives("PageSettings")
}

/// A call on the pages of an environment, once its credential is known to cover them.
struct Call<O> {
    operation: O,
    /// The store, to write to by whoever asks.
    store: Store,
    parts: Parts,
}

impl<O: ReadOperation> FromRequest<Shared> for Call<O> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let scope = Scope::take_from(&mut path.iter().cloned())
            .ok_or_else(|| Failure::Internal("a path names no environment".to_owned()))?;
        let account = credentials::account(state, &parts.headers).await?;
        account.check(&scope.project, &parts.method)?;
        let limit = state.config.body_limit;
        Ok(Self {
            operation: read_operation(&parts, path, body, &state.config, limit).await?,
            store: state.store_for(account.actor(), &parts),
            parts,
        })
    }
}

impl<O: Operation> Call<O> {
    /// The answer of a page with its entity tag; to a read, 304 where the caller has it.
    fn answer(&self, page: svc_store::Page) -> Answer {
        let is_read = self.parts.method.is_safe();
        let headers = is_read.then_some(&self.parts.headers);
        tagged_answer(O::INFO.status, [page.json], &page.etag, headers)
    }
}

async fn list(call: Call<List>) -> Result<Answer, Failure> {
    let scope = &call.operation.scope;
    let draft = call.operation.draft;
    let list = call
        .store
        .pages()
        .list(&scope.project, &scope.environment, draft)
        .await?;
    Ok(raw_json_answer(StatusCode::OK, to_chunks(list)))
}

/// A part of a list, the next one read when it is on its way.
fn to_chunks(list: PageList) -> Chunks {
    let chunks = Chunks::from([list.json]);
    match list.more {
        Some(more) => chunks
            .followed_by(async move { Ok(to_chunks(more.next().await.map_err(Failure::from)?)) }),
        None => chunks,
    }
}

async fn create(mut call: Call<Create>) -> Result<Answer, Failure> {
    let settings = std::mem::take(&mut call.operation.settings);
    let scope = &call.operation.scope;
    let pages = call.store.pages();
    let created = pages
        .create(
            &scope.project,
            &scope.environment,
            call.operation.draft,
            settings,
        )
        .await?;
    Ok(call.answer(created))
}

async fn retrieve(call: Call<Get>) -> Result<Answer, Failure> {
    let scope = &call.operation.scope;
    let Get { draft, uid, .. } = &call.operation;
    let page = call
        .store
        .pages()
        .get(&scope.project, &scope.environment, *draft, uid)
        .await?;
    Ok(call.answer(page))
}

async fn update(mut call: Call<Update>) -> Result<Answer, Failure> {
    let patch = std::mem::take(&mut call.operation.update.properties);
    let scope = &call.operation.scope;
    let Update {
        draft,
        uid,
        if_match,
        ..
    } = &call.operation;
    let pages = call.store.pages();
    let updated = pages
        .update(
            &scope.project,
            &scope.environment,
            *draft,
            uid,
            patch,
            if_match.as_deref(),
        )
        .await?;
    Ok(call.answer(updated))
}

async fn delete(call: Call<Delete>) -> Result<Answer, Failure> {
    let scope = &call.operation.scope;
    let Delete {
        draft,
        uid,
        if_match,
        ..
    } = &call.operation;
    let pages = call.store.pages();
    pages
        .delete(
            &scope.project,
            &scope.environment,
            *draft,
            uid,
            if_match.as_deref(),
        )
        .await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

async fn publish(mut call: Call<Publish>) -> Result<Answer, Failure> {
    let uids = checked(call.operation.uids.take())?;
    let scope = &call.operation.scope;
    let published = call
        .store
        .pages()
        .publish(&scope.project, &scope.environment, uids)
        .await?;
    Ok(operation_answer::<Publish>(&Published::new(published)))
}

async fn discard(mut call: Call<Discard>) -> Result<Answer, Failure> {
    let uids = checked(call.operation.uids.take())?;
    let scope = &call.operation.scope;
    let discarded = call
        .store
        .pages()
        .discard(&scope.project, &scope.environment, uids)
        .await?;
    Ok(operation_answer::<Discard>(&Discarded::new(discarded)))
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

async fn revisions(call: Call<Revisions>) -> Result<Answer, Failure> {
    let scope = &call.operation.scope;
    let uid = &call.operation.uid;
    let revisions = call
        .store
        .pages()
        .revisions(&scope.project, &scope.environment, uid)
        .await?;
    let revisions = revisions.into_iter().map(to_revision).collect();
    Ok(operation_answer::<Revisions>(&revisions))
}

fn to_revision(stored: svc_store::PageRevision) -> pages::Revision {
    let date_add = format!("{:.6}", stored.date_add);
    let mut revision = pages::Revision::new(stored.number, date_add);
    revision.author = stored.author;
    revision.draft = stored.draft;
    revision.deleted = stored.deleted;
    revision
}

async fn restore(call: Call<Restore>) -> Result<Answer, Failure> {
    let scope = &call.operation.scope;
    let Restore {
        uid,
        number,
        if_match,
        ..
    } = &call.operation;
    // What is no number is the number of no revision.
    let number = number.parse().unwrap_or(0);
    let pages = call.store.pages();
    let restored = pages
        .restore(
            &scope.project,
            &scope.environment,
            uid,
            number,
            if_match.as_deref(),
        )
        .await?;
    Ok(call.answer(restored))
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use svc_model::wire::ReceivedRequest;

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
