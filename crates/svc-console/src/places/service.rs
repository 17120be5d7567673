//! The service itself, for those who operate it: its nodes, its figures, its databases, mails that wait, and settings in effect.

mod databases;
mod figures;
mod mails;
mod signing;

use maud::{Markup, html};
use serde_json::Value;
use svc_api::Client;
use svc_model::administration::{account::Account, service::Service};

use super::context::check_account;
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{frame::Frame, table, tabs::tabs, time},
    visit::Visit,
};

/// A part of the place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Overview,
    Figures,
    Databases,
    Mails,
    Settings,
}

impl Part {
    const ALL: [Self; 5] = [
        Self::Overview,
        Self::Figures,
        Self::Databases,
        Self::Mails,
        Self::Settings,
    ];

    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Overview => &[],
            Self::Figures => &["metrics"],
            Self::Databases => &["databases"],
            Self::Mails => &["mails"],
            Self::Settings => &["settings"],
        }
    }

    fn name(self, texts: &Texts) -> String {
        match self {
            Self::Overview => texts.get("service-overview"),
            Self::Figures => texts.get("service-figures"),
            Self::Databases => texts.get("service-databases"),
            Self::Mails => texts.get("service-mails"),
            Self::Settings => texts.get("service-settings"),
        }
    }
}

/// Who looks at the service.
pub(super) struct Operated<'v> {
    pub(super) visit: &'v Visit,
    pub(super) account: &'v Account,
    pub(super) client: Client,
}

/// The place, by the rest of the path.
pub(crate) async fn route(visit: &Visit, rest: &[&str]) -> Result<Answer> {
    let account = visit.account()?;
    check_account(visit, account)?;
    let operated = Operated {
        visit,
        account,
        client: visit.client()?,
    };
    if visit.is_post() && *rest != ["signing-keys"] {
        return Err(Problem::OtherMethod);
    }
    match *rest {
        [] => operated.overview().await,
        ["settings"] => operated.settings().await,
        ["metrics"] => figures::answer(&operated).await,
        ["databases"] => databases::answer(&operated).await,
        ["mails"] => mails::answer(&operated).await,
        ["signing-keys"] => signing::answer(&operated).await,
        _ => Err(Problem::NotFound),
    }
}

impl Operated<'_> {
    /// The address of a part.
    pub(super) fn place(&self, part: Part) -> Href {
        self.visit.root.below(["service"]).below(part.path())
    }

    /// A part as a page.
    pub(super) fn page(&self, part: Part, main: &Markup) -> Markup {
        let texts = self.visit.texts;
        let parts = Part::ALL.map(|it| (self.place(it), it.name(texts), it == part));
        let main = html! {
            (tabs(&texts.get("service"), &parts))
            (main)
        };
        self.frame(texts.get("service"), Vec::new()).page(&main)
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

    async fn load(&self) -> Result<Service> {
        let administration = self.client.administration();
        Ok(administration.service().get().send().await?)
    }

    /// Version and nodes, and the keys that sign.
    async fn overview(&self) -> Result<Answer> {
        let service = self.load().await?;
        let texts = self.visit.texts;
        let signing = self.visit.root.below(["service", "signing-keys"]);
        let main = html! {
            dl.facts {
                dt { (texts.get("service-version")) }
                dd { (service.version) }
            }
            h2 { (texts.get("service-nodes")) }
            (self.nodes(&service))
            h2.later { (texts.get("service-signing")) }
            p { (texts.get("service-signing-what")) }
            p { a.button href=(signing) { (texts.get("service-signing-rotate")) } }
        };
        Ok(Answer::page(self.page(Part::Overview, &main)))
    }

    fn nodes(&self, service: &Service) -> Markup {
        let texts = self.visit.texts;
        table::table(
            &texts.get("service-nodes"),
            &html! { tr {
                th scope="col" { (texts.get("service-node")) }
                th scope="col" { (texts.get("service-version")) }
                th scope="col" { (texts.get("address")) }
                th scope="col" { (texts.get("service-since")) }
                th scope="col" { (texts.get("service-seen")) }
            } },
            &html! {
                @for node in &service.nodes {
                    tr {
                        td { bdi { (node.name) } }
                        td { (node.version) }
                        td { bdi { (node.address) } }
                        td { (time::minute(self.account, &node.since)) }
                        td { (time::second(self.account, &node.last_seen)) }
                    }
                }
            },
        )
    }

    /// The settings in effect, and where each was set.
    async fn settings(&self) -> Result<Answer> {
        let service = self.load().await?;
        let texts = self.visit.texts;
        let rows = html! {
            @for setting in &service.settings {
                tr {
                    th scope="row" { code { (setting.name) } }
                    td {
                        @match (&setting.value, setting.hidden) {
                            (_, true) => span.muted { (texts.get("service-setting-hidden")) },
                            (Value::Null, _) => span.muted { (texts.get("service-setting-unset")) },
                            (Value::String(text), _) => bdi { (text) },
                            (value, _) => bdi { (value) },
                        }
                    }
                    td { (source(texts, &setting.source)) }
                }
            }
        };
        let head = html! { tr {
            th scope="col" { (texts.get("service-setting")) }
            th scope="col" { (texts.get("value")) }
            th scope="col" { (texts.get("service-source")) }
        } };
        let main = html! {
            p.muted { (texts.get("service-settings-what")) }
            (table::table(&texts.get("service-settings"), &head, &rows))
        };
        Ok(Answer::page(self.page(Part::Settings, &main)))
    }
}

fn source(texts: &Texts, source: &str) -> Markup {
    let text = match source {
        "flag" => texts.get("service-source-flag"),
        "variable" => texts.get("service-source-variable"),
        "file" => texts.get("service-source-file"),
        "default" => return html! { span.muted { (texts.get("service-source-default")) } },
        other => other.to_owned(),
    };
    html! { (text) }
}
