//! Resources as a whole: reload, and the descriptions of their models (wire contract, section 7).

use bytes::Bytes;
use http::StatusCode;
use svc_model::resources;

use crate::{
    api::routes::Routes,
    auth::access::{Administer, Call, Describe},
    http::{ApiResult, response::raw_json_response},
    openapi::documents,
    state::{documents::DocumentKind, nodes::questions::Question},
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<resources::Reload, _>(reload)
        .on::<resources::ModelDescriptions, _>(model_descriptions)
}

async fn reload(
    Call {
        access, request, ..
    }: Call<Administer>,
) -> ApiResult {
    request.check_query()?;
    if access.path().is_tools() {
        request.state.refresh().await?;
    } else {
        access.reload().await?;
        // Those that do not do it in time notice by themselves, as all do of a change that nobody has announced.
        let on = access.path().into();
        let others = request.state.ask_others::<bool>(Question::Reload { on });
        others.await?;
    }
    Ok(raw_json_response(
        StatusCode::OK,
        [Bytes::from_static(br#"{"success":true}"#)],
    ))
}

async fn model_descriptions(call: Call<Describe>) -> ApiResult {
    let write = |_: &_, models: &[_]| serde_json::to_vec(models);
    documents::answer(call, DocumentKind::Descriptions, write).await
}
