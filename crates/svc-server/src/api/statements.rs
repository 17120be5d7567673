//! The statements that callers run on a resource (wire contract, section 11).

use http::StatusCode;
use svc_model::statements::{Cancel, List};

use crate::{
    api::routes::Routes,
    auth::access::{Call, Describe},
    http::{
        ApiError, ApiResult,
        response::{empty_response, json_response},
    },
};

pub(crate) fn routes() -> Routes {
    Routes::new().on::<List, _>(list).on::<Cancel, _>(cancel)
}

async fn list(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let access = &call.access;
    let statements = &call.request.state.statements;
    let running = statements.list(access.path(), &access.seen_statements());
    Ok(json_response(StatusCode::OK, &running))
}

async fn cancel(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let access = &call.access;
    let statements = &call.request.state.statements;
    match statements.cancel(access.path(), &access.seen_statements(), access.statement()) {
        true => Ok(empty_response(StatusCode::NO_CONTENT)),
        false => Err(ApiError::NotFound(
            "no statement of this id runs; GET .../statements lists those that do".to_owned(),
        )),
    }
}
