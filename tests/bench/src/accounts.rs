//! The cost of signing in: the check of a session, logins compared with the bare hash, the effect of many logins on
//! records, and whether response times reveal that an account exists.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use argon2::Argon2;
use argon2::password_hash::PasswordHasher as _;
use http::{HeaderValue, Method, StatusCode};
use serde_json::{Value, json};

use crate::Error;
use crate::cases::{Case, What};
use crate::dataset::Database;
use crate::load::{self, Exact, Load, Target};
use crate::report;
use crate::service::Service;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "a password for the bench";
/// The number of simultaneous logins while records are read.
const CROWD: usize = 200;
/// The number of timed responses of each kind.
const TIMED: usize = 100;

const RETRIEVE: Case = Case {
    name: "retrieve",
    what: What::Retrieve,
};
const NOTHING: Case = Case {
    name: "nothing",
    what: What::List(""),
};

/// Runs all measurements, and returns a sentence for each.
pub fn measure(folder: &Path, database: &Database, load: &Load) -> Result<Vec<String>, Error> {
    let folder = folder.join("accounts");
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    service.add_user(EMAIL, PASSWORD)?;
    let session = session(&service)?;
    Ok(vec![
        check(&service, database, &session, load)?,
        logins(&service, load)?,
        crowd(&service, database, load.orders)?,
        timing(&service)?,
    ])
}

/// The header of a session.
fn session(service: &Service) -> Result<HeaderValue, Error> {
    let runtime = runtime()?;
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let call = Exact::new(Method::POST, service.path("/auth/login"), &body);
    let (_, body) = runtime.block_on(load::exactly(service.address(), &call))?;
    let answer: Value = serde_json::from_slice(&body)?;
    let token = answer
        .pointer("/token/access_token")
        .and_then(Value::as_str);
    let token = token.ok_or("a login gave no access token")?;
    let mut header = HeaderValue::try_from(format!("JWT {token}"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// The cost of the check of a session, compared with the retrieve that follows it.
fn check(
    service: &Service,
    database: &Database,
    session: &HeaderValue,
    load: &Load,
) -> Result<String, Error> {
    let mut retrieve = service.target(database, &RETRIEVE);
    let token = load.run(retrieve.clone(), service.process())?;
    retrieve.authorization = Some(session.clone());
    let by_session = load.run(retrieve, service.process())?;
    // A path without an operation, requested with and without a credential, so that only the check differs.
    let nothing = |authorization, status| Target {
        address: service.address(),
        path: service.path("/nothing/models/nothing"),
        authorization,
        case: &NOTHING,
        status: Some(status),
    };
    let behind = nothing(Some(session.clone()), StatusCode::NOT_FOUND);
    let without = nothing(None, StatusCode::UNAUTHORIZED);
    let without = load.run(without, service.process())?;
    let behind = load.run(behind, service.process())?;
    let check = behind.cpu.saturating_sub(without.cpu);
    Ok(format!(
        "A retrieve takes {:.1} us of CPU with a static token and {:.1} us with a session. A request for nothing takes \
         {:.1} us behind the check of a session and {:.1} us without a credential: the check is {:.1} % of a retrieve.",
        microseconds(token.cpu),
        microseconds(by_session.cpu),
        microseconds(behind.cpu),
        microseconds(without.cpu),
        100.0 * check.as_secs_f64() / by_session.cpu.as_secs_f64(),
    ))
}

/// Logins, compared with the hash that each of them computes.
fn logins(service: &Service, load: &Load) -> Result<String, Error> {
    let places = (thread::available_parallelism().map_or(1, usize::from) / 2).max(1);
    let raw = raw_hashes(places, load.measured)?;
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let call = Exact::new(Method::POST, service.path("/auth/login"), &body);
    let address = service.address();
    let done = runtime()?.block_on(load::repeatedly(address, &call, 16, load.measured))?;
    let per_second = done.len() as f64 / load.measured.as_secs_f64();
    Ok(format!(
        "{per_second:.1} logins a second, {:.2} of the {raw:.1} bare Argon2id hashes of the same parameters on the \
         same number of threads ({places}).",
        per_second / raw,
    ))
}

/// Hashes per second on this number of threads.
fn raw_hashes(threads: usize, time: Duration) -> Result<f64, Error> {
    let until = Instant::now() + time;
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            thread::spawn(move || {
                let mut hashes = 0_u32;
                while Instant::now() < until {
                    let hash = Argon2::default().hash_password(PASSWORD.as_bytes());
                    hash.map_err(|error| error.to_string())?;
                    hashes += 1;
                }
                Ok::<_, String>(hashes)
            })
        })
        .collect();
    let mut all = 0;
    for worker in workers {
        all += worker.join().map_err(|_| "a thread of hashes panicked")??;
    }
    Ok(f64::from(all) / time.as_secs_f64())
}

/// The response times of a reader of records while many users sign in.
fn crowd(service: &Service, database: &Database, orders: u32) -> Result<String, Error> {
    let target = service.target(database, &RETRIEVE);
    let p99 = |mut latencies: Vec<Duration>| {
        latencies.sort_unstable();
        latencies
            .get(latencies.len() * 99 / 100)
            .copied()
            .unwrap_or_default()
    };
    let idle = p99(load::in_sequence(&target, 20_000, orders)?);
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let call = Exact::new(Method::POST, service.path("/auth/login"), &body);
    let address = service.address();
    let crowd = thread::spawn(move || {
        let begun = Instant::now();
        let logins = runtime()?.block_on(load::at_once(address, &call, CROWD))?;
        Ok::<_, Error>((logins, begun.elapsed()))
    });
    let mut under_load = Vec::new();
    while !crowd.is_finished() {
        under_load.extend(load::in_sequence(&target, 500, orders)?);
    }
    let read = under_load.len();
    let (logins, took) = crowd.join().map_err(|_| "the crowd panicked")??;
    let busy = p99(under_load);
    Ok(format!(
        "{logins} logins at once took {:.1} s; of the {read} retrieves meanwhile the p99 was {}, {:.2} times the {} \
         of a quiet service.",
        took.as_secs_f64(),
        report::time(busy),
        busy.as_secs_f64() / idle.as_secs_f64(),
        report::time(idle),
    ))
}

/// The response times for an existing and an unknown account, measured alternately.
fn timing(service: &Service) -> Result<String, Error> {
    let address = service.address();
    let login = |email: &str| {
        let body = json!({ "email": email, "password": "not the password" });
        Exact::expecting(
            Method::POST,
            service.path("/auth/login"),
            &body,
            StatusCode::UNAUTHORIZED,
        )
    };
    let reset = |email: &str| {
        Exact::new(
            Method::POST,
            service.path("/auth/reset_password"),
            &json!({ "email": email }),
        )
    };
    let medians = |known: &Exact, unknown: &Exact| -> Result<(Duration, Duration), Error> {
        let (known, unknown) =
            runtime()?.block_on(load::in_turn(address, known, unknown, TIMED))?;
        Ok((median(known), median(unknown)))
    };
    let (known, unknown) = medians(&login(EMAIL), &login("nobody@example.com"))?;
    // Of a known account at most five resets are mailed in an hour; every one is timed all the same.
    let (mailed, not_mailed) = medians(&reset(EMAIL), &reset("nobody@example.com"))?;
    Ok(format!(
        "Median of {TIMED}: a refused login takes {} for a known address and {} for an unknown one ({:+.1} %), a \
         reset {} and {} ({:+.1} %).",
        report::time(known),
        report::time(unknown),
        difference(known, unknown),
        report::time(mailed),
        report::time(not_mailed),
        difference(mailed, not_mailed),
    ))
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn difference(known: Duration, unknown: Duration) -> f64 {
    100.0 * (unknown.as_secs_f64() / known.as_secs_f64() - 1.0)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

pub fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    Ok(tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?)
}
