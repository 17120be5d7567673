//! The tabs of the areas that have several lists.

use maud::Markup;

use super::Context;
use crate::{href::Href, ui::tabs::tabs};

/// A list of the area of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum People {
    Users,
    Teams,
    Rights,
}

/// A part of the settings of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Project,
    Environments,
    Members,
    SignIn,
}

impl People {
    /// The tabs, with this one open. Rights are for administrators.
    pub(super) fn tabs(self, context: &Context<'_>) -> Markup {
        let texts = context.texts();
        let mut all = vec![
            (Self::Users, texts.get("users"), context.place(["users"])),
            (Self::Teams, texts.get("teams"), context.place(["teams"])),
        ];
        if context.is_administrator() {
            all.push((Self::Rights, texts.get("rights"), context.place(["rights"])));
        }
        shown(&texts.get("area-users"), all, &self)
    }
}

impl Setting {
    /// The tabs, with this one open.
    pub(super) fn tabs(self, context: &Context<'_>) -> Markup {
        let texts = context.texts();
        let place = |part: &str| context.place(["settings", part]);
        let all = vec![
            (
                Self::Project,
                texts.get("settings-project"),
                context.place(["settings"]),
            ),
            (
                Self::Environments,
                texts.get("settings-environments"),
                place("environments"),
            ),
            (
                Self::Members,
                texts.get("settings-members"),
                place("members"),
            ),
            (
                Self::SignIn,
                texts.get("settings-sign-in"),
                place("sign-in"),
            ),
        ];
        shown(&texts.get("area-settings"), all, &self)
    }
}

fn shown<T: PartialEq>(name: &str, all: Vec<(T, String, Href)>, current: &T) -> Markup {
    let all = all.into_iter();
    let parts = all.map(|(tab, text, href)| (href, text, tab == *current));
    tabs(name, &parts.collect::<Vec<_>>())
}
