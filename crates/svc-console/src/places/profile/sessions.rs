//! Where one is signed in.

use maud::{Markup, html};
use svc_model::{ListQuery, Paginated, administration::Session};

use super::{Own, Part};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{filled::Filled, form::account_field, paging, sessions::sessions},
};

/// How many a page has.
const PER_PAGE: u32 = 50;
/// How many are ended at once.
const MOST_ENDED: usize = 1_000;

/// What the address says after all other sessions were ended.
const OTHERS: &str = "others";

/// The sessions, and ending them.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        let (ended, which) = match visit.form().get("session") {
            Some(uid) => (end(own, uid).await, "one"),
            None => (end_others(own).await, OTHERS),
        };
        match ended {
            Ok(()) => return Ok(Answer::go(&own.place(Part::Sessions).with("ended", which))),
            Err(error) => filled.refuse(error, &[])?,
        }
    }
    let query = visit.query()?;
    if let Some(which) = query.get("ended").filter(|_| !filled.is_refused()) {
        filled.done(&match which {
            OTHERS => visit.texts.get("profile-sessions-ended"),
            _ => visit.texts.get("session-ended"),
        });
    }
    let query = paging::read(first_page(), &query);
    let found = load(own, query.clone()).await?;
    Ok(filled.answer(shown(own, &found, &query, &filled.message())))
}

fn first_page() -> ListQuery {
    ListQuery::new().per_page(PER_PAGE)
}

async fn load(own: &Own<'_>, query: ListQuery) -> Result<Paginated<Session>, svc_api::Error> {
    let sessions = own.client.administration().account_sessions();
    sessions.list().query(query).send().await
}

async fn end(own: &Own<'_>, uid: &str) -> Result<(), svc_api::Error> {
    let administration = own.client.administration();
    match administration.account_sessions().delete(uid).send().await {
        // It has ended by itself.
        Err(error) if error.is_not_found() => Ok(()),
        other => other,
    }
}

/// Ends all sessions but this one.
async fn end_others(own: &Own<'_>) -> Result<(), svc_api::Error> {
    let mut ended = 0;
    while ended < MOST_ENDED {
        // What was ended is listed no more.
        let found = load(own, first_page()).await?;
        let others = found.results.iter().filter(|session| !session.current);
        let before = ended;
        for session in others {
            end(own, &session.uid).await?;
            ended += 1;
        }
        if ended == before {
            break;
        }
    }
    Ok(())
}

fn shown(own: &Own<'_>, found: &Paginated<Session>, query: &ListQuery, message: &Markup) -> Markup {
    let (visit, texts) = (own.visit, own.visit.texts);
    let place = own.place(Part::Sessions);
    let at = |query: &ListQuery| paging::at(place.clone(), query);
    let action = |session: &Session| match session.current {
        true => html! {
            form method="post" action=(visit.root.below(["sign-out"])) {
                (account_field(own.visit))
                button { (texts.get("sign-out")) }
            }
        },
        false => html! {
            form method="post" action=(place) {
                (account_field(own.visit))
                input type="hidden" name="session" value=(session.uid);
                button.danger { (texts.get("session-end")) }
            }
        },
    };
    let has_others = found.results.iter().any(|session| !session.current);
    own.page(
        Part::Sessions,
        &html! {
            (message)
            p.muted { (texts.get("profile-sessions-what")) }
            @if has_others {
                form.toolbar method="post" action=(place.clone().with("all", "1")) {
                    (account_field(own.visit))
                    button.danger { (texts.get("profile-sessions-end")) }
                }
            }
            (sessions(texts, own.account, &found.results, action))
            (paging::links(texts, found, query, at, &html! {}))
        },
    )
}
