//! The history of records (administration, section 2).

use svc_model::{
    ModelName, RecordId, ResourceName,
    administration::history::{Get, GetRequest},
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

    /// Gets what a request did to several records of a model, by a filter or in bulk:
    /// `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/history/?request_id={request_id}`.
    pub fn get_request(
        &self,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
        request_id: impl Into<String>,
    ) -> Call<GetRequest> {
        let scope = self.client.scope();
        let operation = GetRequest::new(scope, resource, model, request_id);
        self.client.call(operation)
    }
}
