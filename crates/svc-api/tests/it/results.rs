//! What calls return: values of a type, responses, streams, and errors with codes.

use http::{StatusCode, header};
use svc_api::{ErrorKind, model::records::AggregateFunction};
use svc_testing::ScriptedTransport;

use crate::support::{TestTimer, answer, builder, client};

#[tokio::test]
async fn a_response_can_be_given_with_its_status_and_headers() {
    let script = ScriptedTransport::new()
        .answer_with(|_| {
            Ok(answer(
                StatusCode::OK,
                ("x-request-id", "r-7"),
                r#"{"id":1}"#,
            ))
        })
        .answer(StatusCode::NOT_FOUND, "{}");
    let orders = client(&script).records("shop", "orders");
    let response = orders.get(1).send_with_response().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["x-request-id"], "r-7");
    assert_eq!(response.body()["id"], 1);
    let error = orders.get(2).send_with_response().await.unwrap_err();
    assert!(error.is_not_found());
}

#[tokio::test]
async fn the_body_of_a_success_can_be_read_as_it_comes() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::SERVICE_UNAVAILABLE, "")
        .answer(StatusCode::OK, "id\n1\n2\n")
        .answer(
            StatusCode::NOT_FOUND,
            r#"{"detail":"there is no model `order`"}"#,
        );
    let client = builder(&script)
        .timer(TestTimer::default())
        .body_limit(4)
        .build()
        .unwrap();
    let orders = client.records("shop", "orders").list();
    let response = orders.send_streaming().await.unwrap();
    assert_eq!(script.requests().len(), 2);
    let body = response.into_body().collect(100).await.unwrap();
    assert_eq!(body, "id\n1\n2\n");

    let client = builder(&script).build().unwrap();
    let missing = client.records("shop", "order").list();
    let error = missing.send_streaming().await.unwrap_err();
    assert_eq!(error.detail(), Some("there is no model `order`"));
}

#[tokio::test]
async fn a_record_that_did_not_change_is_not_sent_again() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::NOT_MODIFIED, "")
        .answer_with(|_| Ok(answer(StatusCode::OK, ("etag", "\"b\""), r#"{"id":1}"#)));
    let orders = client(&script).records("shop", "orders");
    let same = orders.get(1).send_if_changed("\"a\"").await.unwrap();
    assert!(same.is_none());
    let newer = orders.get(1).send_if_changed("\"a\"").await.unwrap();
    assert_eq!(newer.unwrap().etag.as_deref(), Some("\"b\""));
    for request in script.requests() {
        assert_eq!(request.headers[header::IF_NONE_MATCH], "\"a\"");
    }
    let error = orders.get(1).send_if_changed("\n").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
}

#[tokio::test]
async fn results_are_read_as_the_type_that_they_are_expected_to_be() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, r#"{"y_func":7}"#)
        .answer(StatusCode::OK, r#"{"y_func":"1.50"}"#)
        .answer(StatusCode::OK, r#"{"y_func":null}"#)
        .answer(StatusCode::OK, r#"{"y_func":"many"}"#);
    let orders = client(&script).records("shop", "orders");
    assert_eq!(orders.count().await.unwrap(), 7);
    let sum = || {
        orders
            .aggregate(AggregateFunction::Sum, "total")
            .typed::<Option<String>>()
    };
    assert_eq!(sum().await.unwrap(), Some("1.50".to_owned()));
    assert_eq!(sum().await.unwrap(), None);
    let error = orders.count().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
}

#[tokio::test]
async fn fields_are_refused_with_codes_for_programs() {
    let body = r#"{"email":["this value is taken"],"error_codes":{"email":["unique"]}}"#;
    let script = ScriptedTransport::new().answer(StatusCode::BAD_REQUEST, body);
    let error = client(&script).pages().list().await.unwrap_err();
    assert_eq!(error.field_codes()["email"], ["unique"]);
    assert_eq!(error.field_errors().len(), 1);
}
