//! The users of an environment: who signs in to its application.

mod ask;
mod invite;
mod one;
mod sessions;

use std::collections::BTreeMap;

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{
    Count, ListQuery, Lookup, Paginated, TeamUid,
    administration::{teams::Team, users::User},
};

use super::{Context, Scope, rights::rules, tabs::People};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{frame::Area, paging, standing::Standing, table::table},
    visit::{Form, Visit},
};

/// How many users a page has.
const PER_PAGE: u32 = 50;

pub(super) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    match *rest {
        [] => list(&context).await,
        ["new"] => invite::answer(&context).await,
        [uid] => one::answer(&context, uid).await,
        [uid, "sessions"] => sessions::answer(&context, uid).await,
        [uid, "suspend"] => ask::suspend(&context, uid).await,
        [uid, "delete"] => ask::delete(&context, uid).await,
        [uid, "sign-out"] => ask::sign_out(&context, uid).await,
        _ => Err(Problem::NotFound),
    }
}

async fn list(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let form = visit.query()?;
    let query = query_of(&form);
    let (page, teams) = tokio::try_join!(load(context, &query), rules::teams(context))?;
    let place = context.place(["users"]);
    let at = |query: &ListQuery| at(&place, &form, query);
    let counted = html! {
        @if let Some(count) = page.count { span.muted { (texts.with("users-count", [("count", count.into())])) } }
    };
    let is_filtered = !form.text("_search").is_empty() || !form.text("team").is_empty();
    let main = html! {
        (People::Users.tabs(context))
        @if context.is_administrator() { (about_members(context)) }
        (bar(context, &form, &teams))
        @if page.results.is_empty() {
            p.empty-state {
                @if is_filtered {
                    (texts.get("users-none-fits"))
                } @else {
                    (texts.get("users-empty"))
                    @if context.is_administrator() {
                        " " a href=(context.place(["users", "new"])) { (texts.get("users-empty-next")) }
                    }
                }
            }
        } @else {
            (rows(context, &page.results, &teams))
        }
        (paging::links(texts, &page, &query, at, &counted))
    };
    let page = context.page(Area::Users, texts.get("users"), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// The users of a page. How it stands with each is for administrators.
async fn load(context: &Context<'_>, query: &ListQuery) -> Result<Paginated<Row>, Error> {
    if context.is_administrator() {
        let users = context.client.administration().users().list();
        let page = users.query(query.clone()).send().await?;
        return Ok(page.map(|user| {
            let standing = Some(standing(&user));
            Row { user, standing }
        }));
    }
    let page = context.client.users().list().query(query.clone());
    Ok(page.send().await?.map(|known| {
        let mut user = User::new(known.uid, known.email, known.group, known.date_add);
        (user.first_name, user.last_name) = (known.first_name, known.last_name);
        Row {
            user,
            standing: None,
        }
    }))
}

/// The users are not those who work in the console.
fn about_members(context: &Context<'_>) -> Markup {
    let texts = context.texts();
    html! {
        p.muted {
            (texts.get("users-what")) " "
            a href=(context.place(["settings", "members"])) { (texts.get("users-what-link")) }
            "."
        }
    }
}

/// What the address asks for.
fn query_of(form: &Form) -> ListQuery {
    let text = |name: &str| form.get(name).filter(|text| !text.is_empty());
    let mut query = ListQuery::new().order_by("email").per_page(PER_PAGE);
    query.count = Count::Auto;
    query.search = text("_search").map(str::to_owned);
    if let Some(team) = text("team") {
        query = query.filter("group", Lookup::Exact, team);
    }
    paging::read(query, form)
}

/// The address of another place in the same list.
fn at(place: &Href, form: &Form, query: &ListQuery) -> Href {
    let mut href = place.clone();
    for name in ["_search", "team"] {
        if !form.text(name).is_empty() {
            href = href.with(name, form.text(name));
        }
    }
    paging::at(href, query)
}

fn bar(context: &Context<'_>, form: &Form, teams: &[Team]) -> Markup {
    let texts = context.texts();
    html! {
        form.toolbar method="get" action=(context.place(["users"])) {
            input type="search" name="_search" value=(form.text("_search")) aria-label=(texts.get("search"))
                placeholder=(texts.get("search")) data-key="/";
            (team_filter(texts, teams, form.text("team")))
            button { (texts.get("rights-show")) }
            div.grow {}
            @if context.is_administrator() {
                a.button.primary href=(context.place(["users", "new"])) { (texts.get("users-invite")) }
            }
        }
    }
}

/// The field by which a list shows the people of one team.
pub(super) fn team_filter(texts: &Texts, teams: &[Team], chosen: &str) -> Markup {
    html! {
        select name="team" aria-label=(texts.get("people-team")) {
            option value="" { (texts.get("users-all-teams")) }
            @for team in teams {
                option value=(team.uid) selected[team.uid.as_str() == chosen] { (team.name) }
            }
        }
    }
}

/// A user of the list.
struct Row {
    user: User,
    /// How it stands with the user, where who looks may know it.
    standing: Option<Standing>,
}

fn standing(user: &User) -> Standing {
    Standing {
        is_suspended: user.suspended,
        has_password: user.has_password,
        is_confirmed: user.email_confirmed,
    }
}

fn rows(context: &Context<'_>, rows: &[Row], teams: &[Team]) -> Markup {
    let texts = context.texts();
    let known = teams.iter();
    let names: BTreeMap<&TeamUid, &str> =
        known.map(|team| (&team.uid, team.name.as_str())).collect();
    let has_standing = rows.iter().any(|row| row.standing.is_some());
    let head = html! {
        tr {
            th scope="col" { (texts.get("email")) }
            th scope="col" { (texts.get("people-name")) }
            th scope="col" { (texts.get("people-team")) }
            @if has_standing { th scope="col" { (texts.get("state")) } }
            th scope="col" { (texts.get("people-since")) }
        }
    };
    let body = html! {
        @for Row { user, standing } in rows {
            tr {
                td.key { a href=(context.place(["users", user.uid.as_str()])) { bdi { (user.email) } } }
                td { bdi { (full_name(&user.first_name, &user.last_name)) } }
                td {
                    a href=(context.place(["teams", user.group.as_str()])) {
                        bdi { (names.get(&user.group).copied().unwrap_or(user.group.as_str())) }
                    }
                }
                @if let Some(standing) = standing { td { (standing.shown(texts)) } }
                td { (day(&user.date_add)) }
            }
        }
    };
    table(&texts.get("users"), &head, &body)
}

/// First and last name, as far as they are known.
pub(super) fn full_name(first: &Option<String>, last: &Option<String>) -> String {
    let names = [first.as_deref(), last.as_deref()];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    names.join(" ")
}

/// The day of a time.
pub(super) fn day(time: &str) -> Markup {
    html! {
        time datetime=(time) { (time.split('T').next().unwrap_or(time)) }
    }
}

/// What stands above a page about a user.
fn above(context: &Context<'_>) -> Vec<(String, Href)> {
    vec![(context.texts().get("users"), context.place(["users"]))]
}

/// The teams as a form offers them to somebody new: those that may do least come first.
pub(super) fn teams_for_new(teams: &[Team]) -> Vec<(String, String)> {
    let mut ordered = teams.to_vec();
    ordered.sort_by_key(|team| (team.super_group, team.permissions_group != "read_only"));
    team_choices(&ordered)
}

/// The teams as a form offers them.
pub(super) fn team_choices(teams: &[Team]) -> Vec<(String, String)> {
    let choice = |team: &Team| (team.uid.to_string(), team.name.clone());
    teams.iter().map(choice).collect()
}
