//! Nodes whose clocks are a minute away from the right time, one ahead and one behind.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_tests::{
    Call, Service, clock,
    servers::{PostgresServer, Server as _},
    wait_until,
};

use super::Cluster;

/// For how long a node is not seen until its imports are given up, in seconds: less than the clocks are apart.
const IMPORT_GRACE: &str = "10";

fn cluster() -> Cluster {
    let options = ["--import-grace", IMPORT_GRACE];
    let mut cluster = Cluster::start(PostgresServer::shared().database(""), 1, &options);
    for (dir, by) in [("ahead", "+60s"), ("behind", "-60s")] {
        let variables = clock::away(by);
        let variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let node = cluster.node_with(dir, &options, &variables);
        cluster.nodes.push(node);
    }
    cluster
}

/// A call to an operation of the accounts of the service.
fn call(node: &Service, name: &str, body: &Value) -> Call {
    let path = format!("/account/auth/{name}/");
    node.app_anonymous("POST", &path).json(body)
}

/// What the operator signs in with.
fn ann() -> Value {
    json!({"email": "ann@example.com", "password": "correct horse battery"})
}

fn status(node: &Service, access_token: &str) -> u16 {
    let call = node.app_anonymous("GET", "/account/");
    let call = call.authorization(&format!("JWT {access_token}"));
    call.send().status.as_u16()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_session_that_begins_at_one_node_is_renewed_and_ended_at_the_others() {
    let cluster = cluster();
    cluster.operator();
    for first in &cluster.nodes {
        let session = call(first, "login", &ann()).expect(200).json();
        let mut access = text(&session["token"]["access_token"]);
        let mut refresh = text(&session["token"]["refresh_token"]);
        for node in &cluster.nodes {
            assert_eq!(status(node, &access), 200);
            let renewed = call(node, "refresh", &json!({"refresh_token": refresh}));
            let renewed = renewed.expect(200).json();
            access = text(&renewed["access_token"]);
            refresh = text(&renewed["refresh_token"]);
        }
        for node in &cluster.nodes {
            assert_eq!(status(node, &access), 200);
        }
        let logout = first.app_anonymous("POST", "/account/auth/logout/");
        let logout = logout.authorization(&format!("JWT {access}")).send();
        assert!(logout.status.is_success(), "{}", logout.status);
        for node in &cluster.nodes {
            wait_until("the session is over", || status(node, &access) == 401);
        }
    }
}

#[test]
fn a_code_from_one_node_is_used_once_at_another() {
    let cluster = cluster();
    cluster.operator();
    let [_, ahead, behind] = [0, 1, 2].map(|node| &cluster.nodes[node]);
    let mut known: Vec<String> = Vec::new();
    for (made, used) in [(ahead, behind), (behind, ahead)] {
        let email = json!({"email": "ann@example.com"});
        // Those before were ended with the password.
        let session = call(made, "login", &ann()).expect(200).json();
        let operator = format!("JWT {}", text(&session["token"]["access_token"]));
        call(made, "reset_password", &email).expect(200);
        // The newest mail by their clocks may be that of the node before.
        let mut code = None;
        wait_until("the mail is there", || {
            let mails = made.app_anonymous("GET", "/mails/?codes=1");
            let mails = mails.authorization(&operator).ok();
            let codes = mails["results"].as_array().unwrap().iter();
            code = codes
                .filter_map(|mail| mail["code"].as_str().map(str::to_owned))
                .find(|code| !known.contains(code));
            code.is_some()
        });
        let complete = json!({"code": code, "new_password": "correct horse battery"});
        known.extend(code);
        call(used, "reset_password_complete", &complete).expect(200);
        call(made, "reset_password_complete", &complete).expect(400);
    }
}

#[test]
fn all_nodes_are_known_and_their_imports_are_not_given_up() {
    let cluster = cluster();
    let operator = cluster.operator();
    let known = |node: &Service| {
        let shown = node.app_anonymous("GET", "/service/");
        let shown = shown.authorization(&operator).ok();
        shown["nodes"].as_array().unwrap().len()
    };
    let all_are_known = || cluster.nodes.iter().all(|node| known(node) == 3);
    wait_until("all know each other", all_are_known);

    cluster.shop().execute("DELETE FROM orders", []).unwrap();
    let token = cluster.token();
    let imports = |node: &Service, method: &str, path: &str| {
        let path = format!("/models/orders/imports{path}");
        node.data_anonymous(method, "shop", &path)
            .authorization(&token)
    };
    let since = Instant::now();
    wait_until("a node that is away would be given up", || {
        assert!(all_are_known());
        since.elapsed() > Duration::from_secs(13)
    });
    let begun: Vec<String> = cluster
        .nodes
        .iter()
        .map(|node| {
            let begin = imports(node, "POST", "").header("content-type", "application/x-ndjson");
            let begun = begin.body(r#"{"note": "a"}"#).expect(202).json();
            format!("/{}", text(&begun["uid"]))
        })
        .collect();
    for import in &begun {
        for node in &cluster.nodes {
            wait_until("it is done", || {
                let shown = imports(node, "GET", import).ok();
                assert_ne!(shown["state"], "failed", "{shown}");
                shown["state"] == "done"
            });
        }
    }
}

#[test]
fn a_token_that_is_revoked_is_dead_within_a_second_on_every_node() {
    cluster().expect_a_token_to_hold_until_it_is_revoked();
}
