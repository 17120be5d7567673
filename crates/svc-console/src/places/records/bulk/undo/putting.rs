//! Putting records back as they were before a line of the audit trail.

use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use svc_api::Error;
use svc_model::{
    Invalid, JsonObject, RecordId,
    records::{BulkResult, HistoryEntry},
};

use crate::{
    places::{
        model::Model,
        record::{
            past::{self, LineOf},
            undo::{PutBack, Undo, Values, has_all, put_back},
        },
    },
    problem::{Result, is_passing},
    ui::notice,
};

/// How many records a page of a line has.
const PER_PAGE: u32 = 100;
/// The most records of a line of which values are kept.
const MOST_KEPT: u64 = 10_000;
/// How many records are put back at once.
const AT_ONCE: usize = 8;
/// How long it goes on. Then the rest waits until somebody says so.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often those are made again that were refused, since they may refer to others that are made again.
const ROUNDS: usize = 8;

/// A page of a line.
pub(super) struct Part {
    pub(super) entries: Vec<HistoryEntry>,
    /// The cursor behind them.
    pub(super) after: Option<String>,
    /// How many records the line has.
    pub(super) count: u64,
}

impl Part {
    pub(super) async fn load(
        model: &Model<'_>,
        line: LineOf<'_>,
        after: Option<&str>,
    ) -> Result<Self, Error> {
        let client = &model.context.client;
        let page = past::line(client, model.collection(), line, after, PER_PAGE).await?;
        let after = page.next_query().and_then(|query| query.after);
        Ok(Self {
            count: page.count.unwrap_or_default(),
            entries: page.results,
            after,
        })
    }

    /// Whether values of the line can have been kept.
    pub(super) fn may_be_kept(&self) -> bool {
        (1..=MOST_KEPT).contains(&self.count)
    }
}

/// What became of the records.
#[derive(Default)]
pub(super) struct Outcome {
    /// How many are as they were.
    pub(super) back: u64,
    /// Those that were changed again meanwhile, or are gone.
    pub(super) changed: Vec<RecordId>,
    /// Those that are not as they were, and why.
    pub(super) refused: Vec<(RecordId, String)>,
    /// What ended it before all were reached.
    pub(super) stopped: Option<Stopped>,
}

/// An end before all records were reached.
pub(super) struct Stopped {
    /// The cursor that it goes on after; `None` for the beginning.
    pub(super) after: Option<String>,
    /// What was refused for the moment; `None` where it took too long.
    pub(super) wrong: Option<Error>,
}

impl Outcome {
    pub(super) fn is_whole(&self) -> bool {
        self.changed.is_empty() && self.refused.is_empty() && self.stopped.is_none()
    }

    /// Adds what became of the records of a page.
    fn add(&mut self, page: Self) {
        self.back += page.back;
        self.changed.extend(page.changed);
        self.refused.extend(page.refused);
    }
}

/// Puts back the records of a line behind a cursor, from the first page on that was loaded already.
pub(super) async fn put_all_back(
    model: &Model<'_>,
    line: LineOf<'_>,
    first: Part,
    mut begin: Option<String>,
) -> Result<Outcome> {
    let begun = Instant::now();
    let mut outcome = Outcome::default();
    let mut deleted = Vec::new();
    let mut part = first;
    loop {
        let Part { entries, after, .. } = part;
        let mut page = Outcome::default();
        let changed = sorted(model, entries, &mut page, &mut deleted);
        if let Some(wrong) = update_all(model, changed, &mut page).await? {
            // What is back already is found so when the page is done again.
            let (after, wrong) = (begin, Some(wrong));
            outcome.stopped = Some(Stopped { after, wrong });
            break;
        }
        outcome.add(page);
        let Some(next) = after else {
            break;
        };
        // Records that are made again take one call for all of them.
        if deleted.is_empty() && begun.elapsed() > PATIENCE {
            let (after, wrong) = (Some(next), None);
            outcome.stopped = Some(Stopped { after, wrong });
            break;
        }
        part = Part::load(model, line, Some(&next)).await?;
        begin = Some(next);
    }
    if outcome.stopped.is_none() {
        create_all(model, deleted, &mut outcome).await?;
    }
    Ok(outcome)
}

/// The records of a page that get old values back. Those that are made again, and those that cannot be put back, are set apart.
fn sorted(
    model: &Model<'_>,
    entries: Vec<HistoryEntry>,
    page: &mut Outcome,
    deleted: &mut Vec<(RecordId, JsonObject)>,
) -> Vec<(RecordId, Vec<Values>)> {
    let texts = model.texts();
    let mut changed = Vec::new();
    for entry in entries {
        let id = RecordId::from(entry.record.clone().unwrap_or_default());
        match Undo::of(model, &entry) {
            Undo::Update(values) => changed.push((id, values)),
            Undo::Create(record) => deleted.push((id, record)),
            Undo::TooLong => page.refused.push((id, texts.get("undo-too-long"))),
            Undo::OtherKey => page.refused.push((id, texts.get("undo-other-key"))),
            _ if is_unchanged(&entry) => page.back += 1,
            Undo::Delete | Undo::Impossible => {
                page.refused.push((id, texts.get("undo-not-kept")));
            }
        }
    }
    changed
}

/// Whether a record had the new values before.
pub(super) fn is_unchanged(entry: &HistoryEntry) -> bool {
    entry.changes.as_ref().is_some_and(JsonObject::is_empty)
}

/// Gives records their old values back; what was refused for the moment ends it.
async fn update_all(
    model: &Model<'_>,
    changed: Vec<(RecordId, Vec<Values>)>,
    page: &mut Outcome,
) -> Result<Option<Error>> {
    let texts = model.texts();
    let mut all = stream::iter(changed)
        .map(async |(id, values)| {
            let put = put_back(model, &id, &values).await;
            (id, put)
        })
        .buffer_unordered(AT_ONCE);
    while let Some((id, put)) = all.next().await {
        match put {
            Ok(PutBack::Done(_) | PutBack::WasBack) => page.back += 1,
            Ok(PutBack::Otherwise(_)) => page.refused.push((id, texts.get("undo-otherwise"))),
            Ok(PutBack::ChangedSince(_)) => page.changed.push(id),
            Err(error) if error.is_not_found() => page.changed.push(id),
            Err(error) if error.is_unauthenticated() => return Err(error.into()),
            Err(error) if is_for_the_moment(&error) => return Ok(Some(error)),
            Err(error) => page.refused.push((id, notice::words(texts, &error))),
        }
    }
    Ok(None)
}

/// Makes records again. Those that refer to each other are made in any order, in several rounds.
async fn create_all(
    model: &Model<'_>,
    mut deleted: Vec<(RecordId, JsonObject)>,
    outcome: &mut Outcome,
) -> Result<()> {
    let records = model.records();
    let records = records.typed::<JsonObject>();
    for round in 1..=ROUNDS {
        if deleted.is_empty() {
            break;
        }
        let all = deleted.iter().map(|(_, record)| record);
        let made = match records.bulk_create(all).send().await {
            Ok(made) => made,
            Err(error) if error.is_unauthenticated() => return Err(error.into()),
            Err(error) => {
                // What was made before is found so when it is done again.
                let (after, wrong) = (None, Some(error));
                outcome.stopped = Some(Stopped { after, wrong });
                break;
            }
        };
        let before = deleted.len();
        let (mut made, mut refused) = (made.into_iter(), Vec::new());
        for one in deleted {
            match made.next() {
                Some(BulkResult::Created(record) | BulkResult::Updated(record)) => {
                    keep(model, one, &record, outcome);
                }
                Some(BulkResult::Refused(why)) => refused.push((one, why)),
                _ => refused.push((one, Invalid::new())),
            }
        }
        if round == ROUNDS || refused.len() == before {
            look_for(model, refused, outcome).await?;
            break;
        }
        deleted = refused.into_iter().map(|(one, _)| one).collect();
    }
    Ok(())
}

/// Takes a record that is there for one that is back, if it is as it was.
fn keep(
    model: &Model<'_>,
    (id, old): (RecordId, JsonObject),
    now: &JsonObject,
    outcome: &mut Outcome,
) {
    match has_all(now, &old) {
        true => outcome.back += 1,
        false => outcome
            .refused
            .push((id, model.texts().get("undo-otherwise"))),
    }
}

/// Looks whether records that were refused are there already, as they were.
async fn look_for(
    model: &Model<'_>,
    refused: Vec<((RecordId, JsonObject), Invalid)>,
    outcome: &mut Outcome,
) -> Result<()> {
    let records = model.records();
    let records = records.typed::<JsonObject>();
    let mut all = stream::iter(refused)
        .map(async |(one, why)| {
            let found = records.get(one.0.clone()).send().await;
            (one, why, found)
        })
        .buffer_unordered(AT_ONCE);
    while let Some(((id, old), why, found)) = all.next().await {
        match found {
            Ok(now) if has_all(&now, &old) => outcome.back += 1,
            Err(error) if error.is_unauthenticated() => return Err(error.into()),
            _ => outcome.refused.push((id, notice::words_of(&why))),
        }
    }
    Ok(())
}

/// Whether a call may succeed in a moment.
fn is_for_the_moment(error: &Error) -> bool {
    is_passing(error) || error.status() == Some(StatusCode::TOO_MANY_REQUESTS)
}
