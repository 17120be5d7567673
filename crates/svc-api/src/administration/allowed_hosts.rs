//! The hosts that the HTTP proxy of the project may reach although they are not public (administration, section 2).

use svc_model::{
    ListQuery,
    administration::allowed_hosts::{Create, Delete, List},
};

use super::AllowedHosts;
use crate::Call;

impl AllowedHosts {
    /// Lists the allowed hosts: `GET {app_base_url}/projects/{project}/allowed_hosts/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Allows a host, with a port or on every port: `POST {app_base_url}/projects/{project}/allowed_hosts/`.
    pub fn create(&self, host: impl Into<String>) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope().project, host))
    }

    /// Removes an allowed host: `DELETE {app_base_url}/projects/{project}/allowed_hosts/{host}/`.
    pub fn delete(&self, host: impl Into<String>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, host))
    }
}
