//! What people keep for themselves or share in the environment (administration, section 2).

use svc_model::{
    ListQuery,
    administration::items::{Create, Delete, Get, ItemPatch, List, NewItem, Update},
};

use super::Items;
use crate::Call;

impl Items {
    /// Lists the own items and those that are shared: `GET {app_base_url}/projects/{project}/{environment}/items/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Creates an item: `POST {app_base_url}/projects/{project}/{environment}/items/`.
    pub fn create(&self, item: NewItem) -> Call<Create> {
        self.client.call(Create::new(self.client.scope(), item))
    }

    /// Gets an item: `GET {app_base_url}/projects/{project}/{environment}/items/{uid}/`.
    pub fn get(&self, uid: impl Into<String>) -> Call<Get> {
        self.client.call(Get::new(self.client.scope(), uid))
    }

    /// Changes an item: `PATCH {app_base_url}/projects/{project}/{environment}/items/{uid}/`.
    pub fn update(&self, uid: impl Into<String>, patch: ItemPatch) -> Call<Update> {
        self.client
            .call(Update::new(self.client.scope(), uid, patch))
    }

    /// Deletes an item: `DELETE {app_base_url}/projects/{project}/{environment}/items/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client.call(Delete::new(self.client.scope(), uid))
    }
}
