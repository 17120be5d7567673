//! The content and the messages of errors.

use std::error::Error as _;

use http::StatusCode;
use serde::Deserialize;
use svc_api::{
    ErrorKind,
    wire::{TransportError, TransportErrorKind},
};
use svc_testing::ScriptedTransport;

use crate::support::{answer, builder, client};

#[tokio::test]
async fn an_error_of_the_service_keeps_the_whole_response() {
    let body = r#"{"total":["must be a number"],"non_field_errors":["nothing was written"]}"#;
    let script = ScriptedTransport::new().answer_with(move |_| {
        Ok(answer(
            StatusCode::BAD_REQUEST,
            ("x-request-id", "r-17"),
            body,
        ))
    });
    let orders = client(&script).records("shop", "orders");
    let error = orders
        .create(&serde_json::json!({}))
        .await
        .map(drop)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Status);
    assert_eq!(error.operation(), Some("records.create"));
    assert_eq!(error.status(), Some(StatusCode::BAD_REQUEST));
    assert_eq!(error.request_id(), Some("r-17"));
    assert_eq!(error.headers().unwrap()["x-request-id"], "r-17");
    assert_eq!(error.body().unwrap(), body);
    assert_eq!(error.general_errors(), ["nothing was written"]);
    let fields = [("total".to_owned(), vec!["must be a number".to_owned()])];
    assert_eq!(error.field_errors(), fields);
    assert_eq!(
        error.to_string(),
        "records.create: the service answered 400 Bad Request: \
         nothing was written; total: must be a number"
    );
}

#[tokio::test]
async fn important_statuses_have_their_own_methods() {
    let script = [403, 404, 412]
        .iter()
        .fold(ScriptedTransport::new(), |script, status| {
            let status = StatusCode::from_u16(*status).unwrap();
            script.answer(status, r#"{"detail":"no","error_code":"some_code"}"#)
        });
    let pages = client(&script).pages();
    let error = pages.list().await.unwrap_err();
    assert!(error.is_forbidden() && !error.is_not_found());
    assert_eq!(
        (error.detail(), error.code()),
        (Some("no"), Some("some_code"))
    );
    assert!(pages.list().await.unwrap_err().is_not_found());
    assert!(pages.list().await.unwrap_err().is_precondition_failed());
}

#[tokio::test]
async fn a_body_of_unknown_shape_is_kept_unread() {
    let script =
        ScriptedTransport::new().answer(StatusCode::BAD_GATEWAY, "<html>bad gateway</html>");
    let list = client(&script).pages().list().max_tries(1);
    let error = list.await.unwrap_err();
    assert_eq!(error.body().unwrap(), "<html>bad gateway</html>");
    assert!(error.general_errors().is_empty() && error.field_errors().is_empty());
    assert_eq!(
        error.to_string(),
        "pages.list: the service answered 502 Bad Gateway: the page \"<html>bad gateway</html>\""
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_error_says_so() {
    let script = ScriptedTransport::new().answer_with(|_| {
        let location = ("location", "https://evil.example/");
        Ok(answer(StatusCode::MOVED_PERMANENTLY, location, ""))
    });
    let error = client(&script).pages().list().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "pages.list: the service answered 301 Moved Permanently \
         (redirects are not followed; is the base URL right?)"
    );
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn the_error_for_an_unexpected_response_names_the_position_and_keeps_the_bytes() {
    #[derive(Debug, Deserialize)]
    struct Order {
        #[expect(dead_code, reason = "only read")]
        total: Option<u32>,
    }

    let body =
        r#"{"count":2,"next":null,"previous":null,"results":[{"total":1},{"total":"1.10"}]}"#;
    let script = ScriptedTransport::new()
        .answer_with(move |_| Ok(answer(StatusCode::OK, ("x-request-id", "r-18"), body)))
        .answer(StatusCode::OK, "<html>")
        .answer(StatusCode::OK, "");
    let orders = client(&script).records("shop", "orders").typed::<Order>();
    let error = orders.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.json_path(), Some("results[1].total"));
    assert_eq!(error.body().unwrap(), body);
    assert_eq!(error.status(), Some(StatusCode::OK));
    assert_eq!(error.request_id(), Some("r-18"));
    assert_eq!(
        error.to_string(),
        "records.list: the answer of the service is not the expected JSON at results[1].total"
    );
    let source = error.source().unwrap().to_string();
    assert!(source.contains("invalid type: string"), "{source}");

    let error = orders.list().await.unwrap_err();
    assert_eq!((error.kind(), error.json_path()), (ErrorKind::Decode, None));
    assert_eq!(orders.get(1).await.unwrap_err().kind(), ErrorKind::Decode);
}

#[tokio::test]
async fn the_error_names_a_service_that_cannot_be_reached() {
    let script = ScriptedTransport::new()
        .answer_with(|_| {
            let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            Err(TransportError::new(TransportErrorKind::Connect, refused))
        })
        .fail(TransportErrorKind::Connect);
    let client = client(&script);
    let list = client.records("shop", "orders").list().max_tries(1);
    let error = list.await.unwrap_err();
    assert!(error.is_connect() && error.is_retryable());
    assert_eq!(
        error.to_string(),
        "records.list: could not connect to the service \
         (is it running at https://data.example.com, and is that base URL right?)"
    );
    assert_eq!(error.source().unwrap().to_string(), "connection refused");
    let shown = format!("{error:?}");
    assert!(shown.contains("connection refused"), "{shown}");
    let error = client.pages().list().max_tries(1).await.unwrap_err();
    assert!(
        error.to_string().contains("https://app.example.com/api"),
        "{error}"
    );
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[1,2,3,4,5,6]");
    let client = builder(&script).body_limit(10).build().unwrap();
    let error = client.pages().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    let source = error.source().unwrap().to_string();
    assert_eq!(source, "the body is larger than the limit of 10 bytes");
}

#[tokio::test]
async fn debug_leaves_the_body_out() {
    let script = ScriptedTransport::new().answer(StatusCode::CONFLICT, "a private row");
    let error = client(&script).pages().list().await.unwrap_err();
    let shown = format!("{error:?}");
    assert!(
        shown.contains("409") && !shown.contains("private"),
        "{shown}"
    );
}
