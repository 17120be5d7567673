//! The administration beside the records: a long page of the audit trail beside a page of records, and reads of records while
//! the administration writes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::{HeaderValue, Method};
use serde_json::{Value, json};

use crate::Error;
use crate::cases::{Case, What};
use crate::dataset::{Database, ORDERS};
use crate::load::{self, Exact, Load, Measured};
use crate::report;
use crate::service::Service;

/// How many lines, and how many records, are on a page.
const ENTRIES: u32 = 10_000;
/// How often each page is asked for, by turns.
const PAGES: usize = 21;
/// How often reads are measured with and without writes, by turns.
const ROUNDS: usize = 3;
/// The pause between two writes of the administration.
const PAUSE: Duration = Duration::from_millis(10);

const CREATE: Case = Case {
    name: "create",
    what: What::Create,
};
const RETRIEVE: Case = Case {
    name: "retrieve",
    what: What::Retrieve,
};

/// Runs the measurements, and returns a sentence for each.
pub fn measure(folder: &Path, database: &Database, load: &Load) -> Result<Vec<String>, Error> {
    let folder = folder.join("administration");
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let key = HeaderValue::try_from(format!("Bearer {}", service.add_key()?))?;
    Ok(vec![
        long_page(&service, database, &key, load)?,
        reads_while_writing(&service, database, &key, load)?,
    ])
}

/// A page of the audit trail beside one of as many records.
fn long_page(
    service: &Service,
    database: &Database,
    key: &HeaderValue,
    load: &Load,
) -> Result<String, Error> {
    let runtime = runtime()?;
    let target = service.target(database, &CREATE);
    let trail = format!("/api/projects/main/audit/?_per_page={ENTRIES}&_count=none");
    let trail = get(trail).authorized(key.clone());
    eprintln!("administration: filling the audit trail");
    let lines = |body: &[u8]| -> Result<usize, Error> {
        let page: Value = serde_json::from_slice(body)?;
        Ok(page["results"].as_array().map_or(0, Vec::len))
    };
    loop {
        runtime.block_on(load.ask(&target, Duration::from_secs(1)))?;
        let (_, body) = runtime.block_on(load::exactly(service.address(), &trail))?;
        if lines(&body)? == ENTRIES as usize {
            break;
        }
    }
    let records = service.path(&format!(
        "/{}/models/{ORDERS}?_per_page={ENTRIES}&_count=none&_order_by=-id",
        database.name
    ));
    let token = service.token(database).ok_or("the resource has no token")?;
    let records = get(records).authorized(token);
    eprintln!("administration: pages of {ENTRIES}");
    let length = |call: &Exact| -> Result<f64, Error> {
        let (_, body) = runtime.block_on(load::exactly(service.address(), call))?;
        Ok(body.len() as f64)
    };
    let longer = length(&trail)? / length(&records)?;
    let pages = load::in_turn(service.address(), &trail, &records, PAGES);
    let (trail, records) = runtime.block_on(pages)?;
    let median = |times: &[Duration]| report::median(times.iter().map(Duration::as_secs_f64));
    let (trail, records) = (median(&trail), median(&records));
    Ok(format!(
        "A page of {ENTRIES} lines of the audit trail takes {}, {:.2} of the {} of a page of {ENTRIES} records of {}, and has \
         {longer:.2} as many bytes: {:.2} for each byte (median of {PAGES}, by turns).",
        report::time(Duration::from_secs_f64(trail)),
        trail / records,
        report::time(Duration::from_secs_f64(records)),
        database.name,
        trail / records / longer,
    ))
}

/// Reads of records with and without an administration that writes.
fn reads_while_writing(
    service: &Service,
    database: &Database,
    key: &HeaderValue,
    load: &Load,
) -> Result<String, Error> {
    let target = || service.target(database, &RETRIEVE);
    let mut rounds = Vec::new();
    let mut written = 0;
    for _ in 0..ROUNDS {
        eprintln!("administration: reads without and with its writes");
        let quiet = load.run(target(), service.process())?;
        let writer = Writer::start(service, key)?;
        let busy = load.run(target(), service.process())?;
        written += writer.stop()?;
        rounds.push((quiet, busy));
    }
    let seconds = (load.measured + load.warm_up).as_secs_f64() * ROUNDS as f64;
    let p99 = |figure: fn(&(Measured, Measured)) -> Duration| {
        let median = report::median(rounds.iter().map(|round| figure(round).as_secs_f64()));
        report::time(Duration::from_secs_f64(median))
    };
    let ratio = |figure: fn(&Measured) -> f64| {
        report::median(
            rounds
                .iter()
                .map(|(quiet, busy)| figure(busy) / figure(quiet)),
        )
    };
    Ok(format!(
        "The slowest of a hundred retrieves of {} takes {}, and {} while the administration writes {:.0} times a second: {:.2} \
         of it, with {:.2} of the requests a second.",
        database.name,
        p99(|(quiet, _)| quiet.p99),
        p99(|(_, busy)| busy.p99),
        written as f64 / seconds,
        ratio(|measured| measured.p99.as_secs_f64()),
        ratio(|measured| measured.per_second),
    ))
}

/// An administrator who changes a project all the time.
struct Writer {
    ends: Arc<AtomicBool>,
    written: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<Result<(), Error>>,
}

impl Writer {
    fn start(service: &Service, key: &HeaderValue) -> Result<Self, Error> {
        let (address, key, runtime) = (service.address(), key.clone(), runtime()?);
        let ends = Arc::new(AtomicBool::new(false));
        let written = Arc::new(AtomicU64::new(0));
        let (ending, counted) = (Arc::clone(&ends), Arc::clone(&written));
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let mut connection = None;
                while !ending.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    let number = counted.fetch_add(1, Ordering::Relaxed);
                    let body = json!({"name": format!("Main {number}")});
                    let path = "/api/projects/main/".to_owned();
                    let call = Exact::new(Method::PATCH, path, &body).authorized(key.clone());
                    load::keep_asking(address, &call, &mut connection).await?;
                    tokio::time::sleep(PAUSE.saturating_sub(begun.elapsed())).await;
                }
                Ok(())
            })
        });
        Ok(Self {
            ends,
            written,
            thread,
        })
    }

    /// Ends it, and returns how often it wrote.
    fn stop(self) -> Result<u64, Error> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| "the administrator has panicked")??;
        Ok(self.written.load(Ordering::Relaxed))
    }
}

fn get(path: String) -> Exact {
    Exact::new(Method::GET, path, &Value::Null)
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    Ok(builder.enable_all().build()?)
}
