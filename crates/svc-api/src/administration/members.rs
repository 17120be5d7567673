//! The members of the project (administration, section 2).

use svc_model::{
    ListQuery,
    administration::members::{Create, Delete, Get, List, Update},
};

use super::Members;
use crate::Call;

impl Members {
    /// Lists the members: `GET {app_base_url}/projects/{project}/members/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Adds a member to a team, which is given by its unique ID or its name. An address without an account gets an
    /// invitation: `POST {app_base_url}/projects/{project}/members/`.
    pub fn create(&self, email: impl Into<String>, team: impl Into<String>) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope().project, email, team))
    }

    /// Gets a member: `GET {app_base_url}/projects/{project}/members/{uid}/`.
    pub fn get(&self, uid: impl Into<String>) -> Call<Get> {
        self.client.call(Get::new(self.client.scope().project, uid))
    }

    /// Moves a member to another team: `PATCH {app_base_url}/projects/{project}/members/{uid}/`.
    pub fn update(&self, uid: impl Into<String>, team: impl Into<String>) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope().project, uid, team))
    }

    /// Removes a member, whose account stays: `DELETE {app_base_url}/projects/{project}/members/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, uid))
    }
}
