//! What other programs need of an environment: tokens, the API keys of people, secrets of other services, and hosts that the
//! HTTP proxy may reach.

mod hosts;
mod keys;
mod secrets;
mod service_tokens;
mod tokens;

use maud::{Markup, html};

use super::{Context, Scope};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{frame::Area, tabs::tabs},
    visit::Visit,
};

/// A part of the place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Tokens,
    ServiceTokens,
    Keys,
    Secrets,
    Hosts,
}

impl Part {
    const ALL: [Self; 5] = [
        Self::Tokens,
        Self::ServiceTokens,
        Self::Keys,
        Self::Secrets,
        Self::Hosts,
    ];

    /// Where it is, below the place.
    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &[],
            Self::ServiceTokens => &["service-tokens"],
            Self::Keys => &["keys"],
            Self::Secrets => &["secrets"],
            Self::Hosts => &["hosts"],
        }
    }

    fn name(self, context: &Context<'_>) -> String {
        let texts = context.texts();
        match self {
            Self::Tokens => texts.get("integrations-tokens"),
            Self::ServiceTokens => texts.get("integrations-service-tokens"),
            Self::Keys => texts.get("integrations-keys"),
            Self::Secrets => texts.get("integrations-secrets"),
            Self::Hosts => texts.get("integrations-hosts"),
        }
    }

    /// Its address.
    pub(super) fn place(self, context: &Context<'_>) -> Href {
        context.place(["integrations"]).below(self.path())
    }
}

/// The place, by the rest of the path.
pub(crate) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let context = &context;
    match *rest {
        [] => tokens::answer(context).await,
        ["tokens", uid, "revoke"] => tokens::revoke(context, uid).await,
        ["service-tokens"] => service_tokens::answer(context).await,
        ["service-tokens", uid, "revoke"] => service_tokens::revoke(context, uid).await,
        ["keys"] => keys::answer(context).await,
        ["keys", uid, "revoke"] => keys::exclude(context, uid).await,
        ["secrets"] => secrets::answer(context).await,
        ["secrets", resource, name, "delete"] => secrets::delete(context, (resource, name)).await,
        ["hosts"] => hosts::answer(context).await,
        ["hosts", host, "delete"] => hosts::delete(context, host).await,
        _ => Err(Problem::NotFound),
    }
}

/// A part of the place as a page.
pub(super) fn page(context: &Context<'_>, part: Part, main: &Markup) -> Markup {
    let texts = context.texts();
    let name = texts.get("area-integrations");
    let parts = Part::ALL.map(|it| (it.place(context), it.name(context), it == part));
    let main = html! {
        (tabs(&name, &parts))
        (main)
    };
    context.page(Area::Integrations, name, Vec::new(), &main)
}

/// A page below a part, such as a question.
pub(super) fn page_below(
    context: &Context<'_>,
    part: Part,
    title: String,
    main: &Markup,
) -> Markup {
    let name = context.texts().get("area-integrations");
    let above = vec![
        (name, context.place(["integrations"])),
        (part.name(context), part.place(context)),
    ];
    context.page(Area::Integrations, title, above, main)
}
