//! The statements that run in this process: who waits for them, and what ends them early.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use http::{HeaderName, HeaderValue, Method, Response, Uri};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use svc_data::CommitGate;
use svc_model::statements::{Statement, X_STATEMENT_ID};
use svc_store::{Actor, ActorKind};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::http::{ApiError, ApiResult, resource_path::ResourcePath};

/// The header with the id of a statement.
pub(crate) const STATEMENT_ID: HeaderName = HeaderName::from_static(X_STATEMENT_ID);
/// The most statements that are known at once; more run without being listed.
const MAX_STATEMENTS: usize = 10_000;
/// How many characters of a query are shown.
const MAX_SHOWN: usize = 10_000;

/// The statements that run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    running: Arc<Mutex<HashMap<Key, Arc<Known>>>>,
}

/// What distinguishes a statement: a caller chooses an id among the caller's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    path: ResourcePath,
    caller: (ActorKind, Option<Uuid>),
    id: HeaderValue,
}

/// What is known of a statement.
#[derive(Debug)]
struct Known {
    query: Query,
    caller: Actor,
    started: Timestamp,
    since: Instant,
    is_cancelled: AtomicBool,
    cancelled: Notify,
}

/// What runs.
#[derive(Clone, Debug)]
pub(crate) enum Query {
    Sql(Arc<str>),
    /// A list or an aggregate, say.
    Request(Method, Uri),
}

/// Whose statements are seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Seen {
    All,
    /// Those of one caller.
    Own {
        kind: Cow<'static, str>,
        uid: Option<Uuid>,
    },
}

/// A statement that runs, until this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    statements: Statements,
    /// `None` where it is not listed.
    key: Option<Key>,
    known: Arc<Known>,
}

impl Known {
    fn begin(query: Query, caller: Actor) -> Arc<Self> {
        Arc::new(Self {
            query,
            caller,
            started: Timestamp::now(),
            since: Instant::now(),
            is_cancelled: AtomicBool::new(false),
            cancelled: Notify::new(),
        })
    }
}

impl Query {
    /// SQL, of which a part is kept.
    pub(crate) fn sql(sql: &str) -> Self {
        let end = sql
            .char_indices()
            .nth(MAX_SHOWN)
            .map_or(sql.len(), |it| it.0);
        Self::Sql(sql.get(..end).unwrap_or_default().into())
    }

    /// Several queries, of which a part is kept.
    pub(crate) fn batch<'q>(queries: impl Iterator<Item = &'q str>) -> Self {
        let mut text = String::new();
        for query in queries {
            if !text.is_empty() {
                text.push_str(";\n");
            }
            text.extend(query.chars().take(MAX_SHOWN));
            if text.len() > MAX_SHOWN {
                break;
            }
        }
        Self::sql(&text)
    }

    fn shown(&self) -> String {
        match self {
            Self::Sql(sql) => sql.to_string(),
            Self::Request(method, uri) => {
                // What is behind the resource, which the caller of the list has named.
                let path = uri.path_and_query().map_or("", |it| it.as_str());
                let place = path.match_indices('/').nth(4).map_or(0, |(place, _)| place);
                let path = path.get(place..).unwrap_or(path).chars().take(MAX_SHOWN);
                format!("{method} {}", path.collect::<String>())
            }
        }
    }
}

impl Seen {
    /// Those of this caller.
    pub(crate) fn own(actor: &Actor) -> Self {
        Self::Own {
            kind: actor.kind.as_str().into(),
            uid: actor.uid,
        }
    }

    fn sees(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::Own { kind, uid } => (&**kind, *uid) == (key.caller.0.as_str(), key.caller.1),
        }
    }
}

impl Statements {
    /// Begins a statement that is not listed, on the store itself.
    pub(crate) fn begin_unlisted(&self, caller: Actor, query: Query) -> Running {
        Running {
            statements: self.clone(),
            key: None,
            known: Known::begin(query, caller),
        }
    }

    /// Begins a statement, whose caller has chosen its id or leaves that to `new_id`.
    pub(crate) fn begin(
        &self,
        path: &ResourcePath,
        caller: Actor,
        query: Query,
        chosen: Option<HeaderValue>,
        new_id: impl FnOnce() -> HeaderValue,
    ) -> ApiResult<Running> {
        let is_chosen = chosen.is_some();
        let key = Key {
            path: path.clone(),
            caller: (caller.kind, caller.uid),
            id: chosen.unwrap_or_else(new_id),
        };
        let known = Known::begin(query, caller);
        let mut running = self.running.lock();
        let is_full = running.len() >= MAX_STATEMENTS;
        let key = match running.entry(key) {
            Entry::Occupied(_) => return Err(ApiError::StatementRuns),
            Entry::Vacant(_) if is_full && is_chosen => {
                return Err(ApiError::Overloaded(
                    "too many statements run now to list another one; try again",
                ));
            }
            Entry::Vacant(_) if is_full => None,
            Entry::Vacant(place) => {
                let key = place.key().clone();
                place.insert(Arc::clone(&known));
                Some(key)
            }
        };
        drop(running);
        Ok(Running {
            statements: self.clone(),
            key,
            known,
        })
    }

    /// The statements on a resource, the oldest first.
    pub(crate) fn list(&self, path: &ResourcePath, seen: &Seen) -> Vec<Statement> {
        let running = self.running.lock();
        let found = running.iter();
        let found = found.filter(|(key, _)| key.path == *path && seen.sees(key));
        let found = found.map(|(key, known)| (key.id.clone(), Arc::clone(known)));
        let mut found: Vec<(HeaderValue, Arc<Known>)> = found.collect();
        drop(running);
        found.sort_by_key(|(_, known)| known.since);
        let shown = found.into_iter().map(|(id, known)| {
            let milliseconds = known.since.elapsed().as_millis();
            Statement::new(
                id.to_str().unwrap_or_default(),
                known.query.shown(),
                known.started.to_string(),
                u64::try_from(milliseconds).unwrap_or(u64::MAX),
                known.caller.label.as_deref().unwrap_or_default(),
            )
        });
        shown.collect()
    }

    /// Ends a statement early, of those that are seen; false where there is none of this id. Where several callers have
    /// chosen it, all of them are ended.
    pub(crate) fn cancel(&self, path: &ResourcePath, seen: &Seen, id: &str) -> bool {
        let running = self.running.lock();
        let found = running.iter().filter(|(key, _)| {
            key.id.as_bytes() == id.as_bytes() && key.path == *path && seen.sees(key)
        });
        let mut is_any = false;
        for (_, known) in found {
            known.is_cancelled.store(true, Ordering::Release);
            known.cancelled.notify_one();
            is_any = true;
        }
        is_any
    }
}

impl Running {
    /// Does a part of the work, unless the statement is cancelled: then the work is dropped, which ends it in the database.
    pub(crate) async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> ApiResult<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => Err(ApiError::Cancelled),
            done = work => Ok(done),
        }
    }

    /// The same for a write, which is not cancelled once it is about to be committed: then its outcome is waited for.
    pub(crate) async fn unless_cancelled_before<T>(
        &self,
        gate: &CommitGate,
        work: impl Future<Output = T>,
    ) -> ApiResult<T> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            () = self.cancelled() => {}
            done = &mut work => return Ok(done),
        }
        match gate.give_up() {
            true => Err(ApiError::Cancelled),
            false => Ok(work.await),
        }
    }

    async fn cancelled(&self) {
        let known = &self.known;
        // A call for it that came before is kept for the one who waits.
        while !known.is_cancelled.load(Ordering::Acquire) {
            known.cancelled.notified().await;
        }
    }

    /// Its id, for the answer.
    pub(crate) fn id(&self) -> StatementId {
        StatementId(self.key.as_ref().map(|key| key.id.clone()))
    }
}

/// The id of a statement, if it is listed.
#[derive(Clone, Debug)]
pub(crate) struct StatementId(Option<HeaderValue>);

impl StatementId {
    /// Tells it in an answer.
    pub(crate) fn tell<B>(self, answer: &mut Response<B>) {
        if let Some(id) = self.0 {
            answer.headers_mut().insert(STATEMENT_ID, id);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.statements.running.lock().remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use svc_model::Scope;

    use super::*;

    fn path(resource: &str) -> ResourcePath {
        ResourcePath {
            scope: Scope::new("demo", "prod"),
            resource: resource.into(),
        }
    }

    fn actor(number: u128) -> Actor {
        let uid = Uuid::from_u128(number);
        Actor::new(ActorKind::StaticToken, uid, format!("token{number}"))
    }

    fn begin(statements: &Statements, caller: u128, id: &'static str) -> ApiResult<Running> {
        let query = Query::sql("SELECT 1");
        let id = HeaderValue::from_static(id);
        let never = || HeaderValue::from_static("none");
        statements.begin(&path("shop"), actor(caller), query, Some(id), never)
    }

    #[tokio::test]
    async fn a_statement_is_seen_and_ended_by_its_caller_and_by_those_who_see_all() {
        let statements = Statements::default();
        let mine = begin(&statements, 1, "a").unwrap();
        let other = begin(&statements, 2, "a").unwrap();
        assert!(matches!(
            begin(&statements, 1, "a"),
            Err(ApiError::StatementRuns)
        ));
        let own = Seen::own(&actor(1));
        let seen = statements.list(&path("shop"), &own);
        assert_eq!(seen.len(), 1);
        assert_eq!((&*seen[0].query, &*seen[0].caller), ("SELECT 1", "token1"));
        assert_eq!(statements.list(&path("shop"), &Seen::All).len(), 2);
        assert!(statements.list(&path("other"), &Seen::All).is_empty());
        assert!(!statements.cancel(&path("shop"), &own, "b"));
        assert!(!statements.cancel(&path("other"), &own, "a"));
        assert!(statements.cancel(&path("shop"), &own, "a"));
        let ended = mine.unless_cancelled(pending::<()>()).await;
        assert!(matches!(ended, Err(ApiError::Cancelled)));
        // What follows does not begin.
        assert!(mine.unless_cancelled(async {}).await.is_err());
        assert_eq!(other.unless_cancelled(async { 7 }).await.unwrap(), 7);
        drop(mine);
        assert!(statements.list(&path("shop"), &own).is_empty());
        assert!(!statements.cancel(&path("shop"), &own, "a"));
        drop(other);
        assert!(statements.running.lock().is_empty());
    }

    #[test]
    fn so_many_statements_are_known_and_no_more() {
        let statements = Statements::default();
        let mut number = 0_u64;
        let mut next = || {
            number += 1;
            let id = HeaderValue::from(number);
            let query = Query::sql("");
            statements.begin(&path("shop"), actor(1), query, None, || id)
        };
        let all: Vec<Running> = (0..=MAX_STATEMENTS).map(|_| next().unwrap()).collect();
        assert_eq!(statements.running.lock().len(), MAX_STATEMENTS);
        assert!(all.last().is_some_and(|last| last.key.is_none()));
        assert!(matches!(
            begin(&statements, 1, "mine"),
            Err(ApiError::Overloaded(_))
        ));
        drop(all);
        assert!(statements.running.lock().is_empty());
    }

    #[test]
    fn a_request_is_shown_as_its_method_and_the_path_in_the_resource() {
        let uri = "/projects/p/prod/shop/models/orders?a=b%20c";
        let query = Query::Request(Method::GET, Uri::from_static(uri));
        assert_eq!(query.shown(), "GET /models/orders?a=b%20c");
        assert_eq!(Query::sql(&"ä".repeat(20_000)).shown().len(), 2 * MAX_SHOWN);
    }
}
