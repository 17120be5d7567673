//! Streams of pages and items.

use http::{StatusCode, header};
use svc_api::{ApiToken, ErrorKind, Lookup};
use svc_testing::ScriptedTransport;

use crate::support::{builder, client};

fn page(next: Option<&str>, ids: &[u32]) -> String {
    let results: Vec<_> = ids.iter().map(|id| serde_json::json!({"id": id})).collect();
    serde_json::json!({"count": 5, "next": next, "previous": null, "results": results}).to_string()
}

fn three_pages() -> ScriptedTransport {
    let next = |query: &str| format!("https://data.example.com/elsewhere?{query}");
    ScriptedTransport::new()
        .answer(StatusCode::OK, page(Some(&next("_after=c%2B2")), &[1, 2]))
        .answer(StatusCode::OK, page(Some(&next("_after=c4")), &[3, 4]))
        .answer(StatusCode::OK, page(None, &[5]))
}

#[tokio::test]
async fn every_item_of_every_page_is_returned_once() {
    let script = three_pages();
    let list = client(&script).records("shop", "orders").list();
    let mut items = list
        .filter("status", Lookup::Exact, "paid")
        .per_page(2)
        .by_item();
    let mut ids = Vec::new();
    while let Some(order) = items.try_next().await.unwrap() {
        ids.push(order["id"].as_u64().unwrap());
    }
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(items.try_next().await.unwrap().is_none());
    let base = "https://data.example.com/projects/demo/prod/shop/models/orders";
    let uris: Vec<_> = script
        .requests()
        .iter()
        .map(|request| request.uri.to_string())
        .collect();
    assert_eq!(
        uris,
        [
            format!("{base}?status=paid&_per_page=2"),
            format!("{base}?status=paid&_per_page=2&_after=c%2B2"),
            format!("{base}?status=paid&_per_page=2&_after=c4"),
        ]
    );
}

#[tokio::test]
async fn a_page_is_requested_when_the_previous_one_was_consumed() {
    let script = three_pages();
    let mut pages = client(&script).records("shop", "orders").list().by_page();
    assert!(script.requests().is_empty());
    let first = pages.try_next().await.unwrap().unwrap();
    assert_eq!((first.count, first.results.len()), (Some(5), 2));
    assert_eq!(script.requests().len(), 1);
    pages.try_next().await.unwrap().unwrap();
    pages.try_next().await.unwrap().unwrap();
    assert!(pages.try_next().await.unwrap().is_none());
    assert_eq!((script.requests().len(), script.unused()), (3, 0));
}

#[tokio::test]
async fn a_link_to_another_host_gets_no_credential() {
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            page(Some("http://evil.example/steal?page=2"), &[1]),
        )
        .answer(StatusCode::OK, page(None, &[2]));
    let token = ApiToken::new("hidden").unwrap();
    let client = builder(&script).api_token(token).build().unwrap();
    let mut items = client.records("shop", "orders").list().by_item();
    while items.try_next().await.unwrap().is_some() {}
    let requests = script.requests();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert_eq!(request.uri.host(), Some("data.example.com"));
        assert!(request.headers.contains_key(header::AUTHORIZATION));
    }
}

#[tokio::test]
async fn a_stream_returns_what_came_before_an_error_and_ends_with_it() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, page(Some("/x?page=2"), &[1, 2]))
        .answer(StatusCode::INTERNAL_SERVER_ERROR, "");
    let mut items = client(&script).records("shop", "orders").list().by_item();
    assert!(items.try_next().await.unwrap().is_some());
    assert!(items.try_next().await.unwrap().is_some());
    let error = items.try_next().await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::INTERNAL_SERVER_ERROR));
    assert!(items.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn a_stream_that_is_resumed_after_an_error_goes_on_with_the_next_item() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, page(Some("/x?page=2"), &[1, 2]))
        .answer(StatusCode::INTERNAL_SERVER_ERROR, "")
        .answer(StatusCode::OK, page(None, &[3]));
    let list = client(&script).records("shop", "orders").list();
    let mut items = list.by_item();
    items.resume();
    for _ in 0..2 {
        assert!(items.try_next().await.unwrap().is_some());
    }
    items.try_next().await.unwrap_err();
    items.resume();
    assert!(items.try_next().await.unwrap().is_some());
    assert!(items.try_next().await.unwrap().is_none());
    let queries = script.requests();
    let queries: Vec<_> = queries.iter().map(|it| it.uri.query()).collect();
    assert_eq!(queries, [None, Some("page=2"), Some("page=2")]);
}

#[tokio::test]
async fn an_unusable_link_is_an_error_and_not_the_end() {
    for (next, message) in [
        ("https://data.example.com/x", "names no page"),
        (
            "https://data.example.com/x?page=1",
            "leads to the page that it stands on",
        ),
    ] {
        let script = ScriptedTransport::new().answer(StatusCode::OK, page(Some(next), &[1]));
        let mut items = client(&script).records("shop", "orders").list().by_item();
        assert!(items.try_next().await.unwrap().is_some());
        let error = items.try_next().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[tokio::test]
async fn the_stream_of_projects_uses_page_numbers() {
    let project = |name: &str| serde_json::to_value(svc_api::Project::new(name)).unwrap();
    let body = |next: Option<&str>, name| {
        let results = [project(name)];
        serde_json::json!({"count": 2, "next": next, "previous": null, "results": results})
            .to_string()
    };
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            body(Some("https://app.example.com/x?page=2"), "a"),
        )
        .answer(StatusCode::OK, body(None, "b"));
    let mut projects = client(&script).projects().list().by_item();
    let mut names = Vec::new();
    while let Some(project) = projects.try_next().await.unwrap() {
        names.push(project.unique_name.to_string());
    }
    assert_eq!(names, ["a", "b"]);
    assert_eq!(script.requests()[1].uri.query(), Some("page=2"));
}

#[tokio::test]
async fn the_stream_of_teams_works_like_that_of_records() {
    let body = |next: Option<&str>, uid| {
        let results = [serde_json::json!({"uid": uid, "name": "Editor"})];
        serde_json::json!({"count": 2, "next": next, "previous": null, "results": results})
            .to_string()
    };
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, body(Some("/x?_after=c1"), "t1"))
        .answer(StatusCode::OK, body(None, "t2"));
    let mut teams = client(&script).teams().list().search("edit").by_item();
    let mut uids = Vec::new();
    while let Some(team) = teams.try_next().await.unwrap() {
        uids.push(team.uid.to_string());
    }
    assert_eq!(uids, ["t1", "t2"]);
    assert_eq!(
        script.requests()[1].uri.query(),
        Some("_search=edit&_after=c1")
    );
}

#[tokio::test]
async fn a_stream_of_an_invalid_call_returns_its_error() {
    let script = ScriptedTransport::new();
    let mut items = client(&script).records("", "orders").list().by_item();
    assert_eq!(
        items.try_next().await.unwrap_err().kind(),
        ErrorKind::Request
    );
    assert!(script.requests().is_empty());
}
