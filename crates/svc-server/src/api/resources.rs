//! Resources as a whole: reload, and the descriptions of their models (wire contract, section 7).

use bytes::Bytes;
use http::StatusCode;
use svc_model::resources;

use crate::{
    api::routes::Routes,
    auth::access::{Administer, Call, Describe},
    http::{
        error::Failure,
        response::{Answer, raw_json_answer},
    },
    openapi::documents,
    state::documents::DocumentKind,
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
) -> Result<Answer, Failure> {
    request.check_query()?;
    match access.path().is_tools() {
        true => request.state.refresh().await?,
        false => access.reload().await?,
    }
    Ok(raw_json_answer(
        StatusCode::OK,
        [Bytes::from_static(br#"{"success":true}"#)],
    ))
}

async fn model_descriptions(call: Call<Describe>) -> Result<Answer, Failure> {
    let write = |_: &_, models: &[_]| serde_json::to_vec(models);
    documents::answer(call, DocumentKind::Descriptions, write).await
}
