//! Deleting many records.

use futures_util::future::join_all;
use http::StatusCode;
use maud::{Markup, html};
use svc_model::{
    JsonObject, Paginated,
    query::parse_pairs,
    records::{ChangeAllQuery, DeleteRule, Reference},
};

use super::{
    super::chosen::Chosen,
    change::{did, failed, nothing_chosen, refused_address, too_many},
    sample,
};
use crate::{
    answer::Answer,
    places::{Scope, model::Model},
    problem::{Problem, Result},
    texts::Texts,
    ui::{form::Confirmation, notice},
    visit::Visit,
};

/// How many fields of the records are shown.
const SHOWN_FIELDS: usize = 6;

/// What is deleted, what goes along, and deleting it.
pub(crate) async fn delete(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    if !model.description.can.delete {
        return Err(Problem::Forbidden);
    }
    let texts = visit.texts;
    let chosen = match Chosen::read(&model, visit, &visit.query()?) {
        Ok(chosen) => chosen,
        Err(invalid) => return Ok(refused_address(&model, &invalid)),
    };
    if chosen.is_none() {
        return Ok(nothing_chosen(&model, &chosen, &texts.get("bulk-delete")));
    }
    let fields = shown_fields(&model, &chosen);
    let sample = match sample::load(&model, &chosen, &fields, true).await {
        Ok(Some(sample)) => sample,
        Ok(None) => return Ok(too_many(&model, &chosen)),
        Err(error) => return failed(&model, &chosen, error),
    };
    let references = references(&model, &sample).await;
    let place = model
        .list()
        .below(["delete"])
        .query(chosen.to_query_string());
    let left_out = chosen.left_out.iter();
    let place = left_out.fold(place, |place, row| place.with("_leave", row.as_str()));
    let back = model.list().query(chosen.of_list());
    let count = sample.count.unwrap_or_default();
    let mut known = references.iter().filter(|it| it.count != Some(0));
    let is_prevented = known.any(|it| it.rule == DeleteRule::Restrict);
    let question = Confirmation {
        what: html! {
            (going_along(texts, &references, sample.results.len(), count))
        },
        action: place,
        cancel: back.clone(),
        button: texts.with("bulk-delete-run", [("count", count.into())]),
        name: model
            .context
            .scope
            .is_production()
            .then_some(model.name.as_str()),
        is_forbidden: count == 0 || is_prevented,
    };
    let (mut message, mut status) = (None, StatusCode::OK);
    if visit.is_post() && !question.is_given(visit) {
        message = Some(question.not_given(visit));
        status = StatusCode::BAD_REQUEST;
    } else if visit.is_post()
        && let Some(selection) = chosen.selection(&model)
        && let Ok(expected) = visit.form().text("expect").parse()
    {
        let mut query = ChangeAllQuery::from(selection).expect(expected);
        query.all = true;
        match model.records().delete_all(query).send().await {
            Ok(done) => {
                return Ok(Answer::go(&did(visit, back, ("_deleted", done.deleted))));
            }
            Err(error) if error.is_precondition_failed() => {
                message = Some(notice::error(visit, &texts.get("bulk-other-number")));
                status = StatusCode::PRECONDITION_FAILED;
            }
            Err(error) => {
                message = Some(notice::refused(visit, error)?);
                status = StatusCode::BAD_REQUEST;
            }
        }
    }
    let expect = html! { input type="hidden" name="expect" value=(count); };
    let above = vec![(model.name.to_string(), back)];
    let page = model.frame(texts.get("bulk-delete"), above).page(&html! {
        @if let Some(message) = message { (message) }
        p { (sample::which(&model, &chosen)) " "
            @if !is_prevented { strong { (texts.with("bulk-delete-what", [("count", count.into())])) } } }
        (some(&model, &chosen, &sample, &fields))
        (question.form(visit, &expect))
    });
    Ok(Answer::page(page).status(status))
}

/// The fields that tell the records apart, besides key and label: those that the list shows, or the first ones.
fn shown_fields<'m>(model: &'m Model<'_>, chosen: &'m Chosen) -> Vec<&'m str> {
    let key = model.key_fields();
    let labels = &model.description.label_fields;
    let all = model.description.fields.iter();
    let all = all.map(|field| field.name.as_str()).collect::<Vec<_>>();
    let wanted: Vec<&str> = match &chosen.list.fields {
        Some(fields) => fields.iter().map(String::as_str).collect(),
        None => all.clone(),
    };
    let others = wanted.into_iter().filter(|name| {
        all.contains(name) && !key.contains(name) && !labels.iter().any(|label| label == name)
    });
    others.take(SHOWN_FIELDS).collect()
}

/// Some of the records, of which those are left out that are marked.
fn some(
    model: &Model<'_>,
    chosen: &Chosen,
    sample: &Paginated<JsonObject>,
    fields: &[&str],
) -> Markup {
    let texts = model.texts();
    if model.description.primary_key_auto || sample.results.is_empty() {
        return html! {};
    }
    let query = chosen.to_query_string();
    let pairs = parse_pairs(query.as_str()).unwrap_or_default();
    html! {
        section {
            form method="get" action=(model.list().below(["delete"])) {
                @for (name, value) in pairs { input type="hidden" name=(name) value=(value); }
                @for row in &chosen.left_out {
                    label.check { input type="checkbox" name="_leave" value=(row) checked;
                        (texts.with("bulk-left-out", [("key", row.as_str().into())])) }
                }
                (sample::shown(model, sample, fields, None, "_leave"))
                div.actions { button { (texts.get("bulk-leave-out-marked")) } }
            }
        }
    }
}

/// What refers to the records that are shown; of a model that cannot say so, nothing.
async fn references(model: &Model<'_>, sample: &Paginated<JsonObject>) -> Vec<Reference> {
    let ids = sample
        .results
        .iter()
        .filter_map(|record| model.id_of(record));
    let records = model.records();
    let asked = ids.map(|id| records.references(id).send());
    let mut all: Vec<Reference> = Vec::new();
    for reference in join_all(asked).await.into_iter().flatten().flatten() {
        match all
            .iter_mut()
            .find(|known| known.relation == reference.relation)
        {
            Some(known) => {
                known.count = known.count.zip(reference.count).map(|(a, b)| a + b);
                known.more |= reference.more;
            }
            None => all.push(reference),
        }
    }
    all
}

/// What becomes of records that refer to these, of which so many were looked at, out of so many.
fn going_along(texts: &Texts, references: &[Reference], seen: usize, all: u64) -> Markup {
    let is_all = seen as u64 >= all;
    let references = references
        .iter()
        .filter(|it| !is_all || it.count != Some(0));
    let references: Vec<&Reference> = references.collect();
    if references.is_empty() {
        return html! {};
    }
    html! {
        p { (texts.get("bulk-references")) }
        ul {
            @for reference in &references {
                li {
                    bdi { strong { (reference.model) } } ": "
                    @match reference.rule {
                        DeleteRule::Cascade => (texts.get("bulk-rule-cascade")),
                        DeleteRule::SetNull => (texts.get("bulk-rule-set-null")),
                        _ => (texts.get("bulk-rule-restrict")),
                    }
                    @if let Some(count) = reference.count {
                        " " span.muted {
                            @if is_all {
                                (texts.with("bulk-references-all", [("count", count.into())]))
                            } @else {
                                (texts.with("bulk-references-shown", [("count", count.into()), ("seen", seen.into())]))
                            }
                        }
                    }
                }
            }
        }
    }
}
