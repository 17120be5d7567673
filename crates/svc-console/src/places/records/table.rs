//! The table itself.

use maud::{Markup, html};
use serde_json::value::RawValue;
use svc_model::{
    CountIs, JsonObject, ListQuery, OrderBy, Paginated, RecordId, resources::FieldDescription,
};

use super::View;
use crate::{
    places::model,
    ui::{cell::cell, paging, table},
};

/// The records of a page, with the ways to the next ones.
pub(super) fn records(view: &View<'_>, page: &Paginated<JsonObject>) -> Markup {
    let model = view.model;
    let texts = model.texts();
    html! {
        @if page.results.is_empty() {
            p.empty-state { (texts.get("records-empty")) }
        } @else {
            (table::grid(
                model.name.as_str(),
                &html! { tr { @for column in &view.columns { (head(view, column)) } } },
                &html! { @for record in &page.results { (row(view, record)) } },
            ))
        }
        (paging::links(texts, page, &view.query, |query| view.at(query), &html! {
            span #count.muted data-fragment="count" { (texts.with("shown", [("count", page.results.len().into())])) }
        }))
    }
}

/// How many records there are, in place of how many are shown.
pub(super) fn count(view: &View<'_>, page: &Paginated<JsonObject>) -> Markup {
    let texts = view.model.texts();
    let text = match (page.count, page.count_is) {
        (Some(count), Some(CountIs::Estimate)) => {
            texts.with("count-about", [("count", count.into())])
        }
        (Some(count), _) => texts.with("count-exact", [("count", count.into())]),
        (None, _) => texts.get("count-unknown"),
    };
    html! { span #count.muted { (text) } }
}

/// The head of a column, which orders by it: first upwards, then downwards, then no more.
fn head(view: &View<'_>, column: &FieldDescription) -> Markup {
    let mut orders = view.query.order_by.iter();
    let order = orders.find(|order| order.field == column.name);
    let mut query: ListQuery = view.at_start();
    query.order_by.clear();
    match order.map(|order| order.descending) {
        None => query.order_by.push(OrderBy::ascending(&column.name)),
        Some(false) => query.order_by.push(OrderBy::descending(&column.name)),
        Some(true) => {}
    }
    let sorted = order.map(|order| match order.descending {
        true => "descending",
        false => "ascending",
    });
    html! {
        th.number[is_number(column)] scope="col" aria-sort=[sorted] {
            a href=(view.at(&query)) {
                bdi { (column.name) }
                @match sorted {
                    Some("ascending") => span aria-hidden="true" { " ↑" },
                    Some(_) => span aria-hidden="true" { " ↓" },
                    None => {},
                }
            }
        }
    }
}

fn row(view: &View<'_>, record: &JsonObject) -> Markup {
    let model = view.model;
    let id = model.id_of(record);
    let key = model.key_fields();
    let href = id.map(|id| model.record_of(model.name.as_str(), &id));
    html! {
        tr {
            @for (at, column) in view.columns.iter().enumerate() {
                td.number[is_number(column)] {
                    @match &href {
                        Some(href) if at == 0 || key.contains(&column.name.as_str()) => a.key href=(href) {
                            bdi { (model::plain_text(record, &column.name).unwrap_or_else(|| "NULL".to_owned())) }
                        },
                        _ => (value(view, record, column)),
                    }
                }
            }
        }
    }
}

fn value(view: &View<'_>, record: &JsonObject, column: &FieldDescription) -> Markup {
    let model = view.model;
    let raw = record.iter().find(|(name, _)| *name == column.name);
    let raw: Option<&RawValue> = raw.map(|(_, raw)| raw);
    let shown = cell(model.texts(), column.field, raw, cut(record, &column.name));
    let Some((relation, related)) = model.leads_to(&column.name) else {
        return shown;
    };
    let Some(key) = model::plain_text(record, &column.name) else {
        return shown;
    };
    let label = expanded(record, &column.name).map(|record| model::label(related, &record));
    let label = label.filter(|label| !label.is_empty() && *label != key);
    // The field may lead to another column than the key.
    let leads_to_key = related.primary_key_field == relation.related_field;
    html! {
        @if leads_to_key {
            a.reference href=(model.record_of(&related.model, &RecordId::from(key.as_str()))) {
                bdi { (label.as_deref().unwrap_or(&key)) }
            }
        } @else { (shown) }
        @if label.is_some() { " " span.muted { bdi { (key) } } }
    }
}

/// How long a value was before it was cut.
pub(crate) fn cut(record: &JsonObject, field: &str) -> Option<u64> {
    let cut: JsonObject = record.get("_cut").ok().flatten()?;
    cut.get(field).ok().flatten()
}

/// The related record that came with a record.
fn expanded(record: &JsonObject, field: &str) -> Option<JsonObject> {
    let expanded: JsonObject = record.get("_expand").ok().flatten()?;
    expanded.get(field).ok().flatten()
}

fn is_number(column: &FieldDescription) -> bool {
    use svc_model::resources::FieldType::{DecimalField, FloatField, IntegerField};
    matches!(column.field, IntegerField | FloatField | DecimalField)
}
