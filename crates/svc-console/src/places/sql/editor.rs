//! The form with the text of a query, its parameters, and saving it.

use maud::{Markup, html};

use super::{
    part,
    state::{Parameter, ParameterKind, State},
};
use crate::{
    assets::SQL,
    href::Href,
    places::{Context, saved},
    texts::Texts,
    ui::form::{account_field, typed_before},
};

/// The form; `is_sent` says whether it is shown again.
pub(super) fn editor(context: &Context<'_>, state: &State, here: &Href, is_sent: bool) -> Markup {
    let texts = context.texts();
    let lines = state.text.matches('\n').count() + 2;
    let item = state.saved.as_ref();
    let part = state.part.as_ref();
    let part = part.map(|part| part::write(&state.text, part));
    let sent = is_sent.then(|| context.visit.form());
    html! {
        (typed_before(context.visit))
        form #sql.sql method="post" action=(here) data-guard {
            (account_field(context.visit))
            @if let Some(item) = item {
                input type="hidden" name="saved" value=(item.uid);
            }
            label for="query" { (texts.get("sql-text")) }
            // The first line break of a text area is not a part of its text.
            textarea #query name="query" rows=(lines.clamp(8, 24)) spellcheck="false" autocapitalize="none" autocomplete="off"
                data-enter="run" data-part=[part] { "\n" (state.text) }
            @if !state.parameters.is_empty() {
                fieldset.parameters {
                    legend { (texts.get("sql-parameters")) }
                    @for parameter in &state.parameters { (field(texts, parameter)) }
                }
            }
            div.actions {
                button.primary name="action" value="run" data-part=(texts.get("sql-run-part")) { (texts.get("sql-run")) }
                details.menu open[sent.is_some()] {
                    summary { (texts.get("save")) }
                    div.panel { (saved::fields(context, item, sent)) }
                }
                @if let Some(item) = item.filter(|item| saved::may_change(context, item)) {
                    a.button.danger href=(here.below(["saved", &item.uid, "delete"])) { (texts.get("delete")) }
                }
            }
            p.small.muted { (texts.get("sql-hint")) }
        }
        script type="module" src=(SQL.href(&context.visit.root)) {}
    }
}

fn field(texts: &Texts, parameter: &Parameter) -> Markup {
    let (value, kind) = (
        format!("p.{}", parameter.name),
        format!("t.{}", parameter.name),
    );
    html! {
        div.parameter {
            label for=(value) { bdi { (parameter.name) } }
            input id=(value) name=(value) value=(parameter.value) autocomplete="off" autocapitalize="none" spellcheck="false";
            select name=(kind) aria-label=(texts.with("sql-type-of", [("name", parameter.name.as_str().into())])) {
                @for known in ParameterKind::ALL {
                    option value=(known.word()) selected[known == parameter.kind] { (word(texts, known)) }
                }
            }
        }
    }
}

fn word(texts: &Texts, kind: ParameterKind) -> String {
    match kind {
        ParameterKind::Text => texts.get("sql-type-text"),
        ParameterKind::Number => texts.get("sql-type-number"),
        ParameterKind::Boolean => texts.get("sql-type-boolean"),
        ParameterKind::Null => texts.get("sql-type-null"),
    }
}
