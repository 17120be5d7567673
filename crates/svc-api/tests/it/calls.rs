//! The request and the result of each call.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;
use svc_api::{
    ClientOptions, Count, ErrorKind, Filter, Lookup, Project, RecordId, Relation, RequestOptions,
    UpdatePageSettings, wire::Deadline,
};
use svc_testing::ScriptedTransport;

use crate::support::{TestTimer, answer, builder, client};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    status: String,
}

fn shown(script: &ScriptedTransport) -> Vec<String> {
    script
        .requests()
        .iter()
        .map(|request| {
            let body = String::from_utf8(request.body.to_vec()).unwrap();
            format!("{} {} {body}", request.method, request.uri)
                .trim_end()
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn pages_go_to_the_application_host() {
    let page = r#"{"uid":"5f0c","name":"Orders","zoom":1.50}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, format!("[{page}]"))
        .answer(StatusCode::CREATED, page)
        .answer(StatusCode::OK, page)
        .answer(StatusCode::OK, page)
        .answer(StatusCode::NO_CONTENT, "");
    let pages = client(&script).pages();

    assert_eq!(pages.list().send().await.unwrap().len(), 1);
    let created = pages.create(&json!({"name": "Orders"})).await.unwrap();
    assert_eq!(serde_json::to_string(&created).unwrap(), page);
    let uid = created.uid().unwrap();
    assert_eq!(pages.get(&uid).await.unwrap(), created);
    let update = UpdatePageSettings::params(&json!({"columns": []}));
    pages.update(&uid, update).if_match("\"1\"").await.unwrap();
    pages.delete(&uid).draft(true).await.unwrap();

    let base = "https://app.example.com/api/projects/demo/prod/view_settings/";
    assert_eq!(
        shown(&script),
        [
            format!("GET {base}?draft=0"),
            format!(r#"POST {base}?draft=0 {{"name":"Orders"}}"#),
            format!("GET {base}5f0c/?draft=0"),
            format!(r#"PATCH {base}5f0c/?draft=0 {{"params":"{{\"columns\":[]}}"}}"#),
            format!("DELETE {base}5f0c/?draft=1"),
        ]
    );
    assert_eq!(script.requests()[3].headers[header::IF_MATCH], "\"1\"");
}

#[tokio::test]
async fn extensions_of_a_call_reach_the_transport_and_do_not_change_its_deadline() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let options = RequestOptions::new()
        .deadline(Duration::from_secs(5))
        .extension(Deadline(Duration::from_secs(3600)))
        .extension("nightly");
    let list = client(&script).pages().list().options(options);
    list.send().await.unwrap();
    let requests = script.requests();
    let extensions = &requests[0].extensions;
    assert_eq!(extensions.get(), Some(&"nightly"));
    assert!(
        extensions
            .get()
            .is_some_and(|Deadline(left)| *left <= Duration::from_secs(5))
    );
}

#[tokio::test]
async fn a_client_with_draft_on_sends_draft_to_the_data_host() {
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            r#"{"data":[],"columns":[],"row_count":0,"limit":1}"#,
        )
        .answer(StatusCode::OK, r#"{"success":true}"#)
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::OK, r#"{"id":1}"#);
    let client = builder(&script).draft(true).build().unwrap();
    client.sql("shop").query("SELECT 1").await.unwrap();
    client.resource("shop").reload().await.unwrap();
    client.resource("shop").model_descriptions().await.unwrap();
    client.records("shop", "orders").get(1).await.unwrap();

    let requests = script.requests();
    let queries = requests.iter().map(|request| request.uri.query());
    assert_eq!(queries.collect::<Vec<_>>(), [Some("draft=1"); 4]);
}

#[tokio::test]
async fn drafts_are_published_and_discarded_and_revisions_restored() {
    let page = r#"{"uid":"5f0c","draft":true}"#;
    let revision =
        r#"{"number":2,"date_add":"2027-01-15T08:00:00Z","author":"a@example.com","draft":true}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, r#"{"published":["5f0c","6f0c"]}"#)
        .answer(StatusCode::OK, r#"{"published":[]}"#)
        .answer(StatusCode::OK, r#"{"discarded":["5f0c"]}"#)
        .answer(StatusCode::OK, r#"{"discarded":[]}"#)
        .answer(StatusCode::OK, format!("[{revision}]"))
        .answer(StatusCode::OK, page)
        .answer(StatusCode::OK, page);
    let pages = client(&script).pages();

    let published = pages.publish(["5f0c", "6f0c"]).if_match("\"1\", \"2\"");
    let published = published.await.unwrap();
    assert_eq!(published, ["5f0c".into(), "6f0c".into()]);
    assert!(pages.publish_all().await.unwrap().is_empty());
    assert_eq!(pages.discard(["5f0c"]).await.unwrap(), ["5f0c".into()]);
    assert!(pages.discard_all().await.unwrap().is_empty());
    let revisions = pages.revisions("5f0c").await.unwrap();
    assert_eq!((revisions[0].number, revisions[0].draft), (2, true));
    assert_eq!(revisions[0].author.as_deref(), Some("a@example.com"));
    assert!(pages.revision("5f0c", 2).await.unwrap().draft());
    let restored = pages.restore("5f0c", 2).if_match("\"1\"").await.unwrap();
    assert!(restored.draft());

    let base = "https://app.example.com/api/projects/demo/prod/view_settings/";
    assert_eq!(
        shown(&script),
        [
            format!(r#"POST {base}publish/ {{"uids":["5f0c","6f0c"]}}"#),
            format!("POST {base}publish/ {{}}"),
            format!(r#"POST {base}discard/ {{"uids":["5f0c"]}}"#),
            format!("POST {base}discard/ {{}}"),
            format!("GET {base}5f0c/revisions/"),
            format!("GET {base}5f0c/revisions/2/"),
            format!("POST {base}5f0c/revisions/2/restore/"),
        ]
    );
    let requests = script.requests();
    assert_eq!(requests[0].headers[header::IF_MATCH], "\"1\", \"2\"");
    assert_eq!(requests[6].headers[header::IF_MATCH], "\"1\"");
}

#[tokio::test]
async fn projects_are_listed_and_read() {
    let project = serde_json::to_string(&Project::new("other")).unwrap();
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            format!(r#"{{"count":1,"next":null,"previous":null,"results":[{project}]}}"#),
        )
        .answer(StatusCode::OK, project.clone());
    let projects = client(&script).projects();
    let page = projects.list().page(2).per_page(10).await.unwrap();
    assert_eq!(page.results[0].unique_name.as_str(), "other");
    assert_eq!(projects.get("other").await.unwrap().name, "other");
    assert_eq!(
        shown(&script),
        [
            "GET https://app.example.com/api/projects/?_per_page=10&page=2",
            "GET https://app.example.com/api/projects/other/",
        ]
    );
}

#[tokio::test]
async fn records_go_to_the_data_host() {
    let order = r#"{"id":9007199254740993,"status":"paid"}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::CREATED, order)
        .answer(StatusCode::OK, order)
        .answer(StatusCode::OK, order)
        .answer(StatusCode::OK, order)
        .answer(StatusCode::NO_CONTENT, "");
    let orders = client(&script).records("shop", "orders").typed::<Order>();

    let mut expected = Order {
        id: 9_007_199_254_740_993,
        status: "paid".to_owned(),
    };
    assert_eq!(orders.create(&expected).await.unwrap(), expected);
    let got = orders.get(expected.id).fields(["id", "status"]);
    assert_eq!(got.time_zone("+02:00").await.unwrap(), expected);
    let update = orders.update(7, &json!({"status": "paid"}));
    assert_eq!(update.if_match("\"3\"").await.unwrap(), expected);
    expected.id = 7;
    orders.replace(7, &expected).await.unwrap();
    orders
        .delete(RecordId::composite(["a,b", "7"]))
        .await
        .unwrap();

    let base = "https://data.example.com/projects/demo/prod/shop/models/orders";
    assert_eq!(
        shown(&script),
        [
            format!("POST {base} {order}"),
            format!("GET {base}/9007199254740993?_fields=id,status&tz=%2B02%3A00"),
            format!(r#"PATCH {base}/7 {{"status":"paid"}}"#),
            format!(r#"PUT {base}/7 {{"id":7,"status":"paid"}}"#),
            format!("DELETE {base}/a%252Cb%2C7"),
        ]
    );
    assert_eq!(script.requests()[2].headers[header::IF_MATCH], "\"3\"");
}

#[tokio::test]
async fn users_are_records_of_the_built_in_tools() {
    let user = r#"{"uid":"u1","email":"ada@example.com","group":"t1","date_add":"2026-01-02T03:04:05Z","first_name":"Ada","last_name":null}"#;
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            format!(r#"{{"count":1,"next":null,"previous":null,"results":[{user}]}}"#),
        )
        .answer(StatusCode::CREATED, user)
        .answer(StatusCode::OK, user)
        .answer(StatusCode::OK, user)
        .answer(StatusCode::OK, user)
        .answer(StatusCode::NO_CONTENT, "");
    let users = client(&script).users();

    let list = users.list().filter("group", Lookup::Exact, "t1");
    let page = list.search("ada").order_by("-date_add").page(2).per_page(1);
    let ada = page.await.unwrap().results.remove(0);
    assert_eq!(ada.email, "ada@example.com");
    assert_eq!(
        (ada.first_name.as_deref(), ada.last_name.as_deref()),
        (Some("Ada"), None)
    );
    let created = users.create("ada@example.com", "t1").first_name("Ada");
    assert_eq!(created.await.unwrap(), ada);
    users.get(&ada.uid).await.unwrap();
    users.update(&ada.uid).group("t2").await.unwrap();
    let names = users.update(&ada.uid).clear_first_name();
    names.last_name("Lovelace").await.unwrap();
    users.delete(&ada.uid).await.unwrap();

    let base = "https://data.example.com/projects/demo/prod/__svc_app__/models/users";
    assert_eq!(
        shown(&script),
        [
            format!("GET {base}?group=t1&_search=ada&_order_by=-date_add&_per_page=1&page=2"),
            format!(r#"POST {base} {{"email":"ada@example.com","group":"t1","first_name":"Ada"}}"#),
            format!("GET {base}/u1"),
            format!(r#"PATCH {base}/u1 {{"group":"t2"}}"#),
            format!(r#"PATCH {base}/u1 {{"first_name":null,"last_name":"Lovelace"}}"#),
            format!("DELETE {base}/u1"),
        ]
    );
}

#[tokio::test]
async fn teams_are_the_groups_of_the_built_in_tools() {
    let team = r#"{"uid":"t1","name":"Editor"}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, format!("[{team}]"))
        .answer(StatusCode::OK, team)
        .answer(StatusCode::OK, team);
    let teams = builder(&script).draft(true).build().unwrap().teams();

    let page = teams.list().no_pagination().await.unwrap();
    assert_eq!(page.results[0].name, "Editor");
    let team = teams.get(&page.results[0].uid).await.unwrap();
    assert_eq!(teams.update(&team.uid).name("Staff").await.unwrap(), team);

    let base = "https://data.example.com/projects/demo/prod/__svc_app__/models/groups";
    assert_eq!(
        shown(&script),
        [
            format!("GET {base}?_no_pagination=1&draft=1"),
            format!("GET {base}/t1?draft=1"),
            format!(r#"PATCH {base}/t1?draft=1 {{"name":"Staff"}}"#),
        ]
    );
}

#[tokio::test]
async fn a_list_sends_all_settings() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let list = client(&script)
        .records("shop", "orders")
        .list()
        .filter("status", Lookup::In, ["paid", "sent"])
        .exclude("note", Lookup::Isnull, true)
        .filter_tree(Filter::field("total", Lookup::Gt, "10"))
        .search("blue")
        .relation(Relation::new("customer_id", "customers", "id").having("country", ["DE"]))
        .order_by("-created_at")
        .order_by("id")
        .fields(["id"])
        .count(Count::None)
        .time_zone("Europe/Berlin")
        .per_page(50)
        .page(3);
    assert!(list.send().await.unwrap().results.is_empty());
    let request = &script.requests()[0];
    assert_eq!(request.method, Method::GET);
    assert_eq!(
        request.uri.query().unwrap(),
        "status__in=paid,sent&exclude__note__isnull=true\
         &_filter=%7B%22field%22%3A%22total%22,%22lookup%22%3A%22gt%22,%22value%22%3A%2210%22%7D\
         &_search=blue&_relation=customer_id.customers.id%7Ccountry.DE\
         &_order_by=-created_at,id&_fields=id&_count=none&tz=Europe%2FBerlin\
         &_per_page=50&page=3"
    );
}

#[tokio::test]
async fn a_list_without_pagination_is_read_as_one_page() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, r#"[{"id":1},{"id":2}]"#);
    let list = client(&script).records("shop", "orders").list();
    let page = list.no_pagination().send().await.unwrap();
    assert_eq!((page.count, page.has_next()), (Some(2), false));
    assert_eq!(script.requests()[0].uri.query(), Some("_no_pagination=1"));
}

#[tokio::test]
async fn the_entity_tag_is_returned_by_send_tagged() {
    let script = ScriptedTransport::new()
        .answer_with(|_| Ok(answer(StatusCode::OK, ("etag", "\"v1\""), r#"{"id":1}"#)));
    let tagged = client(&script).records("shop", "orders").get(1);
    let tagged = tagged.send_tagged().await.unwrap();
    assert_eq!(tagged.etag.as_deref(), Some("\"v1\""));
    assert_eq!(tagged.value["id"], 1);
}

#[tokio::test]
async fn a_client_with_draft_on_sends_draft_with_every_request_of_its_project() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::OK, "{}")
        .answer(StatusCode::OK, "[]");
    let client = builder(&script).draft(true).build().unwrap();
    client.pages().list().await.unwrap();
    client.records("shop", "orders").list().await.unwrap();
    client.records("shop", "orders").get(1).await.unwrap();
    client.pages().list().draft(false).await.unwrap();
    let queries: Vec<_> = script
        .requests()
        .iter()
        .map(|request| request.uri.query().unwrap_or("").to_owned())
        .collect();
    assert_eq!(queries, ["draft=1", "draft=1", "draft=1", "draft=0"]);
}

#[tokio::test]
async fn options_of_a_call_reach_the_request() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::OK, "[]");
    let client = builder(&script)
        .user_agent("shop-sync/2")
        .timer(TestTimer::default())
        .build()
        .unwrap();
    let list = client.records("shop", "orders").list();
    list.request_id("nightly-17")
        .deadline(Duration::from_secs(2))
        .header(
            HeaderName::from_static("accept-language"),
            HeaderValue::from_static("de"),
        )
        .await
        .unwrap();
    client.pages().list().await.unwrap();
    let patient = RequestOptions::new().no_deadline();
    client.pages().list().options(patient).await.unwrap();

    let requests = script.requests();
    assert_eq!(requests[0].headers["x-request-id"], "nightly-17");
    assert_eq!(requests[0].headers["accept-language"], "de");
    assert_eq!(requests[0].headers[header::USER_AGENT], "shop-sync/2");
    assert_eq!(requests[0].headers[header::ACCEPT], "application/json");
    assert_eq!(
        requests[0].deadline(),
        Some(Deadline(Duration::from_secs(2)))
    );
    assert_eq!(requests[0].operation().unwrap().name, "records.list");
    assert_eq!(
        requests[1].deadline(),
        Some(Deadline(Duration::from_secs(30)))
    );
    // A transport may have its own deadline, so "no deadline" is sent as a very long one.
    assert!(requests[2].deadline().unwrap().0 > Duration::from_secs(86_400 * 300));
}

#[tokio::test]
async fn a_call_that_is_not_a_valid_request_is_not_sent() {
    let script = ScriptedTransport::new();
    let client = client(&script);
    let failures = [
        client.pages().get("..").send().await.unwrap_err(),
        client.pages().create(&[1, 2]).send().await.unwrap_err(),
        client
            .records("", "orders")
            .get(1)
            .send()
            .await
            .map(drop)
            .unwrap_err(),
        client
            .records("shop", "orders")
            .create("text")
            .send()
            .await
            .map(drop)
            .unwrap_err(),
        client
            .pages()
            .list()
            .request_id("a\nb")
            .send()
            .await
            .unwrap_err(),
        client
            .records("shop", "orders")
            .delete(1)
            .if_match("\n")
            .send()
            .await
            .unwrap_err(),
    ];
    let messages = failures.each_ref().map(ToString::to_string);
    assert!(
        failures
            .iter()
            .all(|error| error.kind() == ErrorKind::Request)
    );
    assert_eq!(
        messages,
        [
            "pages.get: uid must name something: \"..\" cannot be a part of a path",
            "pages.create: page settings must be a JSON object",
            "records.get: resource must name something: \"\" cannot be a part of a path",
            "records.create: a record must be a JSON object of its fields",
            "pages.list: the request id holds a character that cannot stand in a header",
            "records.delete: the value of header if-match cannot be sent",
        ]
    );
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn a_missing_project_is_an_error_of_the_call_and_not_of_the_constructor() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let client = builder(&script)
        .options(ClientOptions::new())
        .build()
        .unwrap();
    let error = client.records("shop", "orders").list().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "records.list: no project is set; \
         give the client one, or the variable SVC_PROJECT in its env"
    );
    let error = client.users().list().await.unwrap_err();
    assert!(error.to_string().starts_with("users.list: no project"));
    // The list of projects needs no project.
    client.projects().list().await.unwrap();
}

#[test]
fn invalid_options_are_named_when_the_client_is_built() {
    let script = ScriptedTransport::new();
    let error = builder(&script).api_base_url("data.example.com").build();
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Options);
    assert_eq!(
        error.to_string(),
        "api_base_url must be an absolute URL such as https://data.example.com"
    );
    let error = builder(&script).user_agent("a\nb").build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "user_agent holds a character that cannot stand in a header"
    );
}

#[test]
fn a_client_and_its_calls_can_be_sent_between_threads() {
    fn crosses<T: Send + 'static>(_: T) {}
    let client = client(&ScriptedTransport::new());
    crosses(client.clone());
    crosses(client.pages().list().send());
    crosses(client.records("shop", "orders").create(&json!({})).send());
    crosses(client.records("shop", "orders").list().by_item());
    crosses(client.users().list().by_item());
    crosses(client.teams().update("t1").name("Staff").send());
}
