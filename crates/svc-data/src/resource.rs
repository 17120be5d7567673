//! A connected database: its structure, cached, and its records.

mod aggregate;
mod bulk_create;
mod change;
mod change_all;
mod connect;
mod create;
mod examine;
mod expand;
mod functions;
mod keys;
mod list;
mod page;
mod part;
mod references;
mod sql;
mod statements;
mod structure_check;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use bytes::Bytes;
use jiff::Timestamp;
use svc_model::{Count, Invalid, ListQuery, RecordView, wire::BoxFuture};
use tokio::sync::Mutex;

pub use self::bulk_create::{BulkOptions, NewRecords};
pub use self::change::UpdateOptions;
pub(crate) use self::change::writable;
pub use self::connect::{Location, ResourceUrl, ServerLocation};
pub use self::examine::Examined;
pub use self::page::{Page, Rest};
pub use self::statements::StatementKind;
use self::statements::Statements;
use self::structure_check::{Due, StructureCheck};
use crate::{
    CommitNote, DurationCounts, Error, ErrorKind, KeepValues, Model, RecordJson, ResourceOptions,
    Result, Structure,
    engine::Driver,
    plan::ListPlan,
    record::{Keeping, Note, Projection, RawValue, read_key},
    value::time::Zone,
};

/// How long a request waits for the comparison of the structure, before it continues with the known one.
const CHECK_PATIENCE: Duration = Duration::from_millis(500);

/// A connected database. Cheap to clone; its connections close with the last clone.
#[derive(Clone, Debug)]
pub struct Resource {
    inner: Arc<Inner>,
    /// What notes the writes of this clone.
    note: Note,
    /// Which values of written records this clone keeps.
    values: Option<Arc<KeepValues>>,
    /// Which models may be read through this clone; `None` for all.
    readable: Option<Readable>,
}

/// Whether the records of a model may be read.
#[derive(Clone)]
struct Readable(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Readable")
    }
}

#[derive(Debug)]
struct Inner {
    name: String,
    driver: Box<dyn Driver>,
    structure: ArcSwap<Structure>,
    /// When the structure was read, in milliseconds of the Unix epoch.
    structure_read: AtomicI64,
    reloading: Mutex<()>,
    check: StructureCheck,
    statements: Statements,
}

impl Resource {
    /// Connects a database and reads its structure. A file that does not exist is not created.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with the file and a remedy when the database cannot be opened,
    /// [`ErrorKind::Invalid`] when the URL is wrong.
    pub async fn connect(
        name: impl Into<String>,
        url: &ResourceUrl,
        options: ResourceOptions,
    ) -> Result<Self> {
        let structure_check = options.structure_check;
        let driver: Box<dyn Driver> = match url.scheme() {
            #[cfg(feature = "mysql")]
            "mysql" => Box::new(crate::engine::mysql::Mysql::connect(url.rest(), &options)?),
            #[cfg(feature = "postgres")]
            "postgres" => Box::new(crate::engine::postgres::Postgres::connect(
                url.rest(),
                &options,
            )?),
            #[cfg(feature = "sqlite")]
            "sqlite" => {
                Box::new(crate::engine::sqlite::Sqlite::connect(url.rest(), options).await?)
            }
            scheme => {
                return Err(Error::invalid(format!(
                    "{scheme} is not supported by this build"
                )));
            }
        };
        Self::over(name.into(), driver, structure_check).await
    }

    /// Whether a write to the database is noted before its commit, by those that [note](Self::noting) writes. SQLite's are; other
    /// engines commit a write in the same step as they make it.
    pub fn notes_commits(&self) -> bool {
        self.inner.driver.notes_commits()
    }

    /// The same resource, with a note of the write that is made through this clone: a create of one record, an update or
    /// a delete.
    #[must_use]
    pub fn noting(&self, note: Arc<dyn CommitNote>) -> Self {
        Self {
            note: Some(note),
            ..self.clone()
        }
    }

    /// The same resource, whose writes [tell](crate::Written::changes) what they did to the values of records. They are read by the
    /// write itself.
    #[must_use]
    pub fn keeping(&self, values: Arc<KeepValues>) -> Self {
        Self {
            values: Some(values),
            ..self.clone()
        }
    }

    /// What is kept of the records of a model.
    fn kept(&self, model: &Model) -> Option<Keeping> {
        let values = self.values.as_deref();
        values.map(|values| Keeping::new(model, values))
    }

    /// The same resource for a caller who may read some models alone: related records of others are null
    /// ([`ListQuery::expand`]). The model that a call names is not checked.
    #[must_use]
    pub fn readable(&self, may_read: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self {
            readable: Some(Readable(Arc::new(may_read))),
            ..self.clone()
        }
    }

    fn may_read(&self, model: &str) -> bool {
        self.readable
            .as_ref()
            .is_none_or(|readable| (readable.0)(model))
    }

    /// A resource over a driver that is connected.
    pub(crate) async fn over(
        name: String,
        driver: Box<dyn Driver>,
        structure_check: Duration,
    ) -> Result<Self> {
        let checked = Instant::now();
        let statements = Statements::default();
        let read = statements.timed(StatementKind::Structure, driver.structure());
        let structure = read.await?;
        Ok(Self {
            inner: Arc::new(Inner {
                name,
                driver,
                structure: ArcSwap::from_pointee(structure),
                structure_read: AtomicI64::new(Timestamp::now().as_millisecond()),
                reloading: Mutex::new(()),
                check: StructureCheck::new(structure_check, checked),
                statements,
            }),
            note: None,
            values: None,
            readable: None,
        })
    }

    /// The name it was connected under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The structure, as it was last read.
    #[must_use]
    pub fn structure(&self) -> Arc<Structure> {
        self.inner.structure.load_full()
    }

    /// How long statements took since the database was connected, by what they were for. The wait for a connection is part
    /// of it.
    #[must_use]
    pub fn statement_durations(&self) -> Vec<(StatementKind, DurationCounts)> {
        self.inner.statements.counts()
    }

    /// When the structure was last read.
    #[must_use]
    pub fn structure_read(&self) -> Timestamp {
        let read = self.inner.structure_read.load(Ordering::Relaxed);
        Timestamp::from_millisecond(read).unwrap_or_default()
    }

    /// Reads the structure again. Requests continue with the old one until it is there; calls at the same time
    /// share one reading.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read; the old structure stays.
    pub async fn reload(&self) -> Result<()> {
        self.reload_from(&self.structure()).await
    }

    /// Reads the structure again when the database has another one by now, and says whether it had. Worth
    /// asking before a name is refused as unknown.
    ///
    /// # Errors
    /// As [`Resource::reload`].
    pub async fn reload_if_changed(&self) -> Result<bool> {
        let structure = self.structure();
        if self.is_current(&structure).await? {
            return Ok(false);
        }
        self.reload_from(&structure).await?;
        Ok(true)
    }

    /// Reads the structure again unless another call has done so since `seen`.
    async fn reload_from(&self, seen: &Arc<Structure>) -> Result<()> {
        let _one_at_a_time = self.inner.reloading.lock().await;
        if !Arc::ptr_eq(&self.structure(), seen) {
            return Ok(());
        }
        let (statements, driver) = (&self.inner.statements, &self.inner.driver);
        let read = statements.timed(StatementKind::Structure, driver.structure());
        let structure = read.await?;
        self.inner.structure.store(Arc::new(structure));
        let now = Timestamp::now().as_millisecond();
        self.inner.structure_read.store(now, Ordering::Relaxed);
        Ok(())
    }

    /// A model by its name, in the structure as it was last read; see [`Resource::find_model`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is none.
    pub fn model(&self, name: &str) -> Result<Arc<Model>> {
        self.inner
            .structure
            .load()
            .model(name)
            .map(Arc::clone)
            .ok_or_else(|| Error::not_found(format!("no model {name:?} in this resource")))
    }

    /// Compares the structure with the database where that was not done lately
    /// ([`ResourceOptions::structure_check`]), so that what a migration added is known. A resource that is used
    /// all the time is compared beside its requests; after a pause the first request waits for it, but not for
    /// long.
    pub async fn check_structure(&self) {
        let due = self.inner.check.due(Instant::now());
        if due == Due::Not {
            return;
        }
        let resource = self.clone();
        let comparison = tokio::spawn(async move {
            if let Err(error) = resource.reload_if_changed().await {
                // The request that asked learns by itself what is wrong with the database.
                tracing::debug!(resource = resource.name(), %error, "the structure could not be compared");
            }
        });
        if due == Due::Now {
            // Late is as good as failed: the known structure serves until the next comparison.
            let _ = tokio::time::timeout(CHECK_PATIENCE, comparison).await;
        }
    }

    /// A model by its name; one that is not known is looked for in the database before it is missed.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is none, [`ErrorKind::Unavailable`] when the database cannot be
    /// asked.
    pub async fn find_model(&self, name: &str) -> Result<Arc<Model>> {
        self.check_structure().await;
        if let Ok(model) = self.model(name) {
            return Ok(model);
        }
        self.reload_if_changed().await?;
        self.model(name)
    }

    /// A model by its name, and what `read` makes of a request against its fields, such as a query. Before a request is
    /// refused, the structure is read again where the database has another one by now.
    ///
    /// # Errors
    /// As [`Resource::find_model`]; [`ErrorKind::Invalid`] with what `read` refuses.
    pub async fn read_against<T>(
        &self,
        name: &str,
        read: impl Fn(&Model) -> Result<T, Invalid>,
    ) -> Result<(Arc<Model>, T)> {
        let mut model = self.find_model(name).await?;
        let result = match read(&model) {
            Err(_) if self.reload_if_changed().await? => {
                model = self.model(name)?;
                read(&model)
            }
            result => result,
        };
        Ok((model, result?))
    }

    /// Lists records (specification, section 4).
    ///
    /// A page of more than a mebibyte comes in parts: this is the first, and [`Page::rest`] reads the next.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the query does not fit the model, [`ErrorKind::Unavailable`] and
    /// [`ErrorKind::Timeout`] when the database does not answer.
    pub async fn list(&self, model: &Arc<Model>, query: &ListQuery) -> Result<Page> {
        match &query.expand {
            Some(expand) => Box::pin(self.list_expanded(model, query, expand)).await,
            None => self.list_page(model, query, None).await,
        }
    }

    /// Gets one record by its primary key, decoded from the path.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is none, else as [`Resource::list`].
    pub async fn retrieve(
        &self,
        model: &Arc<Model>,
        id: &str,
        view: &RecordView,
    ) -> Result<RecordJson> {
        let record = self.with_structure(model, StatementKind::Retrieve, |driver, _, model| {
            let shown = Projection::resolve(model, view)?;
            Ok(driver.retrieve(model, read_key(model, id)?, shown))
        });
        let mut record = record.await?;
        if let Some(expand) = &view.expand {
            // Read after its entity tag, so that the tag is not newer.
            record.body = Box::pin(self.retrieve_expanded(model, id, view, expand)).await?;
        }
        Ok(record)
    }

    /// Gets the value of one field of a record by itself; `None` for NULL. No other field is read.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is no such field or record, [`ErrorKind::Invalid`] when the value has more than
    /// 64 MiB, else as [`Resource::list`].
    pub async fn value(
        &self,
        model: &Arc<Model>,
        id: &str,
        field: &str,
        time_zone: Option<&str>,
    ) -> Result<Option<RawValue>> {
        self.with_structure(model, StatementKind::Value, |driver, _, model| {
            let zone = Zone::parse(time_zone);
            let zone = zone.map_err(|message| Error::invalid_field("tz", message))?;
            let index = model.index_of(field).ok_or_else(|| {
                Error::not_found(format!("no field {field:?} in {:?}", model.name))
            })?;
            Ok(driver.value(model, read_key(model, id)?, index, zone))
        })
        .await
    }

    /// The primary keys of the records before and after one, in the order of a query and among the records
    /// that it selects, as the JSON `{"prev": {...} | null, "next": {...} | null}`.
    ///
    /// # Errors
    /// As [`Resource::retrieve`] and [`Resource::list`].
    pub async fn siblings(&self, model: &Arc<Model>, id: &str, query: &ListQuery) -> Result<Bytes> {
        self.with_structure(model, StatementKind::List, |driver, structure, model| {
            let mut query = query.clone();
            query.fields = Some(model.primary_key().map(|key| key.name.clone()).collect());
            query.count = Count::None;
            query.per_page = Some(1);
            (query.after, query.before) = (None, None);
            let key = read_key(model, id)?;
            let mut back = ListPlan::resolve(structure, model, &query)?;
            back.reversed = true;
            let mut forward = ListPlan::resolve(structure, model, &query)?;
            Ok(Box::pin(async move {
                let around = driver.cursors(model, key, forward.order.clone()).await?;
                back.before = Some(around.before);
                let before = driver.list(model, back).await?;
                forward.after = Some(around.after);
                let behind = driver.list(model, forward).await?;
                let mut json = Vec::with_capacity(64);
                for (name, part) in [("{\"prev\":", before), (",\"next\":", behind)] {
                    json.extend_from_slice(name.as_bytes());
                    let inside = part.results.strip_prefix(b"[");
                    match inside.and_then(|inside| inside.strip_suffix(b"]")) {
                        Some(record) if part.len > 0 => json.extend_from_slice(record),
                        _ => json.extend_from_slice(b"null"),
                    }
                }
                json.push(b'}');
                Ok(json.into())
            }))
        })
        .await
    }

    /// Does what `plan` makes of the structure; when that has changed underneath, reads it again and does
    /// it once more.
    pub(crate) async fn with_structure<T>(
        &self,
        model: &Arc<Model>,
        kind: StatementKind,
        plan: impl for<'m> Fn(
            &'m dyn Driver,
            &'m Structure,
            &'m Arc<Model>,
        ) -> Result<BoxFuture<'m, Result<T>>>,
    ) -> Result<T> {
        let structure = self.structure();
        let current = match model.structure_version == structure.version {
            true => model,
            false => structure.model(&model.name).unwrap_or(model),
        };
        let refused = match plan(&*self.inner.driver, &structure, current) {
            Ok(call) => match self.inner.statements.timed(kind, call).await {
                Err(error) if error.kind() == ErrorKind::StructureChanged => error,
                result => return result,
            },
            // It may name a field that was added since.
            Err(error) if self.is_current(&structure).await? => return Err(error),
            Err(error) => error,
        };
        tracing::info!(
            resource = self.name(),
            %refused,
            "the structure has changed and is read again"
        );
        self.reload_from(&structure).await?;
        let model = self.model(&model.name)?;
        let structure = self.structure();
        let call = plan(&*self.inner.driver, &structure, &model)?;
        let answer = self.inner.statements.timed(kind, call);
        answer.await.map_err(no_longer_changing)
    }

    /// Whether the database still has this structure.
    async fn is_current(&self, structure: &Structure) -> Result<bool> {
        Ok(self.inner.driver.structure_version().await? == structure.version)
    }
}

/// Tells a structure that does not fit although it was just read.
fn no_longer_changing(error: Error) -> Error {
    match error.kind() {
        // The engine itself missed something: a view or trigger names what is not there.
        ErrorKind::StructureChanged if std::error::Error::source(&error).is_some() => {
            tracing::warn!(%error, "a view or trigger refers to something that is not there");
            Error::invalid(
                "a view or trigger of the database refers to something that the database does not have",
            )
        }
        ErrorKind::StructureChanged => Error::unavailable(error.to_string()).with_source(error),
        _ => error,
    }
}
