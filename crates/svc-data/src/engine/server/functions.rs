//! What calls of functions have in common on database servers.

use super::lease::Faults;
use crate::{Error, Model, Structure};

/// Explains a constraint that a function has violated, on the model that it belongs to where there is only one such.
pub(in crate::engine) fn explain<M: Faults>(structure: &Structure, error: Error) -> Error {
    if error.constraint().is_none() {
        return error;
    }
    let of_model = |model: &Model| M::explain(model, error.clone(), true);
    let is_named = |error: &Error| error.constraint().is_some_and(|it| it.name.is_some());
    let mut explained = structure.models().map(|it| of_model(it)).filter(is_named);
    match (explained.next(), explained.next()) {
        (Some(only), None) => only,
        _ => of_model(&Model::of_columns("", Vec::new())),
    }
}
