//! Taking back a change of a record: the old values come back if the record still has the new ones. Otherwise the form shows
//! both, and nothing is written until somebody has looked.

use std::collections::BTreeSet;

use http::StatusCode;
use serde_json::{Value, value::RawValue};
use svc_api::Error;
use svc_model::{JsonObject, RecordId, records::HistoryEntry};

use super::{
    load, new_page, page,
    past::{self, Change},
    refused,
    sent::{Conflict, Sent},
    status_again,
};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        controls,
        entered::{Entered, entered},
        model::Model,
    },
    problem::{Problem, Result},
    ui::{notice, time},
    visit::Form,
};

/// How many pages of the history are searched for a change: others may have come before it since its page was opened.
const MOST_PAGES: usize = 3;
/// How many changes such a page has.
const PER_PAGE: u32 = 100;

/// What takes a change back.
pub(crate) enum Undo {
    /// These values come back.
    Update(Vec<Values>),
    /// The record is made again, with these values.
    Create(JsonObject),
    /// The record is deleted.
    Delete,
    /// A value is not known whole.
    TooLong,
    /// The database gives the key, so that it would be another record.
    OtherKey,
    /// Nobody knows what it was.
    NotKept,
    /// The signed-in account may not write what it was.
    NotAllowed,
}

/// Fields to which the database gave other values than those that were sent.
pub(crate) type Except = BTreeSet<String>;

/// What a field had before a change and after it.
pub(crate) struct Values {
    field: String,
    old: Box<RawValue>,
    new: Box<RawValue>,
}

impl Undo {
    /// Why that is not possible, as the identifier of a text.
    pub(crate) fn why_not(&self) -> Option<&'static str> {
        match self {
            Self::Update(_) | Self::Create(_) | Self::Delete => None,
            Self::TooLong => Some("undo-too-long"),
            Self::OtherKey => Some("undo-other-key"),
            Self::NotKept => Some("undo-not-kept"),
            Self::NotAllowed => Some("undo-not-allowed"),
        }
    }

    /// What takes this change back.
    pub(crate) fn of(model: &Model<'_>, entry: &HistoryEntry) -> Self {
        let Some(changes) = past::changes(entry) else {
            return Self::NotKept;
        };
        let can = model.description.can;
        let is_written = |field: &str| {
            let field = model.field(field);
            field.is_some_and(|field| field.editable && !field.read_only)
        };
        let changes = changes.into_iter().filter(|it| is_written(it.field));
        let changes: Vec<Change<'_>> = changes.collect();
        let is_cut = changes.iter().any(Change::is_cut);
        let has_old = changes.iter().any(|change| change.old.is_some());
        let has_new = changes.iter().any(|change| change.new.is_some());
        match (has_old, has_new) {
            (true, true) if can.update && is_cut => Self::TooLong,
            (true, false) if can.create && is_cut => Self::TooLong,
            (true, false) if can.create && !model.key_fields().into_iter().all(is_written) => {
                Self::OtherKey
            }
            (true, true) if can.update => Self::Update(
                changes
                    .into_iter()
                    .filter_map(|change| {
                        Some(Values {
                            field: change.field.to_owned(),
                            old: change.old?.to_owned(),
                            new: change.new?.to_owned(),
                        })
                    })
                    .collect(),
            ),
            (true, false) if can.create => {
                let mut record = JsonObject::new();
                for change in changes {
                    if let Some(old) = change.old {
                        record.set_raw(change.field, old.to_owned());
                    }
                }
                Self::Create(record)
            }
            (false, true) if can.delete => Self::Delete,
            _ => Self::NotAllowed,
        }
    }
}

/// Whether what a change did to a record can be put back without asking again: it was changed or deleted.
pub(crate) fn is_put_back(model: &Model<'_>, entry: &HistoryEntry) -> bool {
    matches!(Undo::of(model, entry), Undo::Update(_) | Undo::Create(_))
}

/// Takes back the change that the form names.
pub(super) async fn answer(model: &Model<'_>, id: &RecordId) -> Result<Answer> {
    let entry = find(model, id).await?;
    match Undo::of(model, &entry) {
        Undo::Update(values) => update(model, id, &values).await,
        Undo::Create(record) => create(model, &record).await,
        Undo::Delete => Ok(Answer::go(&model.below(id, ["delete"]))),
        Undo::TooLong | Undo::OtherKey | Undo::NotKept | Undo::NotAllowed => Err(Problem::NotFound),
    }
}

/// The change that the form names.
async fn find(model: &Model<'_>, id: &RecordId) -> Result<HistoryEntry> {
    let form = model.context.visit.form();
    let mut after = form.get("after").map(str::to_owned);
    for _ in 0..MOST_PAGES {
        let page = past::page(model, id, after.as_deref(), PER_PAGE).await?;
        after = page.next_query().and_then(|query| query.after);
        let mut entries = page.results.into_iter();
        if let Some(entry) = entries.find(|entry| time::is_same(&entry.time, form.text("time"))) {
            return Ok(entry);
        }
        if after.is_none() {
            break;
        }
    }
    Err(Problem::NotFound)
}

/// What became of a record whose old values are put back.
pub(crate) enum PutBack {
    /// It has them again, but for those of some fields.
    Done { now: JsonObject, except: Except },
    /// It had them already.
    WasBack,
    /// They were sent, and the database has made something else of all of them.
    Otherwise(JsonObject),
    /// It has others than those that the change put there, and stays as it is.
    ChangedSince(JsonObject),
}

/// Puts the old values of a record back, if it has the new ones. Fields of which it is known that the database gives them other
/// values need not have the old ones for it to be back.
pub(crate) async fn put_back(
    model: &Model<'_>,
    id: &RecordId,
    values: &[Values],
    known: &Except,
) -> Result<PutBack, Error> {
    let records = model.records();
    let records = records.typed::<JsonObject>();
    // In UTC, as the history has its times.
    let now = records.get(id.clone()).send_tagged().await?;
    let is_old = |change: &Values| is_same(now.value.get_raw(&change.field), &change.old);
    let is_new = |change: &Values| is_same(now.value.get_raw(&change.field), &change.new);
    if !values.iter().all(is_new) {
        let mut others = values
            .iter()
            .filter(|change| !known.contains(&change.field));
        return Ok(match others.all(is_old) {
            true => PutBack::WasBack,
            false => PutBack::ChangedSince(now.value),
        });
    }
    let mut changes = JsonObject::new();
    for change in values {
        changes.set_raw(&change.field, change.old.clone());
    }
    let etag = now.etag.unwrap_or_default();
    let call = records.update(id.clone(), &changes).if_match(etag);
    match call.send().await {
        Ok(now) => {
            let except = differing(&now, &changes);
            Ok(match except.len() < values.len() {
                true => PutBack::Done { now, except },
                false => PutBack::Otherwise(now),
            })
        }
        Err(error) if error.is_precondition_failed() => Ok(PutBack::ChangedSince(now.value)),
        Err(error) => Err(error),
    }
}

async fn update(model: &Model<'_>, id: &RecordId, values: &[Values]) -> Result<Answer> {
    let now = match put_back(model, id, values, &Except::new()).await {
        Ok(PutBack::Done { now, except }) => return Ok(Answer::go(&undone(model, &now, &except))),
        Ok(PutBack::Otherwise(now)) => {
            let id = model.id_of(&now).unwrap_or_else(|| id.clone());
            return Ok(Answer::go(&model.record(&id).with("saved", "otherwise")));
        }
        Ok(PutBack::WasBack) => {
            return Ok(Answer::go(&model.record(id).with("saved", "undone")));
        }
        Ok(PutBack::ChangedSince(now)) => now,
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => {
            let status = status_again(&error);
            let (record, etag) = load(model, id).await?;
            let sent = with_old(model, &record, values);
            let (sent, message) = refused(model.context.visit, sent, error)?;
            let page = page(model, id, &record, &etag, &sent, message);
            return Ok(Answer::page(page).status(status));
        }
    };
    let (record, etag) = load(model, id).await?;
    let mut sent = with_old(model, &record, values);
    for change in values {
        if !is_same(now.get_raw(&change.field), &change.new) {
            let mut left = JsonObject::new();
            left.set_raw(&change.field, change.new.clone());
            let conflict = Conflict {
                base: held(model, &left, &change.field),
                theirs: held(model, &record, &change.field),
            };
            sent.conflicts.insert(change.field.clone(), conflict);
        }
    }
    let message = notice::error(model.context.visit, &model.texts().get("undo-conflict"));
    let page = page(model, id, &record, &etag, &sent, Some(message));
    Ok(Answer::page(page).status(StatusCode::PRECONDITION_FAILED))
}

/// The value of a field as the form shows it.
fn held(model: &Model<'_>, record: &JsonObject, field: &str) -> Entered {
    let field = model.field(field);
    field.map_or(Entered::Untouched, |field| entered(record, field))
}

/// The form of a record with old values in it.
fn with_old(model: &Model<'_>, record: &JsonObject, values: &[Values]) -> Sent {
    let mut sent = Sent::of_record(model, record);
    let mut before = JsonObject::new();
    for Values { field, old, .. } in values {
        before.set_raw(field, old.clone());
    }
    for Values { field, .. } in values {
        if !sent.cut.contains_key(field) {
            let old = held(model, &before, field);
            sent.entered.insert(field.clone(), old);
        }
    }
    sent
}

async fn create(model: &Model<'_>, record: &JsonObject) -> Result<Answer> {
    let records = model.records();
    let records = records.typed::<JsonObject>();
    match records.create(record).send().await {
        Ok(made) => Ok(Answer::go(&undone(model, &made, &differing(&made, record)))),
        Err(error) => {
            let status = status_again(&error);
            let fields = model.description.fields.iter();
            let known = fields.map(|field| (field.name.clone(), entered(record, field)));
            let sent = Sent {
                is_new: true,
                entered: known.collect(),
                ..Sent::default()
            };
            let (sent, message) = refused(model.context.visit, sent, error)?;
            let page = new_page(model, &sent, message);
            Ok(Answer::page(page).status(status))
        }
    }
}

/// The place of a record that is back.
fn undone(model: &Model<'_>, record: &JsonObject, except: &Except) -> Href {
    let Some(id) = model.id_of(record) else {
        return model.list();
    };
    with_except(model.record(&id).with("saved", "undone"), except)
}

/// The same place, which says to which fields the database gave other values.
pub(crate) fn with_except(place: Href, except: &Except) -> Href {
    except
        .iter()
        .fold(place, |place, field| place.with(controls::EXCEPT, field))
}

/// What a page says of records that are back, by the identifier of the text for those that are back whole. Its address names the
/// fields to which the database gave other values.
pub(crate) fn words(model: &Model<'_>, query: &Form, all: &str, count: u64) -> String {
    let named = query.all(controls::EXCEPT).map(str::to_owned);
    words_of(all, model, count, &named.collect())
}

/// The same with the fields. Of those, only what the model has is named.
pub(crate) fn words_of(all: &str, model: &Model<'_>, count: u64, except: &Except) -> String {
    let fields = except.iter().map(String::as_str);
    let fields: Vec<&str> = fields
        .filter(|field| model.field(field).is_some())
        .collect();
    let (count, fields) = (("count", count.into()), fields.join(", "));
    match fields.as_str() {
        "" => model.texts().with(all, [count]),
        fields => model
            .texts()
            .with("undone-except", [count, ("fields", fields.into())]),
    }
}

/// The fields of which a record does not have these values.
pub(crate) fn differing(record: &JsonObject, values: &JsonObject) -> Except {
    let values = values.iter();
    let differing = values.filter(|(field, value)| !is_same(record.get_raw(field), value));
    differing.map(|(field, _)| field.to_owned()).collect()
}

/// Whether a value is still the one that a change has left.
fn is_same(now: Option<&str>, new: &RawValue) -> bool {
    let Some(now) = now else {
        return false;
    };
    let read = |json: &str| serde_json::from_str::<Value>(json).ok();
    now == new.get() || read(now).is_some_and(|now| read(new.get()) == Some(now))
}
