//! The sessions of a user.

use futures_util::future::try_join_all;
use maud::html;
use svc_api::Error;
use svc_model::{ListQuery, Paginated, administration::Session};

use super::{
    super::{Context, or_not_found},
    above,
};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{form::account_field, frame::Area, notice, paging, sessions::sessions},
};

/// How many sessions a page has.
const PER_PAGE: u32 = 50;
/// How many sessions are ended side by side.
const SIDE_BY_SIDE: u32 = 20;
/// How many times the next ones are looked for.
const MOST_TIMES: usize = 100;

/// How many sessions a user has.
pub(super) async fn count(context: &Context<'_>, uid: &str) -> Result<u64, Error> {
    let page = list(context, uid, ListQuery::new().per_page(1)).await?;
    Ok(page.count.unwrap_or(page.results.len() as u64))
}

async fn list(
    context: &Context<'_>,
    uid: &str,
    query: ListQuery,
) -> Result<Paginated<Session>, Error> {
    let administration = context.client.administration();
    let sessions = administration.users().list_sessions(uid);
    sessions.query(query).send().await
}

/// Ends all sessions of a user.
pub(super) async fn end_all(context: &Context<'_>, uid: &str) -> Result<(), Error> {
    for _ in 0..MOST_TIMES {
        let query = ListQuery::new().per_page(SIDE_BY_SIDE);
        let open = list(context, uid, query).await?.results;
        if open.is_empty() {
            break;
        }
        try_join_all(open.iter().map(|session| end(context, uid, &session.uid))).await?;
    }
    Ok(())
}

async fn end(context: &Context<'_>, uid: &str, session: &str) -> Result<(), Error> {
    let administration = context.client.administration();
    let ended = administration.users().delete_session(uid, session);
    match ended.send().await {
        // It has ended by itself.
        Err(error) if error.is_not_found() => Ok(()),
        other => other,
    }
}

/// The list, in which each can be ended.
pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    context.check_administrator()?;
    let (visit, texts) = (context.visit, context.texts());
    let user = context.place(["users", uid]);
    let place = user.below(["sessions"]);
    let mut message = None;
    if visit.is_post() {
        match end(context, uid, visit.form().text("session")).await {
            Ok(()) => return Ok(Answer::go(&place.with("ended", "1"))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let query = visit.query()?;
    if query.get("ended").is_some() {
        message = Some(notice::done(&texts.get("session-ended")));
    }
    let query = paging::read(ListQuery::new().per_page(PER_PAGE), &query);
    let administration = context.client.administration();
    let users = administration.users();
    let (known, page) = tokio::try_join!(
        async { users.get(uid).send().await },
        list(context, uid, query.clone())
    )
    .map_err(or_not_found)?;
    let action = |session: &Session| {
        html! {
            form method="post" action=(place) {
                (account_field(context.visit))
                button.danger name="session" value=(session.uid) { (texts.get("session-end")) }
            }
        }
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        @if page.results.is_empty() {
            p.empty-state { (texts.get("people-sessions-empty")) }
        } @else {
            (sessions(texts, &context.account, &page.results, action))
            div.actions {
                a.button.danger href=(user.below(["sign-out"])) { (texts.get("people-sessions-end-all")) }
            }
        }
        (paging::links(texts, &page, &query, |query| paging::at(place.clone(), query), &html! {}))
    };
    let mut above = above(context);
    above.push((known.email, user));
    let page = context.page(Area::Users, texts.get("sessions"), above, &main);
    Ok(Answer::page(page))
}
