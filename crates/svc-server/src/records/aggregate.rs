//! Aggregate and group, each as `POST` with a body and as `GET` (wire contract, section 4).

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use http::{Method, StatusCode};
use svc_data::Model;
use svc_model::{
    Invalid, JsonObject,
    records::{AggregateQuery, GroupQuery},
};

use super::CollectionSegments;
use crate::{
    access::{Access, Action, Place, authorized},
    answer::{AnswerKind, raw_json_answer},
    body::read_object,
    failure::Failure,
    request::Segments,
    state::Shared,
};

pub(super) async fn aggregate(
    state: State<Shared>,
    segments: CollectionSegments,
    request: Request,
) -> Result<Response, Failure> {
    let asked = Asked::read(state, segments, request).await?;
    let (model, query) = asked
        .parse(|query, body, is_field| match body {
            Some(body) => AggregateQuery::parse_with_body(query, body, is_field),
            None => AggregateQuery::parse(query, is_field),
        })
        .await?;
    asked.resource.check_query(&query.query)?;
    let body = asked.resource.aggregate(&model, &query).await?;
    Ok(answer(body))
}

pub(super) async fn group(
    state: State<Shared>,
    segments: CollectionSegments,
    request: Request,
) -> Result<Response, Failure> {
    let asked = Asked::read(state, segments, request).await?;
    let (model, query) = asked
        .parse(|query, body, is_field| match body {
            Some(body) => GroupQuery::parse_with_body(query, body, is_field),
            None => GroupQuery::parse(query, is_field),
        })
        .await?;
    asked.resource.check_query(&query.query)?;
    let body = asked.resource.group(&model, &query).await?;
    Ok(answer(body))
}

fn answer(body: Bytes) -> Response {
    let mut answer = raw_json_answer(StatusCode::OK, [body]);
    answer.extensions_mut().insert(AnswerKind::Read);
    answer.into_response()
}

/// A question about the records of a model, before it is read against the model's fields.
struct Asked {
    resource: Access,
    model: String,
    query: String,
    body: Option<JsonObject>,
}

impl Asked {
    async fn read(
        State(state): State<Shared>,
        Segments((project, environment, resource, model)): CollectionSegments,
        request: Request,
    ) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let place = Place::new(project, environment, resource);
        let resource = authorized(&state, &parts, &place, Action::Read(&model)).await?;
        let body = match parts.method {
            Method::POST => Some(read_object(&parts.headers, body, &state.config).await?),
            _ => None,
        };
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(Self {
            resource,
            model,
            query,
            body,
        })
    }

    /// Reads the question; before a name is refused as unknown, the structure is read anew if it has
    /// changed.
    async fn parse<T>(
        &self,
        read: impl Fn(&str, Option<&JsonObject>, &dyn Fn(&str) -> bool) -> Result<T, Invalid>,
    ) -> Result<(Arc<Model>, T), Failure> {
        super::read_against(&self.resource, &self.model, |model| {
            read(&self.query, self.body.as_ref(), &|name| {
                model.has_field(name)
            })
        })
        .await
    }
}
