//! What is around every place: head, navigation, and where one is.

use maud::{DOCTYPE, Markup, Render, html};
use svc_model::{
    EnvironmentName,
    administration::account::Account,
    projects::{Environment, Project},
};

use crate::{
    access::may_administer,
    acting::ActingAs,
    assets::{ICON, PALETTE, RECENT, SCRIPT, STYLES},
    href::Href,
    texts::Texts,
    ui::{form::account_field, swatch::swatch},
    visit::Visit,
};

/// A part of an environment that the navigation leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Databases, models, records.
    Data,
    /// SQL that reads.
    Sql,
    /// Charts of records and of SQL.
    Charts,
    /// Pages, their drafts and revisions.
    Pages,
    /// Users, teams, rights.
    Users,
    /// What other programs need: secrets, tokens, code.
    Integrations,
    /// Who did what.
    Audit,
    /// The settings of the project.
    Settings,
}

impl Area {
    const ALL: [Self; 8] = [
        Self::Data,
        Self::Sql,
        Self::Charts,
        Self::Pages,
        Self::Users,
        Self::Integrations,
        Self::Audit,
        Self::Settings,
    ];

    /// The place that it begins with, below the environment's; empty: the environment's own.
    pub(crate) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Data => &[],
            Self::Sql => &["sql"],
            Self::Charts => &["charts"],
            Self::Pages => &["pages"],
            Self::Users => &["users"],
            Self::Integrations => &["integrations"],
            Self::Audit => &["audit"],
            Self::Settings => &["settings"],
        }
    }

    pub(crate) fn name(self, texts: &Texts) -> String {
        match self {
            Self::Data => texts.get("area-data"),
            Self::Sql => texts.get("area-sql"),
            Self::Charts => texts.get("area-charts"),
            Self::Pages => texts.get("area-pages"),
            Self::Users => texts.get("area-users"),
            Self::Integrations => texts.get("area-integrations"),
            Self::Audit => texts.get("area-audit"),
            Self::Settings => texts.get("area-settings"),
        }
    }

    /// Those that somebody has a use for.
    pub(crate) fn shown(may_administer: bool) -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter();
        all.filter(move |area| may_administer || !area.is_for_administrators())
    }

    /// Whether only administrators have a use for it.
    fn is_for_administrators(self) -> bool {
        match self {
            Self::Data | Self::Charts | Self::Pages | Self::Users => false,
            Self::Sql | Self::Integrations | Self::Audit | Self::Settings => true,
        }
    }
}

/// Where a page is, and the account that is signed in.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) visit: &'a Visit,
    pub(crate) account: &'a Account,
    /// Project and environment that the place is in.
    pub(crate) scope: Option<(&'a Project, &'a EnvironmentName)>,
    /// The part of the environment that the place belongs to.
    pub(crate) area: Option<Area>,
    /// The places above this one, the highest first.
    pub(crate) above: Vec<(String, Href)>,
    pub(crate) title: String,
}

impl Frame<'_> {
    /// The address of the environment's first place.
    pub(crate) fn environment_href(root: &Href, project: &str, environment: &str) -> Href {
        root.below(["projects", project, environment])
    }

    /// The whole page.
    pub(crate) fn page(&self, main: &impl Render) -> Markup {
        let visit = self.visit;
        let texts = visit.texts;
        let environment = self.scope.map(|(_, environment)| environment);
        let is_production = environment.is_some_and(|name| name.as_str() == EnvironmentName::PROD);
        html! {
            (DOCTYPE)
            html lang=(texts.language()) {
                (head(visit, &self.title))
                body.console.production[is_production] {
                    a.skip href="#main" { (texts.get("skip")) }
                    header.bar {
                        a.brand href=(visit.root) { "svc" }
                        @if let Some((project, environment)) = self.scope {
                            (self.scope_menu(project, environment))
                        }
                        div.grow {}
                        (self.find_link())
                        details.menu {
                            summary { bdi { (self.account.email) } }
                            div.panel {
                                a href=(visit.root.below(["profile"])) { (texts.get("profile")) }
                                @if self.account.is_operator {
                                    a href=(visit.root.below(["accounts"])) { (texts.get("accounts")) }
                                    a href=(visit.root.below(["service"])) { (texts.get("service")) }
                                    a href=(visit.root.below(["audit"])) { (texts.get("audit-of-service")) }
                                }
                                form method="post" action=(visit.root.below(["sign-out"])) {
                                    (account_field(visit))
                                    button.plain { (texts.get("sign-out")) }
                                }
                            }
                        }
                    }
                    @if let (Some(acting), Some((project, environment))) = (visit.acting_as(), self.scope) {
                        (self.seen_as(acting, project, environment))
                    }
                    @if let Some((project, environment)) = self.scope {
                        (self.areas(project, environment))
                    }
                    main #main tabindex="-1" {
                        nav.crumbs aria-label=(texts.get("crumbs")) {
                            @for (name, href) in &self.above {
                                a href=(href) { bdi { (name) } }
                                span aria-hidden="true" { "/" }
                            }
                            h1 { bdi { (self.title) } }
                        }
                        (main)
                    }
                    div #live aria-live="polite" .visually-hidden {}
                }
            }
        }
    }

    /// The way to the page that finds places, which a module opens as a dialog.
    fn find_link(&self) -> Markup {
        let (visit, texts) = (self.visit, self.visit.texts);
        let home = match self.scope {
            Some((project, environment)) => {
                visit.environment(project.unique_name.as_str(), environment.as_str())
            }
            None => visit.root.clone(),
        };
        html! {
            a.button data-palette href=(home.below(["find"])) aria-keyshortcuts="Control+K" { (texts.get("find")) }
        }
    }

    /// The parts of the environment.
    fn areas(&self, project: &Project, environment: &EnvironmentName) -> Markup {
        let texts = self.visit.texts;
        let home = self
            .visit
            .environment(project.unique_name.as_str(), environment.as_str());
        let shown = Area::shown(may_administer(self.account, project))
            .filter(|area| self.visit.is_own_view() || *area == Area::Data);
        html! {
            nav.areas aria-label=(texts.get("areas")) {
                @for area in shown {
                    a href=(home.below(area.path())) aria-current=[(self.area == Some(area)).then_some("true")] {
                        (area.name(texts))
                    }
                }
            }
        }
    }

    /// Whose view it is, and the way back to one's own.
    fn seen_as(
        &self,
        acting: &ActingAs,
        project: &Project,
        environment: &EnvironmentName,
    ) -> Markup {
        let (visit, texts) = (self.visit, self.visit.texts);
        let own = Self::environment_href(
            &visit.root,
            project.unique_name.as_str(),
            environment.as_str(),
        );
        // The same place as oneself.
        let parts = visit.path().unwrap_or_default();
        let rest = own.below(parts.iter().skip(5)).to_string();
        let back = match visit.raw_query() {
            "" => rest,
            query => format!("{rest}?{query}"),
        };
        html! {
            div.seen-as role="status" {
                p {
                    (texts.get("seen-as")) " "
                    a href=(own.below(["users", acting.uid()])) { bdi { (acting.name()) } }
                    ". " (texts.get("seen-as-only"))
                }
                a.button href=(back) data-key="x" aria-keyshortcuts="x" { (texts.get("seen-as-end")) " " kbd { "x" } }
            }
        }
    }

    /// Project and environment, and where else one can go.
    fn scope_menu(&self, project: &Project, environment: &EnvironmentName) -> Markup {
        let (visit, texts) = (self.visit, self.visit.texts);
        let known = project.environments.iter();
        let shown = known
            .clone()
            .find(|known| known.unique_name == *environment);
        let name = shown.map_or(environment.as_str(), |known| known.name.as_str());
        let is_production = environment.as_str() == EnvironmentName::PROD;
        html! {
            a.project href=(visit.root.below(["projects"])) {
                (swatch(project.color.as_deref()))
                bdi { (project.name) }
            }
            details.menu.environment.production[is_production] {
                summary {
                    span.visually-hidden { (texts.get("environment")) ": " }
                    (swatch(shown.and_then(|shown| shown.color.as_deref())))
                    bdi { (name) }
                    @if is_production && !name.eq_ignore_ascii_case(&texts.get("production")) {
                        span.word { (texts.get("production")) }
                    }
                }
                div.panel {
                    @for Environment { unique_name, name, .. } in known {
                        a href=(Frame::environment_href(&visit.root, project.unique_name.as_str(), unique_name.as_str()))
                            aria-current=[(unique_name == environment).then_some("page")] { bdi { (name) } }
                    }
                }
            }
        }
    }
}

/// Parts of a page that stand one below the other: they become a part of it without being copied together first.
pub(crate) struct Stacked<'p, const N: usize>(pub(crate) [&'p Markup; N]);

impl<const N: usize> Render for Stacked<'_, N> {
    fn render_to(&self, buffer: &mut String) {
        Room(self.0.iter().map(|part| part.0.len()).sum()).render_to(buffer);
        for part in self.0 {
            part.render_to(buffer);
        }
    }
}

/// Room in a template for so many bytes that follow, and some more, so that they are not moved while it grows.
pub(crate) struct Room(pub(crate) usize);

impl Render for Room {
    fn render_to(&self, buffer: &mut String) {
        buffer.reserve(self.0 + self.0 / 8 + 1_024);
    }
}

/// A page without navigation, such as that for signing in.
pub(crate) fn plain_page(visit: &Visit, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(visit.texts.language()) {
            (head(visit, title))
            body.plain-page {
                main #main { (main) }
                div #live aria-live="polite" .visually-hidden {}
            }
        }
    }
}

/// Has browsers show a page once its end is there, so that nothing moves in between: a table would get wider with its rows.
pub(crate) fn until_whole() -> Markup {
    html! { link rel="expect" href="#live" blocking="render"; }
}

fn head(visit: &Visit, title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · svc" }
            link rel="icon" href=(ICON.href(&visit.root));
            link rel="stylesheet" href=(STYLES.href(&visit.root));
            (until_whole())
            @for script in [&*SCRIPT, &*PALETTE, &*RECENT] {
                script type="module" src=(script.href(&visit.root)) {}
            }
        }
    }
}
