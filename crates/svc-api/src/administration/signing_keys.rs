//! The keys that sign access tokens, for operators (administration, section 2).

use svc_model::administration::signing_keys::Rotate;

use super::SigningKeys;
use crate::Call;

impl SigningKeys {
    /// Begins to sign with a new key: `POST {app_base_url}/signing_keys/rotate/`.
    pub fn rotate(&self) -> Call<Rotate> {
        self.client.call(Rotate::new())
    }
}

impl Call<Rotate> {
    /// Sets whether what earlier keys have signed ends now; otherwise it stays valid until it expires.
    pub fn now(self, now: bool) -> Self {
        self.with(|operation| operation.now = Some(now))
    }
}
