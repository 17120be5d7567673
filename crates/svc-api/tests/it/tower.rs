//! The adapters to and from tower services.

use std::{
    io::{self, ErrorKind},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use http::{Request, Response, StatusCode};
use svc_api::{
    Client,
    tower::{ServiceTransport, TransportService},
    wire::{Body, BoxError, Transport as _, TransportError, TransportErrorKind},
};
use svc_testing::ScriptedTransport;
use tower::{
    ServiceBuilder, ServiceExt, service_fn, timeout::error::Elapsed, util::BoxCloneService,
};

#[tokio::test]
async fn a_transport_with_layers_is_again_a_transport() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let service = ServiceBuilder::new()
        .concurrency_limit(1)
        .map_request(|mut request: Request<Body>| {
            let headers = request.headers_mut();
            headers.insert("x-layer", http::HeaderValue::from_static("seen"));
            request
        })
        .service(TransportService::new(script.clone()));
    let client = Client::builder()
        .project("demo")
        .transport(ServiceTransport::new(service))
        .build()
        .unwrap();
    client.pages().list().await.unwrap();
    assert_eq!(script.requests()[0].headers["x-layer"], "seen");
}

#[tokio::test]
async fn errors_of_a_transport_keep_their_kind_through_the_layers() {
    let script = ScriptedTransport::new()
        .fail(TransportErrorKind::Connect)
        .answer(StatusCode::OK, "[]");
    let transport = ServiceTransport::new(TransportService::new(script.clone()));
    let client = Client::builder()
        .project("demo")
        .transport(transport)
        .build()
        .unwrap();
    // It was never sent, so it is tried again.
    client.pages().list().await.unwrap();
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn other_errors_of_a_service_are_errors_of_the_transport() {
    let service =
        service_fn(|_: Request<Body>| async { Err::<Response<Body>, _>("the cable is cut") });
    let client = Client::builder()
        .project("demo")
        .transport(ServiceTransport::new(service))
        .build()
        .unwrap();
    let error = client.pages().list().await.unwrap_err();
    let transport = error.transport_error().unwrap();
    assert_eq!(transport.kind(), TransportErrorKind::Other);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "the cable is cut");
}

#[tokio::test]
async fn a_refused_connection_behind_layers_is_tried_again() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let tries = Arc::new(AtomicU32::new(0));
    let service = service_fn(move |request| {
        let first = tries.fetch_add(1, Ordering::Relaxed) == 0;
        let script = script.clone();
        async move {
            match first {
                true => Err(BoxError::from(io::Error::from(
                    ErrorKind::ConnectionRefused,
                ))),
                false => Ok(script.send(request).await?),
            }
        }
    });
    // Not `Sync`.
    let transport = ServiceTransport::new(BoxCloneService::new(service));
    let client = Client::builder().project("demo").transport(transport);
    client.build().unwrap().pages().list().await.unwrap();
}

#[tokio::test]
async fn the_errors_of_layers_can_be_told_apart() {
    let service = ServiceBuilder::new()
        .timeout(Duration::from_millis(5))
        .service(TransportService::new(
            ScriptedTransport::new().never_answer(),
        ));
    let transport = ServiceTransport::new(service).map_err(|error| match error.is::<Elapsed>() {
        true => TransportError::new(TransportErrorKind::Timeout, error),
        false => TransportError::from_source(error),
    });
    let client = Client::builder().project("demo").transport(transport);
    let error = client.build().unwrap().pages().list().await.unwrap_err();
    assert!(error.is_timeout());
}

#[tokio::test]
async fn a_transport_can_be_a_service() {
    let script = ScriptedTransport::new().answer(StatusCode::IM_A_TEAPOT, "short");
    let request = Request::new(Body::empty());
    let response = TransportService::new(script)
        .oneshot(request)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
}

#[cfg(feature = "hyper")]
#[tokio::test]
async fn the_built_in_transport_conforms_behind_both_adapters() {
    let transport = svc_api::transport::HyperTransport::builder()
        .build()
        .unwrap();
    let transport = ServiceTransport::new(TransportService::new(transport));
    svc_testing::conformance::check(&transport).await.unwrap();
}
