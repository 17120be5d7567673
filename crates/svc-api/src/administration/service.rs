//! The service itself, for its operators (administration, section 2).

use svc_model::administration::service::Get;

use super::Service;
use crate::Call;

impl Service {
    /// Gets the version, the nodes and the settings: `GET {app_base_url}/service/`.
    pub fn get(&self) -> Call<Get> {
        self.client.call(Get::new())
    }
}
