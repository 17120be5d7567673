//! A console for a service elsewhere: listeners and limits as those of the service, and no service behind them.

use std::{fmt, future::Future, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Redirect, Response},
    routing::{any, get},
};
use http::{HeaderMap, HeaderValue, header, request::Parts};
use svc_model::{
    X_REQUEST_ID,
    wire::{BoxFuture, Transport},
};
use tokio::{net::TcpListener, sync::watch};

use crate::{
    Config, Error, OpenListeners,
    api::{
        console::{CONSOLE, answer},
        health::healthz,
        unknown_path,
    },
    auth::throttle::caller,
    console::{X_FORWARDED_FOR, peer},
    http::{
        compression::compressed,
        limits::{HEALTH, Limits},
        links,
        listener::{Connections, serve},
        request::RequestId,
        tls::Tls,
    },
    metrics::requests::Route,
    open_listeners::open as open_listener,
    server::{address_of, origin},
};

/// What serves a console to browsers where there is no service: connections, their limits and deadlines, TLS, and a graceful
/// end, as [`Server`](crate::Server) has them.
#[derive(Debug)]
pub struct ConsoleServer {
    browsers: Browsers,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    origin: String,
}

impl ConsoleServer {
    /// Opens the listener, unless it is open already. Connections are answered once [`run`](Self::run) is called.
    ///
    /// Of the settings count those of [`Config::listen`], of connections and requests, of TLS, and of the public URL.
    ///
    /// # Errors
    /// [`Error`] with the remedy when a setting cannot work, or the address cannot be listened on.
    pub async fn bind(mut config: Config, open: OpenListeners) -> Result<Self, Error> {
        open.set_addresses(&mut config)?;
        // There is one listener, and no host for calls of browsers from elsewhere.
        config.data_listen = None;
        config.metrics_listen = None;
        config.http_redirect = None;
        config.cors_origins.clear();
        config.check()?;
        let listener = open_listener(&config, "listen", open.listen, config.listen).await?;
        config.listen = address_of(&listener, config.listen)?;
        Ok(Self {
            origin: origin(&config, &listener)?,
            tls: Tls::open(&config)?.map(Arc::new),
            browsers: Browsers(Arc::new(config)),
            listener,
        })
    }

    /// The address of the console for people.
    pub fn console_url(&self) -> String {
        format!("{}{CONSOLE}/", self.origin)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.browsers.0.listen
    }

    /// What is known of those who ask.
    pub fn browsers(&self) -> Browsers {
        self.browsers.clone()
    }

    /// Answers requests until `shutdown` completes, then finishes those in flight.
    ///
    /// # Errors
    /// None today; what goes wrong with a request is answered, and logged.
    pub async fn run(
        self,
        console: Arc<dyn Transport>,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), Error> {
        self.serve(console, Box::pin(shutdown)).await
    }

    fn serve(
        self,
        console: Arc<dyn Transport>,
        shutdown: BoxFuture<'_, ()>,
    ) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let Self {
                browsers,
                listener,
                tls,
                ..
            } = self;
            let watching = tls.clone().map(|tls| tokio::spawn(tls.watch()));
            let config = Arc::clone(&browsers.0);
            let stack = Limits::new(&config).around(router(&browsers, &console), &config);
            let connections = Connections::new(&config);
            let (stop, stopped) = watch::channel(false);
            let serving = tokio::spawn(async move {
                serve(listener, stack, connections, &config, tls, stopped).await;
            });
            shutdown.await;
            tracing::info!("shutting down");
            stop.send_replace(true);
            // A panic there is logged where it happens.
            let _ = serving.await;
            if let Some(watching) = watching {
                watching.abort();
            }
            Ok(())
        })
    }
}

/// What is known of the browsers that ask a [`ConsoleServer`].
#[derive(Clone)]
pub struct Browsers(Arc<Config>);

impl Browsers {
    /// Scheme, host and path prefix under which a browser has reached the console.
    pub fn origin(&self, request: &Parts) -> String {
        links::origin(&self.0, &request.headers, peer(request).0).into_owned()
    }

    /// What a call for a browser tells the service of it: its address, its name and the identifier of the request.
    pub fn forwarded(&self, request: &Parts) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let address = caller(&self.0, &request.headers, peer(request).0);
        if let Ok(address) = HeaderValue::try_from(address.to_string()) {
            headers.insert(X_FORWARDED_FOR, address);
        }
        if let Some(agent) = request.headers.get(header::USER_AGENT) {
            headers.insert(header::USER_AGENT, agent.clone());
        }
        if let Some(RequestId(id)) = request.extensions.get::<RequestId>() {
            headers.insert(X_REQUEST_ID, id.clone());
        }
        headers
    }
}

impl fmt::Debug for Browsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browsers").finish_non_exhaustive()
    }
}

/// The console, whether this process lives, and the way from `/` to the console.
fn router(browsers: &Browsers, console: &Arc<dyn Transport>) -> Router {
    let console = Arc::clone(console);
    let route = Route::new(CONSOLE);
    let pages = any(move |request: Request| {
        route.enter();
        answer(console, request)
    });
    let pages = Router::new()
        .route(CONSOLE, pages.clone())
        .route(&format!("{CONSOLE}/"), pages.clone())
        .route(&format!("{CONSOLE}/{{*path}}"), pages);
    let browsers = browsers.clone();
    let home = move |request: Request| async move {
        let (parts, _) = request.into_parts();
        to_console(&browsers.origin(&parts))
    };
    compressed(pages)
        .route("/", get(home))
        .route(HEALTH, get(healthz))
        .fallback(unknown_path)
}

fn to_console(origin: &str) -> Response {
    Redirect::temporary(&format!("{origin}{CONSOLE}/")).into_response()
}

#[cfg(test)]
mod tests {
    use axum::{body::Body as AxumBody, extract::ConnectInfo};
    use http::StatusCode;
    use svc_model::wire::{Body, transport_fn};

    use super::*;
    use crate::http::request::Peer;

    fn browsers(public_url: Option<&str>) -> Browsers {
        Browsers(Arc::new(Config {
            public_url: public_url.map(str::to_owned),
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            ..Config::default()
        }))
    }

    #[tokio::test]
    async fn the_console_answers_below_its_path_and_nothing_else_does() {
        let console: Arc<dyn Transport> = Arc::new(transport_fn(|request| async move {
            let known = request.headers().contains_key(X_REQUEST_ID);
            Ok(Response::new(Body::from(format!("console {known}"))))
        }));
        let browsers = browsers(Some("https://a.example/x"));
        let stack = Limits::new(&browsers.0).around(router(&browsers, &console), &browsers.0);
        let ask = async |path: &str| {
            let request = Request::get(path).header(header::HOST, "a");
            stack.answer(request.body(AxumBody::empty()).unwrap()).await
        };
        for path in ["/console", "/console/", "/console/a/b/"] {
            let answer = ask(path).await;
            let bytes = axum::body::to_bytes(answer.into_body(), 100).await.unwrap();
            assert_eq!(bytes, "console true", "{path}");
        }
        assert_eq!(ask("/api/account/").await.status(), StatusCode::NOT_FOUND);
        assert_eq!(ask("/healthz").await.status(), StatusCode::OK);
        let home = ask("/").await;
        assert_eq!(
            home.headers()[header::LOCATION],
            "https://a.example/x/console/"
        );
    }

    #[test]
    fn the_service_is_told_the_address_of_the_browser_and_not_what_strangers_say() {
        let forwarded = |peer: &str| {
            let request = Request::get("/console/")
                .header("x-forwarded-for", "192.0.2.7")
                .header("cookie", "secret")
                .extension(ConnectInfo(Peer(peer.parse().unwrap())));
            let (parts, ()) = request.body(()).unwrap().into_parts();
            browsers(None).forwarded(&parts)
        };
        assert_eq!(forwarded("10.1.2.3")["x-forwarded-for"], "192.0.2.7");
        assert_eq!(forwarded("198.51.100.9")["x-forwarded-for"], "198.51.100.9");
        assert_eq!(forwarded("10.1.2.3").len(), 1);
    }
}
