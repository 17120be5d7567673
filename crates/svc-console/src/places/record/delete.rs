//! Deleting a record: what goes along with it is shown first.

use maud::{Markup, html};
use svc_model::{
    RecordId,
    records::{DeleteRule, Reference},
};

use super::{load, title_of};
use crate::{
    answer::Answer,
    places::{Scope, model::Model},
    problem::{Problem, Result},
    texts::Texts,
    ui::{form::Confirmation, notice},
    visit::Visit,
};

/// What goes along with a record that is deleted, and deleting it.
pub(crate) async fn answer(
    visit: &Visit,
    scope: &Scope,
    model: (&str, &str),
    id: &str,
) -> Result<Answer> {
    let id = RecordId::from(id);
    let model = Model::open(visit, scope, model).await?;
    let model = model.for_record(&id).await?;
    if !model.description.can.delete {
        return Err(Problem::Forbidden);
    }
    let (record, etag) = load(&model, &id).await?;
    let place = model.record(&id);
    let references = model.records().references(id.clone()).send().await?;
    let mut rules = references.iter().filter(|it| it.count != Some(0));
    let is_forbidden = rules.any(|it| it.rule == DeleteRule::Restrict);
    let texts = visit.texts;
    let named = [
        ("model", model.name.as_str().into()),
        ("key", id.as_str().into()),
    ];
    let what = match is_forbidden {
        true => texts.with("delete-forbidden", named),
        false => texts.with("delete-what", named),
    };
    let is_production = model.context.scope.is_production();
    let question = Confirmation {
        what: html! {
            p { (what) }
            (going_along(texts, &references))
        },
        action: model.below(&id, ["delete"]),
        cancel: place.clone(),
        button: texts.get("delete"),
        name: is_production.then_some(model.name.as_str()),
        is_forbidden,
    };
    let mut message = None;
    if visit.is_post() && !question.is_given(visit) {
        message = Some(question.not_given(visit));
    } else if visit.is_post() {
        let call = model.records().delete(id.clone());
        match call.if_match(visit.form().text("etag")).send().await {
            Ok(()) => {
                let list = model.came_from().with("_gone", id.as_str());
                return Ok(Answer::go(&list));
            }
            Err(error) if error.is_precondition_failed() => {
                message = Some(notice::error(visit, &texts.get("delete-changed")));
            }
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let above = vec![
        (model.name.to_string(), model.back_to(&id)),
        (title_of(&model, &id, &record), place),
    ];
    let tag = html! { input type="hidden" name="etag" value=(etag); };
    let frame = model.frame(texts.get("delete"), above);
    Ok(Answer::page(frame.page(&html! {
        @if let Some(message) = message { (message) }
        (question.form(visit, &tag))
    })))
}

/// What happens to the records that refer to one that is deleted.
fn going_along(texts: &Texts, references: &[Reference]) -> Markup {
    let mut shown = references
        .iter()
        .filter(|it| it.count != Some(0))
        .peekable();
    if shown.peek().is_none() {
        return html! {};
    }
    html! {
        ul {
            @for reference in shown {
                li {
                    bdi { strong { (reference.model) } } ": "
                    @match reference.count {
                        Some(count) => (texts.with("references-count", [("count", count.into())])),
                        None => (texts.get("references-hidden")),
                    }
                    ", "
                    @match reference.rule {
                        DeleteRule::Cascade => (texts.get("rule-cascade")),
                        DeleteRule::SetNull => (texts.get("rule-set-null")),
                        _ => (texts.get("rule-restrict")),
                    }
                }
            }
        }
    }
}
