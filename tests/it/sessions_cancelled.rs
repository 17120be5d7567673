//! Calls that are cancelled while their session is refreshed, with a slow network: nobody is signed out.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use svc_api::{
    Client,
    auth::{AuthState, FileStore, StoredTokens, TokenStore as _},
};
use svc_tests::{Program, Service, wait_until};

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "correct horse battery";
/// The delay of a refresh and of its response.
const LATENCY: Duration = Duration::from_millis(40);

/// The number of interrupted refreshes; `SESSION_ROUNDS` overrides it.
fn rounds() -> u32 {
    let rounds = std::env::var("SESSION_ROUNDS").ok();
    rounds.map_or(40, |rounds| rounds.parse().expect("a number of rounds"))
}

/// A proxy for `service` that delays each refresh and its response by [`LATENCY`]. Returns its address.
fn slow_refreshes(service: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.expect("a connection");
            let service = TcpStream::connect(service).expect("the service listens");
            let is_slow = Arc::new(AtomicBool::new(false));
            let both = |stream: &TcpStream| stream.try_clone().expect("a second handle");
            let (to_client, to_service) = (both(&client), both(&service));
            let there = Arc::clone(&is_slow);
            thread::spawn(move || {
                pass_on(client, to_service, |bytes| {
                    let is_refresh = bytes.windows(13).any(|part| part == b"/auth/refresh");
                    there.store(is_refresh, Ordering::SeqCst);
                    is_refresh
                });
            });
            thread::spawn(move || {
                pass_on(service, to_client, |_| is_slow.load(Ordering::SeqCst));
            });
        }
    });
    address
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, mut is_slow: impl FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(size) = from.read(&mut buffer) {
        if size == 0 {
            break;
        }
        if is_slow(&buffer[..size]) {
            thread::sleep(LATENCY);
        }
        if to.write_all(&buffer[..size]).is_err() {
            break;
        }
    }
    // Tells the other side that this one has ended.
    let _ = (to.shutdown(Shutdown::Write), from.shutdown(Shutdown::Read));
}

/// The tokens as if the access token had expired.
fn expired(mut tokens: AuthState) -> AuthState {
    tokens.access_token_expires = Some("2026-01-01T00:00:00Z".to_owned());
    tokens
}

#[test]
fn cancelling_calls_while_the_session_is_refreshed_signs_nobody_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unthrottled = ["--tries-per-account=1000000", "--tries-per-address=1000000"];
    let arguments = [&["demo", "--dir", "store"][..], &unthrottled].concat();
    let service = Service::start(folder.path(), &arguments);
    let user = [
        "user",
        "add",
        EMAIL,
        "--team",
        "Editor",
        "--password",
        PASSWORD,
    ];
    let place = ["--project", "demo", "--dir", "store"];
    Program::new(folder.path(), &[&user[..], &place].concat()).run_ok();
    let address = service.text("/base_url").trim_start_matches("http://");
    let proxy = slow_refreshes(address.parse().expect("an address"));
    let base_url = format!("http://{proxy}");
    let store = FileStore::new(folder.path().join("tokens.json"));
    let client = || {
        let client = Client::builder().project("demo").api_base_url(&base_url);
        let client = client.session_store(store.clone());
        client.build().expect("a client")
    };
    let kept = || -> Option<AuthState> {
        let kept = now(store.load());
        kept.map(|kept: StoredTokens| kept.state().clone())
    };

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let login = client();
    let login = login.account().login_via_email_password(EMAIL, PASSWORD);
    let mut tokens = runtime
        .block_on(async { login.await })
        .expect("signed in")
        .token;

    let (mut cancelled, mut random) = (0, 0x2545_f491_u32);
    for round in 0..rounds() {
        let due = StoredTokens::begin(expired(tokens.clone()));
        now(store.replace(Some(&due)));
        // Two clients of one file, whose calls are all cut off somewhere between their begin and a moment after the
        // answer.
        let clients = [client(), client()];
        let calls: Vec<_> = (0..3)
            .map(|call| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let patience = LATENCY * 3 * (random >> 16) / 0xffff;
                let account = clients[call % 2].account();
                runtime.spawn(async move {
                    let headers = account.headers();
                    tokio::time::timeout(patience, headers).await
                })
            })
            .collect();
        for call in calls {
            match runtime.block_on(call).expect("no panic") {
                Ok(headers) => assert!(headers.expect("headers").is_some(), "round {round}"),
                Err(_) => cancelled += 1,
            }
        }
        // The refresh continues to its end, although no call waits for it.
        wait_until("the new tokens are stored", || {
            kept().is_some_and(|kept| kept.refresh_token != tokens.refresh_token)
        });
        for client in clients {
            let check = runtime.block_on(client.account().is_authenticated());
            assert!(check.expect("asked").authenticated, "round {round}");
        }
        tokens = kept().expect("nobody was signed out");
    }
    println!("{} rounds, {cancelled} calls were cancelled", rounds());
    assert!(cancelled > rounds() / 4, "{cancelled} calls were cancelled");
    assert!(
        !service.log().contains("was used again"),
        "{}",
        service.log()
    );
}

/// The output of a future that is ready at once.
fn now<T>(future: impl Future<Output = Result<T, svc_api::auth::StoreError>>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(result) => result.expect("the file"),
        std::task::Poll::Pending => panic!("a file makes nobody wait"),
    }
}
