//! The audit trail (administration, section 2).

use svc_model::{
    ListQuery,
    administration::audit::{List, ListOfProject},
};

use super::Audit;
use crate::Call;

impl Audit {
    /// Lists the lines of all projects, for operators: `GET {app_base_url}/audit/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }

    /// Lists the lines about the project: `GET {app_base_url}/projects/{project}/audit/`.
    pub fn list_of_project(&self) -> Call<ListOfProject> {
        self.client.call(ListOfProject::new(
            self.client.scope().project,
            ListQuery::new(),
        ))
    }
}

impl Call<List> {
    /// Leaves out what was before this time: RFC 3339, or a span such as `7d`.
    pub fn since(self, since: impl Into<String>) -> Self {
        self.with(|operation| operation.since = Some(since.into()))
    }

    /// Leaves out what was at this time or later: RFC 3339, or a span such as `7d`.
    pub fn until(self, until: impl Into<String>) -> Self {
        self.with(|operation| operation.until = Some(until.into()))
    }
}

impl Call<ListOfProject> {
    /// Leaves out what was before this time: RFC 3339, or a span such as `7d`.
    pub fn since(self, since: impl Into<String>) -> Self {
        self.with(|operation| operation.since = Some(since.into()))
    }

    /// Leaves out what was at this time or later: RFC 3339, or a span such as `7d`.
    pub fn until(self, until: impl Into<String>) -> Self {
        self.with(|operation| operation.until = Some(until.into()))
    }
}
