//! Answers that are given to JavaScript as they came.

use bytes::Bytes;
use http::{HeaderName, header};
use js_sys::Array;
use svc_model::{
    QueryString, ResponseError,
    wire::{Operation, OperationInfo, PathArguments, RequestError},
};
use wasm_bindgen::JsValue;

/// An operation whose answer is not read.
#[derive(Debug)]
pub(crate) struct Unread<O>(pub(crate) O);

impl<O: Operation> Operation for Unread<O> {
    type Response = http::Response<Bytes>;

    const INFO: OperationInfo = O::INFO;

    fn path_arguments(&self) -> PathArguments<'_> {
        self.0.path_arguments()
    }

    fn query(&self) -> QueryString {
        self.0.query()
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        self.0.body()
    }

    fn headers(&self) -> Vec<(HeaderName, String)> {
        self.0.headers()
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        Ok(response)
    }
}

/// The text of an answer and its entity tag, as a pair.
pub(crate) fn pair(response: &http::Response<Bytes>) -> JsValue {
    let etag = response.headers().get(header::ETAG);
    let etag = etag.and_then(|etag| etag.to_str().ok());
    // What is no UTF-8 is no JSON either, which the reader will say.
    let text = String::from_utf8_lossy(response.body());
    Array::of2(&JsValue::from(&*text), &JsValue::from(etag)).into()
}
