//! The secret tokens that the HTTP proxy sends for callers (administration, section 2).

use svc_model::{
    ListQuery, ResourceName,
    administration::secrets::{Delete, List, NewSecret, Set},
};

use super::Secrets;
use crate::Call;

impl Secrets {
    /// Lists the secret tokens, without their values: `GET {app_base_url}/projects/{project}/{environment}/secrets/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Sets a secret token, in place of the one with its name:
    /// `PUT {app_base_url}/projects/{project}/{environment}/secrets/`.
    pub fn set(&self, secret: NewSecret) -> Call<Set> {
        self.client.call(Set::new(self.client.scope(), secret))
    }

    /// Removes a secret token: `DELETE {app_base_url}/projects/{project}/{environment}/secrets/{resource}/{name}/`.
    pub fn delete(
        &self,
        resource: impl Into<ResourceName>,
        name: impl Into<String>,
    ) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope(), resource, name))
    }
}
