//! All figures of the service, put together.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use svc_data::{DurationCounts, PoolUse};

use crate::{
    http::{ApiError, ApiResult},
    metrics::{families::Families, process::Process},
    state::State,
};

/// What is known of the resources of one name, whatever their environment.
#[derive(Default)]
struct ResourceFigures {
    pool: PoolUse,
    statements: BTreeMap<&'static str, DurationCounts>,
}

/// All figures as text. Those of the store are left out while it does not answer.
pub(super) async fn to_text(state: &State) -> ApiResult<String> {
    let metrics = &state.metrics;
    let mut families = Families::default();
    metrics.http.add_to(&mut families);
    add_resources(state, &mut families);
    families.histogram(
        "svc_store_statement_duration_seconds",
        "How long statements on the store of the service took, without those that are sent with a commit.",
        [(Vec::new(), state.store.statement_durations().counts())],
    );
    add_caches(state, &mut families);
    if let Some(figures) = metrics.store.get(&state.store).await {
        families.gauge(
            "svc_sessions_active",
            "How many sessions of users and accounts have not ended.",
            [(Vec::new(), figures.sessions as f64)],
        );
        families.gauge(
            "svc_mails_waiting",
            "How many mails wait in the outbox.",
            [(Vec::new(), figures.mails as f64)],
        );
    }
    families.counter(
        "svc_rate_limited_total",
        "How many requests were refused by a rate limit.",
        [(
            Vec::new(),
            metrics.rate_limited.load(Ordering::Relaxed) as f64,
        )],
    );
    let is_refused = state.tls.as_ref().is_some_and(|tls| tls.fault().is_some());
    families.gauge(
        "svc_tls_certificate_refused",
        "Whether the files of certificate and key were changed and do not fit, so that the earlier ones serve: 1, else 0.",
        [(Vec::new(), f64::from(u8::from(is_refused)))],
    );
    // It reads files of the system.
    let process = tokio::task::spawn_blocking(Process::read).await;
    process.unwrap_or_default().add_to(&mut families);
    families
        .to_text()
        .map_err(|error| ApiError::Internal(format!("the metrics cannot be written: {error}")))
}

fn add_resources(state: &State, families: &mut Families) {
    let mut resources = BTreeMap::<String, ResourceFigures>::new();
    for resource in state.connections.connected() {
        let figures = resources.entry(resource.name().to_owned()).or_default();
        figures.pool = figures.pool + resource.pool_use();
        for (kind, counts) in resource.statement_durations() {
            *figures.statements.entry(kind.as_str()).or_default() += counts;
        }
    }
    let pools = resources
        .iter()
        .flat_map(|(name, ResourceFigures { pool, .. })| {
            let states = [
                ("idle", pool.size.saturating_sub(pool.used)),
                ("used", pool.used),
                ("waiting", pool.waiting),
            ];
            states.map(|(state, number)| {
                let labels = vec![("resource", name.clone()), ("state", state.to_owned())];
                (labels, number as f64)
            })
        });
    families.gauge(
        "svc_database_pool_connections",
        "Statements that run on a resource (used), that could begin at once (idle), and that wait for a connection (waiting).",
        pools,
    );
    families.histogram(
        "svc_database_pool_wait_seconds",
        "How long statements on resources waited for a connection.",
        [(Vec::new(), state.config.pool_waits.counts())],
    );
    let statements = resources.iter().flat_map(|(name, figures)| {
        figures.statements.iter().map(move |(kind, counts)| {
            let labels = vec![("resource", name.clone()), ("kind", (*kind).to_owned())];
            (labels, *counts)
        })
    });
    families.histogram(
        "svc_database_statement_duration_seconds",
        "How long statements on a resource took, with the wait for a connection.",
        statements,
    );
}

fn add_caches(state: &State, families: &mut Families) {
    let caches = [
        ("administered_lists", state.administered.lookups()),
        ("credentials", state.credentials.lookups()),
        ("proxy_rules", state.proxy.lookups()),
        ("tools", state.tools.lookups()),
    ];
    let lookups = caches.into_iter().flat_map(|(cache, lookups)| {
        [("hit", lookups.hits), ("miss", lookups.misses)].map(|(result, number)| {
            let labels = vec![("cache", cache.to_owned()), ("result", result.to_owned())];
            (labels, number as f64)
        })
    });
    families.counter(
        "svc_cache_requests_total",
        "How often something was looked for among what is remembered of the store.",
        lookups,
    );
}
