//! The filters that hold, as a sentence: each can be changed and removed.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{FieldFilter, Operand};

use super::{At, Conditions, lookups};
use crate::{places::records::View, texts::Texts};

/// How long the links of all filters may be together, in bytes: each has all the others.
const LONGEST: usize = 256 << 10;

/// Whether the service has refused nothing but the values of filters, beside which it is said.
pub(in crate::places::records) fn is_said(view: &View<'_>, wrong: &Error) -> bool {
    let conditions = Conditions::of(&view.query);
    let all = conditions
        .all
        .iter()
        .chain(conditions.groups.iter().flatten());
    let known: Vec<&str> = all.map(|filter| filter.condition.field.as_str()).collect();
    let fields = wrong.field_errors();
    !fields.is_empty()
        && wrong.general_errors().is_empty()
        && fields
            .iter()
            .all(|(field, _)| known.contains(&field.as_str()))
}

/// The filters that hold; `wrong` is what the service has refused.
pub(in crate::places::records) fn chips(view: &View<'_>, wrong: Option<&Error>) -> Markup {
    let texts = view.model.texts();
    let conditions = Conditions::of(&view.query);
    let search = view.query.search.as_deref();
    let query = view.query_string(&view.at_start());
    let has_links = query.as_str().len().saturating_mul(conditions.count()) <= LONGEST;
    if conditions == Conditions::default() && search.is_none() {
        return html! {};
    }
    let groups = conditions.groups.iter().enumerate();
    let is_alone = conditions.all.is_empty() && conditions.other.is_none() && search.is_none();
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
                    (chip(view, &conditions, filter, has_links.then_some(at), wrong))
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
                span.muted {
                    @match group {
                        0 if is_alone => (texts.get("filters-either-alone")),
                        0 => (texts.get("filters-either")),
                        _ => (texts.get("filters-or")),
                    }
                }
                ul.chips {
                    @for (index, filter) in filters.iter().enumerate() {
                        @let at = At { group: Some(group), index };
                        (chip(view, &conditions, filter, has_links.then_some(at), wrong))
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
fn chip(
    view: &View<'_>,
    conditions: &Conditions,
    filter: &FieldFilter,
    at: Option<At>,
    wrong: Option<&Error>,
) -> Markup {
    let texts = view.model.texts();
    let offered = lookups::of_filter(filter);
    let field = view.model.field(&filter.condition.field);
    let may_be_null = field.is_some_and(|field| field.null);
    let said = html! {
        bdi { (filter.condition.field) } " " (lookups::word(texts, offered))
        @if !lookups::is_alone(offered.0) {
            " " strong { bdi { (operand(texts, &filter.condition.value)) } }
            // What is not known is not another value either.
            @if may_be_null && lookups::is_contrary(offered) {
                " " (texts.get("filter-not-null"))
            }
        }
    };
    let wrong = wrong.and_then(|wrong| message(wrong, filter));
    let error = html! {
        @if let Some(wrong) = wrong { span.field-error role="alert" { (wrong) } }
    };
    let Some(at) = at else {
        return html! { li { span.edit { (said) } (error) } };
    };
    let edit = view.at(&view.at_start()).with("_edit", &at.text());
    html! {
        li {
            a.edit href=(edit) title=(texts.get("filter-edit")) { (said) }
            (error)
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

/// What the service says of the filters of a field, which it names without the comparison.
fn message(wrong: &Error, filter: &FieldFilter) -> Option<String> {
    let mut fields = wrong.field_errors().iter();
    let (_, messages) = fields.find(|(field, _)| *field == filter.condition.field)?;
    Some(messages.join("; "))
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
