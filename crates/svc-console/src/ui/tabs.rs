//! The parts of a place.

use maud::{Markup, html};

use crate::href::Href;

/// Links to the parts of a place, of which one is open.
pub(crate) fn tabs(name: &str, parts: &[(Href, String, bool)]) -> Markup {
    html! {
        nav.tabs aria-label=(name) {
            @for (href, text, is_open) in parts {
                a href=(href) aria-current=[is_open.then_some("page")] { (text) }
            }
        }
    }
}
