//! The console, which answers what is below a path of its own.

use std::sync::Arc;

use axum::{body::Body as AxumBody, extract::Request, response::IntoResponse as _};
use svc_model::wire::{Body, Transport};

use crate::{
    api::routes::Routes,
    http::{ApiError, compression::compressed},
};

/// The path of the console.
pub(crate) const CONSOLE: &str = "/console";

/// The routes of a console.
pub(crate) fn routes(console: &Arc<dyn Transport>) -> Routes {
    let console = Arc::clone(console);
    let answer = move |request: Request| async move {
        match console.send(request.map(Body::stream)).await {
            Ok(response) => response.map(AxumBody::new),
            Err(error) => ApiError::Internal(error.to_string()).into_response(),
        }
    };
    let pages = Routes::new()
        .any(CONSOLE, answer.clone())
        .any(&format!("{CONSOLE}/"), answer.clone())
        .any(&format!("{CONSOLE}/{{*path}}"), answer);
    pages.layered(compressed)
}
