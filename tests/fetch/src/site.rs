//! The server of the page, through which messages go to and fro.

use std::{
    convert::Infallible,
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{Html, IntoResponse as _, Sse, sse::Event},
    routing::{get, post},
};
use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;
use svc_fetch_tests::bridge::Bridge;
use tokio::sync::{Notify, mpsc::UnboundedSender};
use wasm_bindgen_cli_support::Bindgen;

use crate::Result;

/// The list that the page asks for with the client, as its users do.
const CUSTOMERS: &str = r#"{"count": 7, "next": null, "previous": null, "results": []}"#;

/// The page with the compiled module. `opened` is notified when it awaits messages; `problems` gets its errors.
pub fn site(
    wasm: &Path,
    bridge: &Bridge,
    messages: UnboundedReceiver<String>,
    opened: &Arc<Notify>,
    problems: UnboundedSender<String>,
) -> Result<Router> {
    let mut bound = Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .generate_output()?;
    let script = bound.js().to_owned();
    let module = bound.wasm_mut().emit_wasm();
    let file =
        |kind: &'static str, content: Vec<u8>| get(async move || ([(CONTENT_TYPE, kind)], content));

    let (bridge, opened) = (bridge.clone(), Arc::clone(opened));
    let (lost, unreadable) = (problems.clone(), problems.clone());
    let events = messages.map(|message| Ok::<_, Infallible>(Event::default().data(message)));
    let events = Arc::new(Mutex::new(Some(events)));
    let stream = async move || match events.lock().ok().and_then(|mut events| events.take()) {
        Some(events) => {
            opened.notify_one();
            Sse::new(events).into_response()
        }
        // The browser asks again when the connection breaks off.
        None => {
            let _ = lost.send("messages were lost".to_owned());
            StatusCode::CONFLICT.into_response()
        }
    };
    let reply = async move |message: String| {
        if let Err(error) = bridge.receive(&message) {
            let _ = unreadable.send(error.to_string());
        }
    };
    let problem = async move |problem: String| drop(problems.send(problem));
    Ok(Router::new()
        .route("/", get(Html(include_str!("page.html"))))
        .route("/page.js", file("text/javascript", script.into_bytes()))
        .route("/page.wasm", file("application/wasm", module))
        .route(
            "/projects/demo/prod/shop/models/customers",
            file("application/json", CUSTOMERS.into()),
        )
        .route("/messages", get(stream))
        .route("/reply", post(reply))
        .route("/problem", post(problem))
        .layer(DefaultBodyLimit::disable()))
}
