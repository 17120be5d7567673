//! Mail: what the service sends, to whom, and what happens when the mail server or the service is not available.

use std::path::Path;

use serde_json::{Value, json};
use svc_tests::{Program, Service, mail::MailServer, wait_until};
use tempfile::TempDir;

const FROM: &str = "Shop <no-reply@example.com>";
const PUBLIC_URL: &str = "https://data.example.com/svc";

/// A service that sends its mails to this server, with the most detailed log level.
fn serve(folder: &Path, smtp_url: &str) -> Service {
    let variables = [
        ("SVC_SMTP_URL", smtp_url),
        ("SVC_MAIL_FROM", FROM),
        ("SVC_LOG", "trace"),
    ];
    Service::start_with(folder, &["serve"], &variables)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Program::new(
        folder.path(),
        &["project", "add", "main", "--title", "Shop & Co"],
    )
    .run_ok();
    folder
}

/// Invites a user from another process.
fn invite(folder: &Path, email: &str) {
    let arguments = [
        "user",
        "add",
        email,
        "--team=Editor",
        "--project=main",
        "--json",
    ];
    let added = Program::new(folder, &arguments).env("SVC_PUBLIC_URL", PUBLIC_URL);
    assert!(added.run_json()["uid"].is_string());
}

/// The mails in the outbox.
fn outbox(folder: &Path) -> Value {
    Program::new(folder, &["mail", "list", "--json"]).run_json()
}

/// The link in a text.
fn link(text: &str) -> &str {
    let at = text
        .find(PUBLIC_URL)
        .unwrap_or_else(|| panic!("no link in {text}"));
    text[at..].split_whitespace().next().unwrap()
}

fn assert_nothing_secret(log: &str, secrets: &[&str]) {
    for secret in secrets {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn an_invitation_has_a_link_that_begins_with_the_public_url() {
    let (folder, server) = (folder(), MailServer::start());
    let service = serve(folder.path(), &server.url());
    invite(folder.path(), "ada@example.com");
    let mail = server.one();
    assert_eq!(mail.from, "no-reply@example.com");
    assert_eq!(mail.to, ["ada@example.com"]);
    assert_eq!(mail.header("From"), FROM);
    assert_eq!(mail.header("To"), "ada@example.com");
    assert_eq!(mail.header("Subject"), "You are invited to Shop & Co");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");

    let (text, html) = (mail.part("text/plain"), mail.part("text/html"));
    let link = link(&text);
    let (place, code) = link.split_once('#').unwrap();
    assert_eq!(
        place,
        format!("{PUBLIC_URL}/projects/main/prod/auth/accept_invitation")
    );
    assert!(code.starts_with("svcc_") && code.len() > 40, "{code}");
    assert!(html.contains(&format!("<a href=\"{link}\"")), "{html}");
    assert!(
        html.contains("Shop &#38; Co") || html.contains("Shop &amp; Co"),
        "{html}"
    );

    wait_until("the outbox is empty", || outbox(folder.path()) == json!([]));
    wait_until("the mail is logged", || service.log().contains("mail sent"));
    assert_nothing_secret(&service.log(), &[code, "ada@example.com"]);
}

#[test]
fn a_forgotten_password_is_reset_with_the_code_in_the_mail_and_the_owner_is_notified() {
    let (folder, server) = (folder(), MailServer::start());
    let service = serve(folder.path(), &server.url());
    let add = [
        "user",
        "add",
        "ada@example.com",
        "--admin",
        "--project=main",
    ];
    let add = [&add[..], &["--password", "the old password"]].concat();
    Program::new(folder.path(), &add).run_ok();
    let post = |call: &str, body: Value| {
        service
            .data_anonymous("POST", "auth", call)
            .json(&body)
            .ok()
    };
    let asked = post("/reset_password", json!({"email": "ada@example.com"}));
    assert_eq!(asked, json!({"result": true}));
    let mail = server.one();
    assert_eq!(
        mail.header("Subject"),
        "Choose a new password for Shop & Co"
    );
    let text = mail.part("text/plain");
    let (_, code) = text.lines().find_map(|line| line.split_once('#')).unwrap();
    let new = json!({"code": code, "new_password": "the new password"});
    assert_eq!(post("/reset_password_complete", new)["result"], true);
    wait_until("the owner is told", || server.received().len() == 2);
    let told = &server.received()[1];
    let subject = "Your password for Shop & Co was changed";
    assert_eq!(
        (told.to[0].as_str(), told.header("Subject")),
        ("ada@example.com", subject)
    );
    assert!(!told.message.contains("the new password"));
    let log = service.log();
    assert_nothing_secret(&log, &[code, "the old password", "the new password"]);
}

#[test]
fn mail_is_sent_when_an_unreachable_mail_server_is_back() {
    let (folder, port) = (folder(), MailServer::free_port());
    let service = serve(folder.path(), &format!("smtp://127.0.0.1:{port}"));
    invite(folder.path(), "ada@example.com");
    wait_until("the server is found to be away", || {
        service.log().contains("mail cannot be sent")
    });
    assert_eq!(outbox(folder.path())[0]["to"], "ada@example.com");
    let server = MailServer::start_at(port);
    assert_eq!(server.one().to, ["ada@example.com"]);
    wait_until("the outbox is empty", || outbox(folder.path()) == json!([]));
}

#[test]
fn the_password_of_the_mail_server_is_sent_encrypted_and_not_logged() {
    let (folder, server) = (folder(), MailServer::start_with_password());
    let service = serve(folder.path(), &server.url());
    invite(folder.path(), "bo@example.com");
    let mail = server.one();
    let (user, password) = MailServer::credentials();
    assert!(mail.encrypted);
    assert_eq!(mail.user.as_deref(), Some(user));
    let text = mail.part("text/plain");
    let (_, code) = link(&text).split_once('#').unwrap();
    wait_until("the mail is logged", || service.log().contains("mail sent"));
    let in_url = "s3cret%2F";
    assert_nothing_secret(&service.log(), &[code, password, in_url, "bo@example.com"]);
}

#[test]
fn a_mail_server_with_an_untrusted_certificate_gets_neither_mail_nor_password() {
    let (folder, server) = (folder(), MailServer::start_with_password());
    let url = server.url();
    let (url, _) = url.split_once("&sslrootcert").unwrap();
    let service = serve(folder.path(), url);
    invite(folder.path(), "ada@example.com");
    wait_until("the certificate is refused", || {
        service
            .log()
            .contains("no encrypted connection to the mail server")
    });
    assert!(server.received().is_empty());
    assert_eq!(outbox(folder.path())[0]["to"], "ada@example.com");
}

#[test]
fn no_mail_is_lost_when_the_service_is_killed_while_sending() {
    let (folder, server) = (folder(), MailServer::start());
    server.hold();
    let service = serve(folder.path(), &server.url());
    invite(folder.path(), "ada@example.com");
    wait_until("the mail is on its way", || server.held() == 1);
    service.kill();
    assert_eq!(outbox(folder.path())[0]["to"], "ada@example.com");

    // The mail is reserved for the killed process for two minutes; here this time is skipped.
    svc_tests::execute_in_store(folder.path(), "UPDATE mails SET next_attempt = date_add");
    server.release();
    wait_until("the first attempt is over", || server.received().len() == 1);
    let _service = serve(folder.path(), &server.url());
    wait_until("the mail comes again", || server.received().len() == 2);
    let mails = server.received();
    assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    wait_until("the outbox is empty", || outbox(folder.path()) == json!([]));
}

#[test]
fn a_shutdown_finishes_sending_the_current_mail() {
    let (folder, server) = (folder(), MailServer::start());
    server.hold();
    let mut service = serve(folder.path(), &server.url());
    invite(folder.path(), "ada@example.com");
    wait_until("the mail is on its way", || server.held() == 1);
    service.request_end();
    wait_until("the service ends", || {
        service.log().contains("shutting down")
    });
    server.release();
    assert_eq!(service.terminate(), Some(0));
    assert_eq!(server.received().len(), 1);
    assert_eq!(outbox(folder.path()), json!([]));
}

#[test]
fn a_damaged_mail_does_not_block_others() {
    let (folder, server) = (folder(), MailServer::start());
    for email in ["ada@example.com", "bo@example.com"] {
        invite(folder.path(), email);
    }
    let damage = "UPDATE mails SET content = 'x' WHERE recipient = 'ada@example.com'";
    svc_tests::execute_in_store(folder.path(), damage);
    let service = serve(folder.path(), &server.url());
    assert_eq!(server.one().to, ["bo@example.com"]);
    assert!(service.log().contains("a mail is left out"));
}

#[test]
fn without_a_mail_server_the_log_says_where_the_mail_is() {
    let folder = folder();
    let service = Service::start(folder.path(), &["serve"]);
    assert!(!service.log().contains("outbox"), "{}", service.log());
    invite(folder.path(), "ada@example.com");
    wait_until("the log says it", || {
        let log = service.log();
        log.contains("mail is waiting in the outbox: svc mail list shows it")
    });
    let mails = outbox(folder.path());
    assert_eq!(mails[0]["to"], "ada@example.com");
    assert_nothing_secret(
        &service.log(),
        &[mails[0]["code"].as_str().unwrap(), "ada@example.com"],
    );
}

#[test]
fn invalid_settings_of_mail_are_reported_at_the_start() {
    let folder = folder();
    for (url, from, said) in [
        ("smtp://ann:hunter2@mail.example.com", "", "--mail-from"),
        (
            "smtp://ann:hunter2@mail.example.com",
            "nobody",
            "--mail-from",
        ),
        (
            "smtp://ann:hunter2@mail.example.com?tls=off",
            FROM,
            "--smtp-url (the variable SVC_SMTP_URL): tls must be",
        ),
        (
            "https://ann:hunter2@mail.example.com",
            FROM,
            "--smtp-url (the variable SVC_SMTP_URL): must be like",
        ),
    ] {
        let program = Program::new(folder.path(), &["serve", "--listen=127.0.0.1:0"]);
        let program = program.env("SVC_SMTP_URL", url).env("SVC_MAIL_FROM", from);
        let (status, message) = program.run_err();
        assert_eq!(status, 1, "{message}");
        assert!(
            message.contains(said) && !message.contains("hunter2"),
            "{message}"
        );
    }
}
