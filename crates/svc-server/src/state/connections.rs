//! The connected resources: which there are, and the connection to each.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use svc_data::{Resource, ResourceOptions, ResourceUrl};
use svc_model::ResourceName;
use svc_store::{ConnectedResource, Secret};
use tokio::sync::OnceCell;

use crate::http::{ApiError, ApiResult, resource_path::ResourcePath};

/// How long a failed connection is not tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The resources that the store knows, each connected when it is first asked for.
#[derive(Debug)]
pub(crate) struct Connections {
    known: ArcSwap<HashMap<ResourcePath, Arc<Connection>>>,
    options: ResourceOptions,
}

#[derive(Debug)]
struct Connection {
    name: ResourceName,
    url: Secret,
    options: ResourceOptions,
    resource: OnceCell<Resource>,
    failed: Mutex<Option<(Instant, svc_data::Error)>>,
}

impl Connections {
    /// No resources; those to come are connected with these options.
    pub(crate) fn new(options: ResourceOptions) -> Self {
        Self {
            known: ArcSwap::default(),
            options,
        }
    }

    /// Takes over the resources of the store. What is connected and still there stays connected.
    pub(crate) fn refresh(&self, known: Vec<ConnectedResource>) {
        let old = self.known.load();
        let new = known
            .into_iter()
            .map(|ConnectedResource { resource, url, .. }| {
                let path = ResourcePath {
                    scope: resource.scope,
                    resource: resource.unique_name,
                };
                let kept = old
                    .get(&path)
                    .filter(|connection| connection.url.expose() == url.expose());
                let connection = kept.cloned().unwrap_or_else(|| {
                    Arc::new(Connection {
                        name: path.resource.clone(),
                        url,
                        options: self.options.clone(),
                        resource: OnceCell::new(),
                        failed: Mutex::new(None),
                    })
                });
                (path, connection)
            });
        self.known.store(Arc::new(new.collect()));
    }

    /// The connected resource.
    pub(crate) async fn get(&self, path: &ResourcePath) -> ApiResult<Resource> {
        let connection = self.known.load().get(path).cloned();
        let Some(connection) = connection else {
            return Err(ApiError::NotFound(
                "there is no such resource in this environment".to_owned(),
            ));
        };
        connection.get().await.map_err(ApiError::from)
    }
}

impl Connection {
    async fn get(&self) -> Result<Resource, svc_data::Error> {
        let connect = async {
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
            result
        };
        self.resource.get_or_try_init(|| connect).await.cloned()
    }
}
