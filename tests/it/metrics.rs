//! `/metrics`: what is counted, who may read it, and the dashboards and alerts over it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use svc_tests::{Call, Service, wait_until};

use crate::people::{Home, PASSWORD, UNTHROTTLED};

/// A service with a listener for its metrics, and the address of that.
fn watched() -> (Home, String) {
    let options = [
        UNTHROTTLED,
        &["--metrics-listen", "127.0.0.1:0", "--log-format", "json"],
    ]
    .concat();
    let home = Home::with(&options);
    let address = metrics_address(home.service());
    (home, address)
}

/// The address of the metrics, from the log, which is JSON.
pub fn metrics_address(service: &Service) -> String {
    let mut address = None;
    wait_until("the listener is named", || {
        let lines = service.log();
        let lines = lines
            .lines()
            .filter(|line| line.contains("metrics are served"));
        let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        address = lines.find_map(|line| line["address"].as_str().map(str::to_owned));
        address.is_some()
    });
    address.expect("known by now")
}

pub fn scrape(address: &str) -> String {
    let answer = Call::new("GET", &format!("http://{address}/metrics")).expect(200);
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4");
    answer.body
}

/// The value of a series, which is written as in the answer.
fn value(text: &str, series: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.rsplit_once(' '));
    let (_, value) = lines.find(|(name, _)| *name == series)?;
    value.parse().ok()
}

fn requests(method: &str, route: &str, status: u16) -> String {
    format!(
        "http_server_request_duration_seconds_count{{http_request_method=\"{method}\",http_route=\"{route}\",\
         http_response_status_code=\"{status}\"}}"
    )
}

/// The names of the families in an answer.
fn families(text: &str) -> BTreeSet<&str> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn requests_are_counted_by_the_pattern_of_their_route() {
    let (home, address) = watched();
    let get = |path: &str| home.call("GET", path).authorization(home.shop_token());
    for id in ["1", "2", "3"] {
        get(&format!("shop/models/orders/{id}/")).expect(200);
    }
    get("shop/models/orders/77/").expect(404);
    home.call("GET", "shop/models/orders/1").expect(401);
    get("no/such/path/at/all/here").expect(404);
    home.call("BREW", "shop/models/orders/").expect(405);
    let text = scrape(&address);
    let record = "/projects/{project}/{environment}/{resource}/models/{model}/{id}";
    for (method, route, status, count) in [
        ("GET", record, 200, 3.0),
        ("GET", record, 404, 1.0),
        ("GET", record, 401, 1.0),
        ("GET", "unmatched", 404, 1.0),
    ] {
        let series = requests(method, route, status);
        assert_eq!(value(&text, &series), Some(count), "{series}\n{text}");
    }
    assert!(text.contains("http_request_method=\"_OTHER\""), "{text}");
    for private in ["/77", "no/such", "BREW", home.shop_token()] {
        assert!(!text.contains(private), "{private} is in a label");
    }
    // The scrape itself.
    assert_eq!(value(&text, "http_server_active_requests"), Some(1.0));
}

#[test]
fn statements_pools_caches_sessions_and_mails_are_counted() {
    let (home, address) = watched();
    let text = scrape(&address);
    assert_eq!(value(&text, "svc_sessions_active"), Some(0.0), "{text}");
    home.member("ann@example.com", "Editor");
    let call = |method: &str, path: &str| home.call(method, path).authorization(home.shop_token());
    call("GET", "shop/models/orders/").expect(200);
    call("GET", "shop/models/orders/1/").expect(200);
    call("POST", "shop/models/products/")
        .json(&json!({"name": "Table"}))
        .expect(201);
    call("POST", "shop/sql_get_query")
        .json(&json!({"query": "SELECT 1 AS one"}))
        .expect(200);
    let text = scrape(&address);
    for kind in ["list", "retrieve", "create", "sql", "structure"] {
        let series = format!(
            "svc_database_statement_duration_seconds_count{{resource=\"shop\",kind=\"{kind}\"}}"
        );
        assert!(value(&text, &series) >= Some(1.0), "{series}\n{text}");
    }
    for state in ["idle", "used", "waiting"] {
        let series =
            format!("svc_database_pool_connections{{resource=\"shop\",state=\"{state}\"}}");
        assert!(value(&text, &series).is_some(), "{series}\n{text}");
    }
    let hits = "svc_cache_requests_total{cache=\"credentials\",result=\"hit\"}";
    assert!(value(&text, hits) >= Some(1.0), "{text}");
    assert!(value(&text, "svc_store_statement_duration_seconds_count") > Some(1.0));
    assert!(value(&text, "svc_database_pool_wait_seconds_count").is_some());
    // What is counted in the store is used for some seconds.
    wait_until("the session is counted", || {
        value(&scrape(&address), "svc_sessions_active") == Some(1.0)
    });
    home.auth("reset_password", &json!({"email": "ann@example.com"}))
        .expect(200);
    wait_until("the mail is counted", || {
        value(&scrape(&address), "svc_mails_waiting") >= Some(1.0)
    });
}

#[test]
fn on_the_listener_of_the_service_only_an_operator_reads_them() {
    let home = Home::new();
    let metrics = || home.service().root("GET", "/metrics");
    metrics().expect(401);
    metrics().authorization("Bearer wrong").expect(401);
    metrics().authorization(home.shop_token()).expect(401);
    let key = home.service().text("/api_key");
    metrics()
        .authorization(&format!("Bearer {key}"))
        .expect(403);
    let add = [
        "account",
        "add",
        "op@example.com",
        "--operator",
        "--password-stdin",
        "--json",
    ];
    svc_tests::Program::new(home.path(), &add)
        .input(PASSWORD)
        .run_json();
    let login = home.service().app_anonymous("POST", "/account/auth/login/");
    let login = login
        .json(&json!({"email": "op@example.com", "password": PASSWORD}))
        .ok();
    let token = login["token"]["access_token"].as_str().expect("a token");
    let key = home.service().app_anonymous("POST", "/account/api_keys/");
    let key = key
        .authorization(&format!("JWT {token}"))
        .json(&json!({"name": "prometheus"}));
    let key = key.expect(201).json();
    let key = key["api_key"].as_str().expect("a key");
    for credential in [format!("JWT {token}"), format!("Bearer {key}")] {
        let answer = metrics().authorization(&credential).expect(200);
        assert!(
            families(&answer.body).contains("svc_sessions_active"),
            "{}",
            answer.body
        );
    }
}

#[test]
fn the_listener_of_the_metrics_has_nothing_else_but_the_health() {
    let (home, address) = watched();
    let get = |path: &str| Call::new("GET", &format!("http://{address}{path}"));
    get("/healthz").expect(200);
    get("/readyz").expect(200);
    get("/").expect(404);
    get("/projects/main/prod/shop/models/orders/")
        .authorization(home.shop_token())
        .expect(404);
}

#[test]
fn the_dashboard_and_the_alerts_name_nothing_but_what_is_exported() {
    let (home, address) = watched();
    home.call("GET", "shop/models/orders/")
        .authorization(home.shop_token())
        .expect(200);
    let text = scrape(&address);
    let exported = families(&text);
    for name in [
        "http_server_request_duration_seconds",
        "http_server_active_requests",
        "svc_database_pool_connections",
        "svc_database_pool_wait_seconds",
        "svc_database_statement_duration_seconds",
        "svc_store_statement_duration_seconds",
        "svc_cache_requests_total",
        "svc_sessions_active",
        "svc_mails_waiting",
        "svc_rate_limited_total",
        "svc_tls_certificate_refused",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_start_time_seconds",
    ] {
        assert!(exported.contains(name), "{name} is missing\n{text}");
    }
    let dashboard = include_str!("../../docs/monitoring/grafana.json");
    let board: Value = serde_json::from_str(dashboard).expect("the dashboard is JSON");
    let targets = board["panels"]
        .as_array()
        .expect("panels")
        .iter()
        .flat_map(|panel| {
            let targets = panel["targets"].as_array().expect("targets").iter();
            targets.map(|target| target["expr"].as_str().expect("an expression").to_owned())
        });
    let alerts = include_str!("../../docs/monitoring/alerts.yaml");
    let expressions: Vec<String> = targets.chain([alerts.to_owned()]).collect();
    let mut named = BTreeSet::new();
    for expression in &expressions {
        let words =
            expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let is_metric = |word: &&str| {
            ["http_server_", "svc_", "process_"]
                .iter()
                .any(|group| word.starts_with(group))
        };
        named.extend(words.filter(is_metric));
    }
    assert!(named.len() > 15, "{named:?}");
    for name in named {
        let family = ["_bucket", "_count", "_sum"]
            .iter()
            .find_map(|end| name.strip_suffix(end));
        let is_there =
            exported.contains(name) || family.is_some_and(|name| exported.contains(name));
        assert!(is_there, "{name} is not exported");
    }
}
