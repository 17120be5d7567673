//! The figures of the last day: a sample a minute, in the memory of the process.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use parking_lot::Mutex;
use svc_model::administration::service;

use super::{process::Process, requests::HttpMetrics};

/// How long a sample is.
pub(crate) const EVERY: Duration = Duration::from_secs(60);
/// How many samples are kept: those of a day, which take about 120 kB.
pub(crate) const MOST: usize = 1_440;
/// The shortest span over which something is called a rate.
const SHORTEST: Duration = Duration::from_millis(100);

/// What was counted until a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals {
    at: Timestamp,
    clock: Instant,
    requests: u64,
    errors: u64,
    /// How long all requests took together, in seconds.
    seconds: f64,
    cpu_seconds: Option<f64>,
    memory_bytes: Option<f64>,
    connections: u64,
}

/// What a process did between two moments.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Timestamp,
    requests: f64,
    errors: f64,
    mean: Option<f64>,
    cores: Option<f64>,
    memory: Option<f64>,
    connections: u64,
}

/// The samples, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct History(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    since: Option<Timestamp>,
    last: Option<Totals>,
    samples: VecDeque<Sample>,
}

impl Totals {
    /// What was counted until now, with the connections that are in use. It may wait for the system.
    pub(crate) fn read(http: &HttpMetrics, connections: u64) -> Self {
        let (all, errors) = http.totals();
        let process = Process::read();
        Self {
            at: Timestamp::now(),
            clock: Instant::now(),
            requests: all.count,
            errors,
            seconds: all.seconds,
            cpu_seconds: process.cpu_seconds,
            memory_bytes: process.resident_bytes,
            connections,
        }
    }

    fn since(&self, before: &Self) -> Sample {
        let span = self.clock.saturating_duration_since(before.clock);
        let span = span.max(SHORTEST).as_secs_f64();
        let count = |now: u64, before: u64| now.saturating_sub(before) as f64;
        let requests = count(self.requests, before.requests);
        let cpu = self.cpu_seconds.zip(before.cpu_seconds);
        Sample {
            at: self.at,
            requests: requests / span,
            errors: count(self.errors, before.errors) / span,
            mean: (requests > 0.0).then(|| ((self.seconds - before.seconds) / requests).max(0.0)),
            cores: cpu.map(|(now, before)| ((now - before) / span).max(0.0)),
            memory: self.memory_bytes,
            connections: self.connections,
        }
    }
}

impl Sample {
    fn shown(&self) -> service::Sample {
        let mut shown = service::Sample::default();
        shown.at = self.at.to_string();
        shown.requests_per_second = self.requests;
        shown.errors_per_second = self.errors;
        shown.mean_seconds = self.mean;
        shown.cpu_cores = self.cores;
        shown.memory_bytes = self.memory.map(|bytes| bytes as u64);
        shown.connections_used = self.connections;
        shown
    }
}

impl History {
    /// Keeps what was counted until now.
    pub(crate) fn add(&self, now: Totals) {
        let mut kept = self.0.lock();
        if let Some(last) = kept.last.replace(now) {
            if kept.samples.len() == MOST {
                kept.samples.pop_front();
            }
            kept.samples.push_back(now.since(&last));
        } else {
            kept.since = Some(now.at);
        }
    }

    /// Writes the samples, and what has been since the last of them, into an answer.
    pub(crate) fn show(&self, now: &Totals, shown: &mut service::Metrics) {
        let kept = self.0.lock();
        shown.since = kept.since.unwrap_or(now.at).to_string();
        shown.seconds = u32::try_from(EVERY.as_secs()).unwrap_or(u32::MAX);
        shown.most = u32::try_from(MOST).unwrap_or(u32::MAX);
        shown.samples = kept.samples.iter().map(Sample::shown).collect();
        shown.current = now.since(kept.last.as_ref().unwrap_or(now)).shown();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(start: Instant, seconds: u64, requests: u64) -> Totals {
        Totals {
            at: Timestamp::from_second(1_700_000_000 + seconds as i64).unwrap(),
            clock: start + Duration::from_secs(seconds),
            requests,
            errors: requests / 10,
            seconds: requests as f64 * 0.25,
            cpu_seconds: Some(seconds as f64 * 1.5),
            memory_bytes: Some(1024.0),
            connections: 3,
        }
    }

    fn shown(history: &History, now: &Totals) -> service::Metrics {
        let mut shown = service::Metrics::default();
        history.show(now, &mut shown);
        shown
    }

    #[test]
    fn a_sample_is_what_has_been_since_the_one_before() {
        let (history, start) = (History::default(), Instant::now());
        assert!(shown(&history, &totals(start, 0, 0)).samples.is_empty());
        history.add(totals(start, 0, 0));
        history.add(totals(start, 60, 600));
        history.add(totals(start, 120, 600));
        let metrics = shown(&history, &totals(start, 130, 620));
        assert_eq!(metrics.since, "2023-11-14T22:13:20Z");
        let [first, second] = &metrics.samples[..] else {
            panic!("{metrics:?}");
        };
        assert_eq!(first.at, "2023-11-14T22:14:20Z");
        assert_eq!(
            (first.requests_per_second, first.errors_per_second),
            (10.0, 1.0)
        );
        assert_eq!(
            (first.mean_seconds, first.cpu_cores),
            (Some(0.25), Some(1.5))
        );
        assert_eq!(
            (first.memory_bytes, first.connections_used),
            (Some(1024), 3)
        );
        assert_eq!(
            (second.requests_per_second, second.mean_seconds),
            (0.0, None)
        );
        assert_eq!(metrics.current.requests_per_second, 2.0);
    }

    #[test]
    fn no_more_than_a_day_is_kept() {
        let (history, start) = (History::default(), Instant::now());
        for minute in 0..=MOST as u64 + 5 {
            history.add(totals(start, minute * 60, minute));
        }
        let metrics = shown(&history, &totals(start, 100_000, 0));
        assert_eq!(metrics.samples.len(), MOST);
        let first = metrics.samples.first().unwrap();
        assert_eq!(first.at, "2023-11-14T22:19:20Z");
        // A counter that went back is no rate below zero.
        assert_eq!(metrics.current.requests_per_second, 0.0);
        assert!(size_of::<Sample>() * MOST < 200_000);
    }

    #[test]
    fn what_the_process_takes_and_has_answered_is_read() {
        let http = HttpMetrics::default();
        let status = http::StatusCode::BAD_GATEWAY;
        let method = super::super::requests::MethodLabel::of(&http::Method::GET);
        http.observe(method, None, status, Duration::from_millis(10));
        let read = Totals::read(&http, 7);
        assert_eq!((read.requests, read.errors, read.connections), (1, 1, 7));
        assert!(read.memory_bytes.is_some() || cfg!(not(target_os = "linux")));
    }
}
