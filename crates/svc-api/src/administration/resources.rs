//! The resources of the environment (administration, section 2).

use svc_model::{
    ListQuery, ResourceName,
    administration::{
        SecretUrl,
        resources::{
            Create, Delete, Get, GetStatus, List, NewResource, ResourcePatch, Test, Update,
        },
    },
};

use super::Resources;
use crate::Call;

impl Resources {
    /// Lists the resources: `GET {app_base_url}/projects/{project}/{environment}/resources/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Creates a resource, whose first static token is returned this once:
    /// `POST {app_base_url}/projects/{project}/{environment}/resources/`.
    pub fn create(&self, resource: NewResource) -> Call<Create> {
        self.client.call(Create::new(self.client.scope(), resource))
    }

    /// Gets a resource: `GET {app_base_url}/projects/{project}/{environment}/resources/{name}/`.
    pub fn get(&self, name: impl Into<ResourceName>) -> Call<Get> {
        self.client.call(Get::new(self.client.scope(), name))
    }

    /// Changes a resource, which keeps its tokens:
    /// `PATCH {app_base_url}/projects/{project}/{environment}/resources/{name}/`.
    pub fn update(&self, name: impl Into<ResourceName>, patch: ResourcePatch) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope(), name, patch))
    }

    /// Disconnects a resource, whose database is not changed:
    /// `DELETE {app_base_url}/projects/{project}/{environment}/resources/{name}/`.
    pub fn delete(&self, name: impl Into<ResourceName>) -> Call<Delete> {
        self.client.call(Delete::new(self.client.scope(), name))
    }

    /// Tests whether a database can be reached, without keeping anything:
    /// `POST {app_base_url}/projects/{project}/{environment}/resources/test/`.
    pub fn test(&self, url: impl Into<SecretUrl>) -> Call<Test> {
        self.client.call(Test::new(self.client.scope(), url))
    }

    /// Gets the state of a resource: `GET {app_base_url}/projects/{project}/{environment}/resources/{name}/status/`.
    pub fn status(&self, name: impl Into<ResourceName>) -> Call<GetStatus> {
        self.client.call(GetStatus::new(self.client.scope(), name))
    }
}

impl Call<Test> {
    /// Tests the API name too: it must be valid, and not taken.
    pub fn unique_name(self, name: impl Into<ResourceName>) -> Self {
        let name = name.into();
        self.with(|operation| operation.unique_name = Some(name))
    }
}
