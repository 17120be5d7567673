//! The members of a project: who builds and administers it.

use maud::{Markup, html};
use svc_model::{Count, ListQuery, Lookup, administration::members::Member};

use super::super::{
    Context, or_not_found, outbox,
    rights::{rules, summary},
    tabs::Setting,
    users::{day, full_name, team_choices, team_filter, teams_for_new},
};
use crate::{
    answer::Answer,
    href::Href,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::{Confirmation, Outcome, account_field},
        frame::Area,
        paging,
        standing::Standing,
        table::table,
    },
};

/// How many members a page has.
const PER_PAGE: u32 = 50;

/// The list, and the form that adds a member.
pub(super) async fn list(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let place = context.place(["settings", "members"]);
    let form = visit.query()?;
    let members = context.client.administration().members();
    let mut filled = Filled::new(visit);
    let mut hint = Markup::default();
    if visit.is_post() {
        let sent = visit.form();
        let new = members.create(sent.text("email").trim(), sent.text("team"));
        match new.send().await {
            Ok(added) => return Ok(Answer::go(&place.with("added", &added.uid))),
            Err(error) => filled.refuse(error, &["email", "team"])?,
        }
    } else if let Some(uid) = form.get("added")
        && let Ok(added) = members.get(uid).send().await
    {
        filled.done(&texts.with("settings-members-added", [("email", added.email.into())]));
        hint = outbox::hint(visit, &context.client, &context.account).await?;
    }
    let mut query = ListQuery::new().order_by("email").per_page(PER_PAGE);
    query.count = Count::Auto;
    let search = form.text("_search");
    query.search = (!search.is_empty()).then(|| search.to_owned());
    let chosen = form.text("team");
    if !chosen.is_empty() {
        // The team of a member is an object, in which its unique ID is found.
        query = query.filter("team", Lookup::Icontains, chosen);
    }
    let query = paging::read(query, &form);
    let (page, teams) = tokio::try_join!(
        async { members.list().query(query.clone()).send().await },
        rules::teams(context)
    )?;
    let at = |query: &ListQuery| {
        let mut href = place.clone();
        for (name, value) in [("_search", search), ("team", chosen)] {
            if !value.is_empty() {
                href = href.with(name, value);
            }
        }
        paging::at(href, query)
    };
    let counted = html! {
        @if let Some(count) = page.count { span.muted { (texts.with("settings-members-count", [("count", count.into())])) } }
    };
    let main = html! {
        (Setting::Members.tabs(context))
        (filled.message())
        (hint)
        form.toolbar method="post" action=(place) {
            (account_field(context.visit))
            (filled.text("email", &texts.get("email"), "", Input::EMAIL))
            (filled.choice("team", &texts.get("people-team"), chosen, &teams_for_new(&teams)))
            button.primary { (texts.get("settings-members-add")) }
        }
        p.small.muted { (texts.get("settings-members-what")) }
        form.toolbar method="get" action=(place) {
            input type="search" name="_search" value=(search) aria-label=(texts.get("search"))
                placeholder=(texts.get("search")) data-key="/";
            (team_filter(texts, &teams, chosen))
            button { (texts.get("rights-show")) }
        }
        @if page.results.is_empty() {
            p.empty-state { (texts.get("settings-members-none")) }
        } @else {
            (rows(context, &page.results))
        }
        (paging::links(texts, &page, &query, at, &counted))
    };
    let above = vec![(texts.get("area-settings"), context.place(["settings"]))];
    let title = texts.get("settings-members");
    Ok(filled.answer(context.page(Area::Settings, title, above, &main)))
}

fn rows(context: &Context<'_>, members: &[Member]) -> Markup {
    let texts = context.texts();
    let head = html! {
        tr {
            th scope="col" { (texts.get("email")) }
            th scope="col" { (texts.get("people-name")) }
            th scope="col" { (texts.get("people-team")) }
            th scope="col" { (texts.get("state")) }
            th scope="col" { (texts.get("people-since")) }
        }
    };
    let body = html! {
        @for member in members {
            tr {
                td.key {
                    a href=(context.place(["settings", "members", &member.uid])) { bdi { (member.email) } }
                }
                td { bdi { (full_name(&member.first_name, &member.last_name)) } }
                td { a href=(context.place(["teams", &member.team.uid])) { bdi { (member.team.name) } } }
                td { (standing(context, member).shown(texts)) }
                td { (day(&member.date_add)) }
            }
        }
    };
    table(&texts.get("settings-members"), &head, &body)
}

fn standing(context: &Context<'_>, member: &Member) -> Standing {
    Standing {
        is_suspended: false,
        // Who signs in without a password, by a link, is not waited for.
        has_password: member.has_password || member.uid == context.account.uid,
        is_confirmed: true,
    }
}

/// One member: the team, and what it may do.
pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let place = context.place(["settings", "members", uid]);
    let members = context.client.administration().members();
    let (member, teams) = tokio::try_join!(
        async { members.get(uid).send().await },
        rules::teams(context)
    )
    .map_err(or_not_found)?;
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let team = filled.changed("team", &member.team.uid).map(str::to_owned);
        let saved = filled.save(team, &["team"], async |team| {
            let team = team.unwrap_or_default();
            members.update(uid, team).send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&texts.get("saved"));
    }
    let rules = rules::of_team(context, &member.team.uid).await?;
    let team = teams
        .iter()
        .find(|team| team.uid.as_str() == member.team.uid);
    let main = html! {
        (filled.message())
        section {
            form.stack method="post" action=(place) data-guard {
                (account_field(context.visit))
                (filled.choice("team", &texts.get("people-team"), &member.team.uid, &team_choices(&teams)))
                div.actions {
                    button.primary { (texts.get("save")) }
                    a.button.danger href=(place.below(["delete"])) { (texts.get("settings-members-remove")) }
                }
            }
        }
        @if let Some(team) = team {
            section {
                h2 { (texts.with("users-may", [("team", team.name.as_str().into())])) }
                (summary::of(context, team, &rules, true))
            }
        }
    };
    let title = member.email.clone();
    Ok(filled.answer(context.page(Area::Settings, title, above(context), &main)))
}

/// Removes a member, whose account stays.
pub(super) async fn delete(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let place = context.place(["settings", "members", uid]);
    let members = context.client.administration().members();
    let member = members.get(uid).send().await.map_err(or_not_found)?;
    let question = Confirmation {
        what: html! {
            p { (texts.with("settings-members-remove-what", [("email", member.email.as_str().into())])) }
            @if member.uid == context.account.uid { p { strong { (texts.get("settings-members-remove-self")) } } }
        },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("settings-members-remove"),
        name: context
            .scope
            .is_production()
            .then_some(member.email.as_str()),
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        members.delete(uid).send().await?;
        Ok(match member.uid == context.account.uid {
            true => visit.root.below(["projects"]),
            false => context.place(["settings", "members"]),
        })
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let mut above = above(context);
    above.push((member.email, place));
    let title = texts.get("settings-members-remove");
    Ok(Answer::page(context.page(
        Area::Settings,
        title,
        above,
        &main,
    )))
}

fn above(context: &Context<'_>) -> Vec<(String, Href)> {
    let name = context.texts().get("settings-members");
    super::above(context, name, "members")
}
