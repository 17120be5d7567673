//! The teams of the project (administration, section 2).

use svc_model::{
    ListQuery, TeamUid,
    administration::teams::{Create, Delete, Get, List, TeamPatch, Update},
};

use super::Teams;
use crate::Call;

impl Teams {
    /// Lists the teams: `GET {app_base_url}/projects/{project}/teams/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Creates a team, which may only read unless the call says otherwise:
    /// `POST {app_base_url}/projects/{project}/teams/`.
    pub fn create(&self, name: impl Into<String>) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope().project, name))
    }

    /// Gets a team: `GET {app_base_url}/projects/{project}/teams/{uid}/`.
    pub fn get(&self, uid: impl Into<TeamUid>) -> Call<Get> {
        self.client.call(Get::new(self.client.scope().project, uid))
    }

    /// Changes a team: `PATCH {app_base_url}/projects/{project}/teams/{uid}/`.
    pub fn update(&self, uid: impl Into<TeamUid>, patch: TeamPatch) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope().project, uid, patch))
    }

    /// Deletes a team without members and users: `DELETE {app_base_url}/projects/{project}/teams/{uid}/`.
    pub fn delete(&self, uid: impl Into<TeamUid>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, uid))
    }
}

impl Call<Create> {
    /// Sets the rights that members of the team begin with: `editor` or `read_only`.
    pub fn permissions_group(self, permissions_group: impl Into<String>) -> Self {
        self.with(|operation| operation.permissions_group = Some(permissions_group.into()))
    }
}
