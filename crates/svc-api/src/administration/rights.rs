//! What the teams of the project may do with records (administration, section 2).

use svc_model::{
    ListQuery,
    administration::rights::{Delete, List, NewRule, Set},
};

use super::Rights;
use crate::Call;

impl Rights {
    /// Lists the rules: `GET {app_base_url}/projects/{project}/rights/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope().project, ListQuery::new()))
    }

    /// Sets a rule, in place of the one for the same team, environment, resource and model:
    /// `PUT {app_base_url}/projects/{project}/rights/`.
    pub fn set(&self, rule: NewRule) -> Call<Set> {
        self.client
            .call(Set::new(self.client.scope().project, rule))
    }

    /// Removes a rule: `DELETE {app_base_url}/projects/{project}/rights/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client
            .call(Delete::new(self.client.scope().project, uid))
    }
}
