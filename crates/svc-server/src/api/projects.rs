//! Projects: list and read (wire contract, section 8).

use http::StatusCode;
use svc_model::{DEFAULT_PER_PAGE, projects};

use super::call::Call;
use crate::{
    api::routes::Routes,
    http::{ApiResult, response::json_response},
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<projects::List, _>(list)
        .on::<projects::Get, _>(retrieve)
}

async fn list(call: Call<projects::List>) -> ApiResult {
    let page = call.operation.page.unwrap_or(1);
    let per_page = call.operation.per_page.unwrap_or(DEFAULT_PER_PAGE);
    let skipped =
        usize::try_from((page - 1).saturating_mul(u64::from(per_page))).unwrap_or(usize::MAX);
    let (uid, rights) = (call.account.uid(), call.account.rights());
    let projects = call.store.projects();
    let listed = projects.list_for(uid, rights, (skipped, per_page as usize));
    let (results, all) = listed.await?;
    let envelope = call.page_of(results, all as u64, page, per_page);
    Ok(json_response(StatusCode::OK, &envelope))
}

async fn retrieve(call: Call<projects::Get>) -> ApiResult {
    let Call {
        account, operation, ..
    } = &call;
    let projects = call.store.projects();
    let found = projects.get_for(account.uid(), account.rights(), &operation.project);
    let project = found.await?;
    Ok(json_response(StatusCode::OK, &project))
}
