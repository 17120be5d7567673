//! Answers compressed by `Accept-Encoding` (RFC 9110, section 12.5.3).
//!
//! Only groups whose answers hold no secret are compressed: where a secret stands beside what a caller sent, the length of
//! the compressed answer would tell about the secret. So account calls and the HTTP proxy stay as they are.

use std::convert::Infallible;

use axum::{
    Router,
    body::Body,
    extract::Request,
    middleware::{self, Next},
    response::Response,
};
use http::{HeaderValue, header};
use tower::{Layer as _, ServiceExt as _, service_fn};
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{And, NotForContentType, Predicate as _, SizeAbove},
    },
};

use crate::state::Shared;

/// The smallest body that is compressed, in bytes. A body whose length is not known is compressed too.
const SMALLEST: u64 = 1_024;
/// Of 11 levels of brotli, the one whose cost is near that of the others' default.
const LEVEL: i32 = 4;

/// Compresses the answers of these routes when they are larger than 1 KiB and of a type that gains from it.
pub(crate) fn compressed(router: Router<Shared>) -> Router<Shared> {
    router.layer(middleware::from_fn(compress))
}

fn worthwhile() -> And<SizeAbove, NotForContentType> {
    SizeAbove::new(SMALLEST).and(NotForContentType::IMAGES)
}

async fn compress(request: Request, next: Next) -> Response {
    let accepted: Vec<_> = request
        .headers()
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .cloned()
        .collect();
    let mut response = next.run(request).await;
    // The body of the layer is large, whether it compresses or not: what stays as it is does without it.
    if !worthwhile().should_compress(&response) {
        return response;
    }
    if accepted.is_empty() {
        let vary = HeaderValue::from_static("accept-encoding");
        response.headers_mut().append(header::VARY, vary);
        return response;
    }
    let mut request = http::Request::new(());
    for encodings in accepted {
        request
            .headers_mut()
            .append(header::ACCEPT_ENCODING, encodings);
    }
    let mut response = Some(response);
    let answered = service_fn(move |_| {
        let response = response.take().unwrap_or_default();
        async { Ok::<_, Infallible>(response) }
    });
    let layer = CompressionLayer::new()
        .quality(CompressionLevel::Precise(LEVEL))
        .compress_when(worthwhile());
    let answer = layer.layer(answered).oneshot(request).await;
    answer.unwrap_or_else(|never| match never {}).map(Body::new)
}
