//! Absolute links, and the query strings of pages.

use std::{borrow::Cow, net::IpAddr};

use http::{HeaderMap, header, uri::Authority};
use svc_model::query::parse_pairs;

use crate::Config;

/// Scheme, host and path prefix under which the caller reaches the service: the configured public URL,
/// else what a trusted proxy says, else the request's own host and the scheme of the listener.
pub(crate) fn origin<'c>(config: &'c Config, headers: &HeaderMap, peer: IpAddr) -> Cow<'c, str> {
    if let Some(url) = &config.public_url {
        return Cow::Borrowed(url);
    }
    let trusted = config
        .trusted_proxies
        .iter()
        .any(|range| range.contains(peer));
    // Of a list, the last entry was added by the proxy that we trust.
    let forwarded = |name: &str| {
        let value = trusted.then(|| headers.get(name)).flatten()?;
        value.to_str().ok()?.rsplit(',').next().map(str::trim)
    };
    let own = || headers.get(header::HOST)?.to_str().ok();
    let scheme = match forwarded("x-forwarded-proto") {
        Some("https") => "https",
        None if config.speaks_tls() => "https",
        _ => "http",
    };
    let host = forwarded("x-forwarded-host").or_else(own);
    match host.and_then(|host| host.parse::<Authority>().ok()) {
        Some(host) if !host.as_str().contains('@') => Cow::Owned(format!("{scheme}://{host}")),
        _ => Cow::Owned(format!(
            "{scheme}://{}",
            config.data_listen.unwrap_or(config.listen)
        )),
    }
}

/// Whether a parameter says where a page begins, in whatever spelling.
fn is_of_page(parameter: &str) -> bool {
    let is_name = |name: &str| matches!(name, "page" | "_after" | "_before" | "_last");
    let name = parameter.split('=').next().unwrap_or_default();
    if !name.contains('%') {
        return is_name(name);
    }
    parse_pairs(parameter).is_ok_and(|pairs| pairs.iter().any(|(key, _)| is_name(key)))
}

/// The query string of another page: the caller's parameters in their spelling, but for those that say which page it is;
/// instead of them this one.
pub(crate) fn page_query(query: &str, place: (&str, &str)) -> String {
    let mut kept = String::with_capacity(query.len() + 48);
    for part in query.split('&').filter(|part| !part.is_empty()) {
        if !is_of_page(part) {
            kept.push_str(part);
            kept.push('&');
        }
    }
    let mut page_query = svc_model::QueryString::new();
    page_query.push(place.0, place.1);
    kept.push_str(page_query.as_str());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_link_keeps_the_callers_parameters_and_replaces_the_place() {
        assert_eq!(
            page_query(
                "status=a%20b&page=2&_per_page=5&_after=x&%70age=9&_last=1&_before=y",
                ("_after", "cursor")
            ),
            "status=a%20b&_per_page=5&_after=cursor"
        );
        assert_eq!(page_query("", ("page", "2")), "page=2");
    }

    #[test]
    fn the_public_url_wins_over_every_header() {
        let config = Config {
            public_url: Some("https://a.example/x".into()),
            ..Config::default()
        };
        let headers = headers(&[("host", "evil"), ("x-forwarded-host", "evil")]);
        assert_eq!(origin(&config, &headers, PEER), "https://a.example/x");
    }

    #[test]
    fn forwarded_headers_count_only_from_a_trusted_proxy() {
        let sent = headers(&[
            ("host", "inner:1"),
            ("x-forwarded-host", "evil, data.example.com"),
            ("x-forwarded-proto", "https"),
        ]);
        assert_eq!(origin(&Config::default(), &sent, PEER), "http://inner:1");
        let config = Config {
            trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
            ..Config::default()
        };
        assert_eq!(origin(&config, &sent, PEER), "https://data.example.com");
    }

    #[test]
    fn links_begin_with_https_when_the_service_speaks_tls() {
        let config = Config {
            tls_cert: Some("cert.pem".into()),
            ..Config::default()
        };
        let sent = headers(&[("host", "a.example"), ("x-forwarded-proto", "http")]);
        assert_eq!(origin(&config, &sent, PEER), "https://a.example");
    }

    #[test]
    fn a_host_that_is_none_gives_the_own_address() {
        let config = Config::default();
        for host in ["a b/<c>", "u@h"] {
            let sent = headers(&[("host", host)]);
            let origin = origin(&config, &sent, PEER);
            assert_eq!(origin, "http://127.0.0.1:8080", "{host}");
        }
    }
}
