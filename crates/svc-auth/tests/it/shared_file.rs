//! Threads and processes that share a file of tokens, at a service that ends the session of a
//! refresh token that comes twice.

use std::{
    env,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::Arc,
    thread,
    time::Duration,
};

use http::{Response, StatusCode};
use svc_auth::{FileStore, Session, TokenStore};
use svc_model::wire::{Body, TransportError, TransportErrorKind, transport_fn};

use crate::support::{START, Server, TestClock, block_on, builder, header, reject};

#[test]
fn sessions_of_many_threads_that_share_a_file_never_end_each_other() {
    let clock = TestClock::new();
    let server = Server::new(&clock).delay(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let first = builder(&server).store(FileStore::new(&path)).build();
    block_on(first.set(server.login())).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let session = builder(&server).store(FileStore::new(&path)).build();
                for _ in 0..50 {
                    let sent = block_on(header(&session)).unwrap().unwrap();
                    if server.refuses(&sent) {
                        reject(&session, Box::leak(sent.into_boxed_str()));
                    }
                    clock.pass(200);
                }
            });
        }
    });
    assert_eq!(server.ended(), 0);
    let refreshes = server.refreshes();
    assert!(refreshes > 10, "{refreshes} refreshes");
    let kept = block_on(FileStore::new(&path).load()).unwrap().unwrap();
    assert_eq!(
        kept.state().refresh_token.expose(),
        format!("r{}", refreshes + 1)
    );
}

#[test]
fn sessions_that_are_refused_at_the_same_time_refresh_once() {
    let server = Server::new(&TestClock::new()).delay(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let first = builder(&server).store(FileStore::new(&path)).build();
    block_on(first.set(server.login())).unwrap();
    let sessions: Vec<_> = (0..8)
        .map(|_| builder(&server).store(FileStore::new(&path)).build())
        .collect();
    thread::scope(|scope| {
        for session in &sessions {
            scope.spawn(|| {
                reject(session, "JWT a1");
                assert_eq!(block_on(header(session)).unwrap().unwrap(), "JWT a2");
            });
        }
    });
    assert_eq!(server.refreshes(), 1);
}

const CHILD_FILE: &str = "SVC_AUTH_TEST_FILE";
const CHILD_ADDRESS: &str = "SVC_AUTH_TEST_ADDRESS";
const CHILDREN: usize = 3;
const ROUNDS: usize = 20;

#[test]
fn processes_that_share_a_file_never_end_each_other() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let first = builder(&server).store(FileStore::new(&path)).build();
    block_on(first.set(server.login())).unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let service = server.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            serve(&service, stream.unwrap());
        }
    });
    let children: Vec<_> = (0..CHILDREN)
        .map(|_| {
            Command::new(env::current_exe().unwrap())
                .args(["--exact", "shared_file::child"])
                .env(CHILD_FILE, &path)
                .env(CHILD_ADDRESS, address.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(server.ended(), 0);
    let refreshes = server.refreshes() as usize;
    // Each process has seen a new token in each round after its first.
    assert!(refreshes >= ROUNDS - 1, "{refreshes} refreshes");
}

/// What a process of the test above does. Nothing, when it is not one.
#[test]
fn child() {
    let Ok(address) = env::var(CHILD_ADDRESS) else {
        return;
    };
    let transport = transport_fn(move |request| {
        let answer = call(&address, request.body().as_bytes().unwrap());
        async move { answer }
    });
    let session = Session::builder(
        Arc::new(transport),
        "https://data.test".parse().unwrap(),
        "demo",
        "prod",
    )
    .store(FileStore::new(env::var(CHILD_FILE).unwrap()))
    .clock(|| START)
    .build();
    for _ in 0..ROUNDS {
        let sent = block_on(header(&session)).unwrap().unwrap();
        reject(&session, Box::leak(sent.into_boxed_str()));
    }
}

/// A refresh over a connection of its own: the length of the body and the body, there and back.
fn call(address: &str, body: &[u8]) -> Result<Response<Body>, TransportError> {
    let failed = |error| TransportError::new(TransportErrorKind::Other, error);
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream.write_all(&[body.len() as u8]).map_err(failed)?;
    stream.write_all(body).map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(failed)?;
    let (status, body) = answer.split_at(3);
    let mut response = Response::new(Body::from(body.to_vec()));
    *response.status_mut() = StatusCode::from_bytes(status).unwrap();
    Ok(response)
}

fn serve(server: &Server, mut stream: TcpStream) {
    let mut length = [0];
    stream.read_exact(&mut length).unwrap();
    let mut body = vec![0; usize::from(length[0])];
    stream.read_exact(&mut body).unwrap();
    let (status, answer) = server.refresh(&body);
    // Long enough that the processes get in each other's way.
    thread::sleep(Duration::from_millis(1));
    stream.write_all(status.as_str().as_bytes()).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
}
