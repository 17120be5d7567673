//! Certificates and keys: at the start, and when their files change.

use std::{
    fs,
    os::unix::net::UnixDatagram,
    time::{Duration, Instant},
};

use svc_tests::{Program, Service, wait_until};

use super::{Home, made, write_key, write_pair};
use crate::metrics::{metrics_address, scrape};

#[test]
fn a_changed_pair_serves_within_ten_seconds_and_open_connections_stay() {
    let home = Home::new(&[]);
    let mut before = home.stream();
    home.get(&mut before, "/healthz");
    let next = made();
    write_pair(home.folder.path(), &next);
    let begun = Instant::now();
    wait_until("the new certificate is served", || {
        home.serves(next.cert.der())
    });
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(!home.serves(&home.cert), "the earlier one is not served");
    let (head, _) = home.get(&mut before, &home.page());
    assert!(head.starts_with("http/1.1 200"), "{head}");
}

#[test]
fn a_pair_that_does_not_fit_is_logged_and_told_and_the_earlier_one_stays() {
    let home = Home::new(&["--metrics-listen", "127.0.0.1:0", "--log-format", "json"]);
    let metrics = metrics_address(&home.service);
    let is_refused = |shown: &str| {
        let line = format!("\nsvc_tls_certificate_refused {shown}\n");
        scrape(&metrics).contains(&line)
    };
    assert!(is_refused("0"));
    let key = fs::read(home.folder.path().join("key.pem")).unwrap();
    assert!(home.readiness()["tls"].is_null());

    let other = made();
    write_key(home.folder.path(), &other.signing_key);
    wait_until("a key of another certificate is told", || {
        !home.readiness()["tls"].is_null()
    });
    assert!(is_refused("1"));
    let readiness = home.readiness();
    assert_eq!(readiness["status"], "ok");
    assert_eq!(readiness["tls"]["failures"], 1);
    let detail = readiness["tls"]["detail"].as_str().unwrap();
    assert!(detail.contains("tls-key: does not belong"), "{detail}");
    let log = home.service.log();
    assert!(log.contains("the earlier ones stay in force"), "{log}");
    let secret = other.signing_key.serialize_pem();
    let secret = secret.lines().nth(1).unwrap();
    assert!(!log.contains(secret), "the key is in the log");

    fs::write(home.folder.path().join("key.pem"), &key[..key.len() / 2]).unwrap();
    wait_until("a key that was half written is told", || {
        home.readiness()["tls"]["failures"] == 2
    });
    fs::write(home.folder.path().join("key.pem"), key).unwrap();
    wait_until("the key fits again", || home.readiness()["tls"].is_null());
    assert!(is_refused("0"));
}

#[test]
fn the_service_manager_is_told_that_a_service_over_tls_answers() {
    let folder = tempfile::tempdir().unwrap();
    write_pair(folder.path(), &made());
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let patience = Some(Duration::from_secs(30));
    manager.set_read_timeout(patience).unwrap();
    let pair = ["serve", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let variables = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("WATCHDOG_USEC", "400000"),
    ];
    let _service = Service::start_with(folder.path(), &pair, &variables);
    for told in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"] {
        let mut message = [0; 512];
        let length = manager.recv(&mut message).unwrap();
        let message = String::from_utf8_lossy(&message[..length]);
        assert_eq!(message.trim(), told);
    }
}

#[test]
fn a_pair_that_cannot_work_at_the_start_is_an_error_with_option_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    write_pair(folder.path(), &made());
    fs::write(
        folder.path().join("other.pem"),
        made().signing_key.serialize_pem(),
    )
    .unwrap();
    fs::write(folder.path().join("empty.pem"), "").unwrap();
    let start = |cert: &str, key: &str| {
        let arguments = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--tls-cert",
            cert,
            "--tls-key",
            key,
        ];
        let (code, errors) = Program::new(folder.path(), &arguments).run_err();
        assert_ne!(code, 0);
        assert!(!errors.contains("PRIVATE KEY-----\n"), "{errors}");
        errors
    };
    for (cert, key, expected) in [
        (
            "cert.pem",
            "other.pem",
            "--tls-key (a flag): other.pem: does not belong",
        ),
        (
            "cert.pem",
            "none.pem",
            "--tls-key (a flag): none.pem: cannot be read",
        ),
        (
            "empty.pem",
            "key.pem",
            "--tls-cert (a flag): empty.pem: has no certificate",
        ),
        (
            "cert.pem",
            "cert.pem",
            "--tls-key (a flag): cert.pem: has no private key",
        ),
    ] {
        let errors = start(cert, key);
        assert!(errors.contains(expected), "{errors}");
    }
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"];
    let (_, errors) = Program::new(folder.path(), &arguments).run_err();
    assert!(errors.contains("set --tls-key"), "{errors}");
}
