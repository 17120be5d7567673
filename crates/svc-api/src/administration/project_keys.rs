//! The API keys that have access to the project (administration, section 2).

use svc_model::{
    ListQuery,
    administration::project_keys::{Delete, List},
};

use super::ProjectKeys;
use crate::Call;

impl ProjectKeys {
    /// Lists the keys: `GET {app_base_url}/projects/{project}/api_keys/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Ends the access of a key to the project: `DELETE {app_base_url}/projects/{project}/api_keys/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, uid))
    }
}

impl Call<List> {
    /// Sets whether those that were revoked are listed too.
    pub fn revoked(self, revoked: bool) -> Self {
        self.with(|operation| operation.revoked = revoked)
    }
}
