//! A database of our own: rows in and out, whatever the engine. The control plane lives on it.

use std::{path::Path, sync::Arc, time::Duration};

#[cfg(doc)]
use crate::ErrorKind;
#[cfg(any(doc, feature = "postgres"))]
use crate::FileFault;
use crate::{
    DeclaredModel, Error, Resource, Result,
    engine::sqlite::{
        Sqlite as Driver,
        connection::{Source, missing},
        functions,
        pool::{Options, Pool},
        session::Session,
    },
};

mod backup;
mod file;
mod migrations;
mod moving;
mod new_file;
#[cfg(feature = "postgres")]
mod server;
mod session;
mod upkeep;
mod value;

pub use file::DatabaseFile;
pub use moving::{NewDatabase, NotAdded, Snapshot, Table, Values};

#[cfg(feature = "postgres")]
pub use server::{DatabaseLock, Wording};
pub use value::{ColumnIndex, FromValue, Row, Value};

/// How many threads read the control plane.
const READERS: usize = 2;

/// A database of our own. Cheap to clone; its threads end with the last clone.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), svc_data::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// use svc_data::{Connection, Database, Error, Migration};
///
/// let migrations = [Migration {
///     version: 1,
///     name: "projects",
///     sql: "CREATE TABLE project (name TEXT PRIMARY KEY NOT NULL)",
/// }];
/// let database = Database::open_sqlite(&folder.path().join("store.db"), &migrations).await?;
/// database
///     .write(|connection| connection.execute("INSERT INTO project VALUES (?1)", &["main".into()]))
///     .await?;
/// let names: Vec<String> = database
///     .read(|connection| {
///         let rows = connection.query("SELECT name FROM project", &[])?;
///         rows.iter().map(|row| row.get("name")).collect::<Result<_, Error>>()
///     })
///     .await?;
/// assert_eq!(names, ["main"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Database(Place);

/// Where a database is.
#[derive(Clone)]
enum Place {
    File(File),
    #[cfg(feature = "postgres")]
    Server(Arc<server::Server>),
}

/// A file of SQLite.
#[derive(Clone)]
struct File {
    pool: Pool,
    path: Arc<Path>,
}

/// One step in the history of a database's structure.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number; 1, 2, 3, ...
    pub version: u32,
    /// What it does, in a few lower-case words joined by `_`.
    pub name: &'static str,
    /// The statements. An applied migration must never be changed.
    pub sql: &'static str,
}

/// A connection inside [`Database::read`] or [`Database::write`].
///
/// Placeholders are `?1`, `?2`, ... on every engine.
pub trait Connection {
    /// Runs a statement and says how many rows it changed.
    ///
    /// # Errors
    /// [`ErrorKind::Constraint`] when a rule of the database refused, other kinds as they come.
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64>;

    /// Runs a statement and returns its rows.
    ///
    /// # Errors
    /// As [`Connection::execute`].
    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>>;

    /// Hands over the first column of the first row, a text, as it is in the database: for what is long
    /// and goes on as it is. Says whether there was a row.
    ///
    /// # Errors
    /// As [`Connection::execute`], and [`ErrorKind::Internal`] when the value is not text.
    fn read_text(
        &mut self,
        sql: &str,
        params: &[Value],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool>;

    /// Runs one statement for every set of values, prepared once.
    ///
    /// # Errors
    /// As [`Connection::execute`]; the first failure ends it.
    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<u64>;

    /// Runs one statement for every set of values, with the end of the work at the latest: nobody waits for its answer,
    /// and where it fails, the work has failed. What reads or writes after it finds it done.
    ///
    /// # Errors
    /// As [`Connection::execute`], where it was run at once.
    fn execute_at_end(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<()> {
        self.execute_many(sql, rows).map(drop)
    }

    /// Has everybody who waits for [`Database::changed`], in any process, hear of this change once it is made.
    fn announce(&mut self) {}

    /// The only row of a result, or none.
    ///
    /// # Errors
    /// As [`Connection::execute`], and [`ErrorKind::Internal`] when there are several rows.
    fn query_one(&mut self, sql: &str, params: &[Value]) -> Result<Option<Row>> {
        let mut rows = self.query(sql, params)?;
        let row = rows.pop();
        if rows.is_empty() {
            Ok(row)
        } else {
            Err(Error::internal("a query for one row gave several"))
        }
    }
}

impl Database {
    /// Opens or creates an SQLite file (mode 0600, WAL, `synchronous=FULL`) and applies the
    /// migrations it does not have yet.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with the file and a remedy when it cannot be opened, and when a newer
    /// version of the program or another one has written it.
    pub async fn open_sqlite(path: &Path, migrations: &[Migration]) -> Result<Self> {
        Self::open(path, migrations, |path| {
            new_file::create(path)?;
            upkeep::let_shrink(path)
        })
        .await
    }

    /// Opens an SQLite file as [`open_sqlite`](Self::open_sqlite) does, but only one that migrations were applied to
    /// before: a missing or empty file stays as it is.
    ///
    /// # Errors
    /// As [`open_sqlite`](Self::open_sqlite), and [`ErrorKind::Unavailable`] with the source
    /// [`FileFault::Empty`] when the file is missing or has no structure yet.
    pub async fn open_existing_sqlite(path: &Path, migrations: &[Migration]) -> Result<Self> {
        Self::open(path, migrations, new_file::check_structure_exists).await
    }

    async fn open(
        path: &Path,
        migrations: &[Migration],
        prepare_file: impl FnOnce(&Path) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| missing(path, error))?;
        let migrations = migrations.to_vec();
        tokio::task::spawn_blocking(move || {
            prepare_file(&path)?;
            let source = migrations::source(path);
            migrations::apply(&source, &migrations)?;
            Self::over_file(source, READERS, true)
        })
        .await
        .unwrap_or_else(|_| Err(Error::internal("opening the database panicked")))
    }

    /// The file of a source, with so many connections that read it.
    fn over_file(source: Source, readers: usize, writable: bool) -> Result<Self> {
        let path: Arc<Path> = source.path.as_path().into();
        let pool = Pool::start(Options {
            source,
            readers,
            writable,
            waits: Arc::default(),
        })?;
        Ok(Self(Place::File(File { pool, path })))
    }

    /// Opens an SQLite file to read it as it is: no migration is applied, and no file is made beside it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with the file and a remedy when it cannot be read.
    pub async fn open_untouched_sqlite(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| missing(path, error))?;
        tokio::task::spawn_blocking(move || {
            let source = Source {
                path,
                set_wal: false,
                untouched: true,
                prepare: Arc::new(functions::register),
            };
            Self::over_file(source, 1, false)
        })
        .await
        .unwrap_or_else(|_| Err(Error::internal("opening the database panicked")))
    }

    /// Opens a database on a PostgreSQL server, and applies the migrations that it does not have yet: one process does, others
    /// wait. `wording` says what of statements and migrations is written in another way there, and `declared` are the models
    /// that [`resource`](Self::resource) is asked for.
    ///
    /// All that writes does so one after the other, whichever process asks for it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the URL cannot be read; [`ErrorKind::Unavailable`] when the server cannot be reached, and
    /// when a newer version of the program has written the database.
    #[cfg(feature = "postgres")]
    pub async fn open_postgres(
        url: &str,
        migrations: &[Migration],
        wording: Wording,
        declared: &[DeclaredModel],
    ) -> Result<Self> {
        Self::open_on_server(url, migrations, wording, declared, false).await
    }

    /// Opens a database as [`open_postgres`](Self::open_postgres) does, but only one that migrations were applied to before.
    ///
    /// # Errors
    /// As [`open_postgres`](Self::open_postgres), and [`ErrorKind::Unavailable`] with the source [`FileFault::Empty`] when
    /// there is no structure of these migrations.
    #[cfg(feature = "postgres")]
    pub async fn open_existing_postgres(
        url: &str,
        migrations: &[Migration],
        wording: Wording,
        declared: &[DeclaredModel],
    ) -> Result<Self> {
        Self::open_on_server(url, migrations, wording, declared, true).await
    }

    /// Opens a database on a PostgreSQL server to read it as it is: no migration is applied, and nothing is asked yet.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the URL cannot be read.
    #[cfg(feature = "postgres")]
    pub async fn open_untouched_postgres(url: &str, wording: Wording) -> Result<Self> {
        Ok(Self(Place::Server(server::Server::at(url, wording).await?)))
    }

    #[cfg(feature = "postgres")]
    async fn open_on_server(
        url: &str,
        migrations: &[Migration],
        wording: Wording,
        declared: &[DeclaredModel],
        must_exist: bool,
    ) -> Result<Self> {
        let server = server::Server::at(url, wording).await?;
        if must_exist && !server.has_structure().await? {
            return Err(
                Error::unavailable("the database has no tables of this program")
                    .with_source(FileFault::Empty),
            );
        }
        server.migrate(migrations, declared).await?;
        Ok(Self(Place::Server(server)))
    }

    /// Runs `f` on a view of the database that does not change underneath it. It sees every write that
    /// was answered before this call.
    ///
    /// # Errors
    /// What `f` returns, and [`Error`] when the database cannot be read.
    pub async fn read<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let File { pool, path } = match &self.0 {
            Place::File(file) => file.clone(),
            #[cfg(feature = "postgres")]
            Place::Server(server) => return server.read(f).await,
        };
        pool.read(None, move |connection| {
            f(&mut Session::new(connection, &path))
        })
        .await
    }

    /// Runs `f` in one transaction, which is committed when `f` returns `Ok` and taken back otherwise.
    /// An `Ok` is given only once the change is on the disk.
    ///
    /// # Errors
    /// What `f` returns, and [`Error`] when the database cannot be written.
    pub async fn write<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let File { pool, path } = match &self.0 {
            Place::File(file) => file.clone(),
            #[cfg(feature = "postgres")]
            Place::Server(server) => return server.write(f).await,
        };
        let mut f = Some(f);
        pool.write(None, None, move |connection| match f.take() {
            Some(f) => f(&mut Session::new(connection, &path)),
            None => Err(Error::unavailable(
                "the database took the change back together with another one; try again",
            )
            .into()),
        })
        .await
    }

    /// Declared models as a resource: what its lists, filters and pages are to connected databases they are to
    /// these. Nothing can be written through it, and it has no SQL.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub async fn resource(
        &self,
        name: impl Into<String>,
        models: Vec<DeclaredModel>,
    ) -> Result<Resource> {
        let File { pool, path } = match &self.0 {
            Place::File(file) => file.clone(),
            #[cfg(feature = "postgres")]
            Place::Server(server) => return server.resource(name.into(), models).await,
        };
        let driver = Box::new(Driver::declared(pool, path, models.into()));
        Resource::over(name.into(), driver, Duration::ZERO).await
    }

    /// The number of the last migration that was applied; `None` when there was none.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub async fn migration(&self) -> Result<Option<u32>> {
        let path = match &self.0 {
            Place::File(file) => file.path.clone(),
            #[cfg(feature = "postgres")]
            Place::Server(server) => return server.migration().await,
        };
        tokio::task::spawn_blocking(move || DatabaseFile::open(&path)?.migration())
            .await
            .unwrap_or_else(|_| Err(Error::internal("a look at the database panicked")))
    }

    /// Waits until nobody else has this lock, on any machine, and has it until what is given is dropped; `None` for a file,
    /// which processes lock in its folder.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] when another one has it for long; [`ErrorKind::Unavailable`] when the server does not answer.
    #[cfg(feature = "postgres")]
    pub async fn lock(&self) -> Result<Option<DatabaseLock>> {
        match &self.0 {
            Place::File(_) => Ok(None),
            Place::Server(server) => server.lock().await.map(Some),
        }
    }

    /// Hears from now on of what other processes [announce](Connection::announce), where the database can tell: on a server,
    /// by a connection of its own, which is made again when it is lost.
    pub fn listen(&self) {
        #[cfg(feature = "postgres")]
        if let Place::Server(server) = &self.0 {
            server.listen();
        }
    }

    /// Tells a text of at most 8000 bytes to all processes that [listen](Self::listen), this one among them. It is not kept, and may
    /// be lost. In a file nobody is told.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the server does not answer.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "nobody is told")
    )]
    pub async fn tell(&self, text: &str) -> Result<()> {
        match &self.0 {
            Place::File(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Place::Server(server) => server.tell(text).await,
        }
    }

    /// Waits for the next text that is [told](Self::tell). In a file it waits for ever.
    pub async fn told(&self) -> String {
        match &self.0 {
            Place::File(_) => std::future::pending().await,
            #[cfg(feature = "postgres")]
            Place::Server(server) => server.changes().told().await,
        }
    }

    /// Whether what others change and tell is heard of at this time: never in a file.
    #[must_use]
    pub fn hears(&self) -> bool {
        match &self.0 {
            Place::File(_) => false,
            #[cfg(feature = "postgres")]
            Place::Server(server) => server.changes().hears(),
        }
    }

    /// Waits until a change is [announced](Connection::announce), or until some may have been missed. In a file none are:
    /// then it waits for ever.
    pub async fn changed(&self) {
        match &self.0 {
            Place::File(_) => std::future::pending().await,
            #[cfg(feature = "postgres")]
            Place::Server(server) => server.changes().changed().await,
        }
    }

    /// A number that changes when this process or another one has committed a change: any change of a file, and on a server one
    /// that was [announced](Connection::announce). `None` where only a statement could tell, since this process does not
    /// [hear](Self::listen) of changes, or not now.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub async fn change_counter(&self) -> Result<Option<u64>> {
        match &self.0 {
            Place::File(file) => file.pool.change_counter().await.map(Some),
            #[cfg(feature = "postgres")]
            Place::Server(server) => Ok(server.changes().counter()),
        }
    }

    /// Whether it is on a server, which takes care of its files, and which other machines may use too.
    #[must_use]
    pub fn is_on_server(&self) -> bool {
        !matches!(self.0, Place::File(_))
    }

    /// The file, for what is done with files alone.
    fn file(&self) -> Result<&File> {
        match &self.0 {
            Place::File(file) => Ok(file),
            #[cfg(feature = "postgres")]
            Place::Server(_) => Err(Error::unavailable(
                "the database is on a server; the tools of the server copy and check it",
            )),
        }
    }
}
