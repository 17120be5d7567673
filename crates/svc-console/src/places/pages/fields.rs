//! The simple fields of the form of a page.

use maud::{Markup, html};

use super::about::About;
use crate::texts::Texts;

/// From this number of pages on, the page above is typed and not chosen.
const MOST_PARENTS: usize = 200;

/// What a field is called.
pub(super) fn label_of(texts: &Texts, name: &str) -> String {
    match name {
        "name" => texts.get("pages-name"),
        "unique_name" => texts.get("pages-unique-name"),
        "view" => texts.get("pages-view"),
        "parent" => texts.get("pages-parent"),
        "order" => texts.get("pages-order"),
        "resource" => texts.get("pages-resource"),
        _ => texts.get("pages-model"),
    }
}

/// What is said below a field.
fn hint_of(texts: &Texts, name: &str) -> Option<String> {
    match name {
        "unique_name" => Some(texts.get("pages-unique-name-hint")),
        "view" => Some(texts.get("pages-view-hint")),
        "order" => Some(texts.get("pages-order-hint")),
        _ => None,
    }
}

/// A field with what is wrong with it, and what somebody else has made of it.
pub(super) fn field(about: &About<'_>, name: &'static str, value: &str) -> Markup {
    let (texts, sent) = (about.pages.texts(), about.sent);
    let errors = sent.errors.get(name);
    let id = format!("f-{name}");
    let hint = hint_of(texts, name);
    let is_conflict = sent.conflicts.contains(name);
    let theirs = about.theirs.filter(|_| is_conflict);
    let described: Vec<String> = [
        hint.is_some().then(|| format!("h-{name}")),
        errors.is_some().then(|| format!("e-{name}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    let invalid = errors.map(|_| "true");
    html! {
        div.field.wrong[errors.is_some()] {
            label for=(id) { (label_of(texts, name)) }
            div {
                @if name == "parent" && about.parents.len() <= MOST_PARENTS {
                    (parents(about, &id, value, described.as_deref()))
                } @else {
                    input id=(id) name=(name) value=(value) autocomplete="off" list=[list_of(name)]
                        inputmode=[(name == "order").then_some("decimal")] aria-invalid=[invalid]
                        aria-describedby=[described];
                }
                @if name == "resource" { (resources(about)) }
                @if let Some(hint) = hint { p.small.muted.hint id=(format!("h-{name}")) { (hint) } }
                @if let Some(theirs) = theirs.and_then(|theirs| theirs.field(name)) {
                    p.conflict {
                        (texts.get("conflict-theirs")) " "
                        @if theirs.is_empty() { span.empty { (texts.get("empty")) } } @else { bdi { (theirs) } }
                    }
                }
                @if let Some(errors) = errors {
                    p.field-error id=(format!("e-{name}")) { (errors.join("; ")) }
                }
            }
        }
    }
}

fn list_of(name: &str) -> Option<&'static str> {
    (name == "resource").then_some("resources")
}

fn parents(about: &About<'_>, id: &str, value: &str, described: Option<&str>) -> Markup {
    let texts = about.pages.texts();
    let is_known = about.parents.iter().any(|(name, _)| name == value);
    let is_wrong = about.sent.errors.contains_key("parent");
    html! {
        select id=(id) name="parent" aria-invalid=[is_wrong.then_some("true")] aria-describedby=[described] {
            option value="" selected[value.is_empty()] { (texts.get("pages-at-top")) }
            @for (name, title) in about.parents {
                option value=(name) selected[name == value] { (title) " (" (name) ")" }
            }
            @if !is_known && !value.is_empty() {
                option value=(value) selected {
                    @if is_wrong { (value) } @else { (texts.with("pages-parent-missing", [("name", value.into())])) }
                }
            }
        }
    }
}

/// The databases of the environment.
fn resources(about: &About<'_>) -> Markup {
    let context = &about.pages.context;
    let of_here = context.project.resources.iter().filter(|resource| {
        resource.environment == context.scope.environment && resource.kind == "database"
    });
    html! {
        datalist #resources {
            @for resource in of_here { option value=(resource.unique_name) {} }
        }
    }
}
