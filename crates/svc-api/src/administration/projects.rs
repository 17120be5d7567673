//! Projects: created by operators, changed by their administrators (administration, section 2).

use svc_model::administration::projects::{Create, Delete, NewProject, ProjectPatch, Update};

use super::Projects;
use crate::Call;

impl Projects {
    /// Creates a project: `POST {app_base_url}/projects/`.
    pub fn create(&self, new_project: NewProject) -> Call<Create> {
        self.client.call(Create::new(new_project))
    }

    /// Changes the client's project: `PATCH {app_base_url}/projects/{project}/`.
    pub fn update(&self, patch: ProjectPatch) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope().project, patch))
    }

    /// Deletes the client's project with everything in it; the call has to [`confirm`](Call::confirm) its name:
    /// `DELETE {app_base_url}/projects/{project}/`.
    pub fn delete(&self) -> Call<Delete> {
        self.client.call(Delete::new(self.client.scope().project))
    }
}

impl Call<Delete> {
    /// Confirms the deletion with the name of the project.
    pub fn confirm(self, confirm: impl Into<String>) -> Self {
        self.with(|operation| operation.confirm = Some(confirm.into()))
    }
}
