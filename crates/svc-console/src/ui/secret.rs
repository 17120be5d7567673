//! A secret that is shown once, and other texts to copy.

use maud::{Markup, html};

use crate::texts::Texts;

/// A credential that was just made: its text, and how it is used.
pub(crate) fn issued(texts: &Texts, text: Option<&str>, usage: &Markup) -> Markup {
    html! {
        section.issued role="status" {
            @match text {
                Some(text) => {
                    p { strong { (texts.get("secret-once")) } }
                    (copied(texts, &html! { (text) }))
                    (usage)
                },
                None => p { (texts.get("secret-shown-before")) },
            }
        }
    }
}

/// A text to copy, with a button that a module shows.
pub(crate) fn copied(texts: &Texts, text: &Markup) -> Markup {
    html! {
        pre.copied tabindex="0" { code { (text) } }
        button.copy type="button" data-done=(texts.get("copy-done")) hidden { (texts.get("copy-text")) }
    }
}
