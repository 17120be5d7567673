//! Page settings (specification, section 4, "Pages"; wire contract, section 8).

use axum::{
    Router,
    extract::{Request, State},
};
use http::{StatusCode, request::Parts};
use svc_model::{
    Draft, EnvironmentName, Invalid, JsonObject, PageSettings, PageUid, ProjectName, pages,
};
use svc_store::{PageList, Store};

use crate::{
    answer::{Answer, Chunks, empty_answer, json_answer, raw_json_answer, tagged_answer},
    body::read_object,
    credentials,
    failure::Failure,
    request::{Segments, if_match, read_draft},
    router::Routes as _,
    state::Shared,
};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .on::<pages::List, _>(list)
        .on::<pages::Create, _>(create)
        .on::<pages::Get, _>(retrieve)
        .on::<pages::Update, _>(update)
        .on::<pages::Delete, _>(delete)
        .on::<pages::Publish, _>(publish)
        .on::<pages::Discard, _>(discard)
        .on::<pages::Revisions, _>(revisions)
        .on::<pages::Restore, _>(restore)
}

/// Where the pages are that a request speaks of, once its credential is known to cover them.
struct Place {
    project: ProjectName,
    environment: EnvironmentName,
    draft: Draft,
    /// The store, to write to by whoever asks.
    store: Store,
}

async fn authorized(
    state: &Shared,
    parts: &Parts,
    project: String,
    environment: String,
) -> Result<Place, Failure> {
    let project = ProjectName::from(project);
    let account = credentials::account(state, &parts.headers).await?;
    account.check(&project, &parts.method)?;
    Ok(Place {
        project,
        environment: environment.into(),
        draft: read_draft(parts.uri.query())?,
        store: state.store_for(account.actor(), parts),
    })
}

async fn list(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let list = state
        .store
        .pages()
        .list(&place.project, &place.environment, place.draft)
        .await?;
    Ok(raw_json_answer(StatusCode::OK, to_chunks(list)))
}

/// A part of a list, the next one read when it is on its way.
fn to_chunks(list: PageList) -> Chunks {
    let chunks = Chunks::from([list.json]);
    match list.more {
        Some(more) => chunks.followed_by(async move { Ok(to_chunks(more.next().await?)) }),
        None => chunks,
    }
}

async fn create(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let object = read_object(&parts.headers, body, &state.config).await?;
    let settings = PageSettings::from(object);
    let created = place
        .store
        .pages()
        .create(&place.project, &place.environment, place.draft, settings)
        .await?;
    Ok(answer(StatusCode::CREATED, created, None))
}

async fn retrieve(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let page = state
        .store
        .pages()
        .get(&place.project, &place.environment, place.draft, &uid)
        .await?;
    Ok(answer(StatusCode::OK, page, Some(&parts)))
}

async fn update(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let tags = if_match(&parts.headers)?;
    let patch = read_object(&parts.headers, body, &state.config).await?;
    let updated = place
        .store
        .pages()
        .update(
            &place.project,
            &place.environment,
            place.draft,
            &uid,
            patch,
            tags.as_deref(),
        )
        .await?;
    Ok(answer(StatusCode::OK, updated, None))
}

async fn delete(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let tags = if_match(&parts.headers)?;
    place
        .store
        .pages()
        .delete(
            &place.project,
            &place.environment,
            place.draft,
            &uid,
            tags.as_deref(),
        )
        .await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

async fn publish(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uids = read_uids(read_object(&parts.headers, body, &state.config).await?)?;
    let published = place
        .store
        .pages()
        .publish(&place.project, &place.environment, uids)
        .await?;
    Ok(json_answer(
        StatusCode::OK,
        &pages::Published::new(published),
    ))
}

async fn discard(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uids = read_uids(read_object(&parts.headers, body, &state.config).await?)?;
    let discarded = place
        .store
        .pages()
        .discard(&place.project, &place.environment, uids)
        .await?;
    Ok(json_answer(
        StatusCode::OK,
        &pages::Discarded::new(discarded),
    ))
}

/// The most pages that `uids` may name: each is looked up.
const MAX_UIDS: usize = 10_000;

/// Which pages are meant: those of `uids`, all without it. Whatever else is there is refused, since a mistyped name
/// would mean all.
fn read_uids(mut body: JsonObject) -> Result<Option<Vec<PageUid>>, Failure> {
    let uids = body.remove("uids");
    let mut invalid = Invalid::new();
    for (name, _) in body.iter() {
        invalid.push_field(name, "unknown property; known is uids");
    }
    let uids: Option<Vec<PageUid>> = uids
        .map(|uids| serde_json::from_str(uids.get()))
        .transpose()
        .unwrap_or_else(|_| {
            invalid.push_field(
                "uids",
                "must be an array of page UIDs; leave it out for all pages",
            );
            None
        });
    if uids.as_ref().is_some_and(|uids| uids.len() > MAX_UIDS) {
        let message = format!("at most {MAX_UIDS} pages are allowed; leave it out for all pages");
        invalid.push_field("uids", message);
    }
    invalid.into_result()?;
    Ok(uids)
}

async fn revisions(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let revisions = state
        .store
        .pages()
        .revisions(&place.project, &place.environment, &uid)
        .await?;
    let revisions: Vec<_> = revisions.into_iter().map(to_revision).collect();
    Ok(json_answer(StatusCode::OK, &revisions))
}

fn to_revision(stored: svc_store::PageRevision) -> pages::Revision {
    let date_add = format!("{:.6}", stored.date_add);
    let mut revision = pages::Revision::new(stored.number, date_add);
    revision.author = stored.author;
    revision.draft = stored.draft;
    revision.deleted = stored.deleted;
    revision
}

async fn restore(
    State(state): State<Shared>,
    Segments((project, environment, uid, number)): Segments<(String, String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let tags = if_match(&parts.headers)?;
    // What is no number is the number of no revision.
    let number = number.parse().unwrap_or(0);
    let restored = place
        .store
        .pages()
        .restore(
            &place.project,
            &place.environment,
            &uid,
            number,
            tags.as_deref(),
        )
        .await?;
    Ok(answer(StatusCode::OK, restored, None))
}

fn answer(status: StatusCode, page: svc_store::Page, request: Option<&Parts>) -> Answer {
    let headers = request.map(|parts| &parts.headers);
    tagged_answer(status, [page.json], &page.etag, headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Option<Vec<PageUid>>, Failure> {
        read_uids(serde_json::from_str(body).unwrap())
    }

    #[test]
    fn all_pages_are_meant_only_when_nothing_is_said_of_pages() {
        assert_eq!(read("{}").unwrap(), None);
        assert_eq!(read(r#"{"uids":[]}"#).unwrap(), Some(Vec::new()));
        assert_eq!(
            read(r#"{"uids":["a","b"]}"#).unwrap(),
            Some(vec!["a".into(), "b".into()])
        );
        for body in [
            r#"{"uids":null}"#,
            r#"{"uids":"a"}"#,
            r#"{"uids":[1]}"#,
            r#"{"uid":["a"]}"#,
            r#"{"uids":[],"all":true}"#,
        ] {
            assert!(matches!(read(body), Err(Failure::Invalid(_))), "{body}");
        }
        let many = |count| format!("{{\"uids\":[{}]}}", vec!["\"a\""; count].join(","));
        assert!(read(&many(MAX_UIDS)).is_ok());
        assert!(read(&many(MAX_UIDS + 1)).is_err());
    }
}
