//! What a team may do, in sentences.

use maud::{Markup, html};
use svc_model::administration::{rights::Rule, teams::Team};

use super::{
    super::Context,
    effective::{Subject, TeamRights},
    rule, rules,
};

/// How many exceptions are named for a database.
const MOST_NAMED: usize = 30;

/// What a team may do with each database of the environment.
pub(in crate::places) fn of(
    context: &Context<'_>,
    team: &Team,
    rules: &[Rule],
    offers_change: bool,
) -> Markup {
    let texts = context.texts();
    let rights = TeamRights::new(team, rules, context.scope.environment.as_str());
    let databases = rules::databases(context);
    if team.super_group {
        return html! { p.lead { (texts.get("rights-administrators")) } };
    }
    html! {
        @if databases.is_empty() {
            p {
                (texts.get("rights-everywhere")) ": "
                strong { (rights.on(Subject::Everything).0.text(texts)) }
            }
        }
        ul.summary {
            @for database in databases {
                li {
                    (one(context, &rights, database.as_str()))
                    @if offers_change {
                        " · " a href=(context.place(["rights", team.uid.as_str()]).with("resource", database.as_str())) {
                            (texts.get("rights-change"))
                            span.visually-hidden { ": " (database) }
                        }
                    }
                }
            }
        }
    }
}

fn one(context: &Context<'_>, rights: &TeamRights<'_>, database: &str) -> Markup {
    let texts = context.texts();
    let (whole, _) = rights.on(Subject::Resource(database));
    let exceptions = rights.exceptions(database);
    let team = rights.team.uid.as_str();
    html! {
        bdi { strong { (database) } } ": " (whole.text(texts))
        @if !exceptions.is_empty() {
            ", " (texts.get("rights-except")) " "
            @for (at, (model, granted)) in exceptions.iter().take(MOST_NAMED).enumerate() {
                @if at > 0 { ", " }
                @if context.is_administrator() {
                    a href=(rule::place(context, team, Subject::Model(database, model))) { bdi { (model) } }
                } @else {
                    bdi { (model) }
                }
                " (" (granted.text(texts)) ")"
            }
            @if exceptions.len() > MOST_NAMED { " …" }
        }
    }
}
