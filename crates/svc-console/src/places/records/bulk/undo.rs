//! Taking back a change of many records: each gets its old values back if it still has the new ones, or is made again.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{
    Invalid, JsonObject, RecordId,
    administration::history::GetRequest,
    records::{BulkResult, HistoryEntry},
};

use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope, controls,
        model::Model,
        record::{
            history,
            undo::{PutBack, Undo, Values, put_back},
        },
    },
    problem::{Problem, Result},
    ui::{form::account_field, notice},
    visit::{Form, Visit},
};

/// How many records a page of what was done has.
const PER_PAGE: u32 = 100;
/// How many records are put back at most, more than the values of which are kept of a change.
const MOST: usize = 10_000;
/// How many are put back at once.
const AT_ONCE: usize = 8;
/// How long it goes on. Then the rest waits until somebody says so.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often those are made again that were refused, since they may refer to others that are made again.
const ROUNDS: usize = 8;
/// How many records are shown before they are put back.
const SAMPLE: usize = 5;
/// How many records are named that were not put back.
const NAMED: usize = 50;

/// What a request did to records, the first of them.
struct Change {
    entries: Vec<HistoryEntry>,
    /// The cursor behind them.
    after: Option<String>,
}

/// What became of the records.
#[derive(Default)]
struct Outcome {
    /// How many have their old values again, or are there again.
    back: u64,
    /// Those that were changed again meanwhile, or are gone.
    changed: Vec<RecordId>,
    /// Those that were not written, and why.
    refused: Vec<(RecordId, String)>,
    /// How many were not reached.
    left: usize,
}

/// What would be put back, and putting it back.
pub(crate) async fn undo(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    let can = model.description.can;
    if !can.update && !can.create {
        return Err(Problem::Forbidden);
    }
    let query = visit.query()?;
    let request = query.get(controls::REQUEST).ok_or(Problem::NotFound)?;
    let mut change = Change::load(&model, request, None, PER_PAGE).await?;
    if !visit.is_post() {
        return Ok(Answer::page(ask(&model, request, &change)));
    }
    if !change.is_undone(&model) {
        let page = Answer::page(ask(&model, request, &change));
        return Ok(page.status(StatusCode::CONFLICT));
    }
    while let Some(after) = change.after.take()
        && change.entries.len() < MOST
    {
        let more = Change::load(&model, request, Some(after), PER_PAGE).await?;
        change.entries.extend(more.entries);
        change.after = more.after;
    }
    let outcome = put_all_back(&model, change.entries).await?;
    if outcome.is_whole() {
        let list = back_to(&model);
        return Ok(Answer::go(
            &list
                .with(controls::REQUEST, request)
                .with("_undone", &outcome.back.to_string()),
        ));
    }
    let page = Answer::page(told(&model, request, &outcome));
    Ok(page.status(StatusCode::CONFLICT))
}

/// What a list says of what was done to many of its records, with the button that takes it back where that is possible.
pub(crate) async fn done(model: &Model<'_>, query: &Form, request: &str) -> Option<Markup> {
    let texts = model.texts();
    let number = |name: &str| query.get(name)?.parse::<u64>().ok();
    let (text, count) = match (number("_changed"), number("_deleted"), number("_undone")) {
        (Some(count), _, _) => ("bulk-changed", count),
        (_, Some(count), _) => ("bulk-deleted", count),
        (_, _, Some(count)) => ("bulk-undone", count),
        _ => return None,
    };
    let text_of = texts.with(text, [("count", count.into())]);
    if text == "bulk-undone" {
        return Some(notice::done(&text_of));
    }
    let can_undo = match Change::load(model, request, None, 1).await {
        Ok(change) => change.is_own(model) && change.is_undone(model),
        Err(_) => false,
    };
    Some(match can_undo {
        true => notice::done_with(&text_of, &button(model, request, &texts.get("undo"))),
        false => notice::done(&text_of),
    })
}

impl Change {
    async fn load(
        model: &Model<'_>,
        request: &str,
        after: Option<String>,
        per_page: u32,
    ) -> Result<Self, Error> {
        let scope = &model.context.scope;
        let scope = (scope.project.clone(), scope.environment.clone());
        let mut operation =
            GetRequest::new(scope, model.resource.clone(), model.name.clone(), request);
        operation.per_page = Some(per_page);
        operation.after = after;
        let page = model.context.client.call(operation).send().await?;
        let after = page.next_query().and_then(|query| query.after);
        Ok(Self {
            entries: page.results,
            after,
        })
    }

    /// Whether it was made by who is signed in.
    fn is_own(&self, model: &Model<'_>) -> bool {
        let own = Some(model.context.account.uid.as_str());
        let mut entries = self.entries.iter();
        entries.all(|entry| entry.actor.uid.as_deref() == own)
    }

    /// Whether there is something to take back.
    fn is_undone(&self, model: &Model<'_>) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| {
            matches!(
                Undo::of(model, entry),
                Undo::Update(_) | Undo::Create(_) | Undo::TooLong
            )
        })
    }
}

impl Outcome {
    fn is_whole(&self) -> bool {
        self.changed.is_empty() && self.refused.is_empty() && self.left == 0
    }
}

async fn put_all_back(model: &Model<'_>, entries: Vec<HistoryEntry>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let (mut changed, mut deleted) = (Vec::new(), VecDeque::new());
    for entry in entries {
        let id = RecordId::from(entry.record.clone().unwrap_or_default());
        match Undo::of(model, &entry) {
            Undo::Update(values) => changed.push((id, values)),
            Undo::Create(record) => deleted.push_back((id, record)),
            Undo::TooLong => {
                let why = model.texts().get("undo-too-long");
                outcome.refused.push((id, why));
            }
            // It had the new values before.
            _ if entry.changes.as_ref().is_some_and(JsonObject::is_empty) => outcome.back += 1,
            Undo::Delete | Undo::Impossible => {
                let why = model.texts().get("bulk-undo-nothing");
                outcome.refused.push((id, why));
            }
        }
    }
    update_all(model, changed, &mut outcome).await?;
    create_all(model, deleted, &mut outcome).await?;
    Ok(outcome)
}

async fn update_all(
    model: &Model<'_>,
    changed: Vec<(RecordId, Vec<Values>)>,
    outcome: &mut Outcome,
) -> Result<()> {
    let begun = Instant::now();
    let mut all = stream::iter(changed)
        .map(async |(id, values)| {
            if begun.elapsed() > PATIENCE {
                return (id, None);
            }
            let put = put_back(model, &id, &values).await;
            (id, Some(put))
        })
        .buffer_unordered(AT_ONCE);
    while let Some((id, put)) = all.next().await {
        match put {
            None => outcome.left += 1,
            Some(Ok(PutBack::Done(_) | PutBack::WasBack)) => outcome.back += 1,
            Some(Ok(PutBack::ChangedSince(_))) => outcome.changed.push(id),
            Some(Err(error)) if error.is_not_found() => outcome.changed.push(id),
            Some(Err(error)) if error.is_unauthenticated() => return Err(error.into()),
            Some(Err(error)) => outcome.refused.push((id, error.to_string())),
        }
    }
    Ok(())
}

/// Makes records again. Those that refer to each other are made in any order, in several rounds.
async fn create_all(
    model: &Model<'_>,
    mut deleted: VecDeque<(RecordId, JsonObject)>,
    outcome: &mut Outcome,
) -> Result<()> {
    let records = model.records();
    let records = records.typed::<JsonObject>();
    for round in 1..=ROUNDS {
        if deleted.is_empty() {
            break;
        }
        let all = deleted.iter().map(|(_, record)| record);
        let made = records.bulk_create(all).send().await?;
        let (before, mut refused) = (deleted.len(), VecDeque::new());
        for (one, result) in deleted.into_iter().zip(made) {
            match result {
                BulkResult::Refused(why) => refused.push_back((one, why)),
                _ => outcome.back += 1,
            }
        }
        if round == ROUNDS || refused.len() == before {
            let refused = refused.into_iter();
            let refused = refused.map(|((id, _), why)| (id, words(&why)));
            outcome.refused.extend(refused);
            break;
        }
        deleted = refused.into_iter().map(|(one, _)| one).collect();
    }
    Ok(())
}

/// What is wrong with a record, as one text.
fn words(why: &Invalid) -> String {
    let fields = why.field_errors().iter();
    let fields = fields.map(|(field, messages)| format!("{field}: {}", messages.join("; ")));
    let general = why.general_errors().iter().cloned();
    general.chain(fields).collect::<Vec<_>>().join(" · ")
}

/// The list that the address was reached from.
fn back_to(model: &Model<'_>) -> Href {
    let query = controls::as_list(model.context.visit.raw_query());
    model.list().query(query)
}

fn button(model: &Model<'_>, request: &str, text: &str) -> Markup {
    let query = controls::as_list(model.context.visit.raw_query());
    let place = model.list().below(["undo"]).query(query);
    html! {
        form method="post" action=(place.with(controls::REQUEST, request)) {
            (account_field(model.context.visit))
            button { (text) }
        }
    }
}

/// What would be put back.
fn ask(model: &Model<'_>, request: &str, change: &Change) -> Markup {
    let texts = model.texts();
    let can_undo = change.is_undone(model);
    let kind = |field: &str| model.field(field).map(|field| field.field);
    let main = html! {
        @if can_undo {
            p { (texts.get("bulk-undo-what")) }
            @for entry in change.entries.iter().take(SAMPLE) {
                div.change {
                    h2 { (named(model, entry.record.as_deref().unwrap_or_default())) }
                    (history::values(texts, &kind, entry))
                }
            }
            @if change.entries.len() > SAMPLE || change.after.is_some() { p.muted { (texts.get("bulk-undo-more")) } }
        } @else {
            p.empty-state { (texts.get("bulk-undo-nothing")) }
        }
        div.actions {
            @if can_undo { (button(model, request, &texts.get("undo"))) }
            a.button href=(back_to(model)) { (texts.get("back-to-list")) }
        }
    };
    shown(model, &main)
}

/// What became of the records, where not all were put back.
fn told(model: &Model<'_>, request: &str, outcome: &Outcome) -> Markup {
    let texts = model.texts();
    let count = |id, number: usize| texts.with(id, [("count", number.into())]);
    let (changed, refused) = (outcome.changed.len(), outcome.refused.len());
    let main = html! {
        @if outcome.back > 0 { (notice::done(&texts.with("bulk-undone", [("count", outcome.back.into())]))) }
        @if outcome.left > 0 {
            p role="status" { (count("bulk-undo-left", outcome.left)) }
            (button(model, request, &texts.get("bulk-undo-go-on")))
        }
        @if changed > 0 {
            section {
                h2 { (count("bulk-undo-changed", changed)) }
                ul { @for id in outcome.changed.iter().take(NAMED) { li { (named(model, id.as_str())) } } }
                @if changed > NAMED { p { "…" } }
            }
        }
        @if refused > 0 {
            section {
                h2 { (count("bulk-undo-refused", refused)) }
                ul {
                    @for (id, why) in outcome.refused.iter().take(NAMED) {
                        li { (named(model, id.as_str())) ": " bdi { (why) } }
                    }
                }
                @if refused > NAMED { p { "…" } }
            }
        }
        div.actions { a.button href=(back_to(model)) { (texts.get("back-to-list")) } }
    };
    shown(model, &main)
}

/// A record, as a link to its history.
fn named(model: &Model<'_>, record: &str) -> Markup {
    let place = history::place(model, &RecordId::from(record));
    html! { a href=(place) { bdi { (record) } } }
}

fn shown(model: &Model<'_>, main: &Markup) -> Markup {
    let above = vec![(model.name.to_string(), back_to(model))];
    let title = model.texts().get("bulk-undo-title");
    model.frame(title, above).page(main)
}
