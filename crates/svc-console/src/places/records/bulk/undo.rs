//! Taking back a change of many records, which a line of the audit trail is about: each gets its old values back if it still has
//! the new ones, or is made again.

mod putting;

use std::collections::BTreeMap;

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{RecordId, records::HistoryEntry};

use self::putting::{Begin, Outcome, Part, is_unchanged, put_all_back};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope, controls,
        model::Model,
        record::{
            history,
            past::LineOf,
            undo::{Undo, is_put_back, with_except, words, words_of},
        },
    },
    problem::{Problem, Result},
    ui::{form::account_field, notice, time},
    visit::{Form, Visit},
};

/// How many records are shown before they are put back.
const SAMPLE: usize = 5;
/// How many records are named that were not put back.
const NAMED: usize = 50;

/// What would be put back.
#[derive(Default)]
struct Plan {
    /// The first record of the line, which says who has made the change, and when.
    first: Option<HistoryEntry>,
    /// Some of those that can be put back.
    sample: Vec<HistoryEntry>,
    /// How many can be put back.
    can: usize,
    /// How many had the new values before.
    unchanged: usize,
    /// How many cannot be put back, by the text that says why.
    cannot: BTreeMap<&'static str, u64>,
}

/// What would be put back, and putting it back.
pub(crate) async fn undo(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    let can = model.description.can;
    if !can.update && !can.create {
        return Err(Problem::Forbidden);
    }
    let query = visit.query()?;
    let uid = query.get(controls::LINE).ok_or(Problem::NotFound)?;
    let line = LineOf::Uid(uid);
    if !visit.is_post() {
        let plan = Plan::load(&model, line).await?;
        return Ok(Answer::page(ask(&model, uid, &plan)));
    }
    let form = visit.form();
    let begin = begin_of(form);
    let first = Part::load(&model, line, begin.after.as_deref()).await?;
    if begin.after.is_none() && !first.is_kept() {
        let plan = Plan::load(&model, line).await?;
        return Ok(Answer::page(ask(&model, uid, &plan)).status(StatusCode::CONFLICT));
    }
    let outcome = put_all_back(&model, line, first, begin).await?;
    if outcome.is_whole() {
        let list = back_to(&model).with("_undone", &outcome.back.to_string());
        return Ok(Answer::go(&with_except(list, &outcome.except)));
    }
    let page = Answer::page(told(&model, uid, &outcome));
    Ok(page.status(StatusCode::CONFLICT))
}

/// Where a form says that it goes on.
fn begin_of(form: &Form) -> Begin {
    let after = form.get("after").filter(|after| !after.is_empty());
    let number = |name: &str| form.text(name).parse().unwrap_or_default();
    Begin {
        after: after.map(str::to_owned),
        back: number("back"),
        left: number("left"),
        except: form.all("except").map(str::to_owned).collect(),
    }
}

/// What a list says of what was done to many of its records, with the button that takes it back where that is possible.
pub(crate) async fn done(model: &Model<'_>, query: &Form) -> Option<Markup> {
    let number = |name: &str| query.get(name)?.parse::<u64>().ok();
    let said = |id, count: u64| model.texts().with(id, [("count", count.into())]);
    if let Some(count) = number("_undone") {
        return Some(notice::done(&words(model, query, "bulk-undone", count)));
    }
    let (id, count) = match (number("_changed"), number("_deleted")) {
        (Some(count), _) => ("bulk-changed", count),
        (None, Some(count)) => ("bulk-deleted", count),
        (None, None) => return None,
    };
    let text = said(id, count);
    let line = match query.get(controls::REQUEST) {
        Some(request) => own_line(model, request, count).await.ok().flatten(),
        None => None,
    };
    Some(match line {
        Some(uid) => notice::done_with(&text, &button(model, &uid, "undo", None)),
        None => notice::done(&text),
    })
}

/// The line that a request of the signed-in account has left about so many records, where it can be taken back.
async fn own_line(model: &Model<'_>, request: &str, count: u64) -> Result<Option<String>, Error> {
    let mut part = Part::load(model, LineOf::Request(request), None).await?;
    let first = part.entries.first();
    let own = Some(model.context.account.uid.as_str());
    let is_own = first.is_some_and(|entry| entry.actor.uid.as_deref() == own);
    let Some(uid) = first.and_then(|entry| entry.line.clone()) else {
        return Ok(None);
    };
    if !is_own || part.count != count {
        return Ok(None);
    }
    while part.is_kept() {
        if part.entries.iter().any(|entry| is_put_back(model, entry)) {
            return Ok(Some(uid));
        }
        let Some(after) = part.after else {
            break;
        };
        part = Part::load(model, LineOf::Uid(&uid), Some(&after)).await?;
    }
    Ok(None)
}

impl Plan {
    async fn load(model: &Model<'_>, line: LineOf<'_>) -> Result<Self, Error> {
        let mut plan = Self::default();
        let mut part = Part::load(model, line, None).await?;
        plan.first = part.entries.first().cloned();
        let mut not_kept = part.count;
        while part.is_kept() {
            for entry in part.entries {
                not_kept = not_kept.saturating_sub(1);
                if is_put_back(model, &entry) {
                    plan.can += 1;
                    if plan.sample.len() < SAMPLE {
                        plan.sample.push(entry);
                    }
                } else if is_unchanged(&entry) {
                    plan.unchanged += 1;
                } else if let Some(why) = Undo::of(model, &entry).why_not() {
                    *plan.cannot.entry(why).or_default() += 1;
                }
            }
            let Some(after) = part.after else {
                break;
            };
            part = Part::load(model, line, Some(&after)).await?;
        }
        if not_kept > 0 {
            *plan.cannot.entry("undo-not-kept").or_default() += not_kept;
        }
        Ok(plan)
    }
}

/// The list that the address was reached from.
fn back_to(model: &Model<'_>) -> Href {
    let query = controls::as_list(model.context.visit.raw_query());
    model.list().query(query)
}

/// The button that takes the line back, from where it was ended.
fn button(model: &Model<'_>, uid: &str, text: &str, begin: Option<&Begin>) -> Markup {
    let query = controls::as_list(model.context.visit.raw_query());
    let place = model.list().below(["undo"]).query(query);
    html! {
        form method="post" action=(place.with(controls::LINE, uid)) {
            (account_field(model.context.visit))
            @if let Some(begin) = begin {
                input type="hidden" name="after" value=(begin.after.as_deref().unwrap_or_default());
                input type="hidden" name="back" value=(begin.back);
                input type="hidden" name="left" value=(begin.left);
                @for field in &begin.except { input type="hidden" name="except" value=(field); }
            }
            button { (model.texts().get(text)) }
        }
    }
}

/// What would be put back.
fn ask(model: &Model<'_>, uid: &str, plan: &Plan) -> Markup {
    let texts = model.texts();
    let said = |id, number: u64| texts.with(id, [("count", number.into())]);
    let kind = |field: &str| model.field(field).map(|field| field.field);
    let fields = history::Fields {
        texts,
        account: &model.context.account,
        kind: &kind,
    };
    let main = html! {
        @if let Some(first) = &plan.first {
            p {
                strong { (history::action(texts, &first.action)) } " "
                (time::second(&model.context.account, &first.time)) " "
                (history::actor(texts, &first.actor))
            }
        }
        @if plan.can > 0 {
            p { (texts.get("bulk-undo-what")) }
        } @else {
            p.empty-state { (texts.get("bulk-undo-nothing")) }
        }
        ul {
            @if plan.can > 0 { li { strong { (said("bulk-undo-can", plan.can as u64)) } } }
            @if plan.unchanged > 0 { li { (said("bulk-undo-unchanged", plan.unchanged as u64)) } }
            @for (why, number) in &plan.cannot {
                li { (said("bulk-undo-cannot", *number)) ": " (texts.get(why)) }
            }
        }
        @if plan.can > 0 {
            @for entry in &plan.sample {
                div.change {
                    h2 { (named(model, entry.record.as_deref().unwrap_or_default())) }
                    (history::values(&fields, entry))
                }
            }
            @if plan.can > plan.sample.len() { p.muted { (texts.get("bulk-undo-more")) } }
        }
        div.actions {
            @if plan.can > 0 { (button(model, uid, "undo", None)) }
            a.button href=(back_to(model)) { (texts.get("back-to-list")) }
        }
    };
    shown(model, &main)
}

/// What became of the records, where not all are as they were.
fn told(model: &Model<'_>, uid: &str, outcome: &Outcome) -> Markup {
    let (visit, texts) = (model.context.visit, model.texts());
    let said = |id, number: usize| texts.with(id, [("count", number.into())]);
    let (changed, refused) = (outcome.changed.len(), outcome.refused.len());
    let main = html! {
        @if outcome.back > 0 { (notice::done(&words_of("bulk-undone", model, outcome.back, &outcome.except))) }
        @if let Some(stopped) = &outcome.stopped {
            @if let Some(wrong) = &stopped.wrong { (notice::of_error(visit, wrong)) }
            p role="status" { (texts.get("bulk-undo-stopped")) }
            (button(model, uid, "bulk-undo-go-on", Some(&stopped.begin)))
        }
        @if outcome.left > 0 { p { (texts.with("bulk-undo-left", [("count", outcome.left.into())])) } }
        @if outcome.not_kept > 0 {
            p {
                (texts.with("bulk-undo-cannot", [("count", outcome.not_kept.into())])) ": "
                (texts.get("undo-not-kept"))
            }
        }
        @if changed > 0 {
            section {
                h2 { (said("bulk-undo-changed", changed)) }
                ul { @for id in outcome.changed.iter().take(NAMED) { li { (named(model, id.as_str())) } } }
                @if changed > NAMED { p { "…" } }
            }
        }
        @if refused > 0 {
            section {
                h2 { (said("bulk-undo-refused", refused)) }
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
