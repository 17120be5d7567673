//! The service as a whole: from settings and a store to answered requests.

use std::{
    future::Future,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use svc_data::{FileFault, Resource};
use svc_model::{
    Scope,
    wire::{BoxFuture, Transport},
};
use svc_store::{BackupSeries, Secret, Store};
use tokio::{net::TcpListener, sync::watch, task::JoinSet, time::MissedTickBehavior};

#[cfg(feature = "otlp")]
use crate::spans::Spans;
use crate::{
    Config, Error,
    api::{
        imports, metrics, router,
        routes::{Hosts, PREFIX},
    },
    backups,
    console::ConsoleService,
    http::{
        limits,
        listener::{Connections, serve},
        redirect,
        resource_path::ResourcePath,
    },
    mail::{self, Smtp},
    metrics::history,
    open_listeners::{OpenListeners, open as open_listener},
    state::{Shared, State, nodes},
};

/// How often the store is asked whether another process changed it.
const WATCH_EVERY: Duration = Duration::from_millis(250);

/// The same for a store on a server, which tells of changes: only in case that the news was lost.
const WATCH_SERVER_EVERY: Duration = Duration::from_millis(500);

/// How many causes of one outage of the store are logged.
const MOST_CAUSES: usize = 8;

/// How often the service checks whether the store can be written again.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// How often all of the store is read to see whether it is damaged; it is read when the service starts too.
const INTEGRITY_EVERY: Duration = Duration::from_secs(600);
/// A large store is read less often: at most during one part in so many of the time.
const INTEGRITY_SHARE: u32 = 100;

/// How often the service looks whether the databases of resources are still there.
const CHECK_RESOURCES_EVERY: Duration = Duration::from_secs(3);

/// How often old lines of the audit trail are looked for.
const PURGE_EVERY: Duration = Duration::from_secs(3_600);

/// The service, listening.
///
/// See the [crate documentation](crate) for an example.
#[derive(Debug)]
pub struct Server {
    state: Shared,
    listeners: Vec<(Hosts, TcpListener)>,
    /// That of the metrics, where they have one of their own.
    metrics: Option<TcpListener>,
    /// Plain HTTP, where everything is redirected.
    redirect: Option<TcpListener>,
    base_url: String,
    app_base_url: String,
    smtp: Option<Smtp>,
    backups: Option<BackupSeries>,
    #[cfg(feature = "otlp")]
    spans: Option<Arc<Spans>>,
}

impl Server {
    /// Opens the listeners. Connections are accepted from now on and answered once
    /// [`run`](Self::run) is called.
    ///
    /// # Errors
    /// [`Error`] with the remedy when a setting cannot work, an address cannot be listened on, or the
    /// store cannot be read.
    pub async fn bind(store: Store, config: Config) -> Result<Self, Error> {
        Self::open(store, config, OpenListeners::default()).await
    }

    /// The same with listeners that are open already, and opens the others.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and when a listener that is open cannot be used.
    pub async fn bind_with(
        store: Store,
        config: Config,
        listeners: OpenListeners,
    ) -> Result<Self, Error> {
        Self::open(store, config, listeners).await
    }

    // Boxed, so that it is compiled here, for speed, and not where it is waited for; so is `serve`.
    fn open(
        store: Store,
        mut config: Config,
        open: OpenListeners,
    ) -> BoxFuture<'static, Result<Self, Error>> {
        Box::pin(async move {
            open.set_addresses(&mut config)?;
            config.check()?;
            let smtp = config.mail.as_ref().map(Smtp::new).transpose();
            let smtp = smtp.map_err(|(option, error)| config.named(option, error))?;
            let backups = backups::prepare(&config, &store).await?;
            #[cfg(feature = "otlp")]
            let spans = Spans::from_env(&config.node_name)?.map(Arc::new);
            let mut listeners = Vec::new();
            let listener = open_listener(&config, "listen", open.listen, config.listen).await?;
            config.listen = address_of(&listener, config.listen)?;
            let app_origin = origin(&config, &listener)?;
            let base_url = match config.data_listen {
                None => {
                    listeners.push((Hosts::Both, listener));
                    app_origin.clone()
                }
                Some(address) => {
                    let data =
                        open_listener(&config, "data-listen", open.data_listen, address).await?;
                    config.data_listen = Some(address_of(&data, address)?);
                    let base_url = origin(&config, &data)?;
                    listeners.push((Hosts::Application, listener));
                    listeners.push((Hosts::Data, data));
                    base_url
                }
            };
            let metrics = match config.metrics_listen {
                None => None,
                Some(address) => {
                    let listener =
                        open_listener(&config, "metrics-listen", open.metrics_listen, address)
                            .await?;
                    let address = address_of(&listener, address)?;
                    config.metrics_listen = Some(address);
                    tracing::info!(%address, "metrics are served to everybody who reaches this address");
                    Some(listener)
                }
            };
            let mut redirect = None;
            if let Some(address) = config.http_redirect {
                let listener =
                    open_listener(&config, "http-redirect", open.http_redirect, address).await?;
                let address = address_of(&listener, address)?;
                tracing::info!(%address, "plain HTTP is redirected to HTTPS");
                config.http_redirect = Some(address);
                redirect = Some(listener);
            }
            let app_base_url = format!("{app_origin}{PREFIX}");
            let state = State::new(config, store, base_url.clone(), app_base_url.clone())?;
            let _ = state.serves_since.set(Timestamp::now());
            state.refresh().await.map_err(Error::store)?;
            if let Err(error) = state.store.resources().complete_hints().await {
                tracing::warn!(%error, "the addresses of resources are not shown in lists");
            }
            if let Err(error) = state.writing.flush(&state.store).await {
                tracing::error!(%error, "the store cannot be written; writes are refused until it can");
                state.store_health.report_failure(&error);
            }
            Ok(Self {
                state,
                listeners,
                metrics,
                redirect,
                base_url,
                app_base_url,
                smtp,
                backups,
                #[cfg(feature = "otlp")]
                spans,
            })
        })
    }

    /// The address of the data host, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The address of the application host, which ends in `/api`.
    pub fn app_base_url(&self) -> &str {
        &self.app_base_url
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let addresses = self.listeners.iter();
        addresses
            .filter_map(|(_, listener)| listener.local_addr().ok())
            .collect()
    }

    /// The service as a console uses it.
    pub fn console_service(&self) -> ConsoleService {
        ConsoleService::new(Shared::clone(&self.state))
    }

    /// Has a console answer what is asked below `/console` of the application host. The first one stays.
    pub fn set_console(&self, console: Arc<dyn Transport>) {
        let _ = self.state.console.set(console);
    }

    /// Serves a database over a connection that is open already, so that its structure is not read a second time. It does
    /// nothing unless the store has a resource with this place and address; the connection should have the
    /// [options of the configuration](Config::resource_options).
    pub fn adopt(&self, scope: &Scope, url: &Secret, resource: Resource) {
        let path = ResourcePath {
            scope: scope.clone(),
            resource: resource.name().into(),
        };
        self.state.connections.adopt(&path, url, resource);
    }

    /// Answers requests until `shutdown` completes, then finishes those in flight.
    ///
    /// # Errors
    /// None today; the service answers what goes wrong while it runs, and logs it.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), Error> {
        self.serve(Box::pin(shutdown)).await
    }

    fn serve(self, shutdown: BoxFuture<'_, ()>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let Self {
                state,
                listeners,
                metrics: metrics_listener,
                redirect,
                smtp,
                backups,
                #[cfg(feature = "otlp")]
                spans,
                ..
            } = self;
            let (stop, stopped) = watch::channel(false);
            let watcher = tokio::spawn(watch_store(Shared::clone(&state)));
            let purger = tokio::spawn(purge_audit(Shared::clone(&state)));
            let checker = tokio::spawn(check_store(Shared::clone(&state)));
            let sampler = tokio::spawn(sample_figures(Shared::clone(&state)));
            let resources = tokio::spawn(check_resources(Shared::clone(&state)));
            let backups =
                backups.map(|series| tokio::spawn(backups::run(state.store.clone(), series)));
            let tls = state.tls.clone().map(|tls| tokio::spawn(tls.watch()));
            let counted = &state.metrics.http;
            let in_flight = limits::Limits::new(&state.config).counting(counted);
            #[cfg(feature = "otlp")]
            let in_flight = in_flight.tracing(spans.clone());
            let connections = Connections::new(&state.config);
            let mut tasks = JoinSet::new();
            for (hosts, listener) in listeners {
                let stack = in_flight.around(router(hosts, Shared::clone(&state)), &state.config);
                let (state, stopped) = (Shared::clone(&state), stopped.clone());
                let connections = connections.clone();
                tasks.spawn(async move {
                    let (config, tls) = (&state.config, state.tls.clone());
                    serve(listener, stack, connections, config, tls, stopped).await;
                });
            }
            if let Some(listener) = redirect {
                let stack = redirect::stack(&in_flight, &state.config);
                let (state, stopped) = (Shared::clone(&state), stopped.clone());
                let connections = connections.clone();
                tasks.spawn(async move {
                    serve(listener, stack, connections, &state.config, None, stopped).await;
                });
            }
            if let Some(listener) = metrics_listener {
                // Nothing that callers of the service do keeps a scrape waiting.
                let in_flight = limits::Limits::new(&state.config).counting(counted);
                let stack = in_flight.around(metrics::router(Shared::clone(&state)), &state.config);
                let (state, stopped) = (Shared::clone(&state), stopped.clone());
                let connections = Connections::new(&state.config);
                tasks.spawn(async move {
                    serve(listener, stack, connections, &state.config, None, stopped).await;
                });
            }
            let mails = (Shared::clone(&state), stopped.clone());
            tasks.spawn(async move {
                let (state, stopped) = mails;
                let grace = state.config.shutdown_grace;
                mail::run(&state.store, smtp, &state.mail, stopped, grace).await;
            });
            if state.store.is_on_server() {
                let (state, stopped) = (Shared::clone(&state), stopped.clone());
                tasks.spawn(async move {
                    let tells = nodes::rate_limits::run(&state, stopped.clone());
                    tokio::join!(nodes::run(&state, state.node(), stopped.clone()), tells);
                });
            }
            tasks.spawn(imports::runner::run(Shared::clone(&state), stopped.clone()));
            shutdown.await;
            tracing::info!("shutting down");
            state.end();
            let delay = state.config.shutdown_delay;
            if !delay.is_zero() {
                tracing::info!(
                    seconds = delay.as_secs(),
                    "serving until load balancers have seen that /readyz says 503"
                );
                tokio::time::sleep(delay).await;
            }
            stop.send_replace(true);
            let grace = state.config.shutdown_grace;
            while tasks.join_next().await.is_some() {}
            state.writing.finish(grace).await;
            #[cfg(feature = "otlp")]
            if let Some(spans) = spans {
                // It waits on its thread.
                let _ = tokio::task::spawn_blocking(move || spans.end()).await;
            }
            if let Some(backups) = backups {
                backups.abort();
            }
            watcher.abort();
            purger.abort();
            checker.abort();
            sampler.abort();
            resources.abort();
            if let Some(tls) = tls {
                tls.abort();
            }
            if let Err(error) = state.store.checkpoint().await {
                tracing::warn!(%error, "the store's log was not moved into its file; copy both");
            }
            Ok(())
        })
    }
}

/// Where a listener listens, when this address was configured: its port may have been free to choose.
pub(crate) fn address_of(
    listener: &TcpListener,
    configured: SocketAddr,
) -> Result<SocketAddr, Error> {
    listener
        .local_addr()
        .map_err(|source| Error::bind(configured, source))
}

/// The URL of a listener: the configured public one, else its own address.
pub(crate) fn origin(config: &Config, listener: &TcpListener) -> Result<String, Error> {
    if let Some(url) = &config.public_url {
        return Ok(url.clone());
    }
    let address: SocketAddr = listener
        .local_addr()
        .map_err(|source| Error::bind(config.listen, source))?;
    // A caller cannot use the unspecified address.
    let address = match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => {
            SocketAddr::from(([127, 0, 0, 1], v4.port()))
        }
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, v6.port()))
        }
        address => address,
    };
    let scheme = if config.speaks_tls() { "https" } else { "http" };
    Ok(format!("{scheme}://{address}"))
}

/// Checks that the store is not damaged, and whether one that did not take writes does so again.
async fn check_store(state: Shared) {
    let mut ticks = tokio::time::interval(CHECK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next_reading = Instant::now();
    loop {
        ticks.tick().await;
        if state.store_health.is_failing() || state.writing.lines_wait() {
            // What is found is logged, and kept for requests.
            let _ = state.store_health.check(&state).await;
        }
        if Instant::now() < next_reading {
            continue;
        }
        let begun = Instant::now();
        let checked = state.store.check_integrity().await;
        next_reading = Instant::now() + INTEGRITY_EVERY.max(begun.elapsed() * INTEGRITY_SHARE);
        match checked {
            Ok(()) => {
                state.store_health.set_damaged(false);
                if !state.store_health.is_failing()
                    && let Err(error) = state.store.analyze().await
                {
                    tracing::warn!(%error, "the store could not be analyzed; finding entries may take longer");
                }
            }
            Err(error) if error.file_fault() == Some(FileFault::Damaged) => {
                tracing::error!(%error, "the store is damaged");
                state.store_health.set_damaged(true);
            }
            Err(error) => tracing::warn!(%error, "the store could not be checked for damage"),
        }
    }
}

/// Notices that the database of a resource is lost, or back.
async fn check_resources(state: Shared) {
    let mut ticks = tokio::time::interval(CHECK_RESOURCES_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        state.connections.check();
    }
}

/// Removes lines of the audit trail when their time has come.
async fn purge_audit(state: Shared) {
    let days = i64::from(state.config.audit_days);
    if days == 0 {
        return;
    }
    let kept = SignedDuration::from_hours(days * 24);
    let mut ticks = tokio::time::interval(PURGE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Ok(oldest) = Timestamp::now().checked_sub(kept) else {
            return;
        };
        match state.store.audit().purge(oldest).await {
            Ok(0) => {}
            Ok(lines) => tracing::info!(lines, days, "old lines of the audit trail were purged"),
            Err(error) => tracing::warn!(%error, "the audit trail could not be purged"),
        }
    }
}

/// Keeps what was counted, so that operators see how it changes.
async fn sample_figures(state: Shared) {
    let mut ticks = tokio::time::interval(history::EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        state.metrics.history.add(state.totals().await);
    }
}

/// Takes over what other processes do to the store, within a second.
async fn watch_store(state: Shared) {
    let is_on_server = state.store.is_on_server();
    let every = match is_on_server {
        true => WATCH_SERVER_EVERY,
        false => WATCH_EVERY,
    };
    state.store.listen();
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // What was logged of an outage: a line for each of its causes, of which there may be a few.
    let mut faults: Vec<String> = Vec::new();
    loop {
        let asks = tokio::select! {
            _ = ticks.tick() => is_on_server,
            () = state.store.changed() => false,
        };
        state.throttle.tidy();
        if let Some(limits) = &state.rate_limits {
            limits.tidy();
        }
        let asked = Instant::now();
        let synced = async {
            if asks {
                state.store.read_revision().await?;
            }
            state.sync_with_store().await
        };
        match synced.await {
            Ok(()) => {
                if state.store.nodes().is_asked() {
                    state.nodes.wake();
                }
                state.store_health.set_present();
                faults.clear();
            }
            Err(error) => {
                state.store_health.set_away(asked, &error);
                let text = error.to_string();
                if faults.contains(&text) || faults.len() == MOST_CAUSES {
                    continue;
                }
                faults.push(text);
                if error.file_fault() == Some(FileFault::Damaged) {
                    tracing::error!(%error, "the store is damaged");
                    state.store_health.set_damaged(true);
                } else {
                    tracing::error!(%error, "the store cannot be read; what is cached stays in force for --store-grace");
                }
            }
        }
    }
}
