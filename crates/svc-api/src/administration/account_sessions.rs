//! The sessions of the caller's account (administration, section 1).

use svc_model::{
    ListQuery,
    administration::account_sessions::{Delete, List},
};

use super::AccountSessions;
use crate::Call;

impl AccountSessions {
    /// Lists the sessions: `GET {app_base_url}/account/sessions/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }

    /// Ends a session: `DELETE {app_base_url}/account/sessions/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client.call(Delete::new(uid))
    }
}
