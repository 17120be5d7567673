//! The console, which answers what is below a path of its own.

use std::sync::Arc;

use axum::{
    body::Body as AxumBody,
    extract::Request,
    response::{IntoResponse as _, Response},
};
use svc_model::{
    X_REQUEST_ID,
    wire::{Body, Transport},
};

use crate::{
    api::routes::Routes,
    http::{ApiError, compression::compressed, request::RequestId},
};

/// The path of the console.
pub(crate) const CONSOLE: &str = "/console";

/// The routes of a console.
pub(crate) fn routes(console: &Arc<dyn Transport>) -> Routes {
    let console = Arc::clone(console);
    let answer = move |request: Request| answer(console, request);
    let pages = Routes::new()
        .any(CONSOLE, answer.clone())
        .any(&format!("{CONSOLE}/"), answer.clone())
        .get_free(&format!("{CONSOLE}/assets/{{file}}"), answer.clone())
        .any(&format!("{CONSOLE}/{{*path}}"), answer);
    pages.layered(compressed)
}

/// Has a console answer a request, whose identifier it shows beside what went wrong.
pub(crate) async fn answer(console: Arc<dyn Transport>, mut request: Request) -> Response {
    if let Some(RequestId(id)) = request.extensions().get::<RequestId>().cloned() {
        request.headers_mut().insert(X_REQUEST_ID, id);
    }
    match console.send(request.map(Body::stream)).await {
        Ok(response) => response.map(AxumBody::new),
        Err(error) => ApiError::Internal(error.to_string()).into_response(),
    }
}
