//! Tables.

use maud::{Markup, html};

/// A table that scrolls sideways by itself; `head` and `body` are its rows.
pub(crate) fn table(name: &str, head: &Markup, body: &Markup) -> Markup {
    framed(
        name,
        &html! {
            table.records {
                caption.visually-hidden { (name) }
                thead { (head) }
                tbody { (body) }
            }
        },
    )
}

/// The same, in whose cells a module moves with the keys; `class` are further classes, and `columns` says how wide they are.
pub(crate) fn grid(
    name: &str,
    class: Option<&str>,
    columns: &Markup,
    head: &Markup,
    body: &Markup,
) -> Markup {
    framed(
        name,
        &html! {
            table class={ "records" @if let Some(class) = class { " " (class) } } data-grid {
                caption.visually-hidden { (name) }
                (columns)
                thead { (head) }
                tbody { (body) }
            }
        },
    )
}

fn framed(name: &str, table: &Markup) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(name) { (table) }
    }
}
