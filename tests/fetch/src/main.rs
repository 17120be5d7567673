//! Opens the page in a browser, and checks every rule of the conformance kit through it:
//! `cargo xtask test fetch-browser`.

mod browser;
mod site;

use std::{env, error::Error, path::Path, process::ExitCode, sync::Arc, time::Duration};

use svc_fetch_tests::bridge::Bridge;
use svc_testing::conformance::Rule;
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc},
    time::timeout,
};

use self::{browser::Browser, site::site};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// How long the browser may take to open the page.
const PATIENCE: Duration = Duration::from_secs(30);

const BOOK: &str = include_str!("../../../docs/src/custom-transports.md");

/// A rule that no transport over `fetch` can keep.
struct Cannot {
    rule: Rule,
    /// A part of what the kit sees instead.
    seen: &'static str,
    /// The rule and the reason, as the book has them.
    why: &'static str,
}

const CANNOT: &[Cannot] = &[
    Cannot {
        rule: Rule::RequestArrivesUnchanged,
        seen: "&%27()*!",
        why: "the request arrives byte for byte: browsers escape a `'` in a query, which the client has already done, and join headers of one name",
    },
    Cannot {
        rule: Rule::NothingIsAdded,
        seen: "the service got a header ",
        why: "no header is added: browsers add `Accept-Encoding`, `Origin` and others",
    },
    Cannot {
        rule: Rule::HeaderValuesAreBytes,
        seen: "two headers of one name came as []",
        why: "repeated headers stay apart: browsers join them, and hide `Set-Cookie`",
    },
    Cannot {
        rule: Rule::RedirectsAreNotFollowed,
        seen: "invalid status code",
        why: "a redirect is an answer: browsers do not follow it, but hide where it leads, so that it is an error",
    },
    Cannot {
        rule: Rule::NothingIsDecompressed,
        seen: "25 bytes came as 5",
        why: "a compressed body stays so: browsers decompress it",
    },
    Cannot {
        rule: Rule::RefusedConnectionWasNeverSent,
        seen: "the error was of kind Interrupted",
        why: "a refused connection was never sent: browsers do not say why there is no response, which is always `Interrupted`",
    },
    Cannot {
        rule: Rule::MissingAnswerIsInterrupted,
        seen: "the call succeeded with status 200",
        why: "a head that breaks off is an error: Chromium takes what has come for the whole",
    },
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(chromium), Some(wasm)) = (arguments.next(), arguments.next()) else {
        return Err("run `cargo xtask test fetch-browser`".into());
    };
    let (bridge, messages) = Bridge::new();
    let opened = Arc::new(Notify::new());
    let (report, mut problems) = mpsc::unbounded_channel();
    let site = site(Path::new(&wasm), &bridge, messages, &opened, report)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async { axum::serve(listener, site).await });
    let browser = Browser::start(&chromium, &url)?;
    let checks = async {
        if timeout(PATIENCE, opened.notified()).await.is_err() {
            let output = browser.output();
            return Err(format!("{chromium} did not open the page: {output}").into());
        }
        check(&bridge).await
    };
    tokio::select! {
        checked = checks => checked,
        Some(problem) = problems.recv() => Err(format!("the page failed: {problem}").into()),
    }
}

async fn check(bridge: &Bridge) -> Result<()> {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let checked = rule.check(bridge).await;
        let cannot = CANNOT.iter().find(|cannot| cannot.rule == *rule);
        match (checked, cannot) {
            (Ok(()), None) => println!("{rule:?} holds"),
            (Ok(()), Some(_)) => wrong.push(format!("{rule:?} holds, so it must be checked")),
            (Err(failure), Some(cannot)) if failure.seen().contains(cannot.seen) => {
                println!("{rule:?} does not hold; {}", cannot.why);
            }
            (Err(failure), _) => wrong.push(failure.to_string()),
        }
    }
    let undocumented = CANNOT.iter().filter(|cannot| !BOOK.contains(cannot.why));
    wrong.extend(undocumented.map(|cannot| format!("the book does not say: {}", cannot.why)));
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}
