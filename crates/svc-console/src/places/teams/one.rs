//! One team: its name, what it may do, who is in it, and deleting it.

use futures_util::future::try_join_all;
use maud::{Markup, html};
use svc_model::{
    Count, Lookup,
    administration::{
        rights::Rule,
        teams::{Team, TeamPatch},
    },
    projects::Environment,
};

use super::{
    super::{
        Context, or_not_found,
        rights::{rules, summary},
    },
    above, groups, only_read,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{
        filled::{Filled, Input},
        form::{Confirmation, Outcome, account_field},
        frame::Area,
    },
};

pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let (team, people) = load(context, uid).await?;
    let place = context.place(["teams", uid]);
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let patch = patch(&mut filled, &team);
        let teams = context.client.administration().teams();
        let saved = filled.save(patch, &["name", "permissions_group"], async |patch| {
            teams.update(&team.uid, patch).send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&texts.get("saved"));
    }
    let may = match context.is_administrator() {
        true => Some(rules::of_team(context, team.uid.as_str()).await?),
        false => None,
    };
    let mut rules = may.iter().flatten();
    let has_default = !team.super_group && !rules.any(|rule| replaces_default(rule, &team));
    let main = html! {
        (filled.message())
        @if let Some(rules) = &may {
            section {
                h2 { (texts.get("rights-may")) }
                (summary::of(context, &team, rules, false))
                @if !team.super_group {
                    div.actions {
                        a.button.primary href=(context.place(["rights", uid])) { (texts.get("rights-change")) }
                    }
                }
            }
        }
        section {
            h2 { (texts.get("teams-people")) }
            p {
                a href=(users_at(context, uid)) {
                    (texts.with("teams-users", [("count", people.users.into())]))
                }
                @if context.is_administrator() {
                    " · "
                    a href=(members_at(context, uid)) {
                        (texts.with("settings-members-count", [("count", people.members.into())]))
                    }
                }
            }
            @if context.is_administrator() {
                div.actions {
                    a.button href=(context.place(["users", "new"]).with("team", uid)) { (texts.get("users-invite")) }
                    a.button href=(members_at(context, uid)) { (texts.get("teams-members")) }
                }
            }
        }
        section {
            h2 { (texts.get("teams-team")) }
            @if context.is_administrator() {
                (form(context, &filled, &team, has_default, &place))
            } @else {
                (only_read(texts))
            }
        }
    };
    let page = context.page(Area::Users, team.name.clone(), above(context), &main);
    Ok(filled.answer(page))
}

/// How many people are in a team.
struct People {
    /// Users of the environment.
    users: u64,
    /// Members of the project.
    members: u64,
}

/// A team, and how many people are in it.
async fn load(context: &Context<'_>, uid: &str) -> Result<(Team, People)> {
    let administration = context.client.administration();
    let users = context
        .client
        .users()
        .list()
        .filter("group", Lookup::Exact, uid);
    // The team of a member is an object, in which its unique ID is found.
    let members = administration
        .members()
        .list()
        .filter("team", Lookup::Icontains, uid);
    let (team, users, members) = tokio::try_join!(
        async { administration.teams().get(uid).send().await },
        async { users.per_page(1).count(Count::Exact).send().await },
        async { members.per_page(1).count(Count::Exact).send().await }
    )
    .map_err(or_not_found)?;
    let people = People {
        users: users.count.unwrap_or_default(),
        members: members.count.unwrap_or_default(),
    };
    Ok((team, people))
}

/// The service tokens of an environment that act for a team.
struct Tokens {
    environment: String,
    count: u64,
    /// Where they are revoked.
    place: Href,
}

/// The service tokens that act for a team, of the environments that have some.
async fn service_tokens(context: &Context<'_>, uid: &str) -> Result<Vec<Tokens>> {
    let project = &context.project.unique_name;
    let of_one = async |environment: &Environment| {
        let client = context.visit.client_in(project, &environment.unique_name)?;
        let administration = client.administration();
        let tokens = administration.service_tokens().list();
        // The team of a token is an object, in which its unique ID is found.
        let tokens = tokens.filter("team", Lookup::Icontains, uid);
        let found = tokens.per_page(1).count(Count::Exact).send().await?;
        let home = context
            .visit
            .environment(project.as_str(), environment.unique_name.as_str());
        Ok::<_, Problem>(Tokens {
            environment: environment.name.clone(),
            count: found.count.unwrap_or_default(),
            place: home.below(["integrations", "service-tokens"]),
        })
    };
    let all = try_join_all(context.project.environments.iter().map(of_one)).await?;
    let some = all.into_iter().filter(|tokens| tokens.count > 0);
    Ok(some.collect())
}

/// The users in a team.
fn users_at(context: &Context<'_>, uid: &str) -> Href {
    context.place(["users"]).with("team", uid)
}

/// The members in a team, and the form that adds one.
fn members_at(context: &Context<'_>, uid: &str) -> Href {
    context.place(["settings", "members"]).with("team", uid)
}

/// The form of a team, with its default rights where they count.
fn form(
    context: &Context<'_>,
    filled: &Filled<'_>,
    team: &Team,
    has_default: bool,
    place: &Href,
) -> Markup {
    let texts = context.texts();
    let begins = team.permissions_group.as_str();
    html! {
        form.stack method="post" action=(place) {
            (account_field(context.visit))
            (filled.text("name", &texts.get("people-name"), &team.name, Input::REQUIRED))
            @if has_default {
                (filled.choice("permissions_group", &texts.get("teams-otherwise"), begins, &groups(texts)))
            }
            div.actions {
                button.primary { (texts.get("save")) }
                @if !team.super_group {
                    a.button.danger href=(place.below(["delete"])) { (texts.get("delete")) }
                }
            }
        }
    }
}

/// Whether a rule says what the default rights of its team would: it is about everything, everywhere.
fn replaces_default(rule: &Rule, team: &Team) -> bool {
    let is_about_everything =
        rule.environment.is_none() && rule.resource.is_none() && rule.model.is_none();
    is_about_everything && rule.team.uid == team.uid.as_str()
}

/// What is to be changed.
fn patch(filled: &mut Filled<'_>, team: &Team) -> TeamPatch {
    let mut patch = TeamPatch::new();
    let name = filled.changed("name", &team.name);
    patch.name = name.map(str::to_owned);
    let group = filled.changed("permissions_group", &team.permissions_group);
    patch.permissions_group = group.map(str::to_owned);
    patch
}

/// Deletes a team in which nobody is.
pub(super) async fn delete(context: &Context<'_>, uid: &str) -> Result<Answer> {
    context.check_administrator()?;
    let (visit, texts) = (context.visit, context.texts());
    let (team, people) = load(context, uid).await?;
    let tokens = service_tokens(context, uid).await?;
    let place = context.place(["teams", uid]);
    let is_used = people.users > 0 || people.members > 0 || !tokens.is_empty();
    let is_forbidden = is_used || team.super_group;
    let question = Confirmation {
        what: html! {
            p { (texts.with("teams-delete-what", [("name", team.name.as_str().into())])) }
            @if people.users > 0 {
                p {
                    strong { (texts.with("teams-delete-people", [("count", people.users.into())])) } " "
                    a href=(users_at(context, uid)) { (texts.get("teams-delete-show")) }
                }
            }
            @if people.members > 0 {
                p {
                    strong { (texts.with("teams-delete-members", [("count", people.members.into())])) } " "
                    a href=(members_at(context, uid)) { (texts.get("teams-delete-show")) }
                }
            }
            @for Tokens { environment, count, place } in &tokens {
                p {
                    strong {
                        (texts.with("teams-delete-tokens", [("count", (*count).into()), ("environment", environment.as_str().into())]))
                    }
                    " " a href=(place) { (texts.get("teams-delete-show")) }
                }
            }
            @if team.super_group { p { strong { (texts.get("teams-delete-super")) } } }
        },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("delete"),
        name: context.scope.is_production().then_some(team.name.as_str()),
        is_forbidden,
    };
    let outcome = question.ask(visit, async || {
        context
            .client
            .administration()
            .teams()
            .delete(uid)
            .send()
            .await?;
        Ok(context.place(["teams"]))
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let mut above = above(context);
    above.push((team.name.clone(), place));
    let page = context.page(Area::Users, texts.get("delete"), above, &main);
    Ok(Answer::page(page))
}
