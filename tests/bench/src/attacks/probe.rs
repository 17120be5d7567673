//! Callers that use the service while it is attacked: one requests the health check, one requests records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use http::Method;

use crate::Error;
use crate::cases::{Case, What};
use crate::load::{self, Target};

/// The interval of the requests.
const INTERVAL: Duration = Duration::from_millis(5);
/// The timeout of a request.
const PATIENCE: Duration = Duration::from_secs(20);

const HEALTH: Case = Case {
    name: "healthz",
    what: What::List(""),
};

/// Response times, sorted.
#[derive(Debug)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// While one response was awaited, others would have been requested: they count with the time that they would have
    /// waited. Otherwise one response of ten seconds among many quick ones would not be visible.
    fn new(measured: &[Duration]) -> Self {
        let mut all = Vec::new();
        for &latency in measured {
            let mut rest = latency;
            all.push(rest);
            while rest > INTERVAL {
                rest -= INTERVAL;
                all.push(rest);
            }
        }
        all.sort_unstable();
        Self(all)
    }

    fn at(&self, share: f64) -> Duration {
        let index = (self.0.len() as f64 * share) as usize;
        let last = self.0.len().saturating_sub(1);
        self.0.get(index.min(last)).copied().unwrap_or(PATIENCE)
    }

    pub fn median(&self) -> Duration {
        self.at(0.5)
    }

    pub fn p99(&self) -> Duration {
        self.at(0.99)
    }
}

/// Both callers, while they send requests.
pub struct Probes {
    stop: Arc<AtomicBool>,
    health: JoinHandle<Result<Vec<Duration>, Error>>,
    retrieve: JoinHandle<Result<Vec<Duration>, Error>>,
}

impl Probes {
    pub fn start(target: &Target, orders: u32) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let health = Target {
            path: "/healthz".to_owned(),
            authorization: None,
            case: &HEALTH,
            ..target.clone()
        };
        Ok(Self {
            health: ask(health, orders, Arc::clone(&stop)),
            retrieve: ask(target.clone(), orders, Arc::clone(&stop)),
            stop,
        })
    }

    /// The response times of `/healthz` and of records.
    pub fn finish(self) -> Result<(Latencies, Latencies), Error> {
        self.stop.store(true, Ordering::Relaxed);
        let join = |thread: JoinHandle<Result<Vec<Duration>, Error>>| {
            let measured = thread.join().map_err(|_| "a probe panicked")??;
            Ok::<_, Error>(Latencies::new(&measured))
        };
        Ok((join(self.health)?, join(self.retrieve)?))
    }
}

/// Sends requests until it is stopped. A refused or unanswered request counts with the full timeout.
fn ask(
    target: Target,
    orders: u32,
    stop: Arc<AtomicBool>,
) -> JoinHandle<Result<Vec<Duration>, Error>> {
    thread::spawn(move || {
        let mut random = fastrand::Rng::with_seed(1);
        let mut measured = Vec::new();
        let runtime = crate::accounts::runtime()?;
        runtime.block_on(async {
            let mut sender = None;
            while !stop.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let path = match target.case.what {
                    What::Retrieve => format!("{}/{}", target.path, random.u32(1..=orders)),
                    _ => target.path.clone(),
                };
                let mut call = load::Exact::new(Method::GET, path, &serde_json::Value::Null);
                if let Some(authorization) = &target.authorization {
                    call = call.authorized(authorization.clone());
                }
                let answer = load::keep_asking(target.address, &call, &mut sender);
                measured.push(match tokio::time::timeout(PATIENCE, answer).await {
                    Ok(Ok(())) => begun.elapsed(),
                    Ok(Err(error)) => {
                        eprintln!("{}: {error}", target.case.name);
                        tokio::time::sleep(INTERVAL).await;
                        PATIENCE
                    }
                    Err(_) => PATIENCE,
                });
                tokio::time::sleep(INTERVAL.saturating_sub(begun.elapsed())).await;
            }
        });
        Ok(measured)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_response_counts_for_all_requests_that_would_have_waited() {
        let mut measured = vec![Duration::from_millis(1); 100];
        measured.push(Duration::from_secs(2));
        let latencies = Latencies::new(&measured);
        assert!(latencies.median() > Duration::from_millis(500));
        assert!(latencies.p99() > Duration::from_millis(1_900));
        assert_eq!(Latencies::new(&[]).median(), PATIENCE);
    }
}
