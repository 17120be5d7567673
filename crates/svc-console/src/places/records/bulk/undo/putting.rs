//! Putting records back as they were before a line of the audit trail.

use std::{
    mem::take,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use svc_api::Error;
use svc_model::{
    Invalid, JsonObject, RecordId,
    records::{BulkResult, HistoryEntry, MAX_BULK},
};

use crate::{
    places::{
        model::Model,
        record::{
            past::{self, LineOf},
            undo::{Except, PutBack, Undo, Values, differing, put_back},
        },
    },
    problem::{Result, is_passing},
    ui::notice,
};

/// How many records a page of a line has.
const PER_PAGE: u32 = 50;
/// How many records are put back at once.
const AT_ONCE: usize = 8;
/// How long records are put back, and then how long those are tried again that refer to others. The rest waits until somebody
/// goes on.
const PATIENCE: Duration = Duration::from_secs(10);

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

    /// Whether values were kept of any of its records. Where they were not, they were of none behind them either.
    pub(super) fn is_kept(&self) -> bool {
        let may_be_kept = (1..=MAX_BULK as u64).contains(&self.count);
        may_be_kept && self.entries.iter().any(|entry| entry.changes.is_some())
    }
}

/// Where putting back begins, with what was done before.
#[derive(Clone, Default)]
pub(super) struct Begin {
    /// The cursor; `None` for the beginning.
    pub(super) after: Option<String>,
    /// How many are as they were.
    pub(super) back: u64,
    /// How many are not.
    pub(super) left: u64,
    /// The fields of those that are back to which the database gave other values.
    pub(super) except: Except,
}

/// What became of the records.
#[derive(Default)]
pub(super) struct Outcome {
    /// How many are as they were.
    pub(super) back: u64,
    /// The fields of them to which the database gave other values.
    pub(super) except: Except,
    /// Those that were changed again meanwhile, or are gone.
    pub(super) changed: Vec<RecordId>,
    /// Those that are not as they were, and why.
    pub(super) refused: Vec<(RecordId, String)>,
    /// How many were left as they are before it went on.
    pub(super) left: u64,
    /// How many further ones have no values in the line.
    pub(super) not_kept: u64,
    /// What ended it before all were reached.
    pub(super) stopped: Option<Stopped>,
}

/// An end before all records were reached.
pub(super) struct Stopped {
    /// Where it goes on.
    pub(super) begin: Begin,
    /// What was refused for the moment; `None` where it took too long.
    pub(super) wrong: Option<Error>,
}

impl Outcome {
    pub(super) fn is_whole(&self) -> bool {
        self.left() == 0 && self.not_kept == 0 && self.stopped.is_none()
    }

    /// How many were reached and are not as they were.
    fn left(&self) -> u64 {
        self.left + (self.changed.len() + self.refused.len()) as u64
    }
}

/// A record that is made again.
struct Deleted {
    id: RecordId,
    record: JsonObject,
    /// Why it was refused.
    why: Invalid,
}

impl Deleted {
    fn refused(self) -> (RecordId, String) {
        (self.id, notice::words_of(&self.why))
    }
}

/// What became of the records of a page.
#[derive(Default)]
struct Page {
    /// The cursor before it.
    after: Option<String>,
    back: u64,
    changed: Vec<RecordId>,
    refused: Vec<(RecordId, String)>,
    /// Those that are not made again yet. They may refer to others that are made later.
    waiting: Vec<Deleted>,
    /// Whether all its records were reached.
    is_whole: bool,
}

/// Why it ends before all records were reached: an error that may pass, or it has taken too long.
type Early = Option<Error>;

/// Puts back the records of a line, from the first page on that was loaded already.
pub(super) async fn put_all_back(
    model: &Model<'_>,
    line: LineOf<'_>,
    first: Part,
    begin: Begin,
) -> Result<Outcome> {
    let count = first.count;
    let mut work = Work {
        model,
        begun: Instant::now(),
        except: begin.except.clone(),
        pages: Vec::new(),
    };
    let early = match work.pages(line, first, begin.after.clone()).await? {
        Some(Some(error)) => Some(Some(error)),
        // Also where it took too long: the next time, it goes on behind those that were reached.
        late => work.rest().await?.or(late),
    };
    Ok(work.outcome(&begin, early, count))
}

struct Work<'m> {
    model: &'m Model<'m>,
    begun: Instant,
    except: Except,
    pages: Vec<Page>,
}

impl Work<'_> {
    fn is_late(&self) -> bool {
        self.begun.elapsed() > PATIENCE
    }

    async fn pages(
        &mut self,
        line: LineOf<'_>,
        first: Part,
        mut after: Option<String>,
    ) -> Result<Option<Early>> {
        let mut part = first;
        // Behind a page without values there are none.
        while part.is_kept() {
            let mut page = Page {
                after: after.take(),
                ..Page::default()
            };
            let early = self.page(part.entries, &mut page).await;
            self.pages.push(page);
            if let Some(early) = early? {
                return Ok(Some(early));
            }
            let Some(next) = part.after else {
                break;
            };
            let loaded = match self.is_late() {
                true => Err(None),
                false => {
                    let loaded = Part::load(self.model, line, Some(&next)).await;
                    loaded.map_err(Some)
                }
            };
            match loaded {
                Ok(loaded) => part = loaded,
                Err(Some(error)) if error.is_unauthenticated() => return Err(error.into()),
                Err(early) => {
                    self.pages.push(Page {
                        after: Some(next),
                        ..Page::default()
                    });
                    return Ok(Some(early));
                }
            }
            after = Some(next);
        }
        Ok(None)
    }

    async fn page(&mut self, entries: Vec<HistoryEntry>, page: &mut Page) -> Result<Option<Early>> {
        let (mut changed, mut deleted) = (Vec::new(), Vec::new());
        for entry in entries {
            let id = RecordId::from(entry.record.clone().unwrap_or_default());
            match Undo::of(self.model, &entry) {
                Undo::Update(values) => changed.push((id, values)),
                Undo::Create(record) => deleted.push(Deleted {
                    id,
                    record,
                    why: Invalid::new(),
                }),
                _ if is_unchanged(&entry) => page.back += 1,
                other => {
                    let why = self.model.texts().get(other.why_not().unwrap_or_default());
                    page.refused.push((id, why));
                }
            }
        }
        if let Some(early) = self.update(changed, page).await? {
            return Ok(Some(early));
        }
        if let Some(early) = self.create(deleted, page).await? {
            return Ok(Some(early));
        }
        page.is_whole = true;
        Ok(None)
    }

    /// Gives records their old values back.
    async fn update(
        &mut self,
        changed: Vec<(RecordId, Vec<Values>)>,
        page: &mut Page,
    ) -> Result<Option<Early>> {
        let texts = self.model.texts();
        let (model, begun, known) = (self.model, self.begun, self.except.clone());
        let mut all = stream::iter(changed)
            .map(async |(id, values)| {
                if begun.elapsed() > PATIENCE {
                    return None;
                }
                let put = put_back(model, &id, &values, &known).await;
                Some((id, put))
            })
            .buffer_unordered(AT_ONCE);
        while let Some(one) = all.next().await {
            let Some((id, put)) = one else {
                return Ok(Some(None));
            };
            match put {
                Ok(PutBack::Done { except, .. }) => {
                    page.back += 1;
                    self.except.extend(except);
                }
                Ok(PutBack::WasBack) => page.back += 1,
                Ok(PutBack::Otherwise { .. }) => {
                    page.refused.push((id, texts.get("undo-otherwise")));
                }
                Ok(PutBack::ChangedSince(_)) => page.changed.push(id),
                Err(error) if error.is_not_found() => page.changed.push(id),
                Err(error) if error.is_unauthenticated() => return Err(error.into()),
                Err(error) if is_for_the_moment(&error) => return Ok(Some(Some(error))),
                Err(error) => page.refused.push((id, notice::words(texts, &error))),
            }
        }
        Ok(None)
    }

    /// Makes records again. Those that are refused are looked for, and wait where they are not there.
    async fn create(&mut self, deleted: Vec<Deleted>, page: &mut Page) -> Result<Option<Early>> {
        page.waiting = deleted;
        if let Some(error) = self.make(page).await? {
            return Ok(Some(Some(error)));
        }
        let records = self.model.records();
        let records = records.typed::<JsonObject>();
        let mut all = stream::iter(take(&mut page.waiting))
            .map(async |one| {
                let found = records.get(one.id.clone()).send().await;
                (one, found)
            })
            .buffer_unordered(AT_ONCE);
        while let Some((one, found)) = all.next().await {
            match found {
                Ok(now) if differing(&now, &one.record).is_subset(&self.except) => page.back += 1,
                Err(error) if error.is_not_found() => page.waiting.push(one),
                Err(error) if error.is_unauthenticated() => return Err(error.into()),
                Err(error) if is_for_the_moment(&error) => return Ok(Some(Some(error))),
                _ => page.refused.push(one.refused()),
            }
        }
        Ok(None)
    }

    /// Makes those of a page again that wait. Those that are refused wait still, and all with an error that may pass.
    async fn make(&mut self, page: &mut Page) -> Result<Option<Error>> {
        if page.waiting.is_empty() {
            return Ok(None);
        }
        let records = self.model.records();
        let records = records.typed::<JsonObject>();
        let all = page.waiting.iter().map(|one| &one.record);
        let made = match records.bulk_create(all).send().await {
            Ok(made) => made,
            Err(error) if error.is_unauthenticated() => return Err(error.into()),
            Err(error) if is_for_the_moment(&error) => return Ok(Some(error)),
            Err(error) => {
                let why = notice::words(self.model.texts(), &error);
                let refused = take(&mut page.waiting).into_iter();
                page.refused
                    .extend(refused.map(|one| (one.id, why.clone())));
                return Ok(None);
            }
        };
        let mut made = made.into_iter();
        for one in take(&mut page.waiting) {
            match made.next() {
                Some(BulkResult::Created(now) | BulkResult::Updated(now)) => {
                    page.back += 1;
                    self.except.extend(differing(&now, &one.record));
                }
                Some(BulkResult::Refused(why)) => page.waiting.push(Deleted { why, ..one }),
                _ => page.waiting.push(one),
            }
        }
        Ok(None)
    }

    /// Makes those again that wait, as long as that helps others that refer to them: in their order and against it in turn, since
    /// a record may refer to one before it or behind it.
    async fn rest(&mut self) -> Result<Option<Early>> {
        self.begun = Instant::now();
        let mut pages = take(&mut self.pages);
        let early = self.rounds(&mut pages).await?;
        if early.is_none() {
            for page in &mut pages {
                let waiting = take(&mut page.waiting).into_iter();
                page.refused.extend(waiting.map(Deleted::refused));
            }
        }
        self.pages = pages;
        Ok(early)
    }

    async fn rounds(&mut self, pages: &mut [Page]) -> Result<Option<Early>> {
        let mut pages: Vec<&mut Page> = pages.iter_mut().collect();
        let mut helps = true;
        while helps {
            helps = false;
            pages.reverse();
            for page in pages.iter_mut().filter(|page| !page.waiting.is_empty()) {
                page.waiting.reverse();
                if self.is_late() {
                    return Ok(Some(None));
                }
                let before = page.waiting.len();
                if let Some(error) = self.make(page).await? {
                    return Ok(Some(Some(error)));
                }
                helps |= page.waiting.len() < before;
            }
        }
        Ok(None)
    }

    fn outcome(self, begin: &Begin, early: Option<Early>, count: u64) -> Outcome {
        let mut outcome = Outcome {
            back: begin.back,
            left: begin.left,
            ..Outcome::default()
        };
        // It goes on with the first page that is not done.
        let mut next = None;
        for page in self.pages {
            if early.is_some() && next.is_none() && !(page.is_whole && page.waiting.is_empty()) {
                next = Some(Begin {
                    after: page.after,
                    back: outcome.back,
                    left: outcome.left(),
                    except: self.except.clone(),
                });
            }
            outcome.back += page.back;
            outcome.changed.extend(page.changed);
            outcome.refused.extend(page.refused);
        }
        outcome.except = self.except;
        match early {
            Some(wrong) => {
                outcome.stopped = next.map(|begin| Stopped { begin, wrong });
            }
            None => outcome.not_kept = count.saturating_sub(outcome.back + outcome.left()),
        }
        outcome
    }
}

/// Whether a record had the new values before.
pub(super) fn is_unchanged(entry: &HistoryEntry) -> bool {
    entry.changes.as_ref().is_some_and(JsonObject::is_empty)
}

/// Whether a call may succeed in a moment.
fn is_for_the_moment(error: &Error) -> bool {
    is_passing(error)
        || matches!(
            error.status(),
            Some(StatusCode::TOO_MANY_REQUESTS | StatusCode::GATEWAY_TIMEOUT)
        )
}
