//! The models and fields of a database, beside the text of a query.

use maud::{Markup, html};
use svc_model::resources::ModelDescription;

use super::state::State;
use crate::{href::Href, texts::Texts};

/// How many models are shown at most.
const MODELS: usize = 40;
/// How many fields of one.
const FIELDS: usize = 60;

/// The models whose name, or one of whose fields, has the text that was looked for.
pub(super) fn structure(
    texts: &Texts,
    state: &State,
    models: &[ModelDescription],
    at: impl Fn(&State) -> Href,
) -> Markup {
    let wanted = state.structure.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&wanted);
    let is_found = |model: &&ModelDescription| {
        !model.hidden && (has(&model.model) || model.fields.iter().any(|field| has(&field.name)))
    };
    let found: Vec<&ModelDescription> = models.iter().filter(is_found).collect();
    html! {
        aside.structure aria-label=(texts.get("sql-structure")) {
            div.search {
                input type="search" name="structure" form="sql" value=(state.structure) aria-label=(texts.get("sql-structure-find"))
                    placeholder=(texts.get("sql-structure-find")) data-enter="structure";
                button form="sql" name="action" value="structure" { (texts.get("search")) }
            }
            @for model in found.iter().take(MODELS) {
                details open[!wanted.is_empty() && found.len() < 4] {
                    summary { bdi { (model.model) } }
                    ul {
                        @for field in model.fields.iter().take(FIELDS) {
                            li { bdi { (field.name) } " " span.muted { (type_of(field)) } }
                        }
                        @if model.fields.len() > FIELDS {
                            li.muted { (texts.with("sql-more", [("count", (model.fields.len() - FIELDS).into())])) }
                        }
                    }
                    @if state.text.is_empty() {
                        a href=(at(&beginning(state, model))) { (texts.get("sql-begin")) }
                    }
                }
            }
            @if found.is_empty() {
                p.muted { (texts.get("sql-structure-empty")) }
            }
            @if found.len() > MODELS {
                p.muted { (texts.with("sql-structure-more", [("count", (found.len() - MODELS).into())])) }
            }
        }
    }
}

/// The type of a field, as the structure names it.
fn type_of(field: &svc_model::resources::FieldDescription) -> String {
    let word = serde_json::to_value(field.field).unwrap_or_default();
    let word = word.as_str().unwrap_or_default();
    word.strip_suffix("Field").unwrap_or(word).to_lowercase()
}

/// A query of the first rows of a model.
fn beginning(state: &State, model: &ModelDescription) -> State {
    let quote = match state.is_mysql {
        true => '`',
        false => '"',
    };
    let quoted = |part: &str| {
        let doubled = format!("{quote}{quote}");
        format!("{quote}{}{quote}", part.replace(quote, &doubled))
    };
    let table: Vec<String> = model.model.split('.').map(quoted).collect();
    let mut begun = state.clone();
    begun.text = format!("SELECT *\nFROM {}\nLIMIT 100", table.join("."));
    begun
}
