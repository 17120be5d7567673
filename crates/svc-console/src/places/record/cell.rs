//! One cell of the table: a form for its value, beside it, and the cell again when it was saved.

use std::borrow::Cow;

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{
    Condition, Expand, Expanded, FieldFilter, JsonObject, ListQuery, Lookup, Operand, RecordId,
    resources::{FieldDescription, FieldType},
};

use super::{fields, history, load, refused, sent::Sent, status_again};
use crate::{
    answer::Answer,
    href::Href,
    json::Row,
    places::{
        model::{LIST, Model, plain_text},
        records::{DataColumn, Record, TableColumn, cells, narrowed, without_controls},
    },
    problem::{Problem, Result, is_passing},
    ui::{
        form::{account_field, default_button},
        notice,
    },
    visit::Visit,
};

/// How much of a long value is shown in the cell.
const EXCERPT: u32 = 120;

/// The form of a cell, or the cell after it was sent.
pub(super) async fn answer(visit: &Visit, model: &Model<'_>, id: &RecordId) -> Result<Answer> {
    let query = visit.query()?;
    let name = match visit.is_post() {
        true => visit.form().text("_field"),
        false => query.text("_field"),
    };
    let field = model.field(name).ok_or(Problem::NotFound)?;
    let (record, etag) = match load(model, id).await {
        Err(Problem::Api(error)) if visit.is_post() && is_passing(&error) => {
            return Ok(unread(visit, model, id, field, &error));
        }
        loaded => loaded?,
    };
    if !visit.is_post() {
        let sent = Sent::of_record(model, &record);
        let form = form(model, id, field, &sent, &etag, None);
        return Ok(Answer::page(html! {
            (form)
            (lists(model, &record, field, query.text(LIST)))
        }));
    }
    if !model.description.can.update {
        return Err(Problem::Forbidden);
    }
    let opened = visit.form().text("etag");
    let sent = Sent::of_form(model, visit.form(), Some(&record));
    let again = |sent: &Sent, etag: &str, message: Option<Markup>, status| {
        let form = form(model, id, field, sent, etag, message);
        Ok(Answer::page(form).status(status))
    };
    if !sent.errors.is_empty() {
        return again(&sent, opened, None, StatusCode::BAD_REQUEST);
    }
    if sent.changes.is_empty() {
        let message = notice::done(&visit.texts.get("unchanged"));
        return saved(model, id, field, &message).await;
    }
    let records = model.records();
    let call = records
        .typed::<JsonObject>()
        .update(id.clone(), &sent.changes);
    match model.in_zone(call).if_match(opened).send().await {
        Ok(changed) => {
            let id = model.id_of(&changed).unwrap_or_else(|| id.clone());
            let message = history::saved(model, &id).await;
            saved(model, &id, field, &message).await
        }
        Err(error) if error.is_precondition_failed() => {
            let sent = sent.merged(model, &record);
            let text = match sent.conflicts.contains_key(&field.name) {
                true => visit.texts.get("conflict-same"),
                false => visit.texts.get("conflict-apart"),
            };
            let message = notice::error(visit, &text);
            again(&sent, &etag, Some(message), StatusCode::PRECONDITION_FAILED)
        }
        Err(error) => {
            let status = status_again(&error);
            let (sent, message) = refused(visit, sent, error)?;
            let message = message.filter(|_| !sent.errors.contains_key(&field.name));
            again(&sent, opened, message, status)
        }
    }
}

/// The form again although its record cannot be read now.
fn unread(
    visit: &Visit,
    model: &Model<'_>,
    id: &RecordId,
    field: &FieldDescription,
    error: &Error,
) -> Answer {
    let sent = Sent::of_form(model, visit.form(), Some(&JsonObject::new()));
    let message = notice::of_error(visit, error);
    let etag = visit.form().text("etag");
    let form = form(model, id, field, &sent, etag, Some(message));
    Answer::page(form).status(StatusCode::SERVICE_UNAVAILABLE)
}

/// The cell as the table has it, and what is said of it.
async fn saved(
    model: &Model<'_>,
    id: &RecordId,
    field: &FieldDescription,
    message: &Markup,
) -> Result<Answer> {
    let mut names = vec![field.name.clone()];
    names.extend(model.key_fields().into_iter().map(str::to_owned));
    let mut call = model.records().typed::<Row>().get(id.clone());
    if let Some((_, related)) = model.leads_to(&field.name) {
        let labels = related.label_fields.clone();
        let mut expand = Expand::default();
        expand.add(Expanded::new(&field.name).fields(labels));
        call = call.expand(expand);
    }
    let record = model
        .in_zone(call)
        .fields(names)
        .excerpt(EXCERPT)
        .send()
        .await?;
    let href = model.record(id);
    let column = TableColumn::plain(field);
    let column = DataColumn::new(model, &column, false);
    let cell = cells(&[column], model, &Record::of(&record), Some(&href), 0);
    // Behind a cell that is in no table, parsers leave out forms.
    Ok(Answer::page(html! {
        table { tbody { tr { (cell) } } }
        (message)
    }))
}

fn form(
    model: &Model<'_>,
    id: &RecordId,
    field: &FieldDescription,
    sent: &Sent,
    etag: &str,
    message: Option<Markup>,
) -> Markup {
    let texts = model.texts();
    let place = model.record(id);
    html! {
        form.cell-form method="post" action=(place) {
            (account_field(model.context.visit))
            (default_button("action", "save"))
            input type="hidden" name="etag" value=(etag);
            input type="hidden" name="_field" value=(field.name);
            @if let Some(message) = message { (message) }
            @if let Some(why) = fields::why_record(model) { p.muted { (why) } }
            (fields::only(model, sent, field, id))
            div.actions {
                @if fields::is_open(model, sent, field) { button.primary { (texts.get("save")) } }
                a.button href=(place) { (texts.get("cell-open")) }
                button type="button" data-close { (texts.get("cancel")) }
            }
        }
    }
}

/// Lists of the records that have the same value, and of those that have another one.
pub(super) fn lists(
    model: &Model<'_>,
    record: &JsonObject,
    field: &FieldDescription,
    list: &str,
) -> Markup {
    let texts = model.texts();
    if !field.filterable || record.get_raw(&field.name).is_none() {
        return html! {};
    }
    let is_field = |name: &str| model.field(name).is_some();
    let base = ListQuery::parse(&without_controls(list), &is_field)
        .unwrap_or_default()
        .page(1);
    let with = |lookup: Lookup, value: Operand| {
        let condition = Condition::new(&field.name, lookup, value);
        narrowed(
            &base,
            FieldFilter {
                condition,
                exclude: false,
            },
        )
    };
    let value = match field.field {
        // A string in a JSON column is meant with its quotes.
        FieldType::JsonField => record.get_raw(&field.name).map(Cow::Borrowed),
        _ => plain_text(record, &field.name),
    };
    let (same, other) = match value.filter(|value| value != "null") {
        None => (
            with(Lookup::Isnull, true.into()),
            with(Lookup::Isnull, false.into()),
        ),
        Some(value) => (
            with(Lookup::Exact, (&*value).into()),
            with(Lookup::Ne, (&*value).into()),
        ),
    };
    let at = |query: &ListQuery| -> Href { model.list().query(query.to_query_string()) };
    html! {
        p.small.same {
            a href=(at(&same)) { (texts.get("cell-only")) } " "
            a href=(at(&other)) { (texts.get("cell-not")) }
        }
    }
}
