//! The project itself: name, colour, domain, default environment, and deleting it.

use maud::html;
use svc_model::{administration::projects::ProjectPatch, projects::Project};

use super::super::{Context, tabs::Setting};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::{Confirmation, Outcome, account_field},
        frame::Area,
        swatch,
    },
};

const FIELDS: [&str; 4] = ["name", "color", "domain", "default_environment"];

pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts, project) = (context.visit, context.texts(), &context.project);
    let place = context.place(["settings"]);
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let patch = patch(&mut filled, project);
        let projects = context.client.administration().projects();
        let saved = filled.save(patch, &FIELDS, async |patch| {
            projects.update(patch).send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&texts.get("saved"));
    }
    let color = project.color.as_deref();
    let default = project.default_environment.as_ref();
    let environments = project.environments.iter();
    let environments: Vec<(String, String)> = environments
        .map(|known| (known.unique_name.to_string(), known.name.clone()))
        .collect();
    let main = html! {
        (Setting::Project.tabs(context))
        (filled.message())
        form.stack method="post" action=(place) data-guard {
            (account_field(context.visit))
            (filled.text("name", &texts.get("people-name"), &project.name, Input::REQUIRED))
            p.small.muted { (texts.get("settings-unique-name")) " " code { (project.unique_name) } }
            (filled.choice("color", &texts.get("people-color"), color.unwrap_or_default(), &swatch::choices(texts, color)))
            (filled.text("domain", &texts.get("settings-domain"), project.domain.as_deref().unwrap_or_default(), Input::default()))
            (filled.choice("default_environment", &texts.get("settings-default-environment"),
                default.map(AsRef::as_ref).unwrap_or_default(), &environments))
            div.actions { button.primary { (texts.get("save")) } }
        }
        section.destroys {
            h2 { (texts.get("settings-delete")) }
            p.muted { (texts.get("settings-delete-hint")) }
            a.button.danger href=(place.below(["delete"])) { (texts.get("settings-delete")) }
        }
    };
    let title = texts.get("area-settings");
    Ok(filled.answer(context.page(Area::Settings, title, Vec::new(), &main)))
}

/// What is to be changed.
fn patch(filled: &mut Filled<'_>, project: &Project) -> ProjectPatch {
    let mut patch = ProjectPatch::new();
    let name = filled.changed("name", &project.name);
    patch.name = name.map(str::to_owned);
    patch.color = filled.changed_or_emptied("color", project.color.as_deref());
    patch.domain = filled.changed_or_emptied("domain", project.domain.as_deref());
    let default = project.default_environment.as_ref().map(AsRef::as_ref);
    let default = filled.changed_or_emptied("default_environment", default);
    patch.default_environment = default.map(|name| name.map(Into::into));
    patch
}

/// Deletes the project with everything in it.
pub(super) async fn delete(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts, project) = (context.visit, context.texts(), &context.project);
    let name = project.unique_name.as_str();
    let place = context.place(["settings"]);
    let question = Confirmation {
        what: html! {
            p {
                (texts.with("settings-delete-what", [
                    ("name", project.name.as_str().into()),
                    ("environments", project.environments.len().into()),
                    ("databases", project.resources.len().into()),
                ]))
            }
        },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("settings-delete"),
        name: Some(name),
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let projects = context.client.administration().projects();
        projects.delete().confirm(name).send().await?;
        Ok(visit.root.below(["projects"]))
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let above = vec![(texts.get("area-settings"), place)];
    let title = texts.get("settings-delete");
    Ok(Answer::page(context.page(
        Area::Settings,
        title,
        above,
        &main,
    )))
}
