//! What is above the table: search, filters, columns, and what can be done with the records.

use maud::{Markup, html};
use svc_api::Error;

use super::{
    View, columns,
    filters::{builder, chips},
    saved::Saved,
};
use crate::{
    assets::PARTIAL,
    href::Href,
    places::{snippets, structure},
    visit::Form,
};

/// Search, filters and columns above the table; `wrong` is what the service has refused.
pub(super) fn bar(view: &View<'_>, saved: &Saved, form: &Form, wrong: Option<&Error>) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let is_open = form.get("_add_field").is_some() || form.get("_edit").is_some();
    html! {
        div.toolbar {
            form.search role="search" method="get" action=(model.list()) {
                (view.hidden(|query| query.search = None))
                input type="search" name="_search" aria-label=(texts.get("search")) placeholder=(texts.get("search"))
                    value=(view.query.search.as_deref().unwrap_or_default()) data-key="/";
                button { (texts.get("search")) }
            }
            details.menu open[is_open] {
                summary { (texts.get("filter-add")) }
                div.panel { (builder::form(model, &view.query, view.named.as_ref(), form)) }
                script type="module" src=(PARTIAL.href(&model.context.visit.root)) {}
            }
            (columns::menu(view, saved, form))
            (export(view))
            div.grow {}
            a.button href=(structure::place(&model.context, model.resource.as_str(), model.name.as_str())) { (texts.get("structure")) }
            @if model.context.visit.is_own_view() {
                a.button href=(chart_of(view)) { (texts.get("chart")) }
                a.button href=(snippets::of_list(model, &view.query)) { (texts.get("snippets")) }
            }
            @if model.description.can.create {
                a.button href=(model.list().below(["import"])) { (texts.get("import")) }
                a.button.primary href=(model.list().below(["new"])) { (texts.get("record-new")) }
            }
        }
        (chips::chips(view, wrong))
    }
}

/// The chart of the records that are listed.
fn chart_of(view: &View<'_>) -> Href {
    let model = view.model;
    let (resource, name) = (model.resource.as_str(), model.name.as_str());
    let place = model.context.place(["charts", "model", resource, name]);
    place.query(view.query.selection().to_query_string())
}

/// The records as a file.
fn export(view: &View<'_>) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let all = model.description.fields.iter();
    let all: Vec<String> = all.map(|field| field.name.clone()).collect();
    let shown = view.columns.iter().map(|field| field.name.clone());
    let shown: Vec<String> = shown.collect();
    let link = |fields: &[String], format: &str| {
        let mut query = view.at_start();
        query.fields = Some(fields.to_vec());
        let place = model
            .list()
            .below(["export"])
            .query(query.to_query_string());
        place.with("_format", format)
    };
    html! {
        details.menu {
            summary { (texts.get("export")) }
            div.panel {
                p.small.muted { (texts.get("export-what")) }
                a href=(link(&shown, "csv")) download { (texts.get("export-csv-shown")) }
                a href=(link(&all, "csv")) download { (texts.get("export-csv-all")) }
                a href=(link(&shown, "ndjson")) download { (texts.get("export-ndjson-shown")) }
                a href=(link(&all, "ndjson")) download { (texts.get("export-ndjson-all")) }
            }
        }
    }
}
