//! The databases of a run, on all engines, each made when the first case asks for it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use svc_tests::servers::{MariadbServer, PostgresServer, Server as _};

use crate::Error;
use crate::dataset::{self, Database};

/// The number of records in the longest list, and the length of a note of a wide record.
const WIDE_ORDERS: u32 = 10_000;
const WIDE_NOTE: u32 = 32 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Sqlite,
    Postgres,
    /// Only for exports.
    Mariadb,
}

impl Engine {
    const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::Mariadb];
}

/// Databases and their servers, which end with this value.
#[derive(Debug)]
pub struct Databases {
    folder: PathBuf,
    engines: Vec<Engine>,
    orders: u32,
    rows: u32,
    postgres: Option<PostgresServer>,
    mariadb: Option<MariadbServer>,
    small: Option<Vec<Database>>,
    large: Option<Vec<Database>>,
}

impl Databases {
    /// None yet. The small ones will have this many orders and the large ones this many rows; no engine stands for all.
    pub fn new(folder: &Path, engines: &[Engine], orders: u32, rows: u32) -> Self {
        Self {
            folder: folder.to_owned(),
            engines: match engines {
                [] => Engine::ALL.to_vec(),
                engines => engines.to_vec(),
            },
            orders,
            rows,
            postgres: None,
            mariadb: None,
            small: None,
            large: None,
        }
    }

    pub fn has(&self, engine: Engine) -> bool {
        self.engines.contains(&engine)
    }

    /// The number of orders in the large databases.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The dataset on SQLite and PostgreSQL, which cases may add to.
    pub fn small(&mut self) -> Result<Vec<Database>, Error> {
        if let Some(made) = &self.small {
            return Ok(made.clone());
        }
        let made = self.fresh("bench")?;
        self.small = Some(made.clone());
        Ok(made)
    }

    /// Another copy of the dataset on SQLite and PostgreSQL, as it is made.
    pub fn fresh(&mut self, label: &str) -> Result<Vec<Database>, Error> {
        let orders = self.orders;
        self.on_both(["sqlite", "postgres"], label, |file| {
            eprintln!("making {orders} orders");
            dataset::make(file, orders)
        })
    }

    /// The same tables with long notes, on SQLite and PostgreSQL.
    pub fn wide(&mut self) -> Result<Vec<Database>, Error> {
        self.on_both(["sqlite-wide", "postgres-wide"], "wide", |file| {
            dataset::make_wide(file, WIDE_ORDERS, WIDE_NOTE)
        })
    }

    /// The same tables with many orders, on SQLite and PostgreSQL.
    pub fn large(&mut self) -> Result<Vec<Database>, Error> {
        if let Some(made) = &self.large {
            return Ok(made.clone());
        }
        let rows = self.rows;
        let made = self.on_both(["sqlite-large", "postgres-large"], "large", |file| {
            eprintln!("making {rows} orders");
            dataset::make(file, rows)
        })?;
        self.large = Some(made.clone());
        Ok(made)
    }

    /// As many orders on MariaDB.
    pub fn large_on_mariadb(&mut self) -> Option<Database> {
        self.has(Engine::Mariadb).then(|| {
            eprintln!("making them on MariaDB");
            let server = self.mariadb.get_or_insert_with(MariadbServer::start);
            Database {
                name: "mariadb-large",
                url: server.database(&dataset::on_mariadb(self.rows)),
            }
        })
    }

    /// A file that `make` fills, under the first name, and a copy of it on PostgreSQL under the second one.
    fn on_both(
        &mut self,
        [sqlite, postgres]: [&'static str; 2],
        label: &str,
        make: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<Vec<Database>, Error> {
        let mut made = Vec::new();
        if !self.has(Engine::Sqlite) && !self.has(Engine::Postgres) {
            return Ok(made);
        }
        let file = self.folder.join(format!("{label}.db"));
        make(&file)?;
        if self.has(Engine::Sqlite) {
            made.push(Database::in_file(sqlite, &file));
        }
        if self.has(Engine::Postgres) {
            eprintln!("copying them to PostgreSQL");
            let server = self
                .postgres
                .get_or_insert_with(PostgresServer::start_durable);
            let url = server.database(dataset::POSTGRES_TABLES);
            dataset::copy_to_postgres(&file, &url)?;
            made.push(Database {
                name: postgres,
                url,
            });
        }
        Ok(made)
    }
}
