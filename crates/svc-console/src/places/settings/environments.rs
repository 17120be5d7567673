//! The environments of a project.

use maud::html;
use svc_model::{
    EnvironmentName,
    administration::environments::{EnvironmentPatch, NewEnvironment},
    projects::Environment,
};

use super::super::{Context, tabs::Setting};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{
        filled::{Filled, Input},
        form::{Confirmation, Outcome, account_field},
        frame::{Area, Frame},
        swatch::{self, swatch},
        table::table,
    },
};

const FIELDS: [&str; 3] = ["unique_name", "name", "color"];

/// All of them. They are few, and the project names them.
pub(super) async fn list(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts, project) = (context.visit, context.texts(), &context.project);
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let place = context.place(["settings", "environments"]);
    let head = html! {
        tr {
            th scope="col" { (texts.get("people-name")) }
            th scope="col" { (texts.get("settings-short-name")) }
            th scope="col" { (texts.get("area-data")) }
            th scope="col" { (texts.get("settings-copy")) }
        }
    };
    let row = |known: &Environment| {
        let name = known.unique_name.as_str();
        let home = Frame::environment_href(&visit.root, project.unique_name.as_str(), name);
        html! {
            tr {
                td.key {
                    (swatch(known.color.as_deref())) " "
                    a href=(place.below([name])) { bdi { (known.name) } }
                    @if project.default_environment.as_ref() == Some(&known.unique_name) {
                        " " span.muted { (texts.get("settings-is-default")) }
                    }
                }
                td { code { (name) } }
                td { a href=(home) { (texts.get("open-records")) span.visually-hidden { ": " (known.name) } } }
                td {
                    a href=(home.below(["pages", "copy"])) {
                        (texts.get("settings-copy")) span.visually-hidden { ": " (known.name) }
                    }
                }
            }
        }
    };
    let body = html! { @for known in &project.environments { (row(known)) } };
    let main = html! {
        (Setting::Environments.tabs(context))
        div.toolbar {
            p.muted { (texts.get("settings-environments-what")) }
            div.grow {}
            a.button.primary href=(place.below(["new"])) { (texts.get("settings-environment-new")) }
        }
        (table(&texts.get("settings-environments"), &head, &body))
    };
    Ok(Answer::page(context.page(
        Area::Settings,
        texts.get("settings-environments"),
        vec![(texts.get("area-settings"), context.place(["settings"]))],
        &main,
    )))
}

pub(super) async fn create(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let place = context.place(["settings", "environments"]);
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        let form = visit.form();
        let given = |name: &str| {
            let text = form.text(name).trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let mut new = NewEnvironment::new(form.text("unique_name").trim());
        new.name = given("name");
        new.color = given("color");
        let environments = context.client.administration().environments();
        match environments.create(new).send().await {
            Ok(_) => return Ok(Answer::go(&place)),
            Err(error) => filled.refuse(error, &FIELDS)?,
        }
    }
    let main = html! {
        (filled.message())
        form.stack method="post" action=(place.below(["new"])) data-guard {
            (account_field(context.visit))
            (filled.text("unique_name", &texts.get("settings-short-name"), "", Input::REQUIRED))
            p.small.muted { (texts.get("settings-short-name-hint")) }
            (filled.text("name", &texts.get("people-name"), "", Input::default()))
            (filled.choice("color", &texts.get("people-color"), "", &swatch::choices(texts, None)))
            div.actions {
                button.primary { (texts.get("create")) }
                a.button href=(place) { (texts.get("cancel")) }
            }
        }
    };
    let title = texts.get("settings-environment-new");
    Ok(filled.answer(context.page(Area::Settings, title, above(context), &main)))
}

pub(super) async fn answer(context: &Context<'_>, name: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let known = find(context, name)?;
    let list = context.place(["settings", "environments"]);
    let place = list.below([name]);
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let patch = patch(&mut filled, known);
        let environments = context.client.administration().environments();
        let saved = filled.save(patch, &FIELDS, async |patch| {
            let changed = environments.update(&known.unique_name, patch);
            changed.send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&texts.get("saved"));
    }
    let color = known.color.as_deref();
    let main = html! {
        (filled.message())
        form.stack method="post" action=(place) data-guard {
            (account_field(context.visit))
            (filled.text("name", &texts.get("people-name"), &known.name, Input::REQUIRED))
            p.small.muted { (texts.get("settings-unique-name")) " " code { (name) } }
            (filled.choice("color", &texts.get("people-color"), color.unwrap_or_default(), &swatch::choices(texts, color)))
            div.actions {
                button.primary { (texts.get("save")) }
                a.button href=(list) { (texts.get("cancel")) }
            }
        }
        section.destroys {
            @if name == EnvironmentName::PROD {
                p.muted { (texts.get("settings-prod-stays")) }
            } @else {
                a.button.danger href=(place.below(["delete"])) { (texts.get("settings-environment-delete")) }
            }
        }
    };
    let title = known.name.clone();
    Ok(filled.answer(context.page(Area::Settings, title, above(context), &main)))
}

/// What is to be changed.
fn patch(filled: &mut Filled<'_>, known: &Environment) -> EnvironmentPatch {
    let mut patch = EnvironmentPatch::new();
    let name = filled.changed("name", &known.name);
    patch.name = name.map(str::to_owned);
    patch.color = filled.changed_or_emptied("color", known.color.as_deref());
    patch
}

/// Deletes an environment with everything in it.
pub(super) async fn delete(context: &Context<'_>, name: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let known = find(context, name)?;
    let list = context.place(["settings", "environments"]);
    let place = list.below([name]);
    let databases = context.project.resources.iter();
    let databases = databases.filter(|resource| resource.environment.as_str() == name);
    let is_production = name == EnvironmentName::PROD;
    let question = Confirmation {
        what: html! {
            @if is_production {
                p { strong { (texts.get("settings-prod-stays")) } }
            } @else {
                p {
                    (texts.with("settings-environment-delete-what", [
                        ("name", known.name.as_str().into()),
                        ("databases", databases.count().into()),
                    ]))
                }
            }
        },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("settings-environment-delete"),
        name: Some(name),
        is_forbidden: is_production,
    };
    let outcome = question.ask(visit, async || {
        let environments = context.client.administration().environments();
        environments.delete(name).send().await?;
        Ok(gone(context, name, list))
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let mut above = above(context);
    above.push((known.name.clone(), place));
    let title = texts.get("settings-environment-delete");
    Ok(Answer::page(context.page(
        Area::Settings,
        title,
        above,
        &main,
    )))
}

/// Where the list is after an environment is gone: in `prod`, if this one was where one was.
fn gone(context: &Context<'_>, name: &str, list: Href) -> Href {
    match context.scope.environment.as_str() == name {
        false => list,
        true => Frame::environment_href(
            &context.visit.root,
            context.scope.project.as_str(),
            EnvironmentName::PROD,
        )
        .below(["settings", "environments"]),
    }
}

fn find<'c>(context: &'c Context<'_>, name: &str) -> Result<&'c Environment> {
    let mut known = context.project.environments.iter();
    known
        .find(|known| known.unique_name.as_str() == name)
        .ok_or(Problem::NotFound)
}

fn above(context: &Context<'_>) -> Vec<(String, Href)> {
    let name = context.texts().get("settings-environments");
    super::above(context, name, "environments")
}
