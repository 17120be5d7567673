//! The connection to one resource: made when it is first asked for, and looked after from then on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use svc_data::{Outage, Resource, ResourceOptions, ResourceUrl};
use svc_model::ResourceName;
use svc_store::Secret;
use tokio::sync::OnceCell;

use crate::resources::status::{Health, ResourceStatus};

/// How long a failed connection is not tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long a database may take to say that it is there.
const PING_PATIENCE: Duration = Duration::from_secs(4);

#[derive(Debug)]
pub(super) struct Connection {
    name: ResourceName,
    pub(super) url: Secret,
    options: ResourceOptions,
    resource: OnceCell<Resource>,
    failed: Mutex<Option<(Instant, svc_data::Error)>>,
    health: Health,
    /// Whether somebody wants to know how it is, so that it is connected although nobody asks for records.
    is_wanted: AtomicBool,
    is_checked: AtomicBool,
}

impl Connection {
    pub(super) fn new(name: ResourceName, url: Secret, options: ResourceOptions) -> Arc<Self> {
        Arc::new(Self {
            name,
            url,
            options,
            resource: OnceCell::new(),
            failed: Mutex::new(None),
            health: Health::new(),
            is_wanted: AtomicBool::new(false),
            is_checked: AtomicBool::new(false),
        })
    }

    /// Takes over a database that is connected already, unless one is connected yet.
    pub(super) fn adopt(&self, resource: Resource) {
        // A request may have been faster.
        if self.resource.set(resource).is_ok() {
            self.health.see(Ok(()));
        }
    }

    pub(super) async fn get(&self) -> Result<Resource, svc_data::Error> {
        if let Some(resource) = self.resource.get() {
            return Ok(resource.clone());
        }
        // Once for each resource, so that it takes no part of the memory of every request.
        let connected = Box::pin(self.resource.get_or_try_init(|| self.connect()));
        connected.await.cloned()
    }

    async fn connect(&self) -> Result<Resource, svc_data::Error> {
        if let Some((when, error)) = &*self.failed.lock()
            && when.elapsed() < RETRY_AFTER
        {
            return Err(error.clone());
        }
        let options = self.options.clone();
        let result = match self.url.expose().parse::<ResourceUrl>() {
            Ok(url) => Resource::connect(self.name.as_str(), &url, options).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &result {
            let mut failed = self.failed.lock();
            *failed = Some((Instant::now(), error.clone()));
        }
        self.health
            .see(result.as_ref().map(drop).map_err(svc_data::Error::outage));
        result
    }

    /// The database, where it is connected.
    pub(super) fn connected(&self) -> Option<Resource> {
        self.resource.get().cloned()
    }

    /// How the database is. One that is not connected is connected from now on.
    pub(super) fn status(self: &Arc<Self>) -> ResourceStatus {
        if !self.is_wanted.swap(true, Ordering::Relaxed) && self.resource.get().is_none() {
            self.check();
        }
        self.health.status(self.resource.get())
    }

    /// Looks in the background whether the database is there, unless that is under way, or nobody has wanted anything of it.
    pub(super) fn check(self: &Arc<Self>) {
        let is_wanted = self.resource.get().is_some() || self.is_wanted.load(Ordering::Relaxed);
        if !is_wanted || self.is_checked.swap(true, Ordering::AcqRel) {
            return;
        }
        let check = Check(Arc::clone(self));
        tokio::spawn(async move {
            let connection = &check.0;
            let Some(resource) = connection.resource.get() else {
                // What became of it is remembered where it is connected.
                let _ = connection.get().await;
                return;
            };
            let pinged = tokio::time::timeout(PING_PATIENCE, resource.ping()).await;
            let outcome = match pinged {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(error.outage()),
                Err(_) => Err(Outage::NoAnswer),
            };
            let resource = &connection.name;
            match (connection.health.see(outcome), outcome) {
                (true, Ok(())) => tracing::info!(%resource, "the resource can be used again"),
                (true, Err(reason)) => {
                    tracing::warn!(%resource, %reason, "the resource cannot be used");
                }
                (false, _) => {}
            }
        });
    }
}

/// A check under way, of which there is one.
struct Check(Arc<Connection>);

impl Drop for Check {
    fn drop(&mut self) {
        self.0.is_checked.store(false, Ordering::Release);
    }
}
