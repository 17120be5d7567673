//! Resources as a whole: reload, and the descriptions of their models (wire contract, section 7).

use axum::{
    Router,
    extract::{Request, State},
};
use bytes::Bytes;
use http::StatusCode;
use svc_model::resources;

use crate::{
    access::{Action, Place, authorized, check},
    answer::{Answer, raw_json_answer},
    documents::DocumentKind,
    failure::Failure,
    request::{Segments, read_draft},
    router::Routes as _,
    state::Shared,
};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .on::<resources::Reload, _>(reload)
        .on::<resources::ModelDescriptions, _>(model_descriptions)
}

async fn reload(
    State(state): State<Shared>,
    Segments((project, environment, resource)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = Place::new(project, environment, resource);
    if place.is_tools() {
        check(&state, &parts, &place, Action::Whole).await?;
        read_draft(parts.uri.query())?;
        state.refresh().await?;
    } else {
        let resource = authorized(&state, &parts, &place, Action::Whole).await?;
        read_draft(parts.uri.query())?;
        resource.reload().await?;
    }
    Ok(raw_json_answer(
        StatusCode::OK,
        [Bytes::from_static(br#"{"success":true}"#)],
    ))
}

async fn model_descriptions(
    State(state): State<Shared>,
    Segments((project, environment, resource)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = Place::new(project, environment, resource);
    let resource = authorized(&state, &parts, &place, Action::Describe).await?;
    read_draft(parts.uri.query())?;
    resource.reload_if_changed().await?;
    let document = state
        .documents
        .get(DocumentKind::Descriptions, &place, resource, |_, models| {
            serde_json::to_vec(models)
        })
        .await?;
    Ok(document.answer(&parts.headers))
}
