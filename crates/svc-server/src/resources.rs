//! Resources as a whole: reload, and the descriptions of their models (wire contract, section 7).

use axum::{
    Router,
    extract::{Request, State},
    routing::{get, post},
};
use bytes::Bytes;
use http::StatusCode;
use svc_model::{resources, wire::Operation as _};

use crate::{
    access::{Action, Place, authorized, check},
    answer::{Answer, etag_of, raw_json_answer, tagged_answer},
    failure::Failure,
    request::{Segments, read_draft},
    router::route,
    state::Shared,
};

pub(crate) fn routes() -> Router<Shared> {
    let reload_path = resources::Reload::INFO.path_template;
    let descriptions_path = resources::ModelDescriptions::INFO.path_template;
    let router = route(Router::new(), reload_path, post(reload));
    route(router, descriptions_path, get(model_descriptions))
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
    let body = serde_json::to_vec(&resource.descriptions()).map_err(|error| {
        Failure::Internal(format!("a structure cannot be written as JSON: {error}"))
    })?;
    let etag = etag_of(&body);
    Ok(tagged_answer(
        StatusCode::OK,
        [body.into()],
        &etag,
        Some(&parts.headers),
    ))
}
