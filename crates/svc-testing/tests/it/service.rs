//! Tests of the mock service, and of operations that it reads from requests.

use http::{Response, StatusCode};
use svc_model::{
    ListQuery, pages, records,
    wire::{Operation, Transport, TransportErrorKind},
};
use svc_testing::MockService;

const DATA: &str = "https://data.example.com";
const APPLICATION: &str = "https://app.example.com/api";

async fn answer<O: Operation>(
    service: &MockService,
    operation: &O,
    base: &str,
) -> (StatusCode, String) {
    let response = service
        .send(operation.to_request(base).unwrap())
        .await
        .unwrap();
    let status = response.status();
    let body = response.into_body().collect(1000).await.unwrap();
    (status, String::from_utf8(body.into()).unwrap())
}

fn orders() -> records::Collection {
    records::Collection::new(("demo", "prod"), "shop", "orders")
}

#[tokio::test]
async fn each_operation_has_its_response_in_any_order_of_calls() {
    let service = MockService::new()
        .on::<records::Get>(StatusCode::OK, "one")
        .on::<records::List>(StatusCode::OK, "all")
        .on::<pages::List>(StatusCode::FORBIDDEN, "no");
    let list: records::List = records::List::new(orders(), ListQuery::new());
    let pages = pages::List::new(("demo", "prod"));
    for _ in 0..2 {
        assert_eq!(
            answer(&service, &pages, APPLICATION).await,
            (StatusCode::FORBIDDEN, "no".to_owned())
        );
        assert_eq!(answer(&service, &list, DATA).await.1, "all");
    }
    let retrieve: records::Get = records::Get::new(orders(), "a/b");
    assert_eq!(answer(&service, &retrieve, DATA).await.1, "one");
    let seen: Vec<_> = service
        .requests()
        .iter()
        .map(|request| request.operation().unwrap().name)
        .collect();
    assert_eq!(
        seen,
        [
            "pages.list",
            "records.list",
            "pages.list",
            "records.list",
            "records.get"
        ]
    );
}

#[tokio::test]
async fn a_later_response_of_an_operation_replaces_an_earlier_one() {
    let service = MockService::new().on::<pages::List>(StatusCode::OK, "old");
    let service = service.clone().on::<pages::List>(StatusCode::OK, "new");
    let list = pages::List::new(("demo", "prod"));
    assert_eq!(answer(&service, &list, APPLICATION).await.1, "new");
}

#[tokio::test]
async fn an_operation_without_a_response_fails_and_the_error_says_so() {
    let request = pages::List::new(("demo", "prod"))
        .to_request(APPLICATION)
        .unwrap();
    let error = MockService::new().send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Other);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        source.contains("no answer is given for GET https://app.example.com/"),
        "{source}"
    );
}

#[tokio::test]
async fn a_response_function_can_read_the_operation_of_its_request() {
    let service = MockService::new().on_request::<pages::Publish>(|request| {
        let body = match request.read::<pages::Publish>() {
            Ok(publish) => format!("{} {:?}", publish.scope.project, publish.uids),
            Err(invalid) => invalid.to_string(),
        };
        Ok(Response::new(body.into()))
    });
    let mut request = pages::Publish::new(("my shop", "prod"))
        .to_request(APPLICATION)
        .unwrap();
    let read = service
        .send(request)
        .await
        .unwrap()
        .into_body()
        .collect(100)
        .await
        .unwrap();
    assert_eq!(read, "my shop None");

    request = pages::Publish::new(("my shop", "prod"))
        .to_request(APPLICATION)
        .unwrap();
    *request.body_mut() = r#"{"uid":1}"#.into();
    let refused = service
        .send(request)
        .await
        .unwrap()
        .into_body()
        .collect(1000)
        .await
        .unwrap();
    assert!(
        String::from_utf8_lossy(&refused).contains("uid"),
        "{refused:?}"
    );
    let wrong = service.requests()[0].read::<pages::Get>().unwrap_err();
    assert!(
        wrong.to_string().contains("publish/ is not GET /projects/"),
        "{wrong}"
    );
}
