//! The records before and after one (wire contract, section 4).

use axum::extract::{Request, State};
use http::StatusCode;
use svc_model::records::GetSiblings;

use super::{ItemSegments, read_against};
use crate::{
    access::{Action, Place, authorized},
    answer::{Answer, raw_json_answer},
    failure::Failure,
    request::Segments,
    state::Shared,
    suggestion,
};

pub(super) async fn get_siblings(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = Place::new(project, environment, resource);
    let resource = authorized(&state, &parts, &place, Action::Read(&model)).await?;
    let query_text = parts.uri.query().unwrap_or_default();
    let (model, query) = read_against(&resource, &model, |model| {
        GetSiblings::parse_query(query_text, &|name| model.has_field(name))
            .map_err(|invalid| suggestion::in_list(&invalid, model))
    })
    .await?;
    resource.check_query(&query)?;
    let siblings = resource.siblings(&model, &id, &query).await?;
    Ok(raw_json_answer(StatusCode::OK, [siblings]))
}
