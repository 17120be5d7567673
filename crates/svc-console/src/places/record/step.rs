//! How far choosing the record is that a field refers to: the form around is shown again when it is chosen.

use maud::{Markup, html};
use svc_model::resources::ModelDescription;

use crate::{answer::Answer, places::model::Reference, session::TOKEN, texts::Texts, visit::Form};

/// The field that begins a new record.
pub(super) const MAKE: &str = "make";
/// The fields with which a form says how far choosing is.
const OWN: [&str; 6] = ["pick", "picked", "q", "back", MAKE, TOKEN];

/// What comes of a form in which somebody chooses a record.
pub(super) enum Step {
    /// Choosing goes on.
    Ask(Answer),
    /// The form with what was chosen, or as it was, and what has happened.
    Chosen(Form, Option<Markup>),
}

/// What leads from choosing a record of a model to a new one.
pub(super) fn make(texts: &Texts, model: &ModelDescription) -> Markup {
    html! {
        button name=(MAKE) value="1" { (texts.with("pick-make", [("model", model.model.as_str().into())])) }
    }
}

/// What was entered into the form before somebody began to choose.
pub(super) fn entered_before(form: &Form) -> impl Iterator<Item = (&str, &str)> {
    form.iter().filter(|(name, _)| !OWN.contains(name))
}

/// A form with the values of what a reference leads to.
pub(super) fn with_values(
    form: &Form,
    reference: Option<&Reference<'_>>,
    values: Vec<String>,
) -> Form {
    let mut fields: Vec<(String, String)> = entered_before(form)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    if let Some(reference) = reference {
        for (field, value) in reference.local.iter().zip(values) {
            let names = [format!("value:{field}"), format!("state:{field}")];
            fields.retain(|(name, _)| !names.contains(name));
            let [name, state] = names;
            fields.push((name, value));
            fields.push((state, "text".to_owned()));
        }
    }
    Form::of(fields)
}
