//! The worker against a mail server with scripted answers.

use std::sync::{Arc, Mutex};

use svc_model::Scope;
use svc_store::{NewProject, NewUser};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use super::*;

/// The lines that the mail server received.
type Heard = Arc<Mutex<Vec<String>>>;

/// A mail server that answers a command with the first line whose beginning fits, else with 250.
async fn server(script: &'static [(&'static str, &'static str)]) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let kept = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(converse(stream, script, Arc::clone(&kept)));
        }
    });
    (port, heard)
}

async fn converse(stream: TcpStream, script: &[(&str, &str)], heard: Heard) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 test\r\n").await.unwrap();
    let (mut line, mut in_text) = (String::new(), false);
    while stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        let said = std::mem::take(&mut line);
        let said = said.trim_end();
        heard.lock().unwrap().push(said.to_owned());
        if in_text && said != "." {
            continue;
        }
        let answer = match script.iter().find(|(command, _)| said.starts_with(command)) {
            Some((_, answer)) => *answer,
            None if said == "DATA" => "354 go on",
            None if said == "QUIT" => "221 bye",
            None => "250 ok",
        };
        in_text = said == "DATA" && answer.starts_with("354");
        if answer == "silence" {
            continue;
        }
        let answer = format!("{answer}\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn smtp(port: u16, rest: &str) -> Smtp {
    let url = format!("smtp://ann:s3cret@127.0.0.1:{port}{rest}");
    Smtp::new(&MailConfig::new(url, "Shop <no-reply@example.com>")).unwrap()
}

/// A store with an invitation for each of these people.
async fn invited(people: &[&str]) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store")).await.unwrap();
    store
        .projects()
        .create(NewProject::new("crm"))
        .await
        .unwrap();
    for email in people {
        let new = NewUser::new(*email, "Editor");
        let users = store.users(&Scope::new("crm", "prod"));
        users.create(new, "https://data.example.com").await.unwrap();
    }
    (folder, store)
}

async fn waiting(store: &Store) -> Vec<String> {
    let mails = store.mails().list().await.unwrap();
    mails.into_iter().map(|mail| mail.to).collect()
}

async fn send_once(store: &Store, smtp: &Smtp) {
    let (_stop, stopped) = watch::channel(false);
    send_due(store, smtp, &stopped).await.unwrap();
}

fn count(heard: &Heard, beginning: &str) -> usize {
    let heard = heard.lock().unwrap();
    heard
        .iter()
        .filter(|line| line.starts_with(beginning))
        .count()
}

const AUTH: (&str, &str) = ("EHLO", "250-test\r\n250 AUTH PLAIN LOGIN");
const SIGNED_IN: (&str, &str) = ("AUTH", "235 2.7.0 welcome");

#[tokio::test]
async fn mails_go_out_over_one_connection_and_leave_the_outbox() {
    let (port, heard) = server(&[AUTH, SIGNED_IN]).await;
    let (_folder, store) = invited(&["ada@example.com", "bo@example.com"]).await;
    send_once(&store, &smtp(port, "")).await;
    assert_eq!(waiting(&store).await, [""; 0]);
    assert_eq!(count(&heard, "EHLO example.com"), 1);
    assert_eq!(count(&heard, "AUTH PLAIN "), 1);
    assert_eq!(count(&heard, "MAIL FROM:<no-reply@example.com>"), 2);
    assert_eq!(count(&heard, "RCPT TO:<ada@example.com>"), 1);
    assert_eq!(count(&heard, "RCPT TO:<bo@example.com>"), 1);
}

#[tokio::test]
async fn a_recipient_who_is_refused_for_good_gets_no_second_mail() {
    let refused = ("RCPT TO:<ada", "550 5.1.1 <ada@example.com>: user unknown");
    let (port, heard) = server(Box::leak(Box::new([AUTH, SIGNED_IN, refused]))).await;
    let (_folder, store) = invited(&["ada@example.com", "bo@example.com"]).await;
    send_once(&store, &smtp(port, "")).await;
    assert_eq!(waiting(&store).await, [""; 0]);
    assert_eq!(count(&heard, "."), 1);
}

#[tokio::test]
async fn a_mail_that_is_refused_for_now_or_for_our_sake_is_kept() {
    for answer in [
        "451 4.7.1 greylisted",
        "554 5.7.1 <ada@example.com>: relay access denied",
        "550 5.1.8 sender rejected",
        "530 authentication required",
    ] {
        let script: &[_] = Box::leak(Box::new([AUTH, SIGNED_IN, ("RCPT TO:<ada", answer)]));
        let (port, heard) = server(script).await;
        let (_folder, store) = invited(&["ada@example.com", "bo@example.com"]).await;
        send_once(&store, &smtp(port, "")).await;
        assert_eq!(waiting(&store).await, ["ada@example.com"], "{answer}");
        assert_eq!(count(&heard, "RCPT TO:<bo"), 1, "{answer}");
    }
}

#[tokio::test]
async fn a_server_that_takes_nothing_keeps_every_mail_and_is_not_asked_for_each() {
    for (script, last) in [
        (
            &[AUTH, ("AUTH", "535 5.7.8 ann: wrong password")][..],
            "AUTH",
        ),
        (
            &[AUTH, SIGNED_IN, ("MAIL", "550 5.7.1 not your address")],
            "MAIL",
        ),
        (&[("EHLO", "421 4.3.2 closing")], "EHLO"),
    ] {
        let script: &'static [_] = Box::leak(script.to_vec().into_boxed_slice());
        let (port, heard) = server(script).await;
        let (_folder, store) = invited(&["ada@example.com", "bo@example.com"]).await;
        send_once(&store, &smtp(port, "")).await;
        assert_eq!(waiting(&store).await.len(), 2);
        assert_eq!(count(&heard, last), 1, "{last}");
        assert_eq!(count(&heard, "DATA"), 0, "{last}");
    }
}

#[tokio::test]
async fn nothing_secret_is_sent_to_a_server_without_the_encryption_that_was_asked_for() {
    for tls in ["?tls=required", "?tls=opportunistic"] {
        let (port, heard) = server(&[AUTH, SIGNED_IN]).await;
        let (_folder, store) = invited(&["ada@example.com"]).await;
        send_once(&store, &smtp(port, tls)).await;
        assert_eq!(waiting(&store).await.len(), 1);
        assert_eq!(count(&heard, "AUTH") + count(&heard, "MAIL"), 0, "{tls}");
    }
}

#[tokio::test]
async fn a_reason_names_no_address_and_quotes_no_server() {
    let script: &[_] = &[
        AUTH,
        SIGNED_IN,
        (
            "RCPT",
            "550 5.1.1 <ada@example.com>: user unknown, ann:s3cret",
        ),
    ];
    let (port, _) = server(script).await;
    let (_folder, store) = invited(&["ada@example.com"]).await;
    let mail = store.mails().take().await.unwrap().unwrap();
    let refused = send(&smtp(port, ""), &mut None, &mail).await.unwrap_err();
    let expected = "the mail server refuses the recipient: it answers 550 5.1.1";
    assert_eq!(refused, Unsent::Refused(expected.to_owned()));
}

#[tokio::test]
async fn a_server_that_falls_silent_is_left_after_the_timeout() {
    let (port, _) = server(&[AUTH, SIGNED_IN, ("DATA", "silence")]).await;
    let (_folder, store) = invited(&["ada@example.com"]).await;
    let mut config = MailConfig::new(format!("smtp://127.0.0.1:{port}"), "no-reply@example.com");
    config.timeout = Duration::from_millis(200);
    let mail = store.mails().take().await.unwrap().unwrap();
    let smtp = Smtp::new(&config).unwrap();
    let unsent = send(&smtp, &mut None, &mail).await.unwrap_err();
    assert!(matches!(unsent, Unsent::Unavailable(_)), "{unsent:?}");
}

#[tokio::test]
async fn the_worker_sends_what_comes_and_stops_when_it_is_told() {
    let (port, heard) = server(&[AUTH, SIGNED_IN]).await;
    let (_folder, store) = invited(&[]).await;
    let (stop, stopped) = watch::channel(false);
    let wake = MailHandle::default();
    let grace = Duration::from_secs(10);
    let worker = run(&store, Some(smtp(port, "")), &wake, stopped, grace);
    let others = async {
        let users = store.users(&Scope::new("crm", "prod"));
        let new = NewUser::new("ada@example.com", "Editor");
        users.create(new, "https://data.example.com").await.unwrap();
        wake.wake();
        while !waiting(&store).await.is_empty() {
            tokio::task::yield_now().await;
        }
        stop.send_replace(true);
    };
    tokio::join!(worker, others);
    assert_eq!(count(&heard, "RCPT"), 1);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    let with = |path: &std::path::Path| format!("?sslrootcert={}", path.display());
    for (rest, from) in [
        (String::new(), ""),
        (String::new(), "Shop"),
        (String::new(), "a@b\r\nBcc: eve@example.com"),
        (with(&empty), "a@b.example"),
        (with(&folder.path().join("none.pem")), "a@b.example"),
    ] {
        let url = format!("smtp://ann:hunter2@mail.example.com{rest}");
        let (_, error) = Smtp::new(&MailConfig::new(url, from)).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    let smtp = smtp(25, "");
    assert!(!format!("{smtp:?}").contains("s3cret"), "{smtp:?}");
}
