//! The filters that hold, as a sentence: each can be changed and removed.

use maud::{Markup, html};
use svc_model::{FieldFilter, Operand};

use super::{At, Conditions, lookups};
use crate::{places::records::View, texts::Texts};

/// The filters that hold.
pub(in crate::places::records) fn chips(view: &View<'_>) -> Markup {
    let texts = view.model.texts();
    let conditions = Conditions::of(&view.query);
    let search = view.query.search.as_deref();
    if conditions == Conditions::default() && search.is_none() {
        return html! {};
    }
    let groups = conditions.groups.iter().enumerate();
    html! {
        div.filters role="group" aria-label=(texts.get("filters")) {
            span.muted { (texts.get("filters-shown")) }
            ul.chips {
                @if let Some(search) = search {
                    li {
                        span { (texts.get("filters-search")) " " strong { bdi { (search) } } }
                        (remove(view, texts, |view| {
                            let mut query = view.at_start();
                            query.search = None;
                            query
                        }))
                    }
                }
                @for (index, filter) in conditions.all.iter().enumerate() {
                    (chip(view, &conditions, filter, At { group: None, index }))
                }
                @if conditions.other.is_some() {
                    li {
                        span { (texts.get("filters-other")) }
                        (remove(view, texts, |view| {
                            let mut query = view.at_start();
                            let mut left = conditions.clone();
                            left.other = None;
                            left.put_into(&mut query);
                            query
                        }))
                    }
                }
            }
            @for (group, filters) in groups {
                span.muted { @if group == 0 { (texts.get("filters-either")) } @else { (texts.get("filters-or")) } }
                ul.chips {
                    @for (index, filter) in filters.iter().enumerate() {
                        (chip(view, &conditions, filter, At { group: Some(group), index }))
                    }
                }
            }
            a href=(view.model.list().query(everything(view).to_query_string())) { (texts.get("filters-none")) }
        }
    }
}

/// The same view without filters.
fn everything(view: &View<'_>) -> svc_model::ListQuery {
    let mut query = view.at_start();
    query.search = None;
    Conditions::default().put_into(&mut query);
    query
}

fn chip(view: &View<'_>, conditions: &Conditions, filter: &FieldFilter, at: At) -> Markup {
    let texts = view.model.texts();
    let offered = lookups::of_filter(filter);
    let edit = view.at(&view.at_start()).with("_edit", &at.text());
    html! {
        li {
            a.edit href=(edit) title=(texts.get("filter-edit")) {
                bdi { (filter.condition.field) } " " (lookups::word(texts, offered))
                @if !lookups::is_alone(offered.0) {
                    " " strong { bdi { (operand(texts, &filter.condition.value)) } }
                }
            }
            (remove(view, texts, |view| {
                let mut query = view.at_start();
                let mut left = conditions.clone();
                left.remove(at);
                left.put_into(&mut query);
                query
            }))
        }
    }
}

fn remove(
    view: &View<'_>,
    texts: &Texts,
    without: impl FnOnce(&View<'_>) -> svc_model::ListQuery,
) -> Markup {
    html! {
        a href=(view.at(&without(view))) aria-label=(texts.get("filter-remove")) { "×" }
    }
}

fn operand(texts: &Texts, value: &Operand) -> String {
    match value {
        Operand::One(text) if text.is_empty() => texts.get("empty"),
        Operand::One(text) => text.clone(),
        Operand::Many(values) => values.join(", "),
        _ => String::new(),
    }
}
