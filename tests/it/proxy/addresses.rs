//! Addresses that the proxy refuses.

use serde_json::json;

use super::{
    failed, get, refused, setup,
    upstream::{Upstream, answer},
};

#[test]
fn this_machine_is_refused_in_every_spelling() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let port = upstream.address.port();
    for host in [
        "127.0.0.1",
        "127.1.2.3",
        "localhost",
        "LOCALHOST",
        "localhost.localdomain",
        "0.0.0.0",
        "0",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.0.1.",
        "localhost.",
        "%31%32%37.0.0.1",
        "１２７.０.０.１",
        "127。0。0。1",
        "user@127.0.0.1",
        "good.example@127.0.0.1",
    ] {
        let call = setup().closed(&get(&format!("http://{host}:{port}/")));
        let answer = call.send();
        let status = answer.status.as_u16();
        // A name that does not resolve is a different failure.
        assert!(
            status == 400 || (status == 502 && host.starts_with("localhost.l")),
            "{host}: {status} {}",
            answer.body
        );
        assert!(!answer.body.contains("127.0.0.1"), "{}", answer.body);
    }
    assert!(upstream.seen().is_empty());
}

#[test]
fn networks_that_are_not_public_are_refused_without_a_connection() {
    for host in [
        "169.254.169.254",
        "[::ffff:169.254.169.254]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[fc00::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[64:ff9b::10.0.0.1]",
    ] {
        for url in [format!("http://{host}/"), format!("https://{host}:8443/")] {
            let message = refused(setup().closed(&get(&url)), "url");
            assert!(message.contains("the host is not reached"), "{message}");
        }
    }
}

#[test]
fn other_schemes_and_misleading_urls_are_refused() {
    for url in [
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/_x",
        "ftp://example.com/",
        "ws://example.com/",
        "data:text/plain,x",
        "unix:/run/docker.sock",
        "//example.com/",
        "/etc/passwd",
        "example.com",
        "",
        "http://",
        "http:example.com",
        "http:///example.com",
        "http://good.example@evil.example/",
        "http://good.example\\@evil.example/",
        "http://example.com\r\nX-Evil: 1/",
        "http://example.com/\r\n\r\nGET /",
        "http://exa\tmple.com/",
        "http://example.com:99999/",
    ] {
        refused(setup().closed(&get(url)), "url");
    }
}

#[test]
fn the_service_itself_is_refused_even_if_a_project_allows_this_machine() {
    let base = setup().service.text("/base_url");
    let message = refused(setup().open(&get(&format!("{base}/healthz"))), "url");
    assert!(message.contains("of this service"), "{message}");
}

#[test]
fn an_allowed_host_is_reached_only_by_its_name_and_its_project() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let url = upstream.url("/");
    assert_eq!(setup().open(&get(&url)).expect(200).body, "reached");
    // The connection of one project is not used for another.
    for _ in 0..3 {
        refused(setup().closed(&get(&url)), "url");
    }
    // Another name of the same address is another host.
    let port = upstream.address.port();
    for host in ["localhost", "[::ffff:127.0.0.1]", "127.0.0.2"] {
        refused(setup().open(&get(&format!("http://{host}:{port}/"))), "url");
    }
    assert_eq!(upstream.seen().len(), 1);
}

#[test]
fn an_allowed_name_is_reached_until_it_is_removed_from_the_list() {
    let setup = super::Setup::new(&[]);
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let url = format!("http://LocalHost:{}/", upstream.address.port());
    refused(setup.closed(&get(&url)), "url");
    let host = ["project", "allow-host", "LOCALHOST", "--project", "closed"];
    setup.admin(&host);
    svc_tests::wait_until("the host is allowed", || {
        setup.closed(&get(&url)).send().status == 200
    });
    setup.admin(&[&host[..], &["--remove"]].concat());
    svc_tests::wait_until("the host is not allowed", || {
        setup.closed(&get(&url)).send().status == 400
    });
    let list = setup.admin(&["project", "allow-host", "--project", "closed"]);
    assert_eq!(list, json!([]));
}

#[test]
fn a_host_that_is_allowed_with_a_port_is_reached_only_at_that_port() {
    let setup = super::Setup::new(&[]);
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let other = Upstream::saying(answer("200 OK", &[], "not reached"));
    let entry = format!("127.0.0.1:{}", upstream.address.port());
    let made = setup.admin(&["project", "allow-host", &entry, "--project", "closed"]);
    assert_eq!(made, json!({"host": entry, "allowed": true}));
    svc_tests::wait_until("the port is allowed", || {
        setup.closed(&get(&upstream.url("/"))).send().status == 200
    });
    refused(setup.closed(&get(&other.url("/"))), "url");
    assert!(other.seen().is_empty());
    let list = setup.admin(&["project", "allow-host", "--project", "closed"]);
    assert_eq!(list[0]["host"], entry);
}

#[test]
fn a_redirect_to_an_address_that_is_not_public_is_not_followed() {
    let inner = Upstream::saying(answer("200 OK", &[], "reached"));
    let port = inner.address.port();
    for location in [
        format!("http://localhost:{port}/"),
        format!("http://127.0.0.2:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://0x7f.1/".to_owned(),
        format!("{}/healthz", setup().service.text("/base_url")),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/".to_owned(),
        format!("http://user@127.0.0.1:{port}/"),
        "http://127.0.0.1:0/".to_owned(),
    ] {
        let header = format!("Location: {location}");
        let outer = Upstream::saying(answer("302 Found", &[&header], ""));
        let detail = failed(setup().open(&get(&outer.url("/"))), 502);
        for secret in ["169.254", "127.0.0", "::1", "localhost", "passwd"] {
            assert!(!detail.contains(secret), "{location}: {detail}");
        }
    }
    assert!(inner.seen().is_empty());
}
