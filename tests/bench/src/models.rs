//! A database of many models: how long the service takes to start, to describe them, and to notice a change.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use http::{HeaderValue, Method, StatusCode};
use rusqlite::Connection;
use serde_json::Value;
use svc_tests::servers::{PostgresServer, Server as _};

use crate::Error;
use crate::databases::{Databases, Engine};
use crate::dataset::Database;
use crate::load::{Exact, exactly};
use crate::report::{self, Goals};
use crate::service::Service;

/// The number of tables with ten columns.
const TABLES: usize = 2_000;
/// The number of columns of one further table.
const WIDE: usize = 1_000;
/// How many tables are made in one transaction.
const PORTION: usize = 100;
/// How often a comparison without a change is measured.
const COMPARISONS: usize = 9;

/// Where the tables are.
enum Place<'s> {
    Sqlite(PathBuf),
    Postgres(&'s PostgresServer),
}

impl Place<'_> {
    /// How long the service may take from its start to the first answered request.
    fn goal(&self) -> Duration {
        Duration::from_secs(match self {
            Self::Sqlite(_) => 2,
            Self::Postgres(_) => 4,
        })
    }

    fn make(&self) -> Result<Database, Error> {
        let database = match self {
            Self::Sqlite(file) => Database::in_file("sqlite", file),
            Self::Postgres(server) => Database {
                name: "postgres",
                url: server.database(""),
            },
        };
        let mut tables: Vec<String> = (0..TABLES).map(|number| self.table(number)).collect();
        tables.push(self.wide());
        for portion in tables.chunks(PORTION) {
            self.execute(&database.url, &portion.concat())?;
        }
        Ok(database)
    }

    fn execute(&self, url: &str, script: &str) -> Result<(), Error> {
        match self {
            Self::Sqlite(file) => {
                let script = format!("BEGIN; {script} COMMIT;");
                Connection::open(file)?.execute_batch(&script)?;
            }
            Self::Postgres(server) => server.execute(url, script),
        }
        Ok(())
    }

    /// The types of columns, in turns.
    fn types(&self) -> [&'static str; 8] {
        let instant = match self {
            Self::Sqlite(_) => "DATETIME",
            Self::Postgres(_) => "TIMESTAMP",
        };
        [
            "TEXT",
            "VARCHAR(40)",
            "INTEGER",
            "NUMERIC(12, 2)",
            "BOOLEAN",
            "DATE",
            instant,
            "DOUBLE PRECISION",
        ]
    }

    /// One of the tables, with a row; every second one refers to another.
    fn table(&self, number: usize) -> String {
        let mut sql = format!("CREATE TABLE t{number} (id INTEGER PRIMARY KEY");
        for (at, kind) in self.types().iter().enumerate() {
            let _ = write!(sql, ", c{at} {kind}");
        }
        match number {
            0 => sql += ", parent_id INTEGER",
            even if even % 2 == 0 => {
                let _ = write!(sql, ", parent_id INTEGER REFERENCES t{} (id)", even / 2);
            }
            _ => sql += ", position INTEGER NOT NULL DEFAULT 0",
        }
        let _ = write!(sql, "); INSERT INTO t{number} (id) VALUES (1); ");
        sql
    }

    fn wide(&self) -> String {
        let mut sql = String::from("CREATE TABLE wide (id INTEGER PRIMARY KEY");
        for (at, kind) in self.types().iter().cycle().take(WIDE - 1).enumerate() {
            let _ = write!(sql, ", c{at} {kind}");
        }
        sql + "); INSERT INTO wide (id) VALUES (1);"
    }
}

/// Runs the measurements, and returns a table for each engine.
pub fn measure(folder: &Path, databases: &Databases) -> Result<String, Error> {
    let mut tables = Vec::new();
    if databases.has(Engine::Sqlite) {
        let place = Place::Sqlite(folder.join("models.db"));
        tables.push(measure_on(folder, &place)?);
    }
    if databases.has(Engine::Postgres) {
        // A server of its own: so many tables would slow the other cases.
        let server = PostgresServer::start_durable();
        tables.push(measure_on(folder, &Place::Postgres(&server))?);
    }
    Ok(tables.join("\n"))
}

fn measure_on(folder: &Path, place: &Place<'_>) -> Result<String, Error> {
    let database = place.make()?;
    let folder = folder.join(format!("models-{}", database.name));
    std::fs::create_dir(&folder)?;
    let mut report = Report {
        database: database.name,
        goals: Goals::new(),
    };
    let first = Requests::start(&folder, &database, None)?;
    let authorization = first.authorization.clone();
    drop(first);
    // The store is there by now, as in most starts.
    let started = Instant::now();
    let requests = Requests::start(&folder, &database, Some(authorization))?;
    requests.get("/models/t7/1")?;
    let took = started.elapsed();
    report.add(
        "start, until a record is answered",
        took,
        Some(place.goal()),
    );
    report.add(
        "a record of the table with 1 000 columns",
        requests.get("/models/wide/1")?.0,
        None,
    );
    requests.describe(&mut report, "")?;
    let mut times = Vec::new();
    for _ in 0..COMPARISONS {
        times.push(requests.miss("/models/added")?);
    }
    times.sort_unstable();
    report.add(
        "structure compared, nothing changed",
        times.get(COMPARISONS / 2).copied().unwrap_or_default(),
        None,
    );
    place.execute(
        &database.url,
        "CREATE TABLE added (id INTEGER PRIMARY KEY);",
    )?;
    let took = requests.get("/models/added")?.0;
    report.add("a list of a table that was added just now", took, None);
    requests.describe(&mut report, ", a table was added")?;
    let usage = requests.service.usage()?;
    Ok(format!(
        "{}\n- {}: memory {}, at its peak {}.\n",
        report.goals.table(),
        database.name,
        report::mebibytes(usage.resident),
        report::mebibytes(usage.peak_resident),
    ))
}

/// The lines of one database.
struct Report {
    database: &'static str,
    goals: Goals,
}

impl Report {
    fn add(&mut self, what: &str, took: Duration, goal: Option<Duration>) {
        let goal = goal.map_or_else(String::new, report::time);
        let took = report::time(took);
        self.goals.add(self.database, what, &goal, &took);
    }
}

/// A running service, and requests to its only resource.
struct Requests {
    service: Service,
    path: String,
    authorization: HeaderValue,
}

impl Requests {
    fn start(
        folder: &Path,
        database: &Database,
        authorization: Option<HeaderValue>,
    ) -> Result<Self, Error> {
        let service = Service::start(folder, std::slice::from_ref(database))?;
        let authorization = authorization.or_else(|| service.token(database));
        Ok(Self {
            path: service.path(&format!("/{}", database.name)),
            authorization: authorization.ok_or("the resource has no token")?,
            service,
        })
    }

    /// The time of a successful answer, and its length.
    fn get(&self, below: &str) -> Result<(Duration, usize), Error> {
        self.call(below, StatusCode::OK)
    }

    /// The time of an answer that says that there is no such model.
    fn miss(&self, below: &str) -> Result<Duration, Error> {
        Ok(self.call(below, StatusCode::NOT_FOUND)?.0)
    }

    fn call(&self, below: &str, status: StatusCode) -> Result<(Duration, usize), Error> {
        let path = format!("{}{below}", self.path);
        let call = Exact::expecting(Method::GET, path, &Value::Null, status)
            .authorized(self.authorization.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (took, body) = runtime.block_on(exactly(self.service.address(), &call))?;
        Ok((took, body.len()))
    }

    /// The documents about the models, each for the first and the second time.
    fn describe(&self, report: &mut Report, when: &str) -> Result<(), Error> {
        for (name, path) in [
            ("API definition", "/openapi.json"),
            ("descriptions", "/model_descriptions"),
        ] {
            let (first, length) = self.get(path)?;
            let (second, _) = self.get(path)?;
            let length = report::mebibytes(length as u64);
            report.add(&format!("{name}, {length}{when}: first"), first, None);
            report.add(&format!("{name}{when}: second"), second, None);
        }
        Ok(())
    }
}
