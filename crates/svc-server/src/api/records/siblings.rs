//! The records before and after one (wire contract, section 4).

use http::StatusCode;
use svc_model::records::GetSiblings;

use crate::{
    auth::access::{Call, Read},
    http::{ApiResult, error::suggestion, response::raw_json_response},
};

pub(super) async fn get_siblings(call: Call<Read>) -> ApiResult {
    let selection = call.access.select(|model| {
        GetSiblings::parse_query(call.request.query(), &|name| model.has_field(name))
            .map_err(|invalid| suggestion::in_list(&invalid, model))
    });
    let siblings = selection.await?.siblings().await?;
    Ok(raw_json_response(StatusCode::OK, [siblings]))
}
