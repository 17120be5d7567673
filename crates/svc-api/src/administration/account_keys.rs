//! The API keys of the caller's account (administration, section 1).

use svc_model::{
    ListQuery,
    administration::account_keys::{Create, Delete, List, NewApiKey},
};

use super::AccountKeys;
use crate::Call;

impl AccountKeys {
    /// Lists the keys, without those that were revoked: `GET {app_base_url}/account/api_keys/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }

    /// Creates a key, whose text is returned this once: `POST {app_base_url}/account/api_keys/`.
    pub fn create(&self, key: NewApiKey) -> Call<Create> {
        self.client.call(Create::new(key))
    }

    /// Revokes a key: `DELETE {app_base_url}/account/api_keys/{uid}/`.
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
