//! Parts of forms that several places have.

use maud::{Markup, html};

use crate::texts::Texts;

/// Who somebody is: an e-mail address and a password, which `autocomplete` says whether it is a new one.
pub(crate) fn email_and_password(texts: &Texts, email: &str, autocomplete: &str) -> Markup {
    html! {
        label { (texts.get("email"))
            input type="email" name="email" value=(email) autocomplete="username" required autofocus;
        }
        label { (texts.get("password"))
            input type="password" name="password" autocomplete=(autocomplete) required;
        }
    }
}
