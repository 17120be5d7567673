//! One's own account: names, language, time zone, password, e-mail address, sessions, API keys.

mod keys;
mod names;
mod security;
mod sessions;

use maud::{Markup, html};
use svc_api::Client;
use svc_model::administration::account::Account;

use super::context::check_account;
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{frame::Frame, tabs::tabs},
    visit::Visit,
};

/// A part of the place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Names,
    Security,
    Sessions,
    Keys,
}

impl Part {
    const ALL: [Self; 4] = [Self::Names, Self::Security, Self::Sessions, Self::Keys];

    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Names => &[],
            Self::Security => &["security"],
            Self::Sessions => &["sessions"],
            Self::Keys => &["keys"],
        }
    }

    fn name(self, texts: &Texts) -> String {
        match self {
            Self::Names => texts.get("profile-names"),
            Self::Security => texts.get("profile-security"),
            Self::Sessions => texts.get("sessions"),
            Self::Keys => texts.get("profile-keys"),
        }
    }
}

/// Who looks at the own account.
pub(super) struct Own<'v> {
    pub(super) visit: &'v Visit,
    pub(super) account: &'v Account,
    pub(super) client: Client,
}

/// The place, by the rest of the path.
pub(crate) async fn route(visit: &Visit, rest: &[&str]) -> Result<Answer> {
    let account = visit.account()?;
    check_account(visit, account)?;
    let own = Own {
        visit,
        account,
        client: visit.client()?,
    };
    match *rest {
        [] => names::answer(&own).await,
        ["security"] => security::answer(&own).await,
        ["sessions"] => sessions::answer(&own).await,
        ["keys"] => keys::answer(&own).await,
        ["keys", uid, "revoke"] => keys::revoke(&own, uid).await,
        _ => Err(Problem::NotFound),
    }
}

impl Own<'_> {
    /// The address of a part.
    pub(super) fn place(&self, part: Part) -> Href {
        self.visit.root.below(["profile"]).below(part.path())
    }

    /// A part as a page.
    pub(super) fn page(&self, part: Part, main: &Markup) -> Markup {
        let texts = self.visit.texts;
        let parts = Part::ALL.map(|it| (self.place(it), it.name(texts), it == part));
        let main = html! {
            (tabs(&texts.get("profile"), &parts))
            (main)
        };
        self.frame(texts.get("profile"), Vec::new()).page(&main)
    }

    /// What is around a page below a part.
    pub(super) fn frame(&self, title: String, above: Vec<(String, Href)>) -> Frame<'_> {
        Frame {
            visit: self.visit,
            account: self.account,
            scope: None,
            area: None,
            above,
            title,
        }
    }

    /// The way to a page below a part.
    pub(super) fn above(&self, part: Part) -> Vec<(String, Href)> {
        let texts = self.visit.texts;
        vec![
            (texts.get("profile"), self.place(Part::Names)),
            (part.name(texts), self.place(part)),
        ]
    }
}
