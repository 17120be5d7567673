//! One line of the trail, with what it did to the values of its record.

use std::time::Duration;

use maud::{Markup, html};
use svc_model::{
    Lookup,
    administration::audit::Line,
    records::{Collection, HistoryEntry},
};

use super::{Trail, actions, filters::Filters, names::Names, table};
use crate::{
    answer::Answer,
    descriptions::Models,
    href::Href,
    places::{
        Scope, controls,
        model::described_within,
        record::{
            history,
            past::{self, LineOf},
        },
    },
    problem::Result,
    ui::{credentials, time},
    visit::Form,
};

/// How long is waited for what a database says of the types of its fields. Its values can be read without them.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many keys of a line about several records are shown.
const MOST_KEYS: usize = 100;

/// The line.
pub(super) async fn answer(trail: &Trail<'_>, uid: &str) -> Result<Answer> {
    let all = Filters::read(&Form::default());
    let query = all.query().filter("uid", Lookup::Exact, uid).per_page(1);
    let line = credentials::only(trail.load_query(query, &all).await)?;
    let lines = std::slice::from_ref(&line);
    let (entry, names, models) = tokio::join!(
        entry(trail, &line),
        Names::load(trail, lines),
        models(trail, &line)
    );
    let texts = trail.visit.texts;
    let above = vec![(texts.get("area-audit"), trail.at.clone())];
    let kind = |field: &str| {
        let name = line.model.as_deref()?;
        let model = models.as_ref()?.iter().find(|known| known.model == name)?;
        let field = model.fields.iter().find(|known| known.name == field)?;
        Some(field.field)
    };
    let values = entry.as_ref().map(|entry| {
        let fields = history::Fields {
            texts,
            account: trail.account,
            kind: &kind,
        };
        history::values(&fields, entry)
    });
    let main = shown(trail, &line, values.as_ref(), &names);
    let title = actions::known(texts, &line.action).unwrap_or(&line.action);
    Ok(Answer::page(trail.page(title.to_owned(), above, &main)))
}

/// What the line says of its record.
async fn entry(trail: &Trail<'_>, line: &Line) -> Option<HistoryEntry> {
    table::model_of(trail, line)?;
    line.record.as_deref()?;
    let scope = (line.project.as_deref()?, line.environment.as_deref()?);
    let of = Collection::new(scope, line.resource.as_deref()?, line.model.as_deref()?);
    let page = past::line(&trail.client, of, LineOf::Uid(&line.uid), None, 1);
    page.await.ok()?.results.into_iter().next()
}

/// The models of the database that its record is of.
async fn models(trail: &Trail<'_>, line: &Line) -> Option<Models> {
    table::model_of(trail, line)?;
    let scope = Scope {
        project: line.project.as_deref()?.into(),
        environment: line.environment.as_deref()?.into(),
    };
    let client = trail.visit.client_in(&scope.project, &scope.environment);
    let client = client.ok()?;
    let resource = line.resource.as_deref()?;
    let found = described_within(trail.visit, &client, &scope, resource, Some(PATIENCE));
    found.await.ok()
}

fn shown(trail: &Trail<'_>, line: &Line, values: Option<&Markup>, names: &Names) -> Markup {
    let texts = trail.visit.texts;
    let fact = |name: String, value: &Option<String>| {
        html! {
            @if let Some(value) = value { dt { (name) } dd { bdi { (value) } } }
        }
    };
    let keys = line.keys.as_deref().unwrap_or_default();
    html! {
        dl.facts {
            dt { (texts.get("audit-when")) }
            dd { (time::second(trail.account, &line.time)) }
            dt { (texts.get("audit-who")) }
            dd { (table::actor(trail, line, names)) }
            dt { (texts.get("audit-what")) }
            dd { (actions::words(texts, &line.action)) " " code.small.muted { (line.action) } }
            (fact(texts.get("audit-project"), &line.project))
            (fact(texts.get("environment"), &line.environment))
            (fact(texts.get("audit-resource"), &line.resource))
            (fact(texts.get("audit-model"), &line.model))
            @if let Some(record) = &line.record {
                dt { (texts.get("audit-record")) }
                dd {
                    (key(trail, line, record))
                    @if let Some(name) = names.subject(line) { " " (name) }
                }
            }
            @if let Some(records) = line.records.filter(|_| line.record.is_none()) {
                dt { (texts.get("audit-records")) }
                dd {
                    (texts.with("count-exact", [("count", records.into())]))
                    @for record in keys.iter().take(MOST_KEYS) { " " (key(trail, line, record)) }
                    @if keys.len() > MOST_KEYS { " …" }
                }
            }
            @if let Some(request) = &line.request_id {
                dt { (texts.get("audit-request")) }
                dd { a href=(trail.at.clone().with("request_id", request)) { bdi { (request) } } }
            }
            @if let Some(status) = line.status {
                dt { (texts.get("audit-status")) }
                dd { (status) }
            }
            @if line.outcome.is_some() {
                dt { (texts.get("audit-outcome")) }
                dd { (texts.get("history-unknown")) }
            }
        }
        @if let Some(href) = undo_of(trail, line) {
            p { a.button href=(href) { (texts.get("undo")) } }
        }
        @match values {
            Some(values) => {
                h2 { (texts.get("audit-values")) }
                (values)
            },
            None => @if line.record.is_some() { p.muted { (texts.get("audit-no-values")) } },
        }
    }
}

/// Where a change of many records can be taken back.
fn undo_of(trail: &Trail<'_>, line: &Line) -> Option<Href> {
    let is_of_many = matches!(&*line.action, "records.update_all" | "records.delete_all")
        && line.keys.as_ref().is_some_and(|keys| !keys.is_empty());
    let is_known = line.outcome.is_none() && trail.visit.acting_as().is_none();
    let model = table::model_of(trail, line).filter(|_| is_of_many && is_known)?;
    Some(model.below(["undo"]).with(controls::LINE, &line.uid))
}

fn key(trail: &Trail<'_>, line: &Line, record: &str) -> Markup {
    html! {
        @match table::history_of(trail, line, record) {
            Some(href) => a href=(href) { bdi { (record) } },
            None => bdi { (record) },
        }
    }
}
