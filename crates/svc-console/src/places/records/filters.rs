//! What narrows the list: search, filters, columns.

use maud::{Markup, html};
use svc_model::{ListQuery, Lookup, Operand};

use super::View;
use crate::{places::snippets, texts::Texts, visit::Form};

/// The lookups that the form offers.
const OFFERED: [Lookup; 13] = [
    Lookup::Exact,
    Lookup::Ne,
    Lookup::Icontains,
    Lookup::Istartswith,
    Lookup::Iendswith,
    Lookup::Gt,
    Lookup::Gte,
    Lookup::Lt,
    Lookup::Lte,
    Lookup::In,
    Lookup::Range,
    Lookup::Isnull,
    Lookup::Isempty,
];

/// Search, filters and columns above the table.
pub(super) fn bar(view: &View<'_>, form: &Form) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let wrong = wrong_filter(view, form);
    html! {
        div.toolbar {
            form.search role="search" method="get" action=(model.list()) {
                (hidden(&view.at_start(), |query| query.search = None))
                input type="search" name="_search" aria-label=(texts.get("search")) placeholder=(texts.get("search"))
                    value=(view.query.search.as_deref().unwrap_or_default()) data-key="/";
                button { (texts.get("search")) }
            }
            details.menu open[wrong.is_some()] {
                summary { (texts.get("filter-add")) }
                div.panel {
                    form.stack method="get" action=(model.list()) {
                        (hidden(&view.at_start(), |_| {}))
                        label { (texts.get("field"))
                            select name="add_field" required {
                                @for field in model.description.fields.iter().filter(|field| field.filterable) {
                                    option value=(field.name) selected[form.text("add_field") == field.name] { (field.name) }
                                }
                            }
                        }
                        label { (texts.get("lookup"))
                            select name="add_lookup" {
                                @for lookup in OFFERED {
                                    option value=(lookup.as_str()) selected[form.text("add_lookup") == lookup.as_str()] {
                                        (word(texts, lookup))
                                    }
                                }
                            }
                        }
                        label { (texts.get("value"))
                            input name="add_value" value=(form.text("add_value"));
                        }
                        @if let Some(message) = wrong { p.field-error role="alert" { (message) } }
                        p.small.muted { (texts.get("filter-hint")) }
                        button.primary { (texts.get("filter-apply")) }
                    }
                }
            }
            details.menu {
                summary { (texts.get("columns")) }
                div.panel {
                    form.stack method="get" action=(model.list()) {
                        (hidden(&view.at_start(), |query| query.fields = None))
                        div.checks {
                            @for field in &model.description.fields {
                                label.check {
                                    input type="checkbox" name="column" value=(field.name)
                                        checked[view.columns.iter().any(|shown| shown.name == field.name)];
                                    bdi { (field.name) }
                                }
                            }
                        }
                        button.primary { (texts.get("columns-apply")) }
                    }
                }
            }
            div.grow {}
            a.button href=(snippets::of_list(model, &view.query)) { (texts.get("snippets")) }
            @if model.description.can.create {
                a.button.primary href=(model.list().below(["new"])) { (texts.get("record-new")) }
            }
        }
        (chips(view))
    }
}

/// The filters that hold, each with a link that removes it.
fn chips(view: &View<'_>) -> Markup {
    let texts = view.model.texts();
    if view.query.filters.is_empty() {
        return html! {};
    }
    html! {
        ul.chips aria-label=(texts.get("filters")) {
            @for (at, filter) in view.query.filters.iter().enumerate() {
                li {
                    span {
                        bdi { (filter.condition.field) } " "
                        @if filter.exclude { (texts.get("not")) " " }
                        (word(texts, filter.condition.lookup)) " "
                        bdi { strong { (operand(&filter.condition.value)) } }
                    }
                    a href=(view.at(&without(view, at))) aria-label=(texts.get("filter-remove")) { "×" }
                }
            }
        }
    }
}

fn without(view: &View<'_>, at: usize) -> ListQuery {
    let mut query = view.at_start();
    query.filters.remove(at);
    query
}

fn operand(value: &Operand) -> String {
    match value {
        Operand::One(text) => text.clone(),
        Operand::Many(texts) => texts.join(", "),
        _ => String::new(),
    }
}

/// What is wrong with the filter of the form.
fn wrong_filter(view: &View<'_>, form: &Form) -> Option<String> {
    let field = form.text("add_field");
    if field.is_empty() {
        return None;
    }
    let key = format!("{field}__{}", form.text("add_lookup"));
    let value = Operand::One(form.text("add_value").to_owned());
    let is_field = |name: &str| view.model.field(name).is_some();
    let error = ListQuery::new()
        .filter_by_key(&key, value, &is_field)
        .err()?;
    let (_, messages) = error.field_errors().first()?;
    Some(messages.join("; "))
}

/// The other parameters of the list as hidden fields of a form.
fn hidden(query: &ListQuery, without: impl FnOnce(&mut ListQuery)) -> Markup {
    let mut query = query.clone();
    without(&mut query);
    let text = query.to_query_string();
    let pairs = svc_model::query::parse_pairs(text.as_str()).unwrap_or_default();
    html! {
        @for (name, value) in pairs {
            input type="hidden" name=(name) value=(value);
        }
    }
}

fn word(texts: &Texts, lookup: Lookup) -> String {
    match lookup {
        Lookup::Exact => texts.get("lookup-exact"),
        Lookup::Ne => texts.get("lookup-ne"),
        Lookup::Icontains => texts.get("lookup-icontains"),
        Lookup::Istartswith => texts.get("lookup-istartswith"),
        Lookup::Iendswith => texts.get("lookup-iendswith"),
        Lookup::Gt => texts.get("lookup-gt"),
        Lookup::Gte => texts.get("lookup-gte"),
        Lookup::Lt => texts.get("lookup-lt"),
        Lookup::Lte => texts.get("lookup-lte"),
        Lookup::In => texts.get("lookup-in"),
        Lookup::Range => texts.get("lookup-range"),
        Lookup::Isnull => texts.get("lookup-isnull"),
        Lookup::Isempty => texts.get("lookup-isempty"),
        other => other.as_str().to_owned(),
    }
}
