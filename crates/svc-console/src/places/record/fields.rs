//! The fields of a record as a form.

use maud::{Markup, Render as _, html};
use svc_model::{
    RecordId,
    resources::{FieldDescription, FieldType},
};

use super::sent::{Conflict, Sent, written_before};
use crate::{
    places::{
        entered::{Entered, Input, input},
        model::{Model, Reference},
    },
    texts::Texts,
    ui::cell::cell,
};

/// What a form is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum About<'r> {
    /// A record that there is: its values can be looked at by themselves.
    Record(&'r RecordId),
    /// One field of it, in the cell of a table.
    Cell(&'r RecordId),
    New,
    /// A new record that a field of another form is to refer to. What its own fields refer to is not chosen on the way.
    Referred,
}

/// The fields of the form.
pub(super) fn fields(model: &Model<'_>, sent: &Sent, about: About<'_>) -> Markup {
    html! {
        div.fields {
            @for (at, field) in model.description.fields.iter().enumerate() {
                (one(model, sent, field, at, about))
            }
        }
    }
}

/// One field of a record by itself.
pub(super) fn only(
    model: &Model<'_>,
    sent: &Sent,
    field: &FieldDescription,
    record: &RecordId,
) -> Markup {
    one(model, sent, field, 0, About::Cell(record))
}

/// Whether a field can be changed in the form.
pub(super) fn is_open(model: &Model<'_>, sent: &Sent, field: &FieldDescription) -> bool {
    let can = model.description.can;
    let is_written = if sent.is_new { can.create } else { can.update };
    is_written
        && field.editable
        && !field.read_only
        && !sent.cut.contains_key(&field.name)
        && !sent.unread.contains(&field.name)
        && (sent.is_new || field.field != FieldType::BinaryField)
}

/// Why no record, or not each one, can be changed.
pub(super) fn why_record(model: &Model<'_>) -> Option<String> {
    let texts = model.texts();
    if let Some(field) = model.key_in_place() {
        return Some(texts.with("why-key", [("field", field.into())]));
    }
    // Where it is the view of somebody else, the page says so above.
    let is_closed = !model.description.can.update && model.context.visit.is_own_view();
    is_closed.then(|| match model.description.is_view {
        true => texts.get("why-view"),
        false => texts.get("why-rights"),
    })
}

fn one(
    model: &Model<'_>,
    sent: &Sent,
    field: &FieldDescription,
    at: usize,
    about: About<'_>,
) -> Markup {
    let texts = model.texts();
    let name = &field.name;
    let cut = sent.cut.get(name);
    let is_open = is_open(model, sent, field);
    let now = sent.entered.get(name).unwrap_or(&Entered::Untouched);
    let errors = sent.errors.get(name);
    let (id, error_id) = (format!("f{at}"), format!("e{at}"));
    html! {
        div.field.wrong[errors.is_some()] {
            label for=(id) {
                bdi { (name) }
                @if field.required && sent.is_new { span.required title=(texts.get("required")) { " *" } }
                span.small.muted { " " (field.db_field) }
            }
            div {
                @if is_open {
                    (input(texts, field, now, &Input {
                        name: &format!("value:{name}"),
                        id: &id,
                        error: errors.map(|_| error_id.as_str()),
                        is_cell: matches!(about, About::Cell(_)),
                    }))
                    @if field.field == FieldType::BinaryField { p.small.muted { (texts.get("binary-hint")) } }
                    (states(texts, sent, field, now))
                    @if !matches!(about, About::Referred) { (pick(model, &field.name)) }
                    (before(sent, name))
                } @else {
                    p.fixed {
                        @match now {
                            _ if cut.is_some() && field.field == FieldType::BinaryField => {
                                (texts.with("too-long-bytes", [("count", cut.copied().unwrap_or_default().into())]))
                            },
                            _ if cut.is_some() => (texts.with("too-long", [("count", cut.copied().unwrap_or_default().into())])),
                            _ if sent.unread.contains(name) => span.muted { (texts.get("unread")) },
                            Entered::Text(text) => (shown(texts, field, text)),
                            Entered::Null => span.null { "NULL" },
                            Entered::Untouched => span.muted { (texts.get("by-database")) },
                        }
                    }
                    @if !sent.is_new && !field.editable { p.small.muted { (texts.get("why-database")) } }
                    @if let About::Record(record) | About::Cell(record) = about && (cut.is_some() || field.field == FieldType::BinaryField) {
                        p.small { a href=(model.below(record, ["value", name])) { (texts.get("value-open")) } }
                    }
                }
                @if let Some(met) = sent.conflicts.get(name) { (conflict(texts, name, met, now)) }
                @if let Some(messages) = errors {
                    p.field-error id=(error_id) { (messages.join("; ")) }
                }
                @if let Some(reference) = model.reference_of(name) {
                    p.small.muted { (refers(model, &reference, sent)) }
                }
            }
        }
    }
}

/// Where a field leads to, together with others where it is a part of a longer reference.
fn refers(model: &Model<'_>, reference: &Reference<'_>, sent: &Sent) -> Markup {
    let texts = model.texts();
    let related = &reference.model.model;
    let text = |field: &&str| match sent.entered.get(*field) {
        Some(Entered::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let key = reference.key();
    let key: Option<Vec<&str>> = key.and_then(|key| key.iter().map(text).collect());
    let id = key.as_deref().map(|key| match key {
        [only] => RecordId::from(*only),
        parts => RecordId::composite(parts),
    });
    html! {
        @match (id, key) {
            (Some(id), Some(key)) if !id.as_str().is_empty() => {
                a href=(model.record_of(related, &id)) {
                    (texts.with("refers-open", [("model", related.as_str().into()), ("key", key.join(", ").into())]))
                }
            },
            _ => (texts.with("refers-to", [("model", related.as_str().into())])),
        }
    }
}

/// The way to choose what a field refers to, with everything that is in the form.
fn pick(model: &Model<'_>, field: &str) -> Markup {
    html! {
        @if model.reference_of(field).is_some() {
            button.pick name="pick" value=(field) data-suggest=(model.list().below(["suggest"]).with("_field", field)) formnovalidate {
                (model.texts().get("pick"))
            }
        }
    }
}

fn shown(texts: &Texts, field: &FieldDescription, text: &str) -> Markup {
    let json = serde_json::Value::from(text).to_string();
    cell(texts, field.field, Some(&json), None).render()
}

/// Value, NULL or default: three different things.
fn states(texts: &Texts, sent: &Sent, field: &FieldDescription, now: &Entered) -> Markup {
    let name = format!("state:{}", field.name);
    let may_be_left_out = sent.is_new && !field.required;
    let option = |value: &str, is_chosen: bool, text: &str| {
        html! {
            label.check { input type="radio" name=(name) value=(value) checked[is_chosen]; (text) }
        }
    };
    let is_null = *now == Entered::Null;
    let is_untouched = *now == Entered::Untouched && may_be_left_out;
    html! {
        @if field.null || may_be_left_out {
            span.states {
                (option("text", !is_null && !is_untouched, &texts.get("state-value")))
                @if field.null { (option("null", is_null, "NULL")) }
                @if may_be_left_out { (option("default", is_untouched, &texts.get("state-default"))) }
            }
        } @else {
            input type="hidden" name=(name) value="text";
        }
    }
}

/// What the field held when the form was opened.
fn before(sent: &Sent, name: &str) -> Markup {
    let (state, text) = match sent.base.get(name) {
        Some(Entered::Text(text)) => ("text", written_before(text)),
        Some(Entered::Null) => ("null", String::new()),
        _ => ("none", String::new()),
    };
    html! {
        input type="hidden" name=(format!("was-state:{name}")) value=(state);
        input type="hidden" name=(format!("was:{name}")) value=(text);
    }
}

/// What a field was, what somebody else has made of it meanwhile, and what is in the form, with the choice between them.
fn conflict(texts: &Texts, name: &str, conflict: &Conflict, mine: &Entered) -> Markup {
    let value = |entered: &Entered| {
        html! {
            @match entered {
                Entered::Text(text) if text.is_empty() => span.empty { (texts.get("empty")) },
                Entered::Text(text) => bdi { (text) },
                _ => span.null { "NULL" },
            }
        }
    };
    let choice = |take: &str, text: &str| {
        html! {
            label.check { input type="radio" name=(format!("take:{name}")) value=(take) checked[take == "mine"]; (text) }
        }
    };
    html! {
        div.conflict {
            dl {
                dt { (texts.get("conflict-base")) }
                dd { (value(&conflict.base)) }
                dt { (texts.get("conflict-theirs")) }
                dd { (value(&conflict.theirs)) }
                dt { (texts.get("conflict-mine")) }
                dd { (value(mine)) }
            }
            span.states role="radiogroup" aria-label=(name) {
                (choice("mine", &texts.get("conflict-keep")))
                (choice("theirs", &texts.get("conflict-take")))
            }
        }
    }
}
