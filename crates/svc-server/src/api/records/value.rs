//! One value of a record by itself (wire contract, section 11).

use http::{HeaderValue, StatusCode, header};
use svc_data::ValueForm;
use svc_model::{Invalid, RecordView};

use crate::{
    auth::access::{Call, Read},
    http::{
        ApiResult,
        response::{
            empty_response, is_known,
            raw::{Named, raw_response},
            unmodified_response,
        },
    },
};

/// The entity tag of NULL, which no other value has.
const NULL_TAG: &str = "\"null\"";

pub(super) async fn get_value(call: Call<Read>) -> ApiResult {
    let view = RecordView::parse(call.request.query())?;
    if view.fields.is_some() || view.expand.is_some() || view.excerpt.is_some() {
        let message = "a single value takes no parameter but tz";
        return Err(Invalid::general(message).into());
    }
    let records = call.access.records().await?;
    let request = &call.request.parts;
    let Some(value) = records.value(view.time_zone.as_deref()).await? else {
        let mut answer = match is_known(&request.headers, NULL_TAG) {
            true => unmodified_response(NULL_TAG),
            false => empty_response(StatusCode::NO_CONTENT),
        };
        let tag = HeaderValue::from_static(NULL_TAG);
        answer.headers_mut().insert(header::ETAG, tag);
        return Ok(answer);
    };
    let named = Named {
        media_type: match value.form {
            ValueForm::Json => "application/json",
            ValueForm::Text => "text/plain; charset=utf-8",
            _ => "application/octet-stream",
        },
        is_attachment: !matches!(value.form, ValueForm::Json | ValueForm::Text),
        name: &records.name_of_value(),
    };
    raw_response(request, value.bytes, &named)
}
