//! The filters that hold, as a sentence: each can be changed and removed.

use maud::{Markup, html};
use svc_model::{FieldFilter, Operand};

use super::{At, Conditions, lookups};
use crate::{places::records::View, texts::Texts};

/// How long the links of all filters may be together, in bytes: each has all the others.
const LONGEST: usize = 256 << 10;

/// The filters that hold.
pub(in crate::places::records) fn chips(view: &View<'_>) -> Markup {
    let texts = view.model.texts();
    let conditions = Conditions::of(&view.query);
    let search = view.query.search.as_deref();
    let query = view.query_string(&view.at_start());
    let has_links = query.as_str().len().saturating_mul(conditions.count()) <= LONGEST;
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
                        @if has_links {
                            (remove(view, texts, |view| {
                                let mut query = view.at_start();
                                query.search = None;
                                query
                            }))
                        }
                    }
                }
                @for (index, filter) in conditions.all.iter().enumerate() {
                    @let at = At { group: None, index };
                    (chip(view, &conditions, filter, has_links.then_some(at)))
                }
                @if conditions.other.is_some() {
                    li {
                        span { (texts.get("filters-other")) }
                        @if has_links {
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
            }
            @for (group, filters) in groups {
                span.muted { @if group == 0 { (texts.get("filters-either")) } @else { (texts.get("filters-or")) } }
                ul.chips {
                    @for (index, filter) in filters.iter().enumerate() {
                        @let at = At { group: Some(group), index };
                        (chip(view, &conditions, filter, has_links.then_some(at)))
                    }
                }
            }
            a href=(view.at(&everything(view))) { (texts.get("filters-none")) }
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

/// One filter; `at` is where it is, for the links that change and remove it.
fn chip(view: &View<'_>, conditions: &Conditions, filter: &FieldFilter, at: Option<At>) -> Markup {
    let texts = view.model.texts();
    let offered = lookups::of_filter(filter);
    let said = html! {
        bdi { (filter.condition.field) } " " (lookups::word(texts, offered))
        @if !lookups::is_alone(offered.0) {
            " " strong { bdi { (operand(texts, &filter.condition.value)) } }
        }
    };
    let Some(at) = at else {
        return html! { li { span.edit { (said) } } };
    };
    let edit = view.at(&view.at_start()).with("_edit", &at.text());
    html! {
        li {
            a.edit href=(edit) title=(texts.get("filter-edit")) { (said) }
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
