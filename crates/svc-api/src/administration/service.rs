//! The service itself, for its operators (administration, section 2).

use svc_model::administration::service::{Get, GetMetrics};

use super::Service;
use crate::Call;

impl Service {
    /// Gets the version, the nodes and the settings: `GET {app_base_url}/service/`.
    pub fn get(&self) -> Call<Get> {
        self.client.call(Get::new())
    }

    /// Gets figures of the node that answers, over time: `GET {app_base_url}/service/metrics/`.
    pub fn metrics(&self) -> Call<GetMetrics> {
        self.client.call(GetMetrics::new())
    }
}
