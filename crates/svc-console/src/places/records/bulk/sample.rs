//! How many records a change is about, and some of them.

use maud::{Markup, Render as _, html};
use svc_model::{Count, CountIs, JsonObject, Paginated};

use super::super::chosen::{Chosen, Which};
use crate::{
    places::model::{Model, cut},
    ui::{cell::cell, table},
};

/// How many records are shown.
const SHOWN: u32 = 5;
/// How much of a long value is shown.
const EXCERPT: u32 = 120;

/// The number of records, and some of them. With `is_exact` all are counted, however long it takes.
pub(super) async fn load(
    model: &Model<'_>,
    chosen: &Chosen,
    fields: &[&str],
    is_exact: bool,
) -> Result<Option<Paginated<JsonObject>>, svc_api::Error> {
    let Some(mut query) = chosen.selection(model) else {
        return Ok(None);
    };
    query.count = match is_exact {
        true => Count::Exact,
        false => Count::Auto,
    };
    query.per_page = Some(SHOWN);
    query.excerpt = Some(EXCERPT);
    query.order_by.clone_from(&chosen.list.order_by);
    let labels = model.description.label_fields.iter().map(String::as_str);
    let mut wanted: Vec<String> = Vec::new();
    for field in model
        .key_fields()
        .into_iter()
        .chain(labels)
        .chain(fields.iter().copied())
    {
        if !wanted.iter().any(|known| known == field) {
            wanted.push(field.to_owned());
        }
    }
    query.fields = Some(wanted);
    let records = model.records();
    let list = records.typed::<JsonObject>().list().query(query);
    list.send().await.map(Some)
}

/// How many records it is about, in words.
pub(super) fn number(model: &Model<'_>, page: &Paginated<JsonObject>) -> String {
    let texts = model.texts();
    match (page.count, page.count_is) {
        (Some(count), Some(CountIs::Estimate)) => {
            texts.with("count-about", [("count", count.into())])
        }
        (Some(count), _) => texts.with("count-exact", [("count", count.into())]),
        (None, _) => texts.get("count-unknown"),
    }
}

/// Which records these are, in words.
pub(super) fn which(model: &Model<'_>, chosen: &Chosen) -> String {
    let texts = model.texts();
    let rows = chosen.rows.len();
    match chosen.which {
        Which::All => texts.get("bulk-which-all"),
        Which::Only => texts.with("bulk-which-only", [("count", rows.into())]),
        Which::Except => texts.with("bulk-which-except", [("count", rows.into())]),
    }
}

/// Some of the records, each with a box that leaves it out, and with what would become of it.
pub(super) fn shown(
    model: &Model<'_>,
    page: &Paginated<JsonObject>,
    fields: &[&str],
    changes: Option<&JsonObject>,
    box_name: &str,
) -> Markup {
    let texts = model.texts();
    let can_leave_out = !model.description.primary_key_auto;
    let head = html! {
        tr {
            @if can_leave_out { th.choose scope="col" { span.visually-hidden { (texts.get("bulk-leave-out")) } } }
            th scope="col" { (texts.get("bulk-record")) }
            @for field in fields { th scope="col" { bdi { (field) } } }
        }
    };
    let body = html! {
        @for record in &page.results {
            @let id = model.id_of(record);
            @let label = model.label_of(record);
            tr {
                @if can_leave_out {
                    td.choose {
                        @if let Some(id) = &id {
                            label {
                                input type="checkbox" name=(box_name) value=(id)
                                    aria-label=(texts.with("bulk-leave-out-one", [("key", id.as_str().into())]));
                            }
                        }
                    }
                }
                td {
                    @if let Some(id) = &id {
                        bdi { (label) }
                        @if *id.as_str() != label { " " span.muted { bdi { (id) } } }
                    }
                }
                @for field in fields {
                    td { (value(model, record, field)) (becomes(model, field, changes)) }
                }
            }
        }
    };
    table::table(&texts.get("bulk-some"), &head, &body)
}

fn value(model: &Model<'_>, record: &JsonObject, field: &str) -> Markup {
    one(model, field, record.get_raw(field), cut(record, field))
}

fn becomes(model: &Model<'_>, field: &str, changes: Option<&JsonObject>) -> Markup {
    let change = changes.and_then(|changes| changes.get_raw(field));
    html! {
        @if let Some(raw) = change {
            span.becomes aria-hidden="true" { " → " }
            span.visually-hidden { " " (model.texts().get("bulk-becomes")) " " }
            strong { (one(model, field, Some(raw), None)) }
        }
    }
}

fn one(model: &Model<'_>, field: &str, raw: Option<&str>, cut: Option<u64>) -> Markup {
    match model.field(field) {
        Some(field) => cell(model.texts(), field.field, raw, cut).render(),
        None => html! {},
    }
}
