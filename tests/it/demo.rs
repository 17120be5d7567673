//! `svc demo`: the ready line, the shop, and the five curl lines.

use std::{
    collections::HashSet,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;
use svc_tests::{Call, Program, Service, program};

use crate::shared::demo;

#[test]
fn the_ready_line_has_every_address_and_credential() {
    let ready = demo().ready();
    assert_eq!(ready["project"], "demo");
    assert_eq!(ready["environment"], "prod");
    for pointer in [
        "/app_base_url",
        "/base_url",
        "/api_key",
        "/tools_token",
        "/resources/shop/token",
    ] {
        assert!(
            ready.pointer(pointer).and_then(Value::as_str).is_some(),
            "{pointer} in {ready}"
        );
    }
    assert!(ready["app_base_url"].as_str().unwrap().ends_with("/api"));
    assert!(!ready["base_url"].as_str().unwrap().ends_with('/'));
}

#[test]
fn a_page_of_orders_has_the_envelope_and_25_records() {
    let page = demo().data("GET", "shop", "/models/orders").ok();
    assert_eq!(page["results"].as_array().unwrap().len(), 25);
    assert!(
        page["count"].as_u64().unwrap() >= 100_000,
        "{}",
        page["count"]
    );
    assert!(
        page["next"]
            .as_str()
            .unwrap()
            .starts_with(demo().text("/base_url"))
    );
    assert_eq!(page["previous"], Value::Null);
    assert_eq!(page["has_more"], true);
    assert_eq!(page["per_page"], 25);
}

#[test]
fn at_most_ten_thousand_records_are_returned_at_once() {
    let clamped = demo()
        .data("GET", "shop", "/models/orders?_per_page=20000")
        .ok();
    assert_eq!(clamped["results"].as_array().unwrap().len(), 10_000);
    assert_eq!(clamped["per_page"], 10_000);
    let bare = demo()
        .data("GET", "shop", "/models/orders?_no_pagination=1")
        .ok();
    assert_eq!(bare.as_array().unwrap().len(), 10_000);
}

#[test]
fn following_next_visits_every_order_exactly_once() {
    let token = demo().text("/resources/shop/token").to_owned();
    // Orders that other tests create meanwhile are newer than all orders of the shop itself.
    let first = demo().data(
        "GET",
        "shop",
        "/models/orders?_order_by=id&id__lte=100000&_per_page=1000",
    );
    let mut page = first.ok();
    let count = page["count"].as_u64().unwrap();
    assert_eq!(count, 100_000);
    let mut seen = HashSet::new();
    loop {
        for order in page["results"].as_array().unwrap() {
            assert!(
                seen.insert(order["id"].as_i64().unwrap()),
                "{} came twice",
                order["id"]
            );
        }
        let Some(next) = page["next"].as_str() else {
            break;
        };
        page = Call::new("GET", next).authorization(&token).ok();
    }
    assert_eq!(seen.len() as u64, count);
}

#[test]
fn following_next_in_the_default_order_visits_every_product_exactly_once() {
    let token = demo().text("/resources/shop/token").to_owned();
    let mut page = demo()
        .data("GET", "shop", "/models/products?_per_page=7")
        .ok();
    let count = page["count"].as_u64().unwrap();
    let mut ids = Vec::new();
    loop {
        ids.extend(
            page["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|product| product["id"].as_i64().unwrap()),
        );
        let Some(next) = page["next"].as_str() else {
            break;
        };
        page = Call::new("GET", next).authorization(&token).ok();
    }
    assert_eq!(ids.len() as u64, count);
    assert!(ids.is_sorted_by(|a, b| a > b), "the newest comes first");
}

#[test]
fn the_shop_has_customers_products_and_orders() {
    for (model, at_least) in [
        ("customers", 1000),
        ("products", 100),
        ("order_items", 100_000),
    ] {
        let page = demo()
            .data("GET", "shop", &format!("/models/{model}?_per_page=1"))
            .ok();
        assert!(
            page["count"].as_u64().unwrap() >= at_least,
            "{model}: {}",
            page["count"]
        );
    }
    let order = demo().data("GET", "shop", "/models/orders/1").ok();
    assert!(
        order["total"].is_string(),
        "an exact decimal is a text: {order}"
    );
    let created = order["created_at"].as_str().unwrap();
    assert!(
        created.contains('T') && created.ends_with('Z') | created.ends_with("+00:00"),
        "{created}"
    );
}

#[test]
fn the_printed_curl_lines_work_in_a_shell() {
    if Command::new("curl").arg("--version").output().is_err() {
        panic!("curl is needed to paste curl lines");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(program())
        .args(["demo", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut commands: Vec<String> = Vec::new();
    let mut command = String::new();
    while commands.len() < 5 {
        let line = lines.next().expect("the program prints five curl lines");
        let line = line.trim();
        if command.is_empty() && !line.starts_with("curl ") {
            continue;
        }
        command.push_str(line.trim_end_matches('\\'));
        if !line.ends_with('\\') {
            commands.push(std::mem::take(&mut command));
        }
    }
    let results: Vec<_> = commands
        .iter()
        .map(|command| {
            let status = "; exit 0";
            let pasted =
                command.replacen("curl ", "curl --fail-with-body --silent --show-error ", 1);
            let output = Command::new("sh")
                .arg("-c")
                .arg(format!("{pasted} || exit 1 {status}"))
                .output();
            (command, output.unwrap())
        })
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    for (command, output) in results {
        let body = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{command}: {body}");
        assert!(
            serde_json::from_str::<Value>(&body).is_ok(),
            "{command}: {body}"
        );
    }
}

#[test]
fn a_second_start_keeps_the_shop_and_creates_new_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let first = Service::start(folder.path(), &["demo"]);
    let product =
        serde_json::json!({"name": "kept", "sku": "KEPT-1", "price": "1.50", "category": "x"});
    let made = first
        .data("POST", "shop", "/models/products")
        .json(&product)
        .expect(201)
        .json();
    let old_token = first.text("/resources/shop/token").to_owned();
    assert_eq!(first.terminate(), Some(0));

    let second = Service::start(folder.path(), &["demo"]);
    assert_ne!(second.text("/resources/shop/token"), old_token);
    let path = format!("/models/products/{}", made["id"]);
    assert_eq!(second.data("GET", "shop", &path).ok()["name"], "kept");
    second
        .data_anonymous("GET", "shop", &path)
        .authorization(&old_token)
        .expect(401);
    drop(second);

    let reset = Service::start(folder.path(), &["demo", "--reset"]);
    reset.data("GET", "shop", &path).expect(404);
}

#[test]
fn two_shops_are_the_same_row_for_row() {
    let folder = tempfile::tempdir().unwrap();
    let other = Service::start(folder.path(), &["demo"]);
    for path in [
        "/models/customers?_order_by=id&_per_page=200",
        "/models/products?_order_by=id&_per_page=100&id__lte=100",
        "/models/orders?_order_by=id&_per_page=500&id__lte=50000",
        "/models/order_items?_order_by=id&_per_page=500",
    ] {
        let rows = |service: &Service| service.data("GET", "shop", path).ok()["results"].clone();
        assert_eq!(rows(demo()), rows(&other), "{path}");
    }
}

#[test]
fn a_port_in_use_is_reported_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = occupied.local_addr().unwrap().to_string();
    let (code, message) =
        Program::new(folder.path(), &["serve", "--json", "--listen", &address]).run_err();
    assert_eq!(code, 1);
    assert!(
        message.contains(&address) && message.contains("in use"),
        "{message}"
    );
}
