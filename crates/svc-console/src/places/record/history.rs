//! The history of a record: who changed it, when, and what its fields had before and after. It stays when the record is deleted.

use maud::{Markup, html};
use serde_json::value::RawValue;
use svc_model::{
    JsonObject, Paginated, RecordId,
    administration::account::Account,
    records::{HistoryActor, HistoryEntry},
    resources::FieldType,
};

use super::{
    load,
    past::{self, Change},
    title_of, undo,
};
use crate::{
    answer::Answer,
    href::Href,
    places::{Scope, model::Model},
    problem::{Problem, Result},
    texts::Texts,
    ui::{cell::cell, diff::value, form::account_field, notice, time},
    visit::Visit,
};

/// How many changes a page has.
const PER_PAGE: u32 = 25;

/// The history, and taking a change back.
pub(crate) async fn answer(
    visit: &Visit,
    scope: &Scope,
    model: (&str, &str),
    id: &str,
) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    let id = RecordId::from(id);
    if visit.is_post() {
        return undo::answer(&model, &id).await;
    }
    let query = visit.query()?;
    let after = query.get("_after");
    let (page, record) = tokio::join!(past::page(&model, &id, after, PER_PAGE), load(&model, &id));
    let page = match page {
        Ok(page) => page,
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => return Err(error.into()),
    };
    let record = match record {
        Ok((record, _)) => Some(record),
        Err(Problem::NotFound) => None,
        Err(problem) => return Err(problem),
    };
    Ok(Answer::page(shown(&model, &id, &page, record.as_ref())))
}

/// The address of a record's history.
pub(crate) fn place(model: &Model<'_>, id: &RecordId) -> Href {
    model.below(id, ["history"])
}

fn shown(
    model: &Model<'_>,
    id: &RecordId,
    page: &Paginated<HistoryEntry>,
    record: Option<&JsonObject>,
) -> Markup {
    let texts = model.texts();
    let mut above = vec![(model.name.to_string(), model.back_to(id))];
    if let Some(record) = record {
        let title = title_of(model, id, record);
        above.push((title, model.record(id)));
    }
    let title = match record {
        Some(_) => texts.get("history"),
        None => texts.with("history-of-deleted", [("key", id.as_str().into())]),
    };
    let next = page.next_query().and_then(|query| query.after);
    let here = model.context.visit.query().unwrap_or_default();
    let changes: Vec<_> = page.results.iter().map(past::changes).collect();
    model.frame(title, above).page(&html! {
        @if record.is_none() {
            (notice::done(&texts.get("history-deleted")))
        }
        @if page.results.is_empty() {
            p.empty-state { (texts.get("history-empty")) }
        }
        @for (number, entry) in page.results.iter().enumerate() {
            (change(model, &page.results, &changes, number, &undo_form(model, id, entry, here.get("_after"))))
        }
        nav.pages aria-label=(texts.get("pages")) {
            @if here.get("_after").is_some() {
                a.button href=(place(model, id)) { (texts.get("history-newest")) }
            }
            @if let Some(next) = next {
                a.button rel="next" href=(place(model, id).with("_after", &next)) { (texts.get("history-older")) }
            }
        }
    })
}

/// One of the changes: who, when, and what the fields had before and after, which was read of each of them.
fn change(
    model: &Model<'_>,
    all: &[HistoryEntry],
    read: &[Option<Vec<Change<'_>>>],
    number: usize,
    undo: &Markup,
) -> Markup {
    let texts = model.texts();
    let account = &model.context.account;
    let of_number = all.get(number..).and_then(<[_]>::split_first);
    let read = read.get(number..).and_then(<[_]>::split_first);
    let (Some((entry, earlier)), Some((changes, before))) = (of_number, read) else {
        return html! {};
    };
    let taken_back = past::taken_back(changes.as_deref(), before);
    let kind = |field: &str| model.field(field).map(|field| field.field);
    let fields = Fields {
        texts,
        account,
        kind: &kind,
    };
    html! {
        div.change {
            div.change-head {
                h2 #(format!("change{number}")) {
                    (action(texts, &entry.action)) " "
                    span.muted { (time::second(account, &entry.time)) }
                }
                p { (actor(texts, &entry.actor)) }
                div.grow {}
                (undo)
            }
            @if let Some(at) = taken_back && let Some(other) = earlier.get(at) {
                p {
                    (texts.get("history-took-back")) " "
                    a href=(format!("#change{}", number + at + 1)) { (time::second(account, &other.time)) }
                }
            }
            @if entry.outcome.is_some() { p.small { (texts.get("history-unknown")) } }
            (values_of(&fields, entry, changes.as_deref()))
        }
    }
}

/// What is known of the fields whose values are shown, and who looks at them.
pub(crate) struct Fields<'f> {
    pub(crate) texts: &'f Texts,
    pub(crate) account: &'f Account,
    /// The type of a field, where it is known.
    pub(crate) kind: &'f dyn Fn(&str) -> Option<FieldType>,
}

impl Fields<'_> {
    /// A value as text, a time in the zone of who looks at it; `None` for NULL.
    fn text_of(&self, field: &str, value: &RawValue) -> Option<String> {
        let text = match value.get() {
            "null" => return None,
            raw => serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned()),
        };
        match (self.kind)(field) {
            Some(FieldType::DateTimeField) => Some(time::value(self.account, &text)),
            _ => Some(text),
        }
    }
}

/// What a change did to each field.
pub(crate) fn values(fields: &Fields<'_>, entry: &HistoryEntry) -> Markup {
    values_of(fields, entry, past::changes(entry).as_deref())
}

fn values_of(fields: &Fields<'_>, entry: &HistoryEntry, rows: Option<&[Change<'_>]>) -> Markup {
    let texts = fields.texts;
    let Some(rows) = rows else {
        return html! { p.muted { (texts.get("history-without-values")) } };
    };
    if rows.is_empty() {
        return html! { p.muted { (texts.get("history-nothing")) } };
    }
    let has_old = rows.iter().any(|row| row.old.is_some());
    let has_new = rows.iter().any(|row| row.new.is_some());
    html! {
        // No two of the regions of a page have one name.
        div.table-frame tabindex="0" role="region" aria-label={ (action(texts, &entry.action)) " " (entry.time) } {
            table.records.differences {
                thead { tr {
                    th scope="col" { (texts.get("field")) }
                    @if has_old { th scope="col" { (texts.get("history-before")) } }
                    @if has_new { th scope="col" { (texts.get("history-after")) } }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { bdi { (row.field) } }
                            @if has_old { td { (side(fields, row, Side::Old)) } }
                            @if has_new { td { (side(fields, row, Side::New)) } }
                        }
                    }
                }
            }
        }
    }
}

/// What was done, in words where there are some.
pub(crate) fn action(texts: &Texts, action: &str) -> String {
    match action {
        "records.create" | "records.bulk_create" | "users.create" => texts.get("history-created"),
        "records.update" | "records.replace" | "records.update_all" | "users.update" => {
            texts.get("history-changed")
        }
        "records.delete" | "records.delete_all" | "users.delete" => texts.get("history-removed"),
        other => other.to_owned(),
    }
}

/// Who did it.
pub(crate) fn actor(texts: &Texts, actor: &HistoryActor) -> Markup {
    let kind = kind_of_actor(texts, &actor.kind);
    html! {
        @match &actor.label {
            Some(label) => { bdi { strong { (label) } } " " span.small.muted { (kind) } },
            None => strong { (kind) },
        }
    }
}

/// What somebody showed to the service.
pub(crate) fn kind_of_actor(texts: &Texts, kind: &str) -> String {
    match kind {
        "account" => texts.get("actor-account"),
        "user" => texts.get("actor-user"),
        "api_key" => texts.get("actor-api-key"),
        "static_token" => texts.get("actor-static-token"),
        "service_token" => texts.get("actor-service-token"),
        "anonymous" => texts.get("actor-anonymous"),
        "program" => texts.get("actor-program"),
        other => other.to_owned(),
    }
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

/// What a field had before a change, or has after it.
fn side(fields: &Fields<'_>, change: &Change<'_>, side: Side) -> Markup {
    let texts = fields.texts;
    let text_of = |value| fields.text_of(change.field, value);
    let (value, cut) = match side {
        Side::Old => (change.old, change.cut_old),
        Side::New => (change.new, change.cut_new),
    };
    let Some(value) = value else {
        return html! {};
    };
    html! {
        @match (change.old.and_then(text_of), change.new.and_then(text_of), side, (fields.kind)(change.field)) {
            (_, _, _, Some(kind @ (FieldType::BinaryField | FieldType::BooleanField))) => {
                (cell(texts, kind, Some(value.get()), None))
            },
            (Some(old), Some(new), Side::Old, _) => (value::before(&old, &new)),
            (Some(old), Some(new), Side::New, _) => (value::after(&old, &new)),
            (None, Some(new), Side::New, _) if change.old.is_some() && !new.is_empty() => (value::after("", &new)),
            (Some(old), None, Side::Old, _) if change.new.is_some() && !old.is_empty() => (value::before(&old, "")),
            _ => @match text_of(value) {
                Some(text) if text.is_empty() => span.empty { (texts.get("empty")) },
                Some(text) => (value::alone(&text)),
                None => span.null { "NULL" },
            },
        }
        @if let Some(bytes) = cut {
            p.small.muted { (texts.with("history-cut", [("count", bytes.into())])) }
        }
    }
}

/// The button that takes a change back, where that is possible; `after` is the cursor of its page.
fn undo_form(
    model: &Model<'_>,
    id: &RecordId,
    entry: &HistoryEntry,
    after: Option<&str>,
) -> Markup {
    let texts = model.texts();
    html! {
        @match undo::Undo::of(model, entry) {
            // The page says so of the values, and of the rights.
            undo::Undo::NotKept | undo::Undo::NotAllowed => {},
            impossible @ (undo::Undo::TooLong | undo::Undo::OtherKey) => {
                span.small.muted { (texts.get(impossible.why_not().unwrap_or_default())) }
            },
            undo::Undo::Delete => {
                a.button href=(model.below(id, ["delete"])) { (texts.get("undo")) }
            },
            _ => (undo_button(model, id, &entry.time, after)),
        }
    }
}

fn undo_button(model: &Model<'_>, id: &RecordId, time: &str, after: Option<&str>) -> Markup {
    html! {
        form method="post" action=(place(model, id)) {
            (account_field(model.context.visit))
            input type="hidden" name="time" value=(time);
            @if let Some(after) = after { input type="hidden" name="after" value=(after); }
            button { (model.texts().get("undo")) }
        }
    }
}

/// The notice after a change was saved, with the button that takes it back where its values were kept.
pub(super) async fn saved(model: &Model<'_>, id: &RecordId) -> Markup {
    let text = model.texts().get("saved");
    let own = last_own(model, id).await;
    match own.map(|entry| (undo::Undo::of(model, &entry), entry.time)) {
        Some((undo::Undo::Update(_), time)) => {
            notice::done_with(&text, &undo_button(model, id, &time, None))
        }
        _ => notice::done(&text),
    }
}

/// The notice after a record was deleted: with the button that makes it again where its values were kept, and its history.
pub(crate) async fn deleted(model: &Model<'_>, id: &RecordId) -> Markup {
    let texts = model.texts();
    let own = last_own(model, id).await;
    let action = html! {
        @if let Some(entry) = own && matches!(undo::Undo::of(model, &entry), undo::Undo::Create(_)) {
            (undo_button(model, id, &entry.time, None))
        }
        a.button href=(place(model, id)) { (texts.get("history")) }
    };
    let text = texts.with("deleted", [("key", id.as_str().into())]);
    notice::done_with(&text, &action)
}

/// The last change of a record, where it was made by who is signed in.
async fn last_own(model: &Model<'_>, id: &RecordId) -> Option<HistoryEntry> {
    let page = past::page(model, id, None, 1).await.ok()?;
    let last = page.results.into_iter().next()?;
    let uid = model.context.account.uid.as_str();
    (last.actor.uid.as_deref() == Some(uid)).then_some(last)
}
