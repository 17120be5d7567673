//! The records that refer to one (wire contract, section 11).

use http::StatusCode;

use crate::{
    auth::access::{Call, Read},
    http::{ApiResult, response::json_response},
};

pub(super) async fn get_references(call: Call<Read>) -> ApiResult {
    call.request.check_query()?;
    let records = call.access.records().await?;
    let references = records.references().await?;
    Ok(json_response(StatusCode::OK, &references))
}
