//! The form of a page: fields for what is simple, and JSON for the rest. Who may not write reads the same.

use maud::{Markup, html};
use svc_model::PageSettings;

use super::{
    about::About,
    content::{Content, FIELDS, document},
    fields::{field, label_of},
    place::Pages,
    sent::{PARAMS, REST},
};
use crate::{assets::EDITOR, json::Fault, texts::Texts, ui::diff::lines::side_by_side};

/// How many lines around a fault are shown.
const AROUND: usize = 2;
/// How much of a line is shown before a fault, and behind it.
const BESIDE: usize = 60;

/// The fields of the form.
pub(super) fn fields(about: &About<'_>) -> Markup {
    let texts = about.pages.texts();
    html! {
        div.fields {
            @for name in FIELDS {
                @if let Some(value) = about.sent.fields.get(name) { (field(about, name, value)) }
            }
        }
        (params(about))
        (rest(about, texts))
        script type="module" src=(EDITOR.href(&about.pages.visit().root)) {}
    }
}

fn params(about: &About<'_>) -> Markup {
    let (texts, sent) = (about.pages.texts(), about.sent);
    let fault = sent.faults.get(PARAMS);
    let errors = sent.errors.get(PARAMS);
    html! {
        div.field.document.wrong[fault.is_some() || errors.is_some()] {
            label for="f-params" { (texts.get("pages-params")) }
            p.small.muted #h-params { (texts.get("pages-params-hint")) }
            (area(PARAMS, &sent.params, fault, errors.is_some()))
            (wrong(texts, PARAMS, &sent.params, fault, errors))
            (conflict(about, PARAMS))
        }
    }
}

fn rest(about: &About<'_>, texts: &Texts) -> Markup {
    let sent = about.sent;
    let fault = sent.faults.get(REST);
    let errors = sent.errors.get(REST);
    let is_open = !sent.rest.is_empty() || fault.is_some() || errors.is_some();
    html! {
        details.document open[is_open] {
            summary { (texts.get("pages-rest")) }
            div.field.document.wrong[fault.is_some() || errors.is_some()] {
                label for="f-rest" { (texts.get("pages-rest-label")) }
                p.small.muted #h-rest { (texts.get("pages-rest-hint")) }
                (area(REST, &sent.rest, fault, errors.is_some()))
                (wrong(texts, REST, &sent.rest, fault, errors))
                (conflict(about, REST))
            }
        }
    }
}

fn area(name: &str, text: &str, fault: Option<&Fault>, has_errors: bool) -> Markup {
    let is_wrong = fault.is_some() || has_errors;
    let least = if name == PARAMS { 14 } else { 4 };
    let rows = (text.split('\n').count() + 1).clamp(least, 32);
    let described = match is_wrong {
        true => format!("h-{name} e-{name}"),
        false => format!("h-{name}"),
    };
    html! {
        // A browser drops the first line break of what it is given.
        textarea.json id=(format!("f-{name}")) name=(name) rows=(rows) wrap="off" spellcheck="false" autocapitalize="none"
            autocomplete="off" aria-invalid=[is_wrong.then_some("true")] aria-describedby=(described)
            data-at=[fault.map(|fault| fault.units)] {
            "\n" (text)
        }
    }
}

/// What is wrong with a document, with the line that it is in.
fn wrong(
    texts: &Texts,
    name: &str,
    text: &str,
    fault: Option<&Fault>,
    errors: Option<&Vec<String>>,
) -> Markup {
    if fault.is_none() && errors.is_none() {
        return html! {};
    }
    html! {
        div.field-error id=(format!("e-{name}")) {
            @if let Some(errors) = errors { p { (errors.join("; ")) } }
            @if let Some(fault) = fault {
                p {
                    (texts.with("pages-json-wrong", [("line", fault.line.into()), ("column", fault.column.into())]))
                    " " bdi { (fault.message) }
                }
                (excerpt(text, fault))
            }
        }
    }
}

/// The lines around a fault, in which it is marked.
fn excerpt(text: &str, fault: &Fault) -> Markup {
    let first = fault.line.saturating_sub(AROUND).max(1);
    let lines = text.split('\n').enumerate().skip(first - 1);
    let lines = lines.take(fault.line + AROUND - first + 1);
    html! {
        table.fault {
            @for (at, line) in lines {
                tr.marked[at + 1 == fault.line] {
                    td.line-number { (at + 1) }
                    td {
                        @if at + 1 == fault.line {
                            (marked(line, fault.column))
                        } @else {
                            bdi { (line.chars().take(2 * BESIDE).collect::<String>()) }
                        }
                    }
                }
            }
        }
    }
}

fn marked(line: &str, column: usize) -> Markup {
    let chars: Vec<char> = line.chars().collect();
    let at = column.saturating_sub(1).min(chars.len());
    let part = |from: usize, to: usize| -> String {
        chars
            .get(from..to.min(chars.len()))
            .unwrap_or_default()
            .iter()
            .collect()
    };
    let from = at.saturating_sub(BESIDE);
    html! {
        bdi {
            @if from > 0 { "…" }
            (part(from, at))
            mark { (if at < chars.len() { part(at, at + 1) } else { "␣".to_owned() }) }
            (part(at + 1, at + 1 + BESIDE))
            @if at + 1 + BESIDE < chars.len() { "…" }
        }
    }
}

/// What somebody else has made of a document meanwhile, beside what is in the form.
fn conflict(about: &About<'_>, name: &str) -> Markup {
    let texts = about.pages.texts();
    let Some(theirs) = about.theirs.filter(|_| about.sent.conflicts.contains(name)) else {
        return html! {};
    };
    let (now, mine) = match name {
        PARAMS => (theirs.params_shown(), &about.sent.params),
        _ => (theirs.rest_shown(), &about.sent.rest),
    };
    let names = (texts.get("pages-theirs"), texts.get("pages-mine"));
    html! {
        @if let Some(diff) = side_by_side(texts, (&names.0, &now), (&names.1, mine)) {
            div.conflict {
                p { (texts.get("pages-conflict-document")) }
                (diff)
            }
        }
    }
}

/// The page for who may not write.
pub(super) fn read_only(pages: &Pages<'_>, page: &PageSettings) -> Markup {
    let texts = pages.texts();
    let content = Content::of(page);
    html! {
        dl.facts {
            @for name in FIELDS {
                @if let Some(value) = content.field(name).filter(|value| !value.is_empty()) {
                    dt { (label_of(texts, name)) }
                    dd { bdi { (value) } }
                }
            }
        }
        h2 { (texts.get("pages-document")) }
        pre.json tabindex="0" { bdi { (document(page)) } }
    }
}
