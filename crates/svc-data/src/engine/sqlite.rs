//! The SQLite engine.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use svc_model::wire::BoxFuture;
use tokio::{runtime::Handle, sync::OnceCell};

use self::{declare::DeclaredModels, fault::Fault, session::Session};
use crate::{
    Error, ErrorKind, Location, Model, Outage, RecordJson, ResourceOptions, Result, Structure,
    admission::Work,
    engine::{ChangeRequest, Driver, PoolUse},
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{Around, PlaceQuery, one_field},
    record::{
        BulkPlan, BulkResults, Changed, Note, Part, Projection, RawValue, RecordBody, Written,
        change_all::{ChangeAll, ChangedRecords},
    },
    sql::{SqlJob, SqlOutput},
    value::{Values, time::Zone},
};

mod aggregate;
mod bound;
mod column_type;
mod comparison;
pub(crate) mod connection;
pub(super) mod declare;
mod discover;
pub(crate) mod fault;
pub(crate) mod functions;
mod json;
mod limiter;
mod lookup;
mod misfits;
mod place;
pub(crate) mod pool;
mod progress;
mod read;
mod refusal;
mod rules;
mod select;
pub(crate) mod session;
mod size;
mod sql;
mod temporal;
#[cfg(test)]
mod test_file;
mod ways;
mod write;

pub use self::declare::{DeclaredField, DeclaredModel};
pub(crate) use self::select::SqliteDialect;

/// How long the structure may take to be read.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(60);

/// How long one view may take to return some rows, which show the types of its columns.
const VIEW_TIMEOUT: Duration = Duration::from_millis(250);
/// How long all views of a file may take for that.
const VIEWS_TIMEOUT: Duration = Duration::from_secs(3);

/// A connected SQLite file.
pub(crate) struct Sqlite {
    pool: pool::Pool,
    /// The connections on which SQL of clients runs, opened when the first of it comes.
    sql: OnceCell<pool::Pool>,
    path: Arc<Path>,
    timeout: Duration,
    /// The models, where they are declared rather than looked for.
    declared: Option<DeclaredModels>,
    lookups: lookup::Lookups,
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Sqlite {
    /// The file that follows `sqlite:` in a URL.
    pub(crate) fn location(url: &str) -> Result<Location> {
        parse_url(url).map(|(path, _)| Location::File(path))
    }

    /// Connects `PATH[?mode=ro|rw]`.
    pub(crate) async fn connect(url: &str, options: ResourceOptions) -> Result<Self> {
        let (path, writable) = parse_url(url)?;
        // What is only looked at has no writer, which would open the files beside it.
        let (untouched, writable) = (options.untouched, writable && !options.untouched);
        let path = std::path::absolute(&path).map_err(|error| connection::missing(&path, error))?;
        let shared: Arc<Path> = path.clone().into();
        let pool = tokio::task::spawn_blocking(move || {
            pool::Pool::start(pool::Options {
                source: connection::Source {
                    path,
                    set_wal: options.set_wal,
                    untouched,
                    prepare: Arc::new(functions::register),
                },
                readers: options.readers,
                writable,
                waits: options.waits,
            })
        })
        .await
        .unwrap_or_else(|_| Err(Error::internal("opening the database panicked")))?;
        Ok(Self {
            pool,
            sql: OnceCell::new(),
            path: shared,
            timeout: options.statement_timeout,
            declared: None,
            lookups: lookup::Lookups::default(),
        })
    }

    /// Declared models over a file that is open already.
    pub(crate) fn declared(pool: pool::Pool, path: Arc<Path>, models: DeclaredModels) -> Self {
        Self {
            pool,
            sql: OnceCell::new(),
            path,
            timeout: ResourceOptions::default().statement_timeout,
            declared: Some(models),
            lookups: lookup::Lookups::default(),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        turn: Work,
        limit: Duration,
        work: impl FnOnce(Session<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T> {
        let path = Arc::clone(&self.path);
        let work = move |open: &connection::Open| {
            let session = Session::of_reader(open, &path);
            session.translate(work(session))
        };
        self.pool.read_in_turn(turn, limit, work).await
    }

    /// Reads records, where the caller is if that is quick.
    async fn read_records<T: Send + 'static>(
        &self,
        turn: Work,
        work: impl Fn(Session<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T> {
        let path = Arc::clone(&self.path);
        let work = move |open: &connection::Open| {
            let session = Session::of_reader(open, &path);
            session.translate(work(session))
        };
        self.pool.read_soon(turn, self.timeout, work).await
    }

    /// Reads a large table by several connections. `None` where it is not large, or they have other work to do.
    async fn aggregate_in_parts(
        &self,
        aggregate: &Arc<aggregate::Aggregate>,
        turn: Work,
    ) -> Result<Option<Bytes>> {
        let connections = self.pool.readers_together();
        if connections < 2 {
            return Ok(None);
        }
        let asked = Arc::clone(aggregate);
        let parts = self.read_records(turn.question(), move |session| {
            asked.parts(session, connections)
        });
        let parts = parts.await?;
        if parts.is_empty() {
            return Ok(None);
        }
        let (path, asked) = (Arc::clone(&self.path), Arc::clone(aggregate));
        let read = move |open: &connection::Open, part: &_| {
            let session = Session::of_reader(open, &path);
            session.translate(asked.part(session, *part))
        };
        let read = self.pool.read_together(turn, self.timeout, parts, read);
        match read.await? {
            Some(parts) => aggregate.put_together(parts),
            None => Ok(None),
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        note: Note,
        work: impl Fn(Session<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T> {
        let work = self.in_session(work);
        let written = self.pool.write(Some(self.timeout), note, work).await;
        written.map_err(refused_write)
    }

    /// Work on a connection, given what is done in a session.
    fn in_session<T>(
        &self,
        work: impl Fn(Session<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> impl Fn(&rusqlite::Connection) -> Result<T> + Send + 'static {
        let path = Arc::clone(&self.path);
        move |connection: &rusqlite::Connection| {
            let session = Session::new(connection, &path);
            session.translate(work(session))
        }
    }
}

/// Why a write failed.
fn refused_write(error: Error) -> Error {
    match error.kind() {
        // It will not pass by itself, as an unreachable database may.
        ErrorKind::Unavailable if fault::is_read_only(&error) => {
            tracing::warn!(%error, "a write was refused");
            Error::invalid("the database of this resource cannot be written")
        }
        ErrorKind::Constraint => crate::record::refusal::at_commit(&error),
        _ => error,
    }
}

#[async_trait]
impl Driver for Sqlite {
    async fn structure(&self) -> Result<Structure> {
        if let Some(models) = &self.declared {
            return Ok(declare::structure(models, self.structure_version().await?));
        }
        self.pool.renew_views();
        let work = Work::new("", "structure", false);
        let read = self.read(work, DISCOVERY_TIMEOUT, |session| {
            Ok(discover::discover(&session)?)
        });
        let (mut models, version) = read.await?;
        let until = Instant::now() + VIEWS_TIMEOUT;
        for model in &mut models {
            let Some(sample) = discover::ViewSample::of(model) else {
                continue;
            };
            if Instant::now() >= until {
                break;
            }
            let work = Work::new(&model.name, "view_sample", true);
            let seen = self.read(work, VIEW_TIMEOUT, move |session| Ok(sample.run(&session)?));
            match seen.await {
                Ok(columns) => discover::set_seen(model, &columns),
                // Its columns keep the types that follow from their expressions.
                Err(error) => {
                    tracing::debug!(view = model.name, %error, "no rows of a view can be looked at");
                }
            }
        }
        Ok(Structure::new(models, version))
    }

    async fn structure_version(&self) -> Result<i64> {
        let work = Work::new("", "structure_version", false);
        self.read(work, self.timeout, |session| {
            Ok(discover::schema_version(&session)?)
        })
        .await
    }

    async fn version(&self) -> Result<String> {
        Ok(rusqlite::version().to_owned())
    }

    async fn ping(&self) -> Result<()> {
        match self.pool.ping().await {
            // Another program works with it.
            Err(error) if error.outage() == Outage::Locked => Ok(()),
            pinged => pinged,
        }
    }

    fn closed(&self) -> Option<BoxFuture<'static, ()>> {
        let closed = self.pool.closed()?;
        Some(Box::pin(closed))
    }

    fn pool_use(&self) -> PoolUse {
        let sql = self.sql.get().map(pool::Pool::pool_use);
        self.pool.pool_use() + sql.unwrap_or_default()
    }

    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part> {
        let query = match self.lookups.find(model, &plan)? {
            Some(lookup) => read::ListQuery::of_lookup(lookup),
            None => read::ListQuery::new(model, plan)?,
        };
        let turn = query.work();
        self.read_records(turn, move |session| query.run(session))
            .await
    }

    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes> {
        let turn = plan.work(model);
        let aggregate = Arc::new(aggregate::Aggregate::new(model, plan)?);
        if aggregate.has_parts()
            && let Some(answer) = self.aggregate_in_parts(&aggregate, turn).await?
        {
            return Ok(answer);
        }
        self.read_records(turn, move |session| aggregate.run(session))
            .await
    }

    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Projection,
    ) -> Result<RecordJson> {
        let statement = select::Statement::of_record(&SqliteDialect, model, &key)?;
        let turn = Work::new(&model.name, "retrieve", false);
        let model = Arc::clone(model);
        self.read_records(turn, move |session| {
            read::retrieve(session, &model, &key, &statement, &shown)
        })
        .await
    }

    async fn value(
        &self,
        model: &Arc<Model>,
        key: Values,
        index: usize,
        zone: Zone,
    ) -> Result<Option<RawValue>> {
        let query = one_field(&SqliteDialect, model, &key, model.at(index)?)?;
        let statement = select::Statement::select(&query);
        let turn = Work::new(&model.name, ("value", index), false);
        let model = Arc::clone(model);
        self.read_records(turn, move |session| {
            let field = model.at(index)?;
            read::value(session, &model, field, &statement, &zone)
        })
        .await
    }

    async fn create(
        &self,
        model: &Arc<Model>,
        body: RecordBody,
        shown: Projection,
        note: Note,
    ) -> Result<RecordJson> {
        let new = write::NewRecord::new(model, &body, shown)?;
        let prepare = note.clone();
        let work = move |session: Session<'_>| {
            let created = new.run(session)?;
            if let Some(note) = &prepare {
                note.prepare(Written::from(&created));
            }
            Ok(created)
        };
        self.write(note, work).await
    }

    async fn bulk_create(&self, model: &Arc<Model>, plan: BulkPlan) -> Result<BulkResults> {
        let note = plan.note.clone();
        let bulk = write::BulkCreate::new(model, plan, Handle::current());
        let prepare = note.clone();
        let work = move |session: Session<'_>| {
            let results = bulk.run(session)?;
            if let (Some(note), [Ok(record)]) = (&prepare, results.as_slice()) {
                note.prepare(record.into());
            }
            Ok(results)
        };
        self.write(note, work).await
    }

    async fn cursors(
        &self,
        model: &Arc<Model>,
        key: Values,
        order: Vec<(usize, bool)>,
    ) -> Result<Around> {
        let place = PlaceQuery::new(&SqliteDialect, model, &key, &order)?;
        let statement = select::Statement::select(&place.select);
        let turn = Work::new(&model.name, "cursors", false);
        let model = Arc::clone(model);
        self.read_records(turn, move |session| {
            session.check_version(&model)?;
            Ok(place.cursors(&model, read::place(session, &model, &statement)?))
        })
        .await
    }

    fn notes_commits(&self) -> bool {
        true
    }

    fn sql_engine(&self) -> Engine {
        Engine::Sqlite
    }

    async fn sql(&self, job: SqlJob) -> Result<SqlOutput> {
        if self.declared.is_some() {
            return Err(Error::invalid("this resource has no SQL"));
        }
        let path = Arc::clone(&self.path);
        let pool = self.sql.get_or_try_init(|| sql::start(&self.path)).await?;
        pool.read(Some(self.timeout), move |connection| {
            let session = Session::new(connection, &path);
            session.translate(sql::run(session, &job))
        })
        .await
    }

    async fn change_all(&self, model: &Arc<Model>, request: ChangeAll) -> Result<ChangedRecords> {
        let change = write::change_all::AllChange::new(model, request)?;
        let work = self.in_session(move |session: Session<'_>| change.run(session));
        let written = self.pool.write_while_awaited(Some(self.timeout), work);
        written.await.map_err(refused_write)
    }

    async fn change(
        &self,
        model: &Arc<Model>,
        request: ChangeRequest,
        note: Note,
    ) -> Result<Changed> {
        let change = write::Change::new(model, request)?;
        let prepare = note.clone();
        let work = move |session: Session<'_>| {
            let changed = change.run(session)?;
            if let Some(note) = &prepare {
                note.prepare(changed.written());
            }
            Ok(changed)
        };
        self.write(note, work).await
    }
}

/// Splits `PATH[?mode=ro|rw]`; `//` in front of the path is optional.
fn parse_url(url: &str) -> Result<(PathBuf, bool)> {
    let path = url.strip_prefix("//").unwrap_or(url);
    let (path, writable) = match path.rsplit_once('?') {
        None => (path, true),
        Some((path, "mode=rw")) => (path, true),
        Some((path, "mode=ro")) => (path, false),
        Some(_) => {
            return Err(Error::invalid(
                "behind the path of an SQLite database only ?mode=ro and ?mode=rw are known",
            ));
        }
    };
    if path.is_empty() || path == ":memory:" {
        return Err(Error::invalid(
            "an SQLite database is given with its path, as in sqlite:shop.db",
        ));
    }
    Ok((PathBuf::from(path), writable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_path_and_perhaps_a_mode() {
        for (url, path, writable) in [
            ("shop.db", "shop.db", true),
            ("///srv/shop.db", "/srv/shop.db", true),
            ("/srv/shop.db?mode=ro", "/srv/shop.db", false),
            ("what?.db?mode=rw", "what?.db", true),
        ] {
            assert_eq!(parse_url(url).unwrap(), (PathBuf::from(path), writable));
        }
        for url in [
            "",
            "?mode=ro",
            ":memory:",
            "a.db?cache=shared",
            "a.db?mode=rwc",
        ] {
            assert!(parse_url(url).is_err(), "{url}");
        }
    }
}
