//! The accounts of the service, for its operators (administration, section 2).

use svc_model::{
    ListQuery,
    administration::accounts::{AccountPatch, Create, Delete, Get, List, NewAccount, Update},
};

use super::Accounts;
use crate::Call;

impl Accounts {
    /// Lists the accounts: `GET {app_base_url}/accounts/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }

    /// Creates an account, with a password or invited by mail: `POST {app_base_url}/accounts/`.
    pub fn create(&self, account: NewAccount) -> Call<Create> {
        self.client.call(Create::new(account))
    }

    /// Gets an account: `GET {app_base_url}/accounts/{uid}/`.
    pub fn get(&self, uid: impl Into<String>) -> Call<Get> {
        self.client.call(Get::new(uid))
    }

    /// Changes an account: `PATCH {app_base_url}/accounts/{uid}/`.
    pub fn update(&self, uid: impl Into<String>, patch: AccountPatch) -> Call<Update> {
        self.client.call(Update::new(uid, patch))
    }

    /// Deletes an account: `DELETE {app_base_url}/accounts/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client.call(Delete::new(uid))
    }
}
