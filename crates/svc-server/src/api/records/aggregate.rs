//! Aggregate and group, each as `POST` with a body and as `GET` (wire contract, section 4).

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use http::{Method, StatusCode};
use svc_data::Model;
use svc_model::{
    Invalid, JsonObject,
    records::{AggregateQuery, GroupQuery},
};

use crate::{
    auth::access::{Call, Read, ResourceRequest},
    http::{
        ApiResult,
        error::suggestion,
        response::{ResponseKind, raw_json_response},
    },
    state::statements::StatementId,
};

pub(super) async fn aggregate(call: Call<Read>) -> ApiResult<Response> {
    let body = read_body(&call.request, call.body).await?;
    let query = call.request.query();
    let selection = call.access.select(|model| {
        with_suggestions(model, |is_field| match &body {
            Some(body) => AggregateQuery::parse_with_body(query, body, is_field),
            None => AggregateQuery::parse(query, is_field),
        })
    });
    let selection = selection.await?;
    let running = call.access.begin_request(&call.request)?;
    let body = running.unless_cancelled(selection.aggregate()).await??;
    Ok(answer(body, running.id()))
}

pub(super) async fn group(call: Call<Read>) -> ApiResult<Response> {
    let body = read_body(&call.request, call.body).await?;
    let query = call.request.query();
    let selection = call.access.select(|model| {
        with_suggestions(model, |is_field| match &body {
            Some(body) => GroupQuery::parse_with_body(query, body, is_field),
            None => GroupQuery::parse(query, is_field),
        })
    });
    let selection = selection.await?;
    let running = call.access.begin_request(&call.request)?;
    let body = running.unless_cancelled(selection.group()).await??;
    Ok(answer(body, running.id()))
}

async fn read_body(request: &ResourceRequest, body: Body) -> ApiResult<Option<JsonObject>> {
    match request.parts.method {
        Method::POST => request.read_object(body).await.map(Some),
        _ => Ok(None),
    }
}

fn with_suggestions<Q>(
    model: &Model,
    parse: impl FnOnce(&dyn Fn(&str) -> bool) -> Result<Q, Invalid>,
) -> Result<Q, Invalid> {
    parse(&|name| model.has_field(name)).map_err(|invalid| suggestion::with_fields(&invalid, model))
}

fn answer(body: Bytes, id: StatementId) -> Response {
    let mut answer = raw_json_response(StatusCode::OK, [body]);
    answer.extensions_mut().insert(ResponseKind::Read);
    id.tell(&mut answer);
    answer.into_response()
}
