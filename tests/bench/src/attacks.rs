//! The effect of attacks and load on other callers: each attack runs in a separate process while `/healthz` and a
//! record are requested again and again.

mod attacker;
mod probe;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use http::HeaderValue;
use rusqlite::Connection;
use svc_tests::servers::{PostgresServer, Server as _};

pub use self::attacker::{COMMAND, run};
use self::probe::{Latencies, Probes};
use crate::Error;
use crate::cases::{Case, What};
use crate::dataset::{self, Database};
use crate::report;
use crate::service::Service;
use crate::usage;

/// The largest median that is not a failure.
const LIMIT: Duration = Duration::from_millis(100);
/// How long an attack may take to end after its time.
const GRACE: Duration = Duration::from_secs(3);
const ORDERS: u32 = 50_000;
/// The number of tables in the large definition.
const TABLES: u32 = 306;
/// The length of the text that is searched.
const LONG_TEXT: u32 = 15_000_000;
/// What a PostgreSQL server with few of them has.
const FEW_CONNECTIONS: u32 = 8;

const RETRIEVE: Case = Case {
    name: "retrieve",
    what: What::Retrieve,
};

/// The target of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Sqlite,
    Postgres,
    /// A server of PostgreSQL that accepts few connections.
    FewConnections,
}

/// The attacks, in the order of the table. [`attacker`] implements them.
const ATTACKS: &[(&str, On)] = &[
    ("unknown-keys", On::Sqlite),
    ("silent-sockets", On::Sqlite),
    ("unread-answers", On::Sqlite),
    ("slow-bodies", On::Sqlite),
    ("large-bodies", On::Sqlite),
    ("sql-filters", On::Sqlite),
    ("sql-filters", On::Postgres),
    ("long-functions", On::Sqlite),
    ("many-functions", On::Sqlite),
    ("icontains", On::Sqlite),
    ("large-rows", On::Sqlite),
    ("large-rows", On::Postgres),
    ("zero-window-streams", On::Sqlite),
    ("few-connections", On::FewConnections),
    ("large-definition", On::Sqlite),
    ("locked-table", On::Postgres),
    ("searches", On::Sqlite),
    ("searches", On::Postgres),
    ("many-lists", On::Sqlite),
    ("many-lists", On::Postgres),
];

/// The result of an attack.
struct Seen {
    name: String,
    sent: u64,
    refused: u64,
    health: Latencies,
    retrieve: Latencies,
    /// Memory above idle: at the peak, and some time after the attack.
    peak: u64,
    after: u64,
}

/// Runs all attacks, or those with this name, each for this time.
///
/// # Errors
/// When a median is over the limit.
pub fn measure(folder: &Path, time: Duration, only: Option<&str>) -> Result<(), Error> {
    let folder = folder.join("attacks");
    std::fs::create_dir(&folder)?;
    let file = folder.join("bench.db");
    dataset::make(&file, ORDERS)?;
    let extend = Connection::open(&file)?;
    extend.execute_batch(&tables(
        "INTEGER PRIMARY KEY",
        "printf('%.*c', 15000000, 'a')",
    ))?;
    drop(extend);
    let attacks: Vec<_> = ATTACKS
        .iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name))
        .collect();
    if attacks.is_empty() {
        return Err("there is no attack of this name".into());
    }
    let server = |on: On, make: fn() -> PostgresServer| {
        let wanted = attacks.iter().any(|(_, attack)| *attack == on);
        wanted.then(|| -> Result<_, Error> {
            let server = make();
            let url = server.database(dataset::POSTGRES_TABLES);
            dataset::copy_to_postgres(&file, &url)?;
            let mut client = postgres::Client::connect(&url, postgres::NoTls)?;
            client.batch_execute(&tables("INTEGER PRIMARY KEY", "repeat('a', 15000000)"))?;
            Ok((server, url))
        })
    };
    let postgres = server(On::Postgres, PostgresServer::start_durable).transpose()?;
    let few = server(On::FewConnections, || {
        PostgresServer::start_with_connections(FEW_CONNECTIONS)
    })
    .transpose()?;
    let mut all = Vec::new();
    for (number, (name, on)) in attacks.into_iter().enumerate() {
        let url = match (on, &postgres, &few) {
            (On::Sqlite, _, _) => format!("sqlite:{}", file.display()),
            (On::Postgres, Some((_, url)), _) | (On::FewConnections, _, Some((_, url))) => {
                url.clone()
            }
            _ => return Err("there is no server for this attack".into()),
        };
        let database = Database { name: "a", url };
        let folder = folder.join(number.to_string());
        std::fs::create_dir(&folder)?;
        let name = match on {
            On::Sqlite => (*name).to_owned(),
            On::Postgres | On::FewConnections => format!("{name} (PostgreSQL)"),
        };
        eprintln!("{name}");
        let seen = attack(&folder, &database, name, time)?;
        // Each line is printed at once, since all attacks together take minutes.
        eprintln!("{}", line(&seen));
        all.push(seen);
    }
    println!(
        "| attack | requests | refused | healthz: median, p99 | retrieve: median, p99 | memory over idle: peak, afterwards |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for seen in &all {
        println!("{}", line(seen));
    }
    let slow: Vec<_> = all
        .iter()
        .filter(|seen| seen.health.median() > LIMIT || seen.retrieve.median() > LIMIT)
        .map(|seen| seen.name.as_str())
        .collect();
    match slow.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "others waited for more than {} in the median during {}",
            report::time(LIMIT),
            slow.join(", ")
        )
        .into()),
    }
}

/// Tables beside those of the dataset: one with a long text, and many for a large definition.
fn tables(key: &str, long_text: &str) -> String {
    debug_assert_eq!(LONG_TEXT, 15_000_000);
    let many = (0..TABLES).map(|table| {
        let columns: Vec<_> = (0..12)
            .map(|column| format!("a_column_with_a_name_{column} VARCHAR(40)"))
            .collect();
        format!(
            "CREATE TABLE table_{table} (id {key}, {});",
            columns.join(", ")
        )
    });
    format!(
        "CREATE TABLE texts (id {key}, body TEXT);
         INSERT INTO texts VALUES (1, {long_text});
         CREATE TABLE locked (id {key}, body TEXT);
         INSERT INTO locked VALUES (1, 'x');
         {}",
        many.collect::<String>()
    )
}

fn line(seen: &Seen) -> String {
    let times = |latencies: &Latencies| {
        format!(
            "{}, {}",
            report::time(latencies.median()),
            report::time(latencies.p99())
        )
    };
    format!(
        "| {} | {} | {} | {} | {} | {}, {} |",
        seen.name,
        seen.sent,
        seen.refused,
        times(&seen.health),
        times(&seen.retrieve),
        report::mebibytes(seen.peak),
        report::mebibytes(seen.after),
    )
}

/// Runs one attack on a separate service.
fn attack(folder: &Path, database: &Database, name: String, time: Duration) -> Result<Seen, Error> {
    let service = Service::start(folder, std::slice::from_ref(database))?;
    let mut target = service.target(database, &RETRIEVE);
    let attackers = target
        .authorization
        .clone()
        .ok_or("the resource has no token")?;
    // The other callers have a different credential.
    target.authorization = Some(service.add_token(database)?);
    // Warms up connections and statements, and waits until the new token works, before the measurement.
    let until = Instant::now() + GRACE;
    while let Err(error) = crate::load::in_sequence(&target, 200, ORDERS) {
        if Instant::now() >= until {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let idle = service.usage()?.resident;
    usage::forget_peak(service.process())?;
    let kind = name.split(' ').next().unwrap_or_default();
    let _lock = match kind {
        "locked-table" => Some(lock(&database.url)?),
        _ => None,
    };
    let mut attacker = Attacker::start(kind, &service, database, &attackers, time)?;
    let probes = Probes::start(&target, ORDERS)?;
    std::thread::sleep(time);
    let (health, retrieve) = probes.finish()?;
    let (sent, refused) = attacker.finish()?;
    let peak = service.usage()?.peak_resident;
    // By then the allocator has returned unused memory.
    std::thread::sleep(GRACE);
    let after = service.usage()?.resident;
    Ok(Seen {
        name,
        sent,
        refused,
        health,
        retrieve,
        peak: peak.saturating_sub(idle),
        after: after.saturating_sub(idle),
    })
}

/// Locks a table of PostgreSQL for as long as the connection lives.
fn lock(url: &str) -> Result<postgres::Client, Error> {
    let mut client = postgres::Client::connect(url, postgres::NoTls)?;
    client.batch_execute("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")?;
    Ok(client)
}

/// The process of an attack, which ends when this value is dropped.
struct Attacker {
    process: Child,
    until: Instant,
}

impl Attacker {
    fn start(
        name: &str,
        service: &Service,
        database: &Database,
        authorization: &HeaderValue,
        time: Duration,
    ) -> Result<Self, Error> {
        // Many sockets: the soft limit of open files is raised to the hard one.
        let process = Command::new("sh")
            .args(["-c", "ulimit -n $(ulimit -Hn); exec \"$@\"", "sh"])
            .arg(std::env::current_exe()?)
            .args([COMMAND, name, &service.address().to_string()])
            .arg(service.path(&format!("/{}", database.name)))
            .arg(service.path("/auth/refresh"))
            .arg(time.as_secs().to_string())
            // Not passed as an argument, which other processes could read.
            .env(attacker::TOKEN, authorization.to_str()?)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self {
            process,
            until: Instant::now() + time + GRACE,
        })
    }

    /// Waits a short time for the end, and returns how many requests were sent and how many of them were refused.
    fn finish(&mut self) -> Result<(u64, u64), Error> {
        use std::io::Read as _;

        while self.process.try_wait()?.is_none() && Instant::now() < self.until {
            std::thread::sleep(Duration::from_millis(20));
        }
        // It may have ended already.
        let _ = self.process.kill();
        let mut said = String::new();
        let output = self.process.stdout.as_mut();
        output
            .ok_or("an attack has no output")?
            .read_to_string(&mut said)?;
        let last = said.lines().last().ok_or("an attack said nothing")?;
        let (sent, refused) = last
            .split_once(' ')
            .ok_or("an attack said no two numbers")?;
        Ok((sent.parse()?, refused.parse()?))
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
