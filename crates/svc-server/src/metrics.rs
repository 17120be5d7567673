//! What operators watch: what is counted of the service, and how it becomes the text of `/metrics`.
//!
//! Figures are counted where something happens, in atomic counters, and are put together when they are asked for. Labels
//! have few values: patterns of routes, never paths, and names of resources, never of records or callers.

pub(crate) mod families;
pub(crate) mod history;
pub(crate) mod process;
pub(crate) mod requests;
mod store_figures;

use std::sync::{Arc, atomic::AtomicU64};

use self::{history::History, requests::HttpMetrics, store_figures::StoreFigures};

/// What is counted of the service.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The requests of its listeners.
    pub(crate) http: Arc<HttpMetrics>,
    /// How many requests a rate limit has refused.
    pub(crate) rate_limited: AtomicU64,
    /// What is counted in the store.
    pub(crate) store: StoreFigures,
    /// What was counted before.
    pub(crate) history: History,
}
