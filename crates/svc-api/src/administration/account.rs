//! The account of the caller (administration, section 1).

use svc_model::administration::account::{AccountPatch, Get, Update};

use super::Account;
use crate::Call;

impl Account {
    /// Gets the account: `GET {app_base_url}/account/`.
    pub fn get(&self) -> Call<Get> {
        self.client.call(Get::new())
    }

    /// Changes what the patch has: `PATCH {app_base_url}/account/`.
    pub fn update(&self, patch: AccountPatch) -> Call<Update> {
        self.client.call(Update::new(patch))
    }
}
