//! The matrix of teams by models: each cell says what a team may do, and leads to the rule about it.

use maud::{Markup, html};
use svc_model::administration::{rights::Rule, teams::Team};

use super::{
    super::{Context, tabs::People},
    chosen,
    effective::{Subject, TeamRights},
    models, rules,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{frame::Area, notice, table::table},
};

/// How many models a page has.
const PER_PAGE: usize = 100;

pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let query = visit.query()?;
    let resource = chosen(context, query.text("resource"))?;
    let search = query.text("_search");
    let page: usize = query.text("page").parse().unwrap_or(1).max(1);
    let teams = async { Ok(rules::teams(context).await?) };
    let found = async {
        match resource {
            Some(resource) => Ok(Some(models(context, resource, search).await)),
            None => Ok::<_, Problem>(None),
        }
    };
    let (teams, found) = tokio::try_join!(teams, found)?;
    let (found, failed) = match found {
        Some(Ok(found)) => (found, None),
        Some(Err(error)) => (Vec::new(), Some(notice::refused(visit, error)?)),
        None => (Vec::new(), None),
    };
    let start = (page - 1).saturating_mul(PER_PAGE);
    let shown = found.iter().skip(start).take(PER_PAGE);
    let shown: Vec<&str> = shown.map(String::as_str).collect();
    let rules = rules::about(context, resource, &shown).await?;
    let matrix = Matrix {
        context,
        resource,
        teams: &teams,
        rules: &rules,
    };
    let texts = context.texts();
    let main = html! {
        (People::Rights.tabs(context))
        (bar(context, resource, search))
        @if let Some(failed) = failed { (failed) }
        @if resource.is_none() {
            p.empty-state { (texts.get("rights-no-database")) " " a href=(context.place(["connect"])) { (texts.get("connect")) } }
        }
        (matrix.table(&shown))
        p.small.muted { (texts.get("rights-legend")) }
        nav.pages aria-label=(texts.get("pages")) {
            @if page > 1 { a.button rel="prev" href=(at(context, resource, search, page - 1)) { (texts.get("previous")) } }
            @if found.len() > start.saturating_add(PER_PAGE) { a.button rel="next" href=(at(context, resource, search, page.saturating_add(1))) { (texts.get("next")) } }
        }
    };
    let page = context.page(Area::Users, texts.get("rights"), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// The address of a page of the matrix.
fn at(context: &Context<'_>, resource: Option<&str>, search: &str, page: usize) -> Href {
    let place = context.place(["rights"]);
    place
        .with("resource", resource.unwrap_or_default())
        .with("_search", search)
        .with("page", &page.to_string())
}

/// The choice of a database and of models.
fn bar(context: &Context<'_>, resource: Option<&str>, search: &str) -> Markup {
    let texts = context.texts();
    html! {
        form.toolbar method="get" action=(context.place(["rights"])) {
            @if resource.is_some() {
                label.inline { (texts.get("database"))
                    select name="resource" {
                        @for name in rules::databases(context) {
                            option value=(name) selected[resource == Some(name.as_str())] { (name) }
                        }
                    }
                }
                input type="search" name="_search" value=(search) aria-label=(texts.get("rights-search"))
                    placeholder=(texts.get("rights-search")) data-key="/";
                button { (texts.get("rights-show")) }
            }
            div.grow {}
            a.button href=(context.place(["teams", "new"])) { (texts.get("teams-new")) }
        }
    }
}

struct Matrix<'m> {
    context: &'m Context<'m>,
    resource: Option<&'m str>,
    teams: &'m [Team],
    rules: &'m [Rule],
}

impl Matrix<'_> {
    fn table(&self, models: &[&str]) -> Markup {
        let texts = self.context.texts();
        let environment = self.context.scope.environment.as_str();
        let of = |team| TeamRights::new(team, self.rules, environment);
        let teams: Vec<TeamRights<'_>> = self.teams.iter().map(of).collect();
        let head = html! {
            tr {
                th scope="col" { (texts.get("rights-what")) }
                @for rights in &teams {
                    th scope="col" {
                        a href=(self.context.place(["teams", rights.team.uid.as_str()])) { bdi { (rights.team.name) } }
                    }
                }
            }
        };
        let body = html! {
            (self.row(&teams, Subject::Everything, &texts.get("rights-everywhere"), true))
            @if let Some(resource) = self.resource {
                (self.row(&teams, Subject::Resource(resource), &texts.with("rights-whole", [("name", resource.into())]), true))
                @for model in models {
                    (self.row(&teams, Subject::Model(resource, model), model, false))
                }
            }
        };
        html! {
            div.matrix { (table(&texts.get("rights"), &head, &body)) }
        }
    }

    fn row(
        &self,
        teams: &[TeamRights<'_>],
        subject: Subject<'_>,
        name: &str,
        is_group: bool,
    ) -> Markup {
        html! {
            tr.group[is_group] {
                th scope="row" { bdi { (name) } }
                @for rights in teams {
                    td { (self.cell(rights, subject, name)) }
                }
            }
        }
    }

    fn cell(&self, rights: &TeamRights<'_>, subject: Subject<'_>, name: &str) -> Markup {
        let texts = self.context.texts();
        let (granted, is_own) = rights.on(subject);
        let text = granted.text(texts);
        if rights.team.super_group {
            return html! { span.inherited { (text) } };
        }
        let place = super::rule::place(self.context, rights.team.uid.as_str(), subject);
        html! {
            a.own[is_own].inherited[!is_own] href=(place) {
                @if is_own { span aria-hidden="true" { "● " } }
                (text)
                span.visually-hidden {
                    @if !is_own { " (" (texts.get("rights-inherited")) ")" }
                    ": " (rights.team.name) ", " (name)
                }
            }
        }
    }
}
