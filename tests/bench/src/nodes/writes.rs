//! A write into the store beside the round trips that it needs.

use std::time::{Duration, Instant};

use http::{HeaderValue, Method};
use postgres::{Client, NoTls, Statement};
use serde_json::json;
use svc_tests::cluster::Cluster;

use super::STATEMENTS;
use crate::Error;
use crate::load::{self, Exact};
use crate::report::{self, Goals};

/// What the bare transaction writes into: rows like those of a page, of its first revision, and of its line in the audit trail.
pub const TABLES: &str = "CREATE TABLE pages (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uid TEXT UNIQUE, params TEXT);
    CREATE TABLE revisions (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uid TEXT, params TEXT);
    CREATE TABLE lines (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uid TEXT, at TEXT)";
/// How often each is done, by turns.
const TIMES: usize = 300;
/// How much longer a write may take than the round trips that it needs.
const LONGER: f64 = 2.0;

/// Creates pages on one node and, by turns, sends what a page needs at least on a connection to the same servers.
pub fn measure(cluster: &Cluster, url: &str, goals: &mut Goals) -> Result<(), Error> {
    let mut bare = Bare::connect(url)?;
    let runtime = super::runtime()?;
    let address = *cluster.addresses().first().ok_or("there are no nodes")?;
    let params = "x".repeat(500);
    let mut key = HeaderValue::try_from(format!("Bearer {}", cluster.api_key()))?;
    key.set_sensitive(true);
    let path = "/api/projects/main/prod/view_settings/".to_owned();
    let params_of_page = json!({"x": params}).to_string();
    let create = |time: usize| {
        let body = json!({"name": format!("Page {time}"), "params": params_of_page});
        Exact::new(Method::POST, path.clone(), &body).authorized(key.clone())
    };
    let mut connection = None;
    let (mut services, mut bares, mut trips) = (Vec::new(), Vec::new(), Vec::new());
    let statements = || cluster.metrics(STATEMENTS).first().copied();
    let before = statements();
    for time in 0..TIMES {
        let create = create(time);
        let begun = Instant::now();
        runtime.block_on(load::keep_asking(address, &create, &mut connection))?;
        services.push(begun.elapsed());
        let begun = Instant::now();
        bare.write(&format!("page {time}"), &params)?;
        bares.push(begun.elapsed());
        let begun = Instant::now();
        bare.client.batch_execute("SELECT 1")?;
        trips.push(begun.elapsed());
    }
    let sent = statements()
        .zip(before)
        .map(|(after, before)| after - before);
    let median = |times: &[Duration]| {
        Duration::from_secs_f64(report::median(times.iter().map(Duration::as_secs_f64)))
    };
    let (service, bare, trip) = (median(&services), median(&bares), median(&trips));
    goals.add(
        "postgres",
        "a page, beside begin with a lock, a read, three rows, a notification and commit by the driver alone: ratio",
        &format!("{LONGER}"),
        &format!(
            "{:.2} ({} and {}; statements before the commit: about {:.0}; a round trip that commits nothing takes {})",
            service.as_secs_f64() / bare.as_secs_f64(),
            report::time(service),
            report::time(bare),
            sent.unwrap_or(f64::NAN) / TIMES as f64,
            report::time(trip)
        ),
    );
    Ok(())
}

/// A connection with the statements of a write.
struct Bare {
    client: Client,
    page: Statement,
    revision: Statement,
    line: Statement,
    read: Statement,
}

impl Bare {
    fn connect(url: &str) -> Result<Self, Error> {
        let mut client = Client::connect(url, NoTls)?;
        Ok(Self {
            page: client.prepare("INSERT INTO pages (uid, params) VALUES ($1, $2)")?,
            revision: client.prepare("INSERT INTO revisions (uid, params) VALUES ($1, $2)")?,
            line: client.prepare("INSERT INTO lines (uid, at) VALUES ($1, $2)")?,
            read: client.prepare("SELECT id FROM pages WHERE uid = $1")?,
            client,
        })
    }

    fn write(&mut self, uid: &str, params: &str) -> Result<(), Error> {
        let client = &mut self.client;
        client.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(1)")?;
        client.query(&self.read, &[&uid])?;
        client.execute(&self.page, &[&uid, &params])?;
        client.execute(&self.revision, &[&uid, &params])?;
        client.execute(&self.line, &[&uid, &"2026-01-01T00:00:00Z"])?;
        client.batch_execute("NOTIFY written")?;
        client.batch_execute("COMMIT")?;
        Ok(())
    }
}
