//! Resources as a whole: reload, and the descriptions of their models (wire contract, section 7).

use axum::{
    Router,
    extract::{Request, State},
    routing::{get, post},
};
use bytes::Bytes;
use http::StatusCode;
use svc_model::{EnvironmentName, ProjectName, ResourceName, resources, wire::Operation as _};

use crate::{
    answer::{Answer, etag_of, raw_json_answer, tagged_answer},
    credentials::{authorized, check_resource},
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
    if resource == ResourceName::TOOLS {
        let project = ProjectName::from(project);
        let environment = EnvironmentName::from(environment);
        let tools = ResourceName::from(resource);
        check_resource(&state, &parts.headers, &project, &environment, &tools).await?;
        read_draft(parts.uri.query())?;
        state.refresh().await?;
    } else {
        let resource = authorized(&state, &parts, project, environment, resource).await?;
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
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    read_draft(parts.uri.query())?;
    resource.reload_if_changed().await?;
    let body = serde_json::to_vec(&resource.structure().descriptions()).map_err(|error| {
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
