//! Projects: read (wire contract, section 8). They are listed with the administration.

use svc_model::projects::Get;

use super::call::Call;
use crate::{api::routes::Routes, http::ApiResult};

pub(crate) fn routes() -> Routes {
    Routes::new().on::<Get, _>(retrieve)
}

async fn retrieve(call: Call<Get>) -> ApiResult {
    let Call {
        account, operation, ..
    } = &call;
    let projects = call.store.projects();
    let found = projects.get_for(account.uid(), account.rights(), &operation.project);
    let project = found.await?;
    call.answer_tagged(&project)
}
