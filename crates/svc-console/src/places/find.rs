//! Finding a place by typing: projects, models, pages, parts of the environment, and a record by its key.
//!
//! It is a page with a form. A module shows parts of it in a dialog that a key opens on every place.

mod matching;

use std::time::Duration;

use futures_util::future::join_all;
use maud::{Markup, html};
use svc_api::{Client, Error};
use svc_model::{
    EnvironmentName, JsonObject, RecordId, ResourceName, administration::account::Account,
    projects::Project, resources::ModelDescription,
};

use self::matching::{Typed, best};
use super::{Context, Scope, model, pages};
use crate::{
    access::may_administer,
    answer::Answer,
    href::Href,
    problem::Result,
    texts::Texts,
    ui::frame::{Area, Frame},
    visit::Visit,
};

/// How long a database may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many places of a kind are shown, and in how many models a record is looked for by its key.
const MOST: usize = 8;
/// In how many projects is searched, the oldest ones.
const MOST_PROJECTS: u32 = 1_000;
/// How much of a value is read to name a record.
const EXCERPT: u32 = 80;

/// A place that was found.
#[derive(Debug)]
struct Found {
    name: String,
    detail: String,
    href: Href,
}

/// Places of a kind.
#[derive(Debug, Default)]
struct Group {
    heading: String,
    found: Vec<Found>,
    /// How many more there are than those that are shown.
    more: usize,
}

/// What finds places in an environment.
#[derive(Debug)]
struct Search<'a> {
    visit: &'a Visit,
    scope: &'a Scope,
    client: &'a Client,
    typed: &'a Typed,
}

/// Finding a place from an environment.
pub(crate) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let query = visit.query()?;
    let typed = Typed::new(query.text("q"));
    if visit.fragment() == Some("keys") {
        return Ok(Answer::page(keys(visit.texts)));
    }
    let context = Context::open(visit, scope).await?;
    let action = context.place(["find"]);
    if visit.fragment() == Some("dialog") {
        return Ok(Answer::page(dialog(visit.texts, &action)));
    }
    let search = Search {
        visit,
        scope,
        client: &context.client,
        typed: &typed,
    };
    let (in_databases, elsewhere) = tokio::join!(
        search.in_databases(&context.project),
        search.elsewhere(&context),
    );
    let (models, records, mut away) = in_databases;
    let mut groups = vec![records, models];
    let (others, away_elsewhere) = elsewhere?;
    groups.extend(others);
    away.extend(away_elsewhere);
    let results = results(visit.texts, &groups, &away);
    if visit.fragment() == Some("results") {
        return Ok(Answer::page(results));
    }
    let frame = Frame {
        area: None,
        ..context.frame(Area::Data, visit.texts.get("find"), Vec::new())
    };
    Ok(Answer::page(frame.page(&html! {
        (form(visit.texts, &action, query.text("q")))
        (results)
    })))
}

/// Finding a project, where no environment is open.
pub(crate) async fn anywhere(visit: &Visit) -> Result<Answer> {
    let query = visit.query()?;
    let typed = Typed::new(query.text("q"));
    let client = visit.client()?;
    let administration = client.administration();
    let action = visit.root.below(["find"]);
    match visit.fragment() {
        Some("keys") => return Ok(Answer::page(keys(visit.texts))),
        Some("dialog") => return Ok(Answer::page(dialog(visit.texts, &action))),
        _ => {}
    }
    let (account, projects) = tokio::join!(
        async { administration.account().get().send().await },
        projects(visit, &client, &typed),
    );
    let results = results(visit.texts, &[projects?], &[]);
    if visit.fragment() == Some("results") {
        return Ok(Answer::page(results));
    }
    let account = account?;
    let frame = Frame {
        visit,
        account: &account,
        scope: None,
        area: None,
        above: Vec::new(),
        title: visit.texts.get("find"),
    };
    Ok(Answer::page(frame.page(&html! {
        (form(visit.texts, &action, query.text("q")))
        (results)
    })))
}

/// The projects with their environments.
async fn projects(visit: &Visit, client: &Client, typed: &Typed) -> Result<Group> {
    let projects = client.projects().list().order_by("date_add");
    let projects = projects.per_page(MOST_PROJECTS).send().await?;
    let all = projects.results.iter().flat_map(|project| {
        let environments = project.environments.iter();
        environments.map(move |environment| (project, environment))
    });
    let name = |(project, environment): &(&Project, &svc_model::projects::Environment)| {
        format!("{} {}", project.name, environment.name)
    };
    let (best, more) = best(all, |pair| typed.rank(&name(pair)), MOST);
    let found = best.into_iter().map(|(project, environment)| Found {
        name: project.name.clone(),
        detail: environment.name.clone(),
        href: Frame::environment_href(
            &visit.root,
            project.unique_name.as_str(),
            environment.unique_name.as_str(),
        ),
    });
    Ok(Group {
        heading: visit.texts.get("projects"),
        found: found.collect(),
        more,
    })
}

impl Search<'_> {
    /// Pages, parts of the environment and projects, and what of it did not answer in time. What a user would see has none of it.
    async fn elsewhere(&self, context: &Context<'_>) -> Result<(Vec<Group>, Vec<String>)> {
        if !self.visit.is_own_view() {
            return Ok((Vec::new(), Vec::new()));
        }
        let projects = projects(self.visit, self.client, self.typed);
        let (projects, pages) = tokio::join!(projects, self.pages());
        let away = pages.is_err().then(|| Area::Pages.name(self.visit.texts));
        let parts = self.parts(&context.account, &context.project);
        let groups = vec![pages.unwrap_or_default(), parts, projects?];
        Ok((groups, away.into_iter().collect()))
    }

    /// The parts of the environment that somebody may use.
    fn parts(&self, account: &Account, project: &Project) -> Group {
        let texts = self.visit.texts;
        let home = self.scope.home(self.visit);
        let areas = Area::shown(may_administer(account, project));
        let all = areas.map(|area| (area.name(texts), home.below(area.path())));
        let (best, more) = best(all, |(name, _)| self.typed.rank(name), MOST);
        let found = best.into_iter().map(|(name, href)| Found {
            name,
            detail: String::new(),
            href,
        });
        Group {
            heading: texts.get("areas"),
            found: found.collect(),
            more,
        }
    }

    /// The pages of the environment.
    async fn pages(&self) -> Result<Group, Error> {
        if self.typed.is_empty() {
            return Ok(Group::default());
        }
        let all = pages::names(self.client, PATIENCE).await?;
        let rank = |page: &pages::PageName| {
            let of_title = self.typed.rank(&page.title);
            of_title.or_else(|| self.typed.rank(&page.unique_name))
        };
        let (best, more) = best(all.into_iter(), rank, MOST);
        let home = self.scope.home(self.visit);
        let found = best.into_iter().map(|page| Found {
            href: home.below(["pages", "page", page.uid.as_str()]),
            name: page.title,
            detail: page.unique_name,
        });
        Ok(Group {
            heading: Area::Pages.name(self.visit.texts),
            found: found.collect(),
            more,
        })
    }

    /// The models of the environment, the record that has a key, and the databases that did not answer in time.
    async fn in_databases(&self, project: &Project) -> (Group, Group, Vec<String>) {
        let names = names_of_databases(project, &self.scope.environment);
        if self.typed.is_empty() {
            return (Group::default(), Group::default(), Vec::new());
        }
        let described = names.iter().map(async |name| {
            let resource = self.client.resource(name);
            let described = resource.model_descriptions().deadline(PATIENCE);
            (name, described.send().await)
        });
        let mut all = Vec::new();
        let mut away = Vec::new();
        for (resource, described) in join_all(described).await {
            match described {
                Ok(models) => all.extend(models.into_iter().map(|model| (resource, model))),
                // A database that the account may not read is left out.
                Err(error) if error.is_forbidden() || error.is_not_found() => {}
                Err(_) => away.push(resource.to_string()),
            }
        }
        all.retain(|(_, model)| !model.hidden);
        let records = self.records(&all).await;
        (self.models(&all), records, away)
    }

    fn models(&self, all: &[(&ResourceName, ModelDescription)]) -> Group {
        let rank = |(resource, model): &&(&ResourceName, ModelDescription)| {
            self.typed.rank_below(&model.model, resource.as_str())
        };
        let (best, more) = best(all.iter(), rank, MOST);
        let found = best.into_iter().map(|(resource, model)| Found {
            name: model.model.clone(),
            detail: resource.to_string(),
            href: self.place_of(resource, &model.model, &[]),
        });
        Group {
            heading: self.visit.texts.get("models"),
            found: found.collect(),
            more,
        }
    }

    /// The records that a name of a model and a key stand for.
    async fn records(&self, all: &[(&ResourceName, ModelDescription)]) -> Group {
        let fit = |resource: &ResourceName, model: &ModelDescription| {
            let has_key = !model.primary_key_field.is_empty() && !model.primary_key_auto;
            let fit = self.typed.rank_with_key(&model.model, resource.as_str());
            fit.filter(|_| has_key)
        };
        let fitting = all.iter().filter_map(|(resource, model)| {
            let (rank, key) = fit(resource, model)?;
            Some((rank, *resource, model, key))
        });
        let (best, _) = best(fitting, |(rank, ..)| Some(*rank), MOST);
        let looked = best.into_iter().map(async |(_, resource, model, key)| {
            let records = self.client.records(resource, model.model.as_str());
            let records = records.typed::<JsonObject>();
            let call = records.get(RecordId::from(key)).excerpt(EXCERPT);
            // A key of another kind is wrong for this model, and right for another one.
            let record = call.deadline(PATIENCE).send().await.ok()?;
            Some(Found {
                name: format!("{} {key}", model.model),
                detail: format!("{resource} · {}", model::label(model, &record)),
                href: self.place_of(resource, &model.model, &["record", key]),
            })
        });
        Group {
            heading: self.visit.texts.get("find-records"),
            found: join_all(looked).await.into_iter().flatten().collect(),
            more: 0,
        }
    }

    fn place_of(&self, resource: &ResourceName, model: &str, below: &[&str]) -> Href {
        let parts = ["records", resource.as_str(), model];
        let parts = parts.iter().chain(below);
        self.scope.home(self.visit).below(parts)
    }
}

fn names_of_databases(project: &Project, environment: &EnvironmentName) -> Vec<ResourceName> {
    let resources = project.resources.iter();
    let of_here = resources
        .filter(|resource| resource.environment == *environment && resource.kind == "database");
    of_here
        .map(|resource| resource.unique_name.clone())
        .collect()
}

fn form(texts: &Texts, action: &Href, typed: &str) -> Markup {
    html! {
        form.search role="search" method="get" action=(action) {
            input #find-typed type="search" name="q" value=(typed) aria-label=(texts.get("find")) placeholder=(texts.get("find-hint"))
                autocomplete="off" autocapitalize="none" spellcheck="false" autofocus;
            button { (texts.get("search")) }
        }
    }
}

/// What the dialog begins with; the module fills in the places that were open last.
fn dialog(texts: &Texts, action: &Href) -> Markup {
    html! {
        (form(texts, action, ""))
        section.found data-recent hidden {
            h2.small.muted { (texts.get("find-recent")) }
            ul {}
        }
    }
}

fn results(texts: &Texts, groups: &[Group], away: &[String]) -> Markup {
    let is_empty = groups.iter().all(|group| group.found.is_empty());
    html! {
        div #found.found {
            @for group in groups.iter().filter(|group| !group.found.is_empty()) {
                section {
                    h2.small.muted { (group.heading) }
                    ul {
                        @for found in &group.found {
                            li {
                                a href=(found.href) { bdi { (found.name) } span.muted { bdi { (found.detail) } } }
                            }
                        }
                    }
                    @if group.more > 0 {
                        p.small.muted { (texts.with("find-more", [("count", group.more.into())])) }
                    }
                }
            }
            @if is_empty { p.empty-state { (texts.get("find-nothing")) } }
            @for name in away {
                p.small.muted { (texts.with("find-away", [("name", name.as_str().into())])) }
            }
        }
    }
}

/// The keys of all places, each with what it needs on the page.
fn keys(texts: &Texts) -> Markup {
    let all = [
        ("", "Ctrl K", texts.get("find")),
        ("", "?", texts.get("keys")),
        ("", "Esc", texts.get("keys-close")),
        ("main [data-key='/']", "/", texts.get("keys-search")),
        ("[role='grid']", "← ↑ → ↓", texts.get("keys-cells")),
        ("[role='grid']", "Home, End", texts.get("keys-row")),
        (
            "[role='grid']",
            "Ctrl Home, Ctrl End",
            texts.get("keys-ends"),
        ),
        ("[role='grid']", "Enter", texts.get("keys-open")),
        ("[role='grid'][data-edits]", "F2", texts.get("keys-edit")),
        (
            "[role='grid'][data-edits]",
            "A … Z, 0 … 9",
            texts.get("keys-type"),
        ),
        (
            "[role='grid'][data-edits]",
            "Esc",
            texts.get("keys-restore"),
        ),
        (
            "[role='grid'] [name='_row']",
            &texts.get("keys-space"),
            texts.get("keys-mark"),
        ),
        ("[role='grid']", "Shift ← ↑ → ↓", texts.get("keys-range")),
        ("[role='grid']", "Ctrl C", texts.get("keys-copy")),
        ("[data-enter='run']", "Ctrl Enter", texts.get("keys-run")),
        ("textarea.json", "Ctrl S", texts.get("save")),
        ("[data-key='x']", "x", texts.get("seen-as-end")),
    ];
    html! {
        h2 { (texts.get("keys")) }
        dl.keys {
            @for (needs, key, what) in &all {
                div data-needs=(needs) {
                    dt { kbd { (key) } }
                    dd { (what) }
                }
            }
        }
        form method="dialog" { button autofocus { (texts.get("find-close")) } }
    }
}
