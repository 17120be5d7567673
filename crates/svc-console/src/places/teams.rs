//! The teams of a project.

mod create;
mod one;

use maud::{Markup, html};
use svc_model::{Count, ListQuery};

use super::{
    Context, Scope,
    rights::{everywhere, rules},
    tabs::People,
};
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    texts::Texts,
    ui::{frame::Area, paging, table::table},
    visit::Visit,
};

/// How many teams a page has.
const PER_PAGE: u32 = 50;

pub(super) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    match *rest {
        [] => list(&context).await,
        ["new"] => create::answer(&context).await,
        [uid] => one::answer(&context, uid).await,
        [uid, "delete"] => one::delete(&context, uid).await,
        _ => Err(Problem::NotFound),
    }
}

async fn list(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let form = visit.query()?;
    let mut query = ListQuery::new().order_by("name").per_page(PER_PAGE);
    query.count = Count::None;
    let query = paging::read(query, &form);
    let administration = context.client.administration();
    let teams = administration.teams();
    let of_all = async {
        match context.is_administrator() {
            true => rules::about(context, None, &[]).await,
            false => Ok(Vec::new()),
        }
    };
    let (page, rules) = tokio::try_join!(
        async { teams.list().query(query.clone()).send().await },
        of_all
    )?;
    let place = context.place(["teams"]);
    let at = |query: &ListQuery| paging::at(place.clone(), query);
    let head = html! {
        tr {
            th scope="col" { (texts.get("people-name")) }
            @if context.is_administrator() {
                th scope="col" { (texts.get("rights-everywhere")) }
                th scope="col" { (texts.get("rights")) }
            }
        }
    };
    let body = html! {
        @for team in &page.results {
            tr {
                td.key { a href=(context.place(["teams", team.uid.as_str()])) { bdi { (team.name) } } }
                @if context.is_administrator() {
                    td { (everywhere(context, team, &rules)) }
                    td {
                        @if team.super_group {
                            (texts.get("teams-group-administrator"))
                        } @else {
                            a href=(context.place(["rights", team.uid.as_str()])) {
                                (texts.get("rights-change")) span.visually-hidden { ": " (team.name) }
                            }
                        }
                    }
                }
            }
        }
    };
    let main = html! {
        (People::Teams.tabs(context))
        @if context.is_administrator() {
            div.toolbar {
                p.muted { (texts.get("teams-what")) }
                div.grow {}
                a.button.primary href=(place.below(["new"])) { (texts.get("teams-new")) }
            }
        }
        (table(&texts.get("teams"), &head, &body))
        (paging::links(texts, &page, &query, at, &html! {}))
    };
    let page = context.page(Area::Users, texts.get("teams"), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// What a team can begin with, as a form offers it.
fn groups(texts: &Texts) -> Vec<(String, String)> {
    vec![
        ("read_only".to_owned(), texts.get("teams-group-read-only")),
        ("editor".to_owned(), texts.get("teams-group-editor")),
    ]
}

/// What stands above a page about a team.
fn above(context: &Context<'_>) -> Vec<(String, crate::href::Href)> {
    vec![(context.texts().get("teams"), context.place(["teams"]))]
}

/// The sentence about something that only shows.
fn only_read(texts: &Texts) -> Markup {
    html! { p.muted { (texts.get("people-only-read")) } }
}
