//! The projects that somebody can see.

use maud::html;
use svc_model::{ListQuery, administration::projects::NewProject};

use super::check_account;
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    ui::{
        filled::{Filled, Input},
        form::account_field,
        frame::Frame,
        paging,
        swatch::{self, swatch},
    },
    visit::Visit,
};

/// How many projects a page has.
const PER_PAGE: u32 = 50;
const FIELDS: [&str; 5] = ["unique_name", "name", "color", "domain", "owner"];

/// The list of projects; the only one is gone to at once from the console's first place.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    let account = visit.account()?;
    let query = ListQuery::new().order_by("date_add").per_page(PER_PAGE);
    let query = paging::read(query, &visit.query()?);
    let list = visit.client()?.projects().list().query(query.clone());
    let projects = list.send().await?;
    let place = visit.root.below(["projects"]);
    let at = |query: &ListQuery| paging::at(place.clone(), query);
    let home = |project: &svc_model::projects::Project| {
        let environment = project.default_environment.as_ref();
        let environment = environment.map_or("prod", |name| name.as_str());
        Frame::environment_href(&visit.root, project.unique_name.as_str(), environment)
    };
    let is_first = projects.previous.is_none() && visit.path()?.is_empty();
    if let ([only], true) = (&projects.results[..], is_first) {
        return Ok(Answer::go(&home(only)));
    }
    let texts = visit.texts;
    let frame = Frame {
        visit,
        account,
        scope: None,
        area: None,
        above: Vec::new(),
        title: texts.get("projects"),
    };
    Ok(Answer::page(frame.page(&html! {
        @if account.is_operator {
            div.toolbar {
                div.grow {}
                a.button.primary[projects.results.is_empty()] href=(visit.root.below(["projects", "new"])) {
                    (texts.get("projects-new"))
                }
            }
        }
        @if projects.results.is_empty() && !account.is_operator {
            p.empty-state { (texts.get("projects-empty")) }
        }
        ul.cards {
            @for project in &projects.results {
                li {
                    a.card href=(home(project)) {
                        strong { (swatch(project.color.as_deref())) " " bdi { (project.name) } }
                        span.muted { bdi { (project.unique_name) } }
                        span.muted {
                            (texts.with("projects-resources", [("count", project.resources.len().into())]))
                        }
                    }
                }
            }
        }
        @if projects.next.is_some() || projects.previous.is_some() {
            (paging::links(texts, &projects, &query, at, &html! {}))
        }
    })))
}

/// The form that makes a project, for operators.
pub(crate) async fn create(visit: &Visit) -> Result<Answer> {
    let (client, texts) = (visit.client()?, visit.texts);
    let administration = client.administration();
    let account = administration.account().get().send().await?;
    check_account(visit, &account)?;
    if !account.is_operator {
        return Err(Problem::NotOperator);
    }
    let list = visit.root.below(["projects"]);
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        let form = visit.form();
        let given = |name: &str| {
            let text = form.text(name).trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let mut new = NewProject::new(form.text("unique_name").trim());
        new.name = given("name");
        new.color = given("color");
        new.owner = given("owner");
        match administration.projects().create(new).send().await {
            Ok(made) => {
                let environment = made.default_environment.as_ref();
                let environment = environment.map_or("prod", |name| name.as_str());
                let name = made.unique_name.as_str();
                let home = Frame::environment_href(&visit.root, name, environment);
                return Ok(Answer::go(&home));
            }
            Err(error) => filled.refuse(error, &FIELDS)?,
        }
    }
    let frame = Frame {
        visit,
        account: &account,
        scope: None,
        area: None,
        above: vec![(texts.get("projects"), list.clone())],
        title: texts.get("projects-new"),
    };
    let main = html! {
        (filled.message())
        form.stack method="post" action=(list.below(["new"])) {
            (account_field(visit))
            (filled.text("unique_name", &texts.get("settings-short-name"), "", Input::REQUIRED))
            p.small.muted { (texts.get("settings-short-name-hint")) }
            (filled.text("name", &texts.get("people-name"), "", Input::default()))
            (filled.choice("color", &texts.get("people-color"), "", &swatch::choices(texts, None)))
            (filled.text("owner", &texts.get("projects-owner"), "", Input { kind: Some("email"), ..Input::default() }))
            p.small.muted { (texts.get("projects-owner-hint")) }
            div.actions {
                button.primary { (texts.get("create")) }
                a.button href=(list) { (texts.get("cancel")) }
            }
        }
    };
    Ok(filled.answer(frame.page(&main)))
}
