//! A connected database: its structure, cached, and its records.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use bytes::Bytes;
use svc_model::{
    Count, JsonObject, ListQuery, RecordView,
    records::{AggregateQuery, GroupQuery},
    sql::SqlQuery,
    wire::BoxFuture,
};
use tokio::sync::Mutex;

use crate::{
    Before, Error, ErrorKind, IfMatch, Model, Page, RecordJson, Structure,
    driver::Driver,
    guard::GuardOptions,
    plan::{AggregatePlan, ListPlan, Shown},
    records::{Purpose, read_body, read_key, taken_back},
    sql::{SqlAnswer, SqlJob},
};

/// How long a statement on records may take when nothing else is set.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);

/// A connected database. Cheap to clone; its connections close with the last clone.
#[derive(Clone, Debug)]
pub struct Resource(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    driver: Box<dyn Driver>,
    structure: ArcSwap<Structure>,
    reloading: Mutex<()>,
    guard: GuardOptions,
}

/// How a resource is connected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceOptions {
    /// How long a statement on records may take; 15 seconds.
    pub statement_timeout: Duration,
    /// How many reads of an SQLite file run at once; one per core, at least 2, at most 16.
    pub readers: usize,
    /// How many connections to a database server are open at once, at most, for records; 10.
    pub connections: usize,
    /// Puts an SQLite database into WAL mode, so that readers and the writer do not wait for each other.
    /// Off, since the mode is the owner's choice.
    pub set_wal: bool,
    /// What SQL of clients may do beyond the rules of the guard.
    pub guard: GuardOptions,
}

impl Default for ResourceOptions {
    fn default() -> Self {
        Self {
            statement_timeout: STATEMENT_TIMEOUT,
            readers: std::thread::available_parallelism()
                .map_or(2, |cores| cores.get().clamp(2, 16)),
            connections: 10,
            set_wal: false,
            guard: GuardOptions::default(),
        }
    }
}

/// Where a database is: `sqlite:PATH`, optionally with `?mode=ro`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
/// optionally with `sslmode`, `sslrootcert`, `connect_timeout` and `host` (of a Unix socket) as in libpq; or
/// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, optionally with `ssl-mode`, `ssl-ca` and `socket` as in MySQL's client.
///
/// It may hold a password, so it is shown with its scheme only.
///
/// ```
/// use svc_data::ResourceUrl;
///
/// let url: ResourceUrl = "sqlite:shop.db?mode=ro".parse()?;
/// assert_eq!(url.scheme(), "sqlite");
/// assert_eq!(format!("{url:?}"), "ResourceUrl(sqlite:...)");
/// assert!("oracle://host/db".parse::<ResourceUrl>().is_err());
/// # Ok::<(), svc_data::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ResourceUrl {
    scheme: &'static str,
    /// What follows the scheme and its colon.
    rest: String,
}

impl ResourceUrl {
    /// The engine.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.scheme
    }

    pub(crate) fn rest(&self) -> &str {
        &self.rest
    }
}

impl fmt::Debug for ResourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceUrl({}:...)", self.scheme)
    }
}

impl FromStr for ResourceUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once(':') {
            #[cfg(feature = "sqlite")]
            Some(("sqlite", rest)) => Ok(Self {
                scheme: "sqlite",
                rest: rest.to_owned(),
            }),
            #[cfg(feature = "mysql")]
            Some(("mysql" | "mariadb", rest)) => Ok(Self {
                scheme: "mysql",
                rest: rest.to_owned(),
            }),
            #[cfg(feature = "postgres")]
            Some(("postgres" | "postgresql", rest)) => Ok(Self {
                scheme: "postgres",
                rest: rest.to_owned(),
            }),
            _ => Err(Error::invalid(
                "a resource is given as sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE; other engines are not supported by this build",
            )),
        }
    }
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
    ) -> Result<Self, Error> {
        let guard = options.guard.clone();
        let driver: Box<dyn Driver> = match url.scheme {
            #[cfg(feature = "mysql")]
            "mysql" => Box::new(crate::mysql::Mysql::connect(url.rest(), &options)?),
            #[cfg(feature = "postgres")]
            "postgres" => Box::new(crate::postgres::Postgres::connect(url.rest(), &options)?),
            #[cfg(feature = "sqlite")]
            "sqlite" => Box::new(crate::sqlite::Sqlite::connect(url.rest(), options).await?),
            scheme => {
                return Err(Error::invalid(format!(
                    "{scheme} is not supported by this build"
                )));
            }
        };
        Self::over(name.into(), driver, guard).await
    }

    /// A resource over a driver that is connected.
    pub(crate) async fn over(
        name: String,
        driver: Box<dyn Driver>,
        guard: GuardOptions,
    ) -> Result<Self, Error> {
        let structure = driver.structure().await?;
        Ok(Self(Arc::new(Inner {
            name,
            driver,
            structure: ArcSwap::from_pointee(structure),
            reloading: Mutex::new(()),
            guard,
        })))
    }

    /// The name it was connected under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The structure, as it was last read.
    #[must_use]
    pub fn structure(&self) -> Arc<Structure> {
        self.0.structure.load_full()
    }

    /// Reads the structure anew. Requests go on with the old one until it is there; calls at the same time
    /// share one reading.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read; the old structure stays.
    pub async fn reload(&self) -> Result<(), Error> {
        self.reload_from(&self.structure()).await
    }

    /// Reads the structure anew when the database has another one by now, and says whether it had. Worth
    /// asking before a name is refused as unknown.
    ///
    /// # Errors
    /// As [`Resource::reload`].
    pub async fn reload_if_changed(&self) -> Result<bool, Error> {
        let structure = self.structure();
        if self.is_current(&structure).await? {
            return Ok(false);
        }
        self.reload_from(&structure).await?;
        Ok(true)
    }

    /// Reads the structure anew unless somebody else has done so since `seen`.
    async fn reload_from(&self, seen: &Arc<Structure>) -> Result<(), Error> {
        let _one_at_a_time = self.0.reloading.lock().await;
        if !Arc::ptr_eq(&self.structure(), seen) {
            return Ok(());
        }
        let structure = self.0.driver.structure().await?;
        self.0.structure.store(Arc::new(structure));
        Ok(())
    }

    /// A model by its name, in the structure as it was last read; see [`Resource::find_model`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is none.
    pub fn model(&self, name: &str) -> Result<Arc<Model>, Error> {
        self.0
            .structure
            .load()
            .model(name)
            .map(Arc::clone)
            .ok_or_else(|| Error::not_found(format!("no model {name:?} in this resource")))
    }

    /// A model by its name; one that is not known is looked for in the database before it is missed.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is none, [`ErrorKind::Unavailable`] when the database cannot be
    /// asked.
    pub async fn find_model(&self, name: &str) -> Result<Arc<Model>, Error> {
        if self.structure().model(name).is_none() {
            self.reload_if_changed().await?;
        }
        self.model(name)
    }

    /// Lists records (specification, section 4).
    ///
    /// A page of more than a mebibyte comes in parts: this is the first, and [`Page::rest`] reads the next.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the query does not fit the model, [`ErrorKind::Unavailable`] and
    /// [`ErrorKind::Timeout`] when the database does not answer.
    pub async fn list(&self, model: &Arc<Model>, query: &ListQuery) -> Result<Page, Error> {
        let part = self
            .with_structure(model, |driver, structure, model| {
                let plan = ListPlan::resolve(structure, model, query)?;
                Ok(driver.list(model, plan))
            })
            .await?;
        Ok(Page::of_part(self, model, query, part))
    }

    /// Aggregates records: the JSON `{"y_func": value}` (wire contract, section 4).
    ///
    /// # Errors
    /// As [`Resource::list`]; [`ErrorKind::Invalid`] also when the function does not fit the field.
    pub async fn aggregate(
        &self,
        model: &Arc<Model>,
        query: &AggregateQuery,
    ) -> Result<Bytes, Error> {
        self.with_structure(model, |driver, structure, model| {
            let plan = AggregatePlan::of_all(structure, model, query)?;
            Ok(driver.aggregate(model, plan))
        })
        .await
    }

    /// Aggregates each group of records: a JSON array of `{"group", "group_2", ..., "y_func"}`, ascending by
    /// the groups, NULL first.
    ///
    /// # Errors
    /// As [`Resource::aggregate`].
    pub async fn group(&self, model: &Arc<Model>, query: &GroupQuery) -> Result<Bytes, Error> {
        self.with_structure(model, |driver, structure, model| {
            let plan = AggregatePlan::of_groups(structure, model, query)?;
            Ok(driver.aggregate(model, plan))
        })
        .await
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
    ) -> Result<RecordJson, Error> {
        self.with_structure(model, |driver, _, model| {
            let shown = Shown::resolve(model, view)?;
            Ok(driver.retrieve(model, read_key(model, id)?, shown))
        })
        .await
    }

    /// Creates a record and gives it back whole.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] with messages by field when the body or a rule of the database does not
    /// allow it, else as [`Resource::list`].
    pub async fn create(
        &self,
        model: &Arc<Model>,
        body: &JsonObject,
        view: &RecordView,
    ) -> Result<RecordJson, Error> {
        self.with_structure(model, |driver, _, model| {
            writable(model, model.writes.create, "created")?;
            let shown = Shown::resolve(model, view)?;
            let values = read_body(model, body, &shown.zone, Purpose::Create)?;
            Ok(driver.create(model, values, shown))
        })
        .await
    }

    /// Creates records in one transaction and tells what became of each, in their order.
    ///
    /// One that is refused does not take its neighbours along. With `atomic`, either all are created or
    /// none.
    ///
    /// # Errors
    /// As [`Resource::create`] where it is about all of them; what is wrong with one is its own.
    pub async fn bulk_create(
        &self,
        model: &Arc<Model>,
        bodies: &[JsonObject],
        atomic: bool,
        view: &RecordView,
    ) -> Result<Vec<Result<RecordJson, Error>>, Error> {
        self.with_structure(model, |driver, _, model| {
            writable(model, model.writes.create, "created")?;
            let shown = Shown::resolve(model, view)?;
            let read = |body| read_body(model, body, &shown.zone, Purpose::Create);
            let read: Vec<_> = bodies.iter().map(read).collect();
            let any_refused = read.iter().any(Result::is_err);
            Ok(Box::pin(async move {
                let (mut fit, mut refused) = (Vec::new(), Vec::with_capacity(read.len()));
                for record in read {
                    refused.push(match record {
                        Ok(values) => {
                            fit.push(values);
                            None
                        }
                        Err(error) => Some(error),
                    });
                }
                let created = match any_refused && atomic {
                    true => fit.iter().map(|_| Err(taken_back())).collect(),
                    false => driver.bulk_create(model, fit, atomic, shown).await?,
                };
                let mut created = created.into_iter();
                let each = refused.into_iter().map(|refused| match refused {
                    Some(error) => Ok(Err(error)),
                    None => created
                        .next()
                        .ok_or_else(|| Error::internal("a bulk create forgot a record")),
                });
                each.collect()
            }))
        })
        .await
    }

    /// The primary keys of the records before and after one, in the order of a query and among the records
    /// that it selects, as the JSON `{"prev": {...} | null, "next": {...} | null}`.
    ///
    /// # Errors
    /// As [`Resource::retrieve`] and [`Resource::list`].
    pub async fn siblings(
        &self,
        model: &Arc<Model>,
        id: &str,
        query: &ListQuery,
    ) -> Result<Bytes, Error> {
        self.with_structure(model, |driver, structure, model| {
            let mut query = query.clone();
            query.fields = Some(model.primary_key().map(|key| key.name.clone()).collect());
            query.count = Count::None;
            query.per_page = Some(1);
            let key = read_key(model, id)?;
            let mut forward = ListPlan::resolve(structure, model, &query)?;
            let mut back = ListPlan::resolve(structure, model, &query)?;
            for (_, descending) in &mut back.order {
                *descending = !*descending;
            }
            Ok(Box::pin(async move {
                let place = |order: &[(usize, bool)]| {
                    driver.cursor_behind(model, key.clone(), order.to_vec())
                };
                back.after = Some(place(&back.order).await?);
                let before = driver.list(model, back).await?;
                forward.after = Some(place(&forward.order).await?);
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

    /// Changes the fields of a record that the body names and gives it back whole, with what it was
    /// [before](RecordJson::before).
    ///
    /// # Errors
    /// As [`Resource::create`]; [`ErrorKind::NotFound`] when there is no such record,
    /// [`ErrorKind::PreconditionFailed`] when it is not the one of `if_match`.
    pub async fn update(
        &self,
        model: &Arc<Model>,
        id: &str,
        body: &JsonObject,
        if_match: Option<&IfMatch>,
        view: &RecordView,
    ) -> Result<RecordJson, Error> {
        self.change(model, id, body, if_match, view, Purpose::Update)
            .await
    }

    /// Replaces a record: required fields must be there, others that are left out get their default or
    /// NULL. The primary key may be left out and then stays.
    ///
    /// # Errors
    /// As [`Resource::update`].
    pub async fn replace(
        &self,
        model: &Arc<Model>,
        id: &str,
        body: &JsonObject,
        if_match: Option<&IfMatch>,
        view: &RecordView,
    ) -> Result<RecordJson, Error> {
        self.change(model, id, body, if_match, view, Purpose::Replace)
            .await
    }

    /// Answers a read-only SQL query (specification, section 1; wire contract, section 5).
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the guard refuses the query, naming the rule, and when the database does, in
    /// its words; else as [`Resource::list`].
    pub async fn sql(&self, query: &SqlQuery) -> Result<SqlAnswer, Error> {
        let driver = &self.0.driver;
        let job = SqlJob::new(query, driver.sql_engine(), &self.0.guard)?;
        driver.sql(job).await
    }

    /// Deletes a record and gives what it was.
    ///
    /// # Errors
    /// As [`Resource::update`].
    pub async fn delete(
        &self,
        model: &Arc<Model>,
        id: &str,
        if_match: Option<&IfMatch>,
    ) -> Result<Before, Error> {
        self.with_structure(model, |driver, _, model| {
            writable(model, model.writes.delete, "deleted")?;
            let key = read_key(model, id)?;
            Ok(driver.delete(model, key, if_match.cloned()))
        })
        .await
    }

    async fn change(
        &self,
        model: &Arc<Model>,
        id: &str,
        body: &JsonObject,
        if_match: Option<&IfMatch>,
        view: &RecordView,
        purpose: Purpose,
    ) -> Result<RecordJson, Error> {
        self.with_structure(model, |driver, _, model| {
            writable(model, model.writes.update, "updated")?;
            let shown = Shown::resolve(model, view)?;
            let key = read_key(model, id)?;
            let values = read_body(model, body, &shown.zone, purpose)?;
            let replace = purpose == Purpose::Replace;
            Ok(driver.update(model, key, values, replace, if_match.cloned(), shown))
        })
        .await
    }

    /// Does what `plan` makes of the structure; when that has changed underneath, reads it anew and does
    /// it once more.
    async fn with_structure<T>(
        &self,
        model: &Arc<Model>,
        plan: impl for<'m> Fn(
            &'m dyn Driver,
            &'m Structure,
            &'m Arc<Model>,
        ) -> Result<BoxFuture<'m, Result<T, Error>>, Error>,
    ) -> Result<T, Error> {
        let structure = self.structure();
        let current = structure.model(&model.name).unwrap_or(model);
        let refused = match plan(&*self.0.driver, &structure, current) {
            Ok(call) => match call.await {
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
            "the structure has changed and is read anew"
        );
        self.reload_from(&structure).await?;
        let model = self.model(&model.name)?;
        plan(&*self.0.driver, &self.structure(), &model)?
            .await
            .map_err(no_longer_changing)
    }

    /// Whether the database still has this structure.
    async fn is_current(&self, structure: &Structure) -> Result<bool, Error> {
        Ok(self.0.driver.structure_version().await? == structure.version)
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
        ErrorKind::StructureChanged => {
            Error::new(ErrorKind::Unavailable, error.to_string()).with_source(error)
        }
        _ => error,
    }
}

fn writable(model: &Model, allowed: bool, what: &str) -> Result<(), Error> {
    if allowed {
        return Ok(());
    }
    let name = &model.name;
    Err(Error::invalid(match model.is_view {
        true => {
            format!("records of the view {name:?} cannot be {what}: it has no trigger for that")
        }
        false => format!(
            "records of {name:?} cannot be {what}: the user that this service has in the database may not do that"
        ),
    }))
}
