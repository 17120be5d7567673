//! How it stands with somebody who signs in: a member, a user of an application, or an account.

use maud::{Markup, html};

use crate::texts::Texts;

/// What is known of somebody who signs in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) is_suspended: bool,
    /// Whether there is a password. Who was invited has none until the invitation is accepted; who signs in by a link alone has
    /// none at all.
    pub(crate) has_password: bool,
    pub(crate) is_confirmed: bool,
}

impl Standing {
    pub(crate) fn shown(self, texts: &Texts) -> Markup {
        html! {
            @if self.is_suspended {
                strong.down { (texts.get("users-suspended")) }
            } @else if !self.has_password {
                strong { (texts.get("users-without-password")) }
            } @else {
                span.up { (texts.get("users-active")) }
                @if !self.is_confirmed { ", " (texts.get("users-unconfirmed")) }
            }
        }
    }
}
