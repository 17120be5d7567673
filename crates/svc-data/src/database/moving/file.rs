//! The files of SQLite that are copied from and to.

use std::path::{Path, PathBuf};

use rusqlite::{Connection as SqliteConnection, OpenFlags, params_from_iter};

use super::{HISTORY, NotAdded, Table, Values};
use crate::{
    Error, Result,
    database::{
        DatabaseFile, Migration, migrations,
        new_file::{cannot_create, create_new},
        session::read_value,
        upkeep,
    },
    engine::sqlite::{fault, session::Session},
    query::quoted,
};

/// What of a file stays in memory while it is written, in kibibytes: indexes are written in no order.
const PAGES_KIB: u32 = 64 << 10;

/// A connection of its own to a file, in one transaction.
pub(super) struct Side {
    connection: SqliteConnection,
    path: PathBuf,
}

impl Side {
    /// A view of a file that stays as it is.
    pub(super) fn snapshot(path: &Path) -> Result<Self> {
        let side = Self::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // The first statement that reads begins the view.
        side.execute("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        Ok(side)
    }

    /// A new file with this structure.
    pub(super) fn create(path: &Path, migrations: &[Migration]) -> Result<Self> {
        create_new(path)?;
        upkeep::let_shrink(path)?;
        migrations::apply(&migrations::source(path.to_owned()), migrations)?;
        let side = Self::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // It is of no use until it is complete, and then it is brought to the disk as a whole. Exclusive after the log was
        // removed, since the journal would stay beside the file. Rows refer to others that may come later.
        side.execute(&format!(
            "PRAGMA journal_mode = delete; PRAGMA journal_mode = off; PRAGMA locking_mode = exclusive; \
             PRAGMA synchronous = off; PRAGMA foreign_keys = off; PRAGMA cache_size = -{PAGES_KIB}; BEGIN IMMEDIATE"
        ))?;
        Ok(side)
    }

    fn open(path: &Path, access: OpenFlags) -> Result<Self> {
        let connection = upkeep::open(path, access);
        Ok(Self {
            connection: connection.map_err(|error| fault::translate(error, path))?,
            path: path.to_owned(),
        })
    }

    fn session(&self) -> Session<'_> {
        Session::new(&self.connection, &self.path)
    }

    pub(super) fn execute(&self, sql: &str) -> Result<()> {
        let session = self.session();
        session.translate(self.connection.execute_batch(sql))
    }

    /// The texts in the first column of what a statement answers about a table.
    fn texts(&self, sql: &str, about: &str) -> Result<Vec<String>> {
        let session = self.session();
        let texts = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let texts = statement.query_map([about], |row| row.get(0))?;
            texts.collect::<rusqlite::Result<Vec<String>>>()
        };
        session.translate(texts())
    }

    pub(super) fn columns(&self, table: &str) -> Result<Option<Vec<String>>> {
        let columns = self.texts("SELECT name FROM pragma_table_info(?1) ORDER BY cid", table)?;
        Ok((!columns.is_empty()).then_some(columns))
    }

    /// The tables, each with those that it refers to.
    pub(super) fn tables(&self) -> Result<Vec<(Table, Vec<String>)>> {
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ?1 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
             ORDER BY name";
        let names = self.texts(names, HISTORY)?;
        let tables = names.into_iter().map(|name| {
            let columns = self.columns(&name)?.unwrap_or_default();
            let key = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
            let key = self.texts(key, &name)?;
            let position = |name| columns.iter().position(|column| *column == name);
            let key = key.into_iter().filter_map(position).collect();
            let refers = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?1)";
            let refers = self.texts(refers, &name)?;
            Ok((Table { name, columns, key }, refers))
        });
        tables.collect()
    }

    pub(super) fn read(&self, sql: &str, take: &mut dyn FnMut(Values) -> Result<()>) -> Result<()> {
        let session = self.session();
        let mut statement = session.translate(self.connection.prepare(sql))?;
        let count = statement.column_count();
        let mut rows = session.translate(statement.query([]))?;
        while let Some(row) = session.translate(rows.next())? {
            let values = (0..count).map(|at| read_value(session.translate(row.get_ref(at))?));
            take(values.collect::<Result<_>>()?)?;
        }
        Ok(())
    }

    pub(super) fn add(&self, table: &Table, rows: &[Values]) -> Result<(), NotAdded> {
        let session = self.session();
        let columns: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
        let places = vec!["?"; columns.len()].join(", ");
        let (name, columns) = (quoted(&table.name), columns.join(", "));
        let insert = format!("INSERT INTO {name} ({columns}) VALUES ({places})");
        let not_added = |row| move |error| NotAdded { row, error };
        let mut insert = session
            .translate(self.connection.prepare_cached(&insert))
            .map_err(not_added(None))?;
        for (at, row) in rows.iter().enumerate() {
            let inserted = session.translate(insert.execute(params_from_iter(row)));
            inserted.map_err(not_added(Some(at)))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        let dangling = self.texts(
            "SELECT \"table\" FROM pragma_foreign_key_check WHERE ?1 = '' LIMIT 1",
            "",
        )?;
        if let Some(table) = dangling.first() {
            return Err(Error::unavailable(format!(
                "a row of the table {table} refers to one that is not there"
            )));
        }
        self.execute("COMMIT")?;
        let Self { connection, path } = self;
        let closed = connection.close();
        closed.map_err(|(_, error)| fault::translate(error, &path))?;
        let synced = std::fs::File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| cannot_create(&path, error))?;
        DatabaseFile::open(&path)?.check_integrity()
    }
}
