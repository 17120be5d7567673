//! Tables.

use maud::{Markup, Render, html};

/// A table that scrolls sideways by itself; `head` and `body` are its rows.
pub(crate) fn table(name: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(name) {
            table.records {
                caption.visually-hidden { (name) }
                thead { (head) }
                tbody { (body) }
            }
        }
    }
}

/// What the modules of a table say.
#[derive(Debug)]
pub(crate) struct Says {
    /// How the records are ordered, where that was asked for.
    pub(crate) sorted: Option<String>,
    /// Whether cells can be changed.
    pub(crate) has_edits: bool,
    /// The service cannot be reached.
    pub(crate) lost: String,
    /// Another cell has a value that is not saved.
    pub(crate) unsaved: String,
}

/// The same, in whose cells a module moves with the keys; `class` are further classes, and `columns` says how wide they are.
pub(crate) fn grid(
    name: &str,
    says: &Says,
    class: Option<&str>,
    columns: &Markup,
    head: &Markup,
    body: &impl Render,
) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(name) {
            table class={ "records" @if let Some(class) = class { " " (class) } } data-grid
                data-edits[says.has_edits] data-sorted=[&says.sorted] data-lost=(says.lost) data-unsaved=(says.unsaved) {
                caption.visually-hidden { (name) }
                (columns)
                thead { (head) }
                tbody { (body) }
            }
        }
    }
}
