//! The static tokens of the environment's resources (administration, section 2).

use svc_model::{
    ListQuery,
    administration::tokens::{Create, Delete, List, NewToken},
};

use super::Tokens;
use crate::Call;

impl Tokens {
    /// Lists the tokens, without those that were revoked:
    /// `GET {app_base_url}/projects/{project}/{environment}/tokens/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Creates a token, whose text is returned this once:
    /// `POST {app_base_url}/projects/{project}/{environment}/tokens/`.
    pub fn create(&self, new_token: NewToken) -> Call<Create> {
        self.client
            .call(Create::new(self.client.scope(), new_token))
    }

    /// Revokes a token: `DELETE {app_base_url}/projects/{project}/{environment}/tokens/{uid}/`.
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
