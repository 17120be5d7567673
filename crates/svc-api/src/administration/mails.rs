//! The mails that wait to be sent, for operators (administration, section 2).

use svc_model::{ListQuery, administration::mails::List};

use super::Mails;
use crate::Call;

impl Mails {
    /// Lists the mails that wait, without codes and links: `GET {app_base_url}/mails/`.
    pub fn list(&self) -> Call<List> {
        self.client.call(List::new(ListQuery::new()))
    }
}

impl Call<List> {
    /// Sets whether codes and links are shown.
    pub fn codes(self, codes: bool) -> Self {
        self.with(|operation| operation.codes = codes)
    }
}
