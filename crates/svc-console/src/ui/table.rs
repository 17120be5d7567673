//! Tables.

use maud::{Markup, html};

/// A table that scrolls sideways by itself; `head` and `body` are its rows.
pub(crate) fn table(name: &str, head: &Markup, body: &Markup) -> Markup {
    framed(name, head, body, false)
}

/// The same, in whose cells a module moves with the keys.
pub(crate) fn grid(name: &str, head: &Markup, body: &Markup) -> Markup {
    framed(name, head, body, true)
}

fn framed(name: &str, head: &Markup, body: &Markup, is_grid: bool) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(name) {
            table.records data-grid[is_grid] {
                caption.visually-hidden { (name) }
                thead { (head) }
                tbody { (body) }
            }
        }
    }
}
