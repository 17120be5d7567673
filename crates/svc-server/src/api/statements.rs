//! The statements that callers run on a resource (wire contract, section 11).

use std::cmp::Reverse;

use http::StatusCode;
use svc_model::statements::{Cancel, List, Statement};

use crate::{
    api::routes::Routes,
    auth::access::{Call, Describe},
    http::{
        ApiError, ApiResult,
        response::{empty_response, json_response},
    },
    state::nodes::questions::Question,
};

pub(crate) fn routes() -> Routes {
    Routes::new().on::<List, _>(list).on::<Cancel, _>(cancel)
}

async fn list(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let (access, state) = (&call.access, &call.request.state);
    let (path, seen) = (access.path(), access.seen_statements());
    let mut running = state.statements.list(path, &seen);
    let on = path.into();
    let others = state.ask_others::<Vec<Statement>>(Question::Statements { on, seen });
    running.extend(others.await?.into_iter().flatten());
    // Not by when they began, since the clocks of nodes differ.
    running.sort_by_key(|statement| Reverse(statement.milliseconds));
    Ok(json_response(StatusCode::OK, &running))
}

async fn cancel(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let (access, state) = (&call.access, &call.request.state);
    let (path, seen) = (access.path(), access.seen_statements());
    let id = access.statement();
    let is_here = state.statements.cancel(path, &seen, id);
    let (on, id) = (path.into(), id.to_owned());
    let others = state.ask_others::<bool>(Question::Cancel { on, seen, id });
    let is_elsewhere = match others.await {
        Ok(others) => others.contains(&true),
        // It is ended, whatever others know of the same id.
        Err(_) if is_here => false,
        Err(error) => return Err(error),
    };
    match is_here || is_elsewhere {
        true => Ok(empty_response(StatusCode::NO_CONTENT)),
        false => Err(ApiError::NotFound(
            "no statement of this id runs; GET .../statements lists those that do".to_owned(),
        )),
    }
}
