//! The environments of the project (administration, section 2).

use svc_model::{
    EnvironmentName, ListQuery,
    administration::environments::{
        Copy, Create, Delete, EnvironmentPatch, Get, List, NewEnvironment, Update,
    },
};

use super::Environments;
use crate::Call;

impl Environments {
    /// Lists the environments: `GET {app_base_url}/projects/{project}/environments/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Creates an environment: `POST {app_base_url}/projects/{project}/environments/`.
    pub fn create(&self, environment: NewEnvironment) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope().project, environment))
    }

    /// Gets an environment: `GET {app_base_url}/projects/{project}/environments/{name}/`.
    pub fn get(&self, name: impl Into<EnvironmentName>) -> Call<Get> {
        self.client
            .call(Get::new(self.client.scope().project, name))
    }

    /// Changes an environment: `PATCH {app_base_url}/projects/{project}/environments/{name}/`.
    pub fn update(
        &self,
        name: impl Into<EnvironmentName>,
        patch: EnvironmentPatch,
    ) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope().project, name, patch))
    }

    /// Deletes an environment with everything in it: `DELETE {app_base_url}/projects/{project}/environments/{name}/`.
    pub fn delete(&self, name: impl Into<EnvironmentName>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, name))
    }

    /// Copies the pages and settings of an environment to another one:
    /// `POST {app_base_url}/projects/{project}/environments/{name}/copy/`.
    pub fn copy(
        &self,
        name: impl Into<EnvironmentName>,
        to: impl Into<EnvironmentName>,
    ) -> Call<Copy> {
        self.client
            .call(Copy::new(self.client.scope().project, name, to))
    }
}

impl Call<Copy> {
    /// Sets whether the pages are copied; they are by default.
    pub fn pages(self, pages: bool) -> Self {
        self.with(|operation| operation.pages = Some(pages))
    }

    /// Sets whether the settings are copied; they are by default.
    pub fn settings(self, settings: bool) -> Self {
        self.with(|operation| operation.settings = Some(settings))
    }

    /// Sets whether what the other environment has is replaced.
    pub fn replace(self, replace: bool) -> Self {
        self.with(|operation| operation.replace = Some(replace))
    }
}
