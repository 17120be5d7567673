//! The connected resources: which there are, and the connection to each.

mod connection;

use std::{collections::HashMap, sync::Arc};

use arc_swap::ArcSwap;
use svc_data::{Resource, ResourceOptions};
use svc_model::resources::ResourceParams;
use svc_store::{ConnectedResource, Secret};

use self::connection::Connection;
use crate::{
    http::{ApiError, ApiResult, resource_path::ResourcePath},
    resources::status::ResourceStatus,
};

/// The resources that the store knows, each connected when it is first asked for.
#[derive(Debug)]
pub(crate) struct Connections {
    known: ArcSwap<HashMap<ResourcePath, Known>>,
    options: ResourceOptions,
}

/// What is known of a resource. Other settings need no other connection.
#[derive(Clone, Debug)]
struct Known {
    connection: Arc<Connection>,
    params: Arc<ResourceParams>,
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
                let params = read_params(&path, &resource.params);
                let kept = old.get(&path).map(|known| &known.connection);
                let kept = kept.filter(|connection| connection.url.expose() == url.expose());
                let connection = kept.cloned().unwrap_or_else(|| {
                    Connection::new(path.resource.clone(), url, self.options.clone())
                });
                (path, Known { connection, params })
            });
        self.known.store(Arc::new(new.collect()));
    }

    /// Takes over a database that is connected already, where a resource has this address and none yet.
    pub(crate) fn adopt(&self, path: &ResourcePath, url: &Secret, resource: Resource) {
        if let Some(Known { connection, .. }) = self.known.load().get(path)
            && connection.url.expose() == url.expose()
        {
            connection.adopt(resource);
        }
    }

    /// The connected resource, and its settings.
    pub(crate) async fn get(
        &self,
        path: &ResourcePath,
    ) -> ApiResult<(Resource, Arc<ResourceParams>)> {
        let known = self.known.load().get(path).cloned();
        let Some(Known { connection, params }) = known else {
            return Err(ApiError::NotFound(
                "there is no such resource in this environment".to_owned(),
            ));
        };
        Ok((connection.get().await?, params))
    }

    /// The resources that are connected.
    pub(crate) fn connected(&self) -> Vec<Resource> {
        let known = self.known.load();
        let resources = known.values().map(|known| known.connection.connected());
        resources.flatten().collect()
    }

    /// How the database of a resource is; `None` where there is no such resource.
    pub(crate) fn status(&self, path: &ResourcePath) -> Option<ResourceStatus> {
        let known = self.known.load();
        known.get(path).map(|known| known.connection.status())
    }

    /// Looks in the background whether the databases are there that somebody has asked for. Nobody waits for it.
    pub(crate) fn check(&self) {
        for Known { connection, .. } in self.known.load().values() {
            connection.check();
        }
    }
}

/// Reads the settings of a resource. Nothing is known of those that cannot be read, and nobody is refused for them.
fn read_params(path: &ResourcePath, params: &str) -> Arc<ResourceParams> {
    let read = ResourceParams::parse(params);
    Arc::new(read.unwrap_or_else(|error| {
        let resource = &path.resource;
        tracing::warn!(%resource, %error, "the settings of the resource cannot be read; svc resource set changes them");
        ResourceParams::default()
    }))
}

#[cfg(test)]
mod tests {
    use svc_model::{ProjectName, Scope};
    use svc_store::{NewProject, NewResource, Store};

    use super::*;

    #[tokio::test]
    async fn an_open_database_is_taken_over_for_its_own_address_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.db");
        std::fs::write(&file, "").unwrap();
        let url = Secret::new(format!("sqlite:{}", file.display()));
        let store = Store::open(&folder.path().join("store")).await.unwrap();
        let new = NewProject::new(ProjectName::from("main"));
        store.projects().create(new).await.unwrap();
        let path = ResourcePath {
            scope: Scope::new("main", "prod"),
            resource: "shop".into(),
        };
        let new = NewResource::new("shop", url.clone());
        store.resources().replace(&path.scope, new).await.unwrap();

        let options = ResourceOptions::default();
        let address = url.expose().parse().unwrap();
        let opened = Resource::connect("shop", &address, options.clone());
        let opened = opened.await.unwrap();
        for (address, is_same) in [(Secret::new("sqlite:/other.db"), false), (url, true)] {
            let connections = Connections::new(options.clone());
            connections.refresh(store.resources().list_connected().await.unwrap());
            connections.adopt(&path, &address, opened.clone());
            let (found, _) = connections.get(&path).await.unwrap();
            let same = Arc::ptr_eq(&found.structure(), &opened.structure());
            assert_eq!(same, is_same);
        }
    }

    #[tokio::test]
    async fn changed_settings_leave_the_connection_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.db");
        std::fs::write(&file, "").unwrap();
        let store = Store::open(&folder.path().join("store")).await.unwrap();
        let new = NewProject::new(ProjectName::from("main"));
        store.projects().create(new).await.unwrap();
        let path = ResourcePath {
            scope: Scope::new("main", "prod"),
            resource: "shop".into(),
        };
        let connections = Connections::new(ResourceOptions::default());
        let mut structures = Vec::new();
        for functions in ["[]", "[\"f\"]"] {
            let url = Secret::new(format!("sqlite:{}", file.display()));
            let mut new = NewResource::new("shop", url);
            new.params = Some(format!("{{\"functions\": {functions}}}"));
            store.resources().replace(&path.scope, new).await.unwrap();
            connections.refresh(store.resources().list_connected().await.unwrap());
            let (found, params) = connections.get(&path).await.unwrap();
            assert_eq!(params.functions.is_empty(), functions == "[]");
            structures.push(found.structure());
        }
        assert!(Arc::ptr_eq(&structures[0], &structures[1]));
    }
}
