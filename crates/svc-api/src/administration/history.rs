//! The history of records (administration, section 2).

use svc_model::{
    ModelName, RecordId, ResourceName,
    administration::history::{Get, GetLine},
};

use super::History;
use crate::Call;

impl History {
    /// Gets who changed a record, when, and what its fields had before and after:
    /// `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/{id}/history/`.
    pub fn get(
        &self,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
        id: impl Into<RecordId>,
    ) -> Call<Get> {
        let scope = self.client.scope();
        self.client.call(Get::new(scope, resource, model, id))
    }

    /// Gets what a line of the audit trail says of each of its records:
    /// `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/history/?line={uid}`.
    pub fn get_line(
        &self,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
        uid: impl Into<String>,
    ) -> Call<GetLine> {
        let line = GetLine::new(self.client.scope(), resource, model);
        self.client.call(line.line(uid))
    }

    /// The same of the newest line about several records that a request has left, by its `X-Request-Id`: `...?request_id={id}`.
    pub fn get_line_of_request(
        &self,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
        request_id: impl Into<String>,
    ) -> Call<GetLine> {
        let line = GetLine::new(self.client.scope(), resource, model);
        self.client.call(line.request_id(request_id))
    }
}
