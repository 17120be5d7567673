//! All rows of a database as they are at one moment, and a new database that takes them, whatever the engine of either.
//!
//! All of it blocks: it is for a thread where it may.

mod file;
#[cfg(feature = "postgres")]
mod server;

use std::{mem, path::Path};

use super::{Database, Migration, Value};
#[cfg(feature = "postgres")]
use super::{DeclaredModel, Place, Wording};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Error, Result, query::quoted};

/// How many rows are handed over together at most.
const ROWS_AT_ONCE: usize = 2_000;
/// From how many bytes on no further row is added to those that are handed over together.
const BYTES_AT_ONCE: usize = 1 << 20;
/// The table that tells which migrations were applied. Each engine has its own.
const HISTORY: &str = "refinery_schema_history";

/// A row, in the order of the columns that were asked for.
pub type Values = Vec<Value>;

/// A table of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The positions of the columns that are its primary key.
    pub key: Vec<usize>,
}

/// A database as it is at one moment, while others write: [`Database::snapshot`].
pub struct Snapshot(Side);

/// A database that is being made: it has its structure, takes rows, and is there as a whole once it is
/// [finished](Self::finish), or not at all.
pub struct NewDatabase(Side);

/// Rows that a new database did not take.
#[derive(Debug)]
#[non_exhaustive]
pub struct NotAdded {
    /// The position of the row that is the reason, where one is.
    pub row: Option<usize>,
    /// Why.
    pub error: Error,
}

enum Side {
    File(file::Side),
    #[cfg(feature = "postgres")]
    Server(Box<server::Side>),
}

impl Database {
    /// The database as it is now. It has every write that was answered before this call.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        #[cfg(feature = "postgres")]
        if let Place::Server(server) = &self.0 {
            let side = server::Side::snapshot(server).await?;
            return Ok(Snapshot(Side::Server(Box::new(side))));
        }
        let path = self.file()?.path.clone();
        let opened = tokio::task::spawn_blocking(move || file::Side::snapshot(&path));
        let opened = opened.await;
        let side = opened.unwrap_or_else(|_| Err(Error::internal("opening a file panicked")))?;
        Ok(Snapshot(Side::File(side)))
    }
}

impl Snapshot {
    /// The names of the columns of a table; `None` when there is no such table.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub fn columns(&mut self, table: &str) -> Result<Option<Vec<String>>> {
        self.0.columns(table)
    }

    /// Hands over all rows of a table, some at a time, and in no certain order.
    ///
    /// # Errors
    /// What `take` returns, and [`ErrorKind::Unavailable`] when the database cannot be read.
    pub fn rows(
        &mut self,
        table: &Table,
        take: &mut dyn FnMut(Vec<Values>) -> Result<()>,
    ) -> Result<()> {
        self.0.rows(table, take)
    }
}

impl NewDatabase {
    /// A new file of SQLite (mode 0600). Until it is finished it is not safe from a crash of the machine; the caller removes the
    /// file of one that is not finished.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the file is there or cannot be written.
    pub fn in_file(path: &Path, migrations: &[Migration]) -> Result<Self> {
        Ok(Self(Side::File(file::Side::create(path, migrations)?)))
    }

    /// A new database on a PostgreSQL server, where everything is one transaction. Other processes that open a database there
    /// wait for its end. The arguments are those of [`Database::open_postgres`].
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the URL cannot be read; [`ErrorKind::Unavailable`] when the server cannot be reached, its
    /// database holds anything already, or no table may be made there.
    #[cfg(feature = "postgres")]
    pub async fn on_server(
        url: &str,
        migrations: &[Migration],
        wording: Wording,
        declared: &[DeclaredModel],
    ) -> Result<Self> {
        let side = server::Side::create(url, migrations, wording, declared).await?;
        Ok(Self(Side::Server(Box::new(side))))
    }

    /// Whether it is on a server.
    #[must_use]
    pub fn is_on_server(&self) -> bool {
        !matches!(self.0, Side::File(_))
    }

    /// Its tables. One that refers to another one is behind it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be read.
    pub fn tables(&mut self) -> Result<Vec<Table>> {
        in_order(match &mut self.0 {
            Side::File(side) => side.tables()?,
            #[cfg(feature = "postgres")]
            Side::Server(side) => side.tables()?,
        })
    }

    /// Removes all rows of a table: those that migrations have put there.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the database cannot be written.
    pub fn clear(&mut self, table: &Table) -> Result<()> {
        let delete = format!("DELETE FROM {}", quoted(&table.name));
        self.0.execute(&delete)
    }

    /// Adds rows to a table. After an error the database is of no use.
    ///
    /// # Errors
    /// Which row was not taken, and why.
    pub fn add(&mut self, table: &Table, rows: &[Values]) -> Result<(), NotAdded> {
        match &mut self.0 {
            Side::File(side) => side.add(table, rows),
            #[cfg(feature = "postgres")]
            Side::Server(side) => side.add(table, rows),
        }
    }

    /// Hands over the rows of a table as [`Snapshot::rows`] does.
    ///
    /// # Errors
    /// As [`Snapshot::rows`].
    pub fn rows(
        &mut self,
        table: &Table,
        take: &mut dyn FnMut(Vec<Values>) -> Result<()>,
    ) -> Result<()> {
        self.0.rows(table, take)
    }

    /// Completes it. Afterwards it is on the disk.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when a row refers to one that is not there, and when it cannot be written.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Side::File(side) => side.finish(),
            #[cfg(feature = "postgres")]
            Side::Server(side) => side.finish(),
        }
    }
}

impl Side {
    fn columns(&mut self, table: &str) -> Result<Option<Vec<String>>> {
        match self {
            Self::File(side) => side.columns(table),
            #[cfg(feature = "postgres")]
            Self::Server(side) => side.columns(table),
        }
    }

    fn rows(
        &mut self,
        table: &Table,
        take: &mut dyn FnMut(Vec<Values>) -> Result<()>,
    ) -> Result<()> {
        let columns: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
        let all = format!("SELECT {} FROM {}", columns.join(", "), quoted(&table.name));
        let mut rows = Batch::default();
        let mut add = |row| match rows.add(row) {
            Some(full) => take(full),
            None => Ok(()),
        };
        match self {
            Self::File(side) => side.read(&all, &mut add)?,
            #[cfg(feature = "postgres")]
            Self::Server(side) => side.read(&all, &mut add)?,
        }
        match rows.rest() {
            rest if rest.is_empty() => Ok(()),
            rest => take(rest),
        }
    }

    fn execute(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::File(side) => side.execute(sql),
            #[cfg(feature = "postgres")]
            Self::Server(side) => side.execute(sql),
        }
    }
}

/// Rows until there are enough of them to be handed over.
#[derive(Default)]
struct Batch {
    rows: Vec<Values>,
    bytes: usize,
}

impl Batch {
    /// Adds a row; gives all when there are enough.
    fn add(&mut self, row: Values) -> Option<Vec<Values>> {
        self.bytes += row.iter().map(size).sum::<usize>();
        self.rows.push(row);
        (self.rows.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE).then(|| self.rest())
    }

    fn rest(&mut self) -> Vec<Values> {
        self.bytes = 0;
        mem::take(&mut self.rows)
    }
}

/// How many bytes a value takes, about.
fn size(value: &Value) -> usize {
    let more = match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 0,
    };
    size_of::<Value>() + more
}

/// Tables in an order in which each is behind those that it refers to, which are named beside it.
fn in_order(mut found: Vec<(Table, Vec<String>)>) -> Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::with_capacity(found.len());
    while !found.is_empty() {
        let count = found.len();
        let (ready, waiting) = found.into_iter().partition(|(table, refers)| {
            let is_there = |name: &String| {
                *name == table.name || tables.iter().any(|other| other.name == *name)
            };
            refers.iter().all(is_there)
        });
        let (ready, waiting): (Vec<_>, Vec<_>) = (ready, waiting);
        if waiting.len() == count {
            return Err(Error::internal("tables refer to each other in a circle"));
        }
        tables.extend(ready.into_iter().map(|(table, _)| table));
        found = waiting;
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Table {
        Table {
            name: name.to_owned(),
            columns: Vec::new(),
            key: Vec::new(),
        }
    }

    #[test]
    fn a_table_is_behind_those_that_it_refers_to() {
        let refers = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let found = vec![
            (table("a"), refers(&["b", "c"])),
            (table("b"), refers(&["b", "c"])),
            (table("c"), Vec::new()),
        ];
        let names = in_order(found).unwrap();
        let names: Vec<_> = names.into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["c", "b", "a"]);
        let circle = vec![(table("a"), refers(&["b"])), (table("b"), refers(&["a"]))];
        assert!(in_order(circle).is_err());
    }

    #[test]
    fn rows_are_handed_over_before_they_are_many_or_large() {
        let mut batch = Batch::default();
        for _ in 1..ROWS_AT_ONCE {
            assert!(batch.add(vec![Value::Int(1)]).is_none());
        }
        assert_eq!(batch.add(vec![Value::Null]).unwrap().len(), ROWS_AT_ONCE);
        let large = Value::Text("x".repeat(BYTES_AT_ONCE / 2));
        assert!(batch.add(vec![large.clone()]).is_none());
        assert_eq!(batch.add(vec![large]).unwrap().len(), 2);
        assert!(batch.rest().is_empty());
    }
}
