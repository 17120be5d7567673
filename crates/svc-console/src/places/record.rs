//! A record: what it holds, changing it, making one, and deleting one.

mod cell;
pub(crate) mod delete;
mod fields;
pub(crate) mod history;
pub(crate) mod past;
pub(crate) mod picker;
mod referred;
mod sent;
mod step;
pub(crate) mod undo;
pub(crate) mod value;

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{JsonObject, RecordId, resources::FieldDescription};

use self::{fields::About, sent::Sent, step::Step};
use super::{
    Scope,
    model::{Model, cut},
    snippets,
};
use crate::{
    answer::Answer,
    assets::RECORDS,
    href::Href,
    problem::{Problem, Result, is_passing},
    ui::{
        form::{account_field, default_button, typed_before},
        notice,
    },
    visit::Visit,
};

/// How much of a value is read into the form. What is longer stays as it is.
const LONGEST: u32 = 20_000;

/// A record, and a change to it.
pub(crate) async fn answer(
    visit: &Visit,
    scope: &Scope,
    model: (&str, &str),
    id: &str,
) -> Result<Answer> {
    let id = RecordId::from(id);
    let model = Model::open(visit, scope, model).await?;
    let model = model.for_record(&id).await?;
    if visit.fragment() == Some("cell") {
        return Box::pin(cell::answer(visit, &model, &id)).await;
    }
    if visit.is_post() && !model.description.can.update {
        return Err(Problem::Forbidden);
    }
    let (record, etag) = match load(&model, &id).await {
        // Who deleted it, and what it was, is what there is to know of it.
        Err(Problem::NotFound) if !visit.is_post() => {
            let known = past::page(&model, &id, None, 1).await;
            return match known.is_ok_and(|page| !page.results.is_empty()) {
                true => Ok(Answer::go(&history::place(&model, &id))),
                false => Err(Problem::NotFound),
            };
        }
        // A form inside of this one is shown again by the page of the problem.
        Err(Problem::Api(error))
            if visit.is_post() && is_passing(&error) && !referred::is_open(visit.form()) =>
        {
            let message = notice::of_error(visit, &error);
            let page = unread(visit, &model, &id, message);
            return Ok(page.status(StatusCode::SERVICE_UNAVAILABLE));
        }
        Err(Problem::NotFound) if !referred::is_open(visit.form()) => {
            let message = notice::error(visit, &visit.texts.get("record-gone"));
            let page = unread(visit, &model, &id, message);
            return Ok(page.status(StatusCode::NOT_FOUND));
        }
        loaded => loaded?,
    };
    if !visit.is_post() {
        let query = visit.query()?;
        let message = match query.get("saved") {
            Some("0") => Some(notice::done(&visit.texts.get("unchanged"))),
            Some("undone") => Some(notice::done(&undo::words(&model, &query, "undone", 1))),
            Some("otherwise") => Some(notice::error(visit, &visit.texts.get("undo-otherwise"))),
            Some(_) => Some(history::saved(&model, &id).await),
            None => None,
        };
        let sent = Sent::of_record(&model, &record);
        return Ok(Answer::page(page(
            &model, &id, &record, &etag, &sent, message,
        )));
    }
    let opened = visit.form().text("etag");
    let place = model.record(&id);
    if visit.form().get("pick").is_some() {
        let title = title_of(&model, &id, &record);
        let (form, message) = match choose(&model, scope, &place, title).await? {
            Step::Ask(answer) => return Ok(answer),
            Step::Chosen(form, message) => (form, message),
        };
        let opened = form.text("etag");
        let sent = Sent::of_form(&model, &form, Some(&record));
        return Ok(Answer::page(page(
            &model, &id, &record, opened, &sent, message,
        )));
    }
    let sent = Sent::of_form(&model, visit.form(), Some(&record));
    if !sent.errors.is_empty() {
        let message = notice::error(visit, &visit.texts.get("fields-wrong"));
        let page = page(&model, &id, &record, opened, &sent, Some(message));
        return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
    }
    if sent.changes.is_empty() {
        return Ok(Answer::go(&place.with("saved", "0")));
    }
    let records = model.records();
    let call = records
        .typed::<JsonObject>()
        .update(id.clone(), &sent.changes);
    match model.in_zone(call).if_match(opened).send().await {
        Ok(changed) => {
            let id = model.id_of(&changed).unwrap_or(id);
            Ok(Answer::go(&model.record(&id).with("saved", "1")))
        }
        Err(error) if error.is_precondition_failed() => {
            let (record, etag) = load(&model, &id).await?;
            let sent = sent.merged(&model, &record);
            let message = match sent.conflicts.is_empty() {
                true => visit.texts.get("conflict-apart"),
                false => visit.texts.get("conflict-same"),
            };
            let message = notice::error(visit, &message);
            let page = page(&model, &id, &record, &etag, &sent, Some(message));
            Ok(Answer::page(page).status(StatusCode::PRECONDITION_FAILED))
        }
        Err(error) => {
            let status = status_again(&error);
            let (sent, message) = refused(visit, sent, error)?;
            let page = page(&model, &id, &record, opened, &sent, message);
            Ok(Answer::page(page).status(status))
        }
    }
}

/// A new record.
pub(crate) async fn create(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    if !model.description.can.create {
        return Err(Problem::Forbidden);
    }
    if !visit.is_post() {
        let sent = Sent::of_new(&model, &visit.query()?);
        return Ok(Answer::page(new_page(&model, &sent, None)));
    }
    if visit.form().get("pick").is_some() {
        let place = model.list().below(["new"]);
        let title = visit.texts.get("record-new");
        let (form, message) = match choose(&model, scope, &place, title).await? {
            Step::Ask(answer) => return Ok(answer),
            Step::Chosen(form, message) => (form, message),
        };
        let sent = Sent::of_form(&model, &form, None);
        return Ok(Answer::page(new_page(&model, &sent, message)));
    }
    let sent = Sent::of_form(&model, visit.form(), None);
    if !sent.errors.is_empty() {
        let message = notice::error(visit, &visit.texts.get("fields-wrong"));
        let page = new_page(&model, &sent, Some(message));
        return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
    }
    let records = model.records();
    let call = records.typed::<JsonObject>().create(&sent.changes);
    match model.in_zone(call).send().await {
        Ok(made) => {
            let place = match model.id_of(&made) {
                Some(id) => model.record(&id).with("saved", "1"),
                None => model.list(),
            };
            Ok(Answer::go(&place))
        }
        Err(error) => {
            let status = status_again(&error);
            let (sent, message) = refused(visit, sent, error)?;
            let page = new_page(&model, &sent, message);
            Ok(Answer::page(page).status(status))
        }
    }
}

/// The form that was sent, one step further in choosing a record, or in making the one to choose. `place` is where the form
/// itself is, and `title` what its page is called.
async fn choose(model: &Model<'_>, scope: &Scope, place: &Href, title: String) -> Result<Step> {
    match referred::is_open(model.context.visit.form()) {
        true => Box::pin(referred::step(model, scope, place, title)).await,
        false => picker::step(model, place, title).await,
    }
}

async fn load(model: &Model<'_>, id: &RecordId) -> Result<(JsonObject, String)> {
    let records = model.records();
    let call = records.typed::<JsonObject>().get(id.clone());
    let call = model.in_zone(call).excerpt(LONGEST);
    let tagged = call.send_tagged().await;
    match tagged {
        Ok(tagged) => {
            let etag = tagged.etag.unwrap_or_default();
            Ok((tagged.value, etag))
        }
        Err(error) if error.is_not_found() => Err(Problem::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// The form again although its record cannot be read now: what was typed is in it, and is sent again by its button.
fn unread(visit: &Visit, model: &Model<'_>, id: &RecordId, message: Markup) -> Answer {
    let form = visit.form();
    let nothing = JsonObject::new();
    let sent = Sent::of_form(model, form, Some(&nothing));
    let etag = form.text("etag");
    Answer::page(page(model, id, &nothing, etag, &sent, Some(message)))
}

/// The status of a form that is shown again, since the service has refused it or what it needs is away.
fn status_again(error: &Error) -> StatusCode {
    match is_passing(error) {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::BAD_REQUEST,
    }
}

/// The form again, with what the service says beside the fields.
fn refused(visit: &Visit, mut sent: Sent, error: Error) -> Result<(Sent, Option<Markup>)> {
    if error.is_unauthenticated() {
        return Err(error.into());
    }
    for (field, messages) in error.field_errors() {
        sent.errors
            .entry(field.clone())
            .or_default()
            .extend(messages.iter().cloned());
    }
    let message = match error.field_errors().is_empty() {
        true => notice::of_error(visit, &error),
        false => notice::error(visit, &visit.texts.get("fields-wrong")),
    };
    Ok((sent, Some(message)))
}

fn page(
    model: &Model<'_>,
    id: &RecordId,
    record: &JsonObject,
    etag: &str,
    sent: &Sent,
    message: Option<Markup>,
) -> Markup {
    let texts = model.texts();
    let place = model.record(id);
    let frame = model.frame(
        title_of(model, id, record),
        vec![(model.name.to_string(), model.back_to(id))],
    );
    let can = model.description.can;
    let fields = fields::fields(model, sent, About::Record(id));
    let actions = html! {
        div.actions {
            @if can.update { button.primary { (texts.get("save")) } }
            a.button href=(model.back_to(id)) { (texts.get("back-to-list")) }
            a.button href=(history::place(model, id)) { (texts.get("history")) }
            @if model.context.visit.is_own_view() {
                a.button href=(snippets::of_record(model, id)) { (texts.get("snippets")) }
            }
            div.grow {}
            @if can.delete { a.button.danger href=(model.below(id, ["delete"])) { (texts.get("delete")) } }
        }
    };
    frame.page(&html! {
        @if let Some(message) = message { (message) }
        @if let Some(why) = fields::why_record(model) { p.muted { (why) } }
        (script(model))
        @if can.update {
            (typed_before(model.context.visit))
            form.record method="post" action=(place) autocomplete="off" data-guard {
                (account_field(model.context.visit))
                (default_button("action", "save"))
                input type="hidden" name="etag" value=(etag);
                (fields)
                (actions)
            }
        } @else {
            div.record { (fields) (actions) }
        }
        (related(model, record))
        (same_values(model, record))
    })
}

/// What a record is called: its label, with its key.
fn title_of(model: &Model<'_>, id: &RecordId, record: &JsonObject) -> String {
    let label = model.label_of(record);
    match label.is_empty() || label == id.as_str() {
        true => id.to_string(),
        false => format!("{label} ({id})"),
    }
}

/// For each field the lists of the records that have the same value, and of the others.
fn same_values(model: &Model<'_>, record: &JsonObject) -> Markup {
    let texts = model.texts();
    let has_lists = |field: &&FieldDescription| {
        let is_read = record.get_raw(&field.name).is_some();
        field.filterable && is_read && cut(record, &field.name).is_none()
    };
    if !model
        .description
        .fields
        .iter()
        .any(|field| has_lists(&field))
    {
        return html! {};
    }
    html! {
        details.related {
            summary { (texts.get("cell-same")) }
            dl.facts {
                @for field in model.description.fields.iter().filter(has_lists) {
                    dt { bdi { (field.name) } }
                    dd { (cell::lists(model, record, field, "")) }
                }
            }
        }
    }
}

/// The lists of records that refer to this one.
fn related(model: &Model<'_>, record: &JsonObject) -> Markup {
    let lists: Vec<_> = model.referring(record).collect();
    if lists.is_empty() {
        return html! {};
    }
    html! {
        section.related {
            h2 { (model.texts().get("related")) }
            ul {
                @for (name, field, href) in &lists {
                    li { a href=(href) { bdi { (name) } } " " span.muted { bdi { (field) } } }
                }
            }
        }
    }
}

/// What makes the form quicker to use.
fn script(model: &Model<'_>) -> Markup {
    let script = RECORDS.href(&model.context.visit.root);
    html! { script type="module" src=(script) {} }
}

fn new_page(model: &Model<'_>, sent: &Sent, message: Option<Markup>) -> Markup {
    let texts = model.texts();
    let above = vec![(model.name.to_string(), model.list())];
    let frame = model.frame(texts.get("record-new"), above);
    frame.page(&html! {
        @if let Some(message) = message { (message) }
        (script(model))
        (typed_before(model.context.visit))
        form.record method="post" action=(model.list().below(["new"])) autocomplete="off" data-guard {
            (account_field(model.context.visit))
            (default_button("action", "save"))
            (fields::fields(model, sent, About::New))
            div.actions {
                button.primary { (texts.get("create")) }
                a.button href=(model.list()) { (texts.get("cancel")) }
            }
        }
    })
}
