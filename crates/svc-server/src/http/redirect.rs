//! The listener for plain HTTP: every request is redirected to HTTPS, with its path and query.
//!
//! The host is that of the public URL. Without one it is the host that the request names, if that is a name or an address and
//! nothing else. The target of the request never says it, so that no link leads elsewhere.

use std::{net::Ipv6Addr, sync::Arc};

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, StatusCode, Uri, header, uri::Authority};
use svc_model::Invalid;

use crate::{
    Config,
    http::{
        ApiError,
        limits::{Limits, Stack},
    },
};

/// The port of HTTPS that URLs do not name.
const HTTPS: u16 = 443;

/// Answers every request with a redirect, within the same limits as on the other listeners.
pub(crate) fn stack(limits: &Limits, config: &Config) -> Arc<Stack> {
    let mut config = config.clone();
    // A preflight is redirected too, and then fails as one may not.
    config.cors_origins.clear();
    let target = Arc::new(Target::of(&config));
    let redirect = async move |request: Request| target.answer(&request);
    limits.around(Router::new().fallback(redirect), &config)
}

/// Where requests are redirected to.
#[derive(Debug)]
enum Target {
    /// To this host and port.
    Public(String),
    /// To the host that the request names, at this port.
    SameHost(u16),
}

impl Target {
    fn of(config: &Config) -> Self {
        let public = config.public_url.as_deref().map(str::parse::<Uri>);
        let authority = public.and_then(Result::ok).and_then(|uri| {
            let authority = uri.authority()?;
            Some(authority.to_string())
        });
        authority.map_or(Self::SameHost(config.listen.port()), Self::Public)
    }

    fn answer(&self, request: &Request) -> Response {
        let host = request.headers().get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok());
        let location = self
            .location(host, request.uri())
            .and_then(|location| HeaderValue::try_from(location).ok());
        match location {
            Some(location) => {
                let headers = [(header::LOCATION, location)];
                (StatusCode::PERMANENT_REDIRECT, headers).into_response()
            }
            None => {
                let invalid = Invalid::general("the Host header must be a host name or an address");
                ApiError::from(invalid).into_response()
            }
        }
    }

    fn location(&self, host: Option<&str>, target: &Uri) -> Option<String> {
        let authority = match self {
            Self::Public(authority) => authority.clone(),
            Self::SameHost(port) => {
                let host = host_name(host?)?;
                match *port {
                    HTTPS => host,
                    port => format!("{host}:{port}"),
                }
            }
        };
        // `OPTIONS *` and CONNECT have no path.
        let path = target.path();
        let path = if path.starts_with('/') { path } else { "/" };
        let query = target.query();
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        Some(format!("https://{authority}{path}{query}"))
    }
}

/// The host of a `Host` header, without its port; `None` when it is more than a name or an address.
fn host_name(host: &str) -> Option<String> {
    let authority: Authority = host.parse().ok()?;
    let name = authority.host();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_fit = match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(is_name),
    };
    let is_alone = match host.strip_prefix(name)? {
        "" => true,
        port => port
            .strip_prefix(':')
            .is_some_and(|port| port.parse::<u16>().is_ok()),
    };
    (is_fit && is_alone).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(config: &Config, host: &str, target: &str) -> Option<String> {
        Target::of(config).location(Some(host), &target.parse().unwrap())
    }

    #[test]
    fn a_request_is_redirected_to_its_host_path_and_query() {
        let config = Config {
            listen: ([0, 0, 0, 0], 443).into(),
            ..Config::default()
        };
        for (host, target, location) in [
            ("A.example", "/x/?y=%20&z", "https://a.example/x/?y=%20&z"),
            ("a.example:80", "/", "https://a.example/"),
            ("[::1]:80", "/?", "https://[::1]/?"),
            (
                "10.0.0.1",
                "//evil.example/x",
                "https://10.0.0.1//evil.example/x",
            ),
            // The target in absolute form does not count.
            (
                "a.example",
                "http://evil.example/x?y",
                "https://a.example/x?y",
            ),
            ("a.example", "*", "https://a.example/"),
            ("a.example", "evil.example:443", "https://a.example/"),
        ] {
            assert_eq!(
                at(&config, host, target).as_deref(),
                Some(location),
                "{host}"
            );
        }
        let config = Config::default();
        let location = at(&config, "a.example:81", "/x");
        assert_eq!(location.as_deref(), Some("https://a.example:8080/x"));
    }

    #[test]
    fn a_host_that_is_more_than_a_host_is_refused() {
        let config = Config::default();
        for host in [
            "",
            ":80",
            "u@evil.example",
            "a.example:x",
            "a.example:99999",
            "a.example/x",
            "a.example?",
            "a example",
            "[::1",
            "[x]",
            "a,b",
            "a%2e",
        ] {
            assert_eq!(at(&config, host, "/"), None, "{host:?}");
        }
    }

    #[test]
    fn the_public_url_is_where_it_leads_whatever_the_request_names() {
        let config = Config {
            public_url: Some("https://data.example.com:8443/svc".to_owned()),
            ..Config::default()
        };
        for host in ["evil.example", "a b", "data.example.com"] {
            let location = at(&config, host, "/x?y");
            assert_eq!(
                location.as_deref(),
                Some("https://data.example.com:8443/x?y")
            );
        }
    }
}
