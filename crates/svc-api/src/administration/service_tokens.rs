//! The service tokens of the environment (administration, section 2).

use svc_model::{
    ListQuery,
    administration::service_tokens::{Create, Delete, List, NewServiceToken},
};

use super::ServiceTokens;
use crate::Call;

impl ServiceTokens {
    /// Lists the tokens, without those that were revoked:
    /// `GET {app_base_url}/projects/{project}/{environment}/service_tokens/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Creates a token, whose text is returned this once:
    /// `POST {app_base_url}/projects/{project}/{environment}/service_tokens/`.
    pub fn create(&self, new_token: NewServiceToken) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope(), new_token))
    }

    /// Revokes a token: `DELETE {app_base_url}/projects/{project}/{environment}/service_tokens/{uid}/`.
    pub fn delete(&self, uid: impl Into<String>) -> Call<Delete> {
        self.client.call(Delete::new(self.client.scope(), uid))
    }
}

impl Call<List> {
    /// Sets whether those that were revoked are listed too.
    pub fn revoked(self, revoked: bool) -> Self {
        self.with(|operation| operation.revoked = revoked)
    }
}
