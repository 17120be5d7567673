//! The lines as a table, and where they lead to.

use maud::{Markup, html};
use svc_model::administration::audit::Line;

use super::{Trail, actions, names::Names};
use crate::{
    href::Href,
    places::record::history,
    ui::{table, time},
};

/// The lines.
pub(super) fn lines(trail: &Trail<'_>, lines: &[Line], names: &Names) -> Markup {
    let texts = trail.visit.texts;
    let shows_project = trail.context.is_none();
    table::table(
        &texts.get("area-audit"),
        &html! { tr {
            th scope="col" { (texts.get("audit-when")) }
            th scope="col" { (texts.get("audit-who")) }
            th scope="col" { (texts.get("audit-what")) }
            @if shows_project { th scope="col" { (texts.get("audit-project")) } }
            th scope="col" { (texts.get("environment")) }
            th scope="col" { (texts.get("audit-where")) }
        } },
        &html! {
            @for line in lines {
                tr {
                    td { a href=(trail.at.one_below(&line.uid)) { (time::second(trail.account, &line.time)) } }
                    td { (actor(trail, line, names)) }
                    td { (actions::words(texts, &line.action)) }
                    @if shows_project { td { bdi { (line.project.as_deref().unwrap_or_default()) } } }
                    td { bdi { (line.environment.as_deref().unwrap_or_default()) } }
                    td { (subject(trail, line, names)) }
                }
            }
        },
    )
}

/// Who did it.
pub(super) fn actor(trail: &Trail<'_>, line: &Line, names: &Names) -> Markup {
    let kind = history::kind_of_actor(trail.visit.texts, &line.actor_kind);
    html! {
        @match names.actor(line) {
            Some(actor) => { (actor) " " span.small.muted { (kind) } },
            None => (kind),
        }
    }
}

/// What it was done to.
fn subject(trail: &Trail<'_>, line: &Line, names: &Names) -> Markup {
    let texts = trail.visit.texts;
    // That users and teams are records of a resource says nothing to people.
    let shown = line.resource.iter().filter(|name| !name.starts_with("__"));
    html! {
        @for resource in shown {
            bdi { (resource) } " "
            @if let Some(model) = &line.model { bdi { (model) } " " }
        }
        @match (&line.record, line.records) {
            (Some(record), _) => @match (history_of(trail, line, record), names.subject(line)) {
                (Some(href), _) => a href=(href) { bdi { (record) } },
                (None, Some(name)) => (name),
                (None, None) => @match page_of(trail, line, record) {
                    Some(href) => a href=(href) { bdi { (record) } },
                    None => bdi { (record) },
                },
            },
            (None, Some(records)) => (texts.with("count-exact", [("count", records.into())])),
            (None, None) => {},
        }
    }
}

/// The model whose records a line is about.
pub(super) fn model_of(trail: &Trail<'_>, line: &Line) -> Option<Href> {
    Some(trail.visit.root.below(parts_of_model(line)?))
}

/// The history of a record that a line is about.
pub(super) fn history_of(trail: &Trail<'_>, line: &Line, record: &str) -> Option<Href> {
    let parts = parts_of_model(line)?.into_iter();
    let parts = parts.chain(["record", record, "history"]);
    Some(trail.visit.root.below(parts))
}

fn parts_of_model(line: &Line) -> Option<[&str; 6]> {
    let (project, environment) = (line.project.as_deref()?, line.environment.as_deref()?);
    let (resource, model) = (line.resource.as_deref()?, line.model.as_deref()?);
    // Users and teams are records of a resource that the console does not show as one.
    let is_record = line.action.starts_with("records.") && !resource.starts_with("__");
    is_record.then_some(["projects", project, environment, "records", resource, model])
}

/// The page that a line is about.
fn page_of(trail: &Trail<'_>, line: &Line, uid: &str) -> Option<Href> {
    let (project, environment) = (line.project.as_deref()?, line.environment.as_deref()?);
    let parts = ["projects", project, environment, "pages", "page", uid];
    let is_page = line.action.starts_with("pages.");
    is_page.then(|| trail.visit.root.below(parts))
}
