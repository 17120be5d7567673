//! `cargo xtask js --serve`: the client's example page and the npm package below it, under a strict policy.

use std::{
    future::IntoFuture as _,
    io,
    path::{Path, PathBuf},
    thread,
};

use axum::{
    Router,
    http::{HeaderName, HeaderValue, header},
};
use clap::Args;
use tokio::{net::TcpListener, sync::oneshot};
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

use crate::Result;

/// The policy of the page: nothing inline, nothing from other origins, and calls to a service on this machine
/// or with TLS. Compiling WebAssembly needs a permission; evaluating text stays forbidden.
const POLICY: &str = "default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
    connect-src 'self' http://127.0.0.1:* http://localhost:* https:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Where the files are, and where they are served.
#[derive(Debug, Args)]
pub struct Options {
    #[arg(long)]
    pub page: PathBuf,
    #[arg(long)]
    pub package: PathBuf,
    #[arg(long)]
    pub listen: String,
}

/// Prints the page's origin, and serves the page until the standard input closes.
pub fn serve(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listen = &options.listen;
        let listener = TcpListener::bind(listen).await;
        let listener =
            listener.map_err(|error| format!("{listen} cannot be listened on: {error}"))?;
        println!("http://{}", listener.local_addr()?);
        let (sender, closed) = oneshot::channel::<()>();
        thread::spawn(move || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            drop(sender);
        });
        let serving = axum::serve(listener, site(&options.page, &options.package));
        tokio::select! {
            outcome = serving.into_future() => Ok(outcome?),
            _ = closed => Ok(()),
        }
    })
}

fn site(page: &Path, package: &Path) -> Router {
    let files = Router::new()
        .nest_service("/svc-js", ServeDir::new(package))
        .fallback_service(ServeDir::new(page));
    HEADERS.into_iter().fold(files, |files, (name, value)| {
        let value = HeaderValue::from_static(value);
        files.layer(SetResponseHeaderLayer::overriding(name, value))
    })
}
