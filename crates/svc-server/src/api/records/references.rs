//! The records that refer to one (wire contract, section 11).

use http::StatusCode;

use crate::{
    auth::access::{Call, Read},
    http::{ApiResult, response::json_response},
};

pub(super) async fn get_references(call: Call<Read>) -> ApiResult {
    call.request.check_query()?;
    let running = call.access.begin_request(&call.request)?;
    let records = call.access.records().await?;
    let references = running.unless_cancelled(records.references()).await??;
    let mut answer = json_response(StatusCode::OK, &references);
    running.id().tell(&mut answer);
    Ok(answer)
}
