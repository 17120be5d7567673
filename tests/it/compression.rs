//! Answers compressed by `Accept-Encoding` (wire contract, section 10).

use std::io::Read as _;

use serde_json::{Value, json};

use crate::shared::demo;

/// The bytes of a JSON response, and their encoding.
fn fetch(path: &str, accepted: &str) -> (String, Vec<u8>) {
    fetch_as("application/json", path, accepted)
}

/// The bytes of a response in this format, and their encoding.
fn fetch_as(format: &str, path: &str, accepted: &str) -> (String, Vec<u8>) {
    let client = reqwest::blocking::Client::builder().no_proxy().build();
    let response = client
        .unwrap()
        .get(format!("{}{path}", demo().text("/base_url")))
        .header("authorization", demo().text("/resources/shop/token"))
        .header("accept", format)
        .header("accept-encoding", accepted)
        .send()
        .unwrap();
    assert_eq!(response.status(), 200);
    let encoding = response.headers().get("content-encoding");
    let encoding = encoding.map_or("", |value| value.to_str().unwrap());
    if !encoding.is_empty() {
        let mut vary = response.headers().get_all("vary").iter();
        assert!(vary.any(|names| names == "accept-encoding"));
    }
    let encoding = encoding.to_owned();
    (encoding, response.bytes().unwrap().to_vec())
}

fn decode(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    match encoding {
        "br" => brotli::Decompressor::new(bytes, 4_096).read_to_end(&mut decoded),
        "zstd" => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut decoded),
        "gzip" => flate2::read::GzDecoder::new(bytes).read_to_end(&mut decoded),
        other => panic!("an unknown encoding: {other:?}"),
    }
    .unwrap();
    decoded
}

const ORDERS: &str = "/projects/demo/prod/shop/models/orders?_order_by=id&_per_page=";

#[test]
fn a_list_is_compressed_with_an_encoding_that_the_caller_accepts() {
    let (encoding, plain) = fetch(&format!("{ORDERS}100"), "identity");
    assert_eq!(encoding, "");
    for accepted in ["br", "zstd", "gzip"] {
        let (encoding, bytes) = fetch(&format!("{ORDERS}100"), accepted);
        assert_eq!(encoding, accepted);
        assert!(bytes.len() * 3 < plain.len(), "{accepted}: {}", bytes.len());
        assert_eq!(decode(&encoding, &bytes), plain, "{accepted}");
    }
}

#[test]
fn the_weights_of_encodings_decide_and_zero_excludes_one() {
    for (accepted, encoding) in [
        ("br;q=0.5, gzip;q=0.9", "gzip"),
        ("zstd;q=0, br", "br"),
        ("gzip;q=0", ""),
        ("deflate", ""),
    ] {
        let (given, _) = fetch(&format!("{ORDERS}100"), accepted);
        assert_eq!(given, encoding, "{accepted}");
    }
}

#[test]
fn rows_of_every_format_are_compressed() {
    for format in ["text/csv", "application/x-ndjson"] {
        let path = format!("{ORDERS}100");
        let (_, plain) = fetch_as(format, &path, "identity");
        let (encoding, bytes) = fetch_as(format, &path, "zstd");
        assert_eq!(encoding, "zstd", "{format}");
        assert_eq!(decode(&encoding, &bytes), plain, "{format}");
    }
}

#[test]
fn a_streamed_export_is_compressed_while_it_is_read() {
    let (encoding, bytes) = fetch(&format!("{ORDERS}10000"), "gzip, br;q=0");
    assert_eq!(encoding, "gzip");
    let page: Value = serde_json::from_slice(&decode(&encoding, &bytes)).unwrap();
    assert_eq!(page["results"].as_array().unwrap().len(), 10_000);
}

#[test]
fn a_small_answer_is_not_compressed() {
    let path = "/projects/demo/prod/shop/models/orders/1";
    assert_eq!(fetch(path, "gzip, br, zstd").0, "");
}

#[test]
fn responses_with_a_secret_beside_text_of_the_caller_are_not_compressed() {
    let (email, password) = ("compressed@example.com", "correct horse battery");
    let first_name = "a".repeat(200);
    let call = |name: &str, body: Value| {
        let call = demo().root("POST", &format!("/projects/demo/prod/auth/{name}"));
        call.header("accept-encoding", "gzip, br, zstd")
            .json(&body)
            .send()
    };
    let made = call(
        "register",
        json!({"email": email, "password": password, "first_name": first_name}),
    );
    let answer = call("login", json!({"email": email, "password": password}));
    for answer in [made, answer] {
        assert!(answer.status.is_success(), "{answer:?}");
        assert_eq!(answer.header("content-encoding"), "");
    }
}
