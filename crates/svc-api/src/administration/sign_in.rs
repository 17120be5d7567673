//! How the users of the project sign in (administration, section 2).

use svc_model::administration::sign_in::{Get, SignInPatch, Update};

use super::SignIn;
use crate::Call;

impl SignIn {
    /// Gets the settings: `GET {app_base_url}/projects/{project}/sign_in/`.
    pub fn get(&self) -> Call<Get> {
        self.client.call(Get::new(self.client.scope().project))
    }

    /// Changes the settings that the patch has: `PATCH {app_base_url}/projects/{project}/sign_in/`.
    pub fn update(&self, patch: SignInPatch) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope().project, patch))
    }
}
