//! The API keys of all accounts, for operators of the service (administration, section 2).

use svc_model::{
    ListQuery,
    administration::keys::{Create, Delete, List, NewKey},
};

use super::Keys;
use crate::Call;

impl Keys {
    /// Lists the keys, without those that were revoked: `GET {app_base_url}/api_keys/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }

    /// Creates a key, whose text is returned this once: `POST {app_base_url}/api_keys/`.
    pub fn create(&self, new_key: NewKey) -> Call<Create> {
        self.client.call(Create::new(new_key))
    }

    /// Revokes a key: `DELETE {app_base_url}/api_keys/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client.call(Delete::new(uid))
    }
}

impl Call<List> {
    /// Sets whether those that were revoked are listed too.
    pub fn revoked(self, revoked: bool) -> Self {
        self.with(|operation| operation.revoked = revoked)
    }
}
