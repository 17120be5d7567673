//! The pages and settings of an environment in another one.

use maud::{Markup, html};
use svc_model::{EnvironmentName, projects::Environment};

use super::place::{Pages, count};
use crate::{
    answer::Answer,
    places::{Context, Scope},
    problem::{Problem, Result},
    ui::{form::Confirmation, notice},
    visit::{Form, Visit},
};

/// What is copied where.
struct Copy<'p> {
    to: &'p Environment,
    pages: bool,
    settings: bool,
}

/// The choice, what would happen, and copying.
pub(super) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let pages = Pages::open(visit, scope).await?;
    let texts = visit.texts;
    let title = texts.get("pages-copy");
    if !pages.context.is_administrator() {
        let message = notice::error(visit, &texts.get("pages-copy-administrators"));
        let answer = pages.answer(title, Vec::new(), &message);
        return Ok(answer.status(http::StatusCode::FORBIDDEN));
    }
    let query = visit.query()?;
    let asked = match visit.is_post() {
        true => visit.form(),
        false => &query,
    };
    let Some(to) = asked.get("to") else {
        return Ok(pages.answer(title, Vec::new(), &choice(&pages, None)));
    };
    let mut known = others(&pages.context);
    let copy = Copy {
        to: known
            .find(|known| known.unique_name.as_str() == to)
            .ok_or(Problem::NotFound)?,
        pages: asked.get("pages").is_some(),
        settings: asked.get("settings").is_some(),
    };
    if !copy.pages && !copy.settings {
        let message = notice::error(visit, &texts.get("pages-copy-nothing"));
        let main = choice(&pages, Some(message));
        return Ok(pages
            .answer(title, Vec::new(), &main)
            .status(http::StatusCode::BAD_REQUEST));
    }
    confirmed(&pages, scope, &copy, asked, title).await
}

/// The environments that the pages can be copied to.
fn others<'c>(context: &'c Context<'_>) -> impl Iterator<Item = &'c Environment> {
    let here = context.scope.environment.clone();
    let all = context.project.environments.iter();
    all.filter(move |known| known.unique_name != here)
}

/// The form that chooses where to.
fn choice(pages: &Pages<'_>, message: Option<Markup>) -> Markup {
    let texts = pages.texts();
    let has_any = others(&pages.context).next().is_some();
    html! {
        @if let Some(message) = message { (message) }
        @if has_any {
            p { (texts.get("pages-copy-what")) }
            form.stack action=(pages.index().below(["copy"])) {
                label { (texts.get("pages-copy-to"))
                    select name="to" {
                        @for known in others(&pages.context) {
                            option value=(known.unique_name) { (known.name) " (" (known.unique_name) ")" }
                        }
                    }
                }
                label.check { input type="checkbox" name="pages" checked; (texts.get("pages-copy-pages")) }
                label.check { input type="checkbox" name="settings"; (texts.get("pages-copy-settings")) }
                div.actions {
                    button.primary { (texts.get("pages-copy-next")) }
                    a.button href=(pages.index()) { (texts.get("cancel")) }
                }
            }
        } @else {
            p.empty-state { (texts.get("pages-copy-nowhere")) }
        }
    }
}

/// What would happen, and copying.
async fn confirmed(
    pages: &Pages<'_>,
    scope: &Scope,
    copy: &Copy<'_>,
    asked: &Form,
    title: String,
) -> Result<Answer> {
    let (visit, texts) = (pages.visit(), pages.texts());
    let to = &copy.to.unique_name;
    let target = visit.client_in(&scope.project, to)?;
    let (here, there) = tokio::try_join!(async { count(&pages.context.client).await }, async {
        count(&target).await
    },)?;
    let replaced = match copy.pages {
        true => there,
        false => 0,
    };
    let has_settings = copy.settings && !copy.to.params.is_empty();
    let replaces = replaced > 0 || has_settings;
    let question = Confirmation {
        what: html! {
            @if copy.pages {
                p { (texts.with("pages-copy-count", [
                    ("from", scope.environment.as_str().into()),
                    ("to", to.as_str().into()),
                    ("count", here.into()),
                ])) }
            }
            @if replaced > 0 {
                p { strong { (texts.with("pages-copy-replaces", [("to", to.as_str().into()), ("count", replaced.into())])) } }
            }
            @if copy.settings { p { (texts.with("pages-copy-with-settings", [("from", scope.environment.as_str().into()), ("to", to.as_str().into())])) } }
            @if has_settings { p { strong { (texts.with("pages-copy-replaces-settings", [("to", to.as_str().into())])) } } }
        },
        action: pages.index().below(["copy"]),
        cancel: pages.index(),
        button: match replaces {
            true => texts.get("pages-copy-replace"),
            false => texts.get("pages-copy-do"),
        },
        name: replaces.then_some(to.as_str()),
        is_forbidden: false,
    };
    // What was not there when the question was asked is not replaced by the answer.
    let may_replace = asked.get("replace").is_some();
    let mut message = None;
    if visit.is_post() && (!question.is_given(visit) || replaces && !may_replace) {
        message = Some(question.not_given(visit));
    } else if visit.is_post() {
        let administration = pages.context.client.administration();
        let environments = administration.environments();
        let call = environments.copy(scope.environment.clone(), to.clone());
        let call = call.pages(copy.pages).settings(copy.settings);
        match call.replace(may_replace).send().await {
            Ok(copied) => return Ok(Answer::go(&target_of(pages, to, copied.copied_pages))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let hidden = html! {
        input type="hidden" name="to" value=(to);
        @if copy.pages { input type="hidden" name="pages" value="on"; }
        @if copy.settings { input type="hidden" name="settings" value="on"; }
        @if replaces { input type="hidden" name="replace" value="on"; }
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        (question.form(visit, &hidden))
    };
    Ok(pages.answer(title, Vec::new(), &main))
}

/// The pages of the other environment.
fn target_of(pages: &Pages<'_>, to: &EnvironmentName, copied: u64) -> crate::href::Href {
    let scope = Scope {
        environment: to.clone(),
        ..pages.context.scope.clone()
    };
    let home = scope.home(pages.visit());
    home.below(["pages"]).with("copied", &copied.to_string())
}
