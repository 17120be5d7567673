//! Tables.

use maud::{Markup, html};

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
