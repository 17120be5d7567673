//! Tunnels through a proxy (RFC 9110, section 9.3.6).

use http::{HeaderValue, Method, Request, StatusCode, Uri, header};
use hyper::{client::conn::http1, upgrade::Upgraded};
use svc_model::wire::Body;

use super::{ConnectError, Stream};
use crate::proxy::ProxyServer;

/// Asks the proxy at the other end of `stream` for a tunnel to `destination`.
pub(super) async fn open(
    stream: Stream,
    destination: &Uri,
    proxy: &ProxyServer,
) -> Result<Upgraded, ConnectError> {
    let failed = |error: hyper::Error| {
        ConnectError::proxy(proxy, "broke off while the tunnel was made").with_source(error)
    };
    let request = request(destination, proxy)
        .map_err(|error| ConnectError::proxy(proxy, "cannot be asked").with_source(error))?;
    let (mut sender, connection) = http1::handshake(stream).await.map_err(failed)?;
    // The task ends with the tunnel, or when `sender` is dropped with the caller's future.
    tokio::spawn(async move {
        let _ = connection.with_upgrades().await;
    });
    let response = sender.send_request(request).await.map_err(failed)?;
    match response.status() {
        status if status.is_success() => hyper::upgrade::on(response).await.map_err(failed),
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => Err(ConnectError::proxy(
            proxy,
            "wants other credentials (407); put them into the address of the proxy, \
             as in http://user:password@host:port",
        )),
        status => Err(ConnectError::proxy(
            proxy,
            &format!(
                "refused a tunnel to the service with status {}",
                status.as_u16()
            ),
        )),
    }
}

fn request(destination: &Uri, proxy: &ProxyServer) -> Result<Request<Body>, http::Error> {
    let host = destination.host().unwrap_or_default();
    let port = destination.port_u16().unwrap_or(443);
    let target = format!("{host}:{port}");
    let mut request = Request::builder()
        .method(Method::CONNECT)
        .header(header::HOST, HeaderValue::try_from(&target)?)
        .uri(target)
        .body(Body::empty())?;
    if let Some(authorization) = proxy.authorization() {
        request
            .headers_mut()
            .insert(header::PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}
