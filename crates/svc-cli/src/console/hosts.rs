//! The addresses of a service elsewhere.

use std::net::IpAddr;

use http::Uri;
use svc_api::auth::BaseUrl;

use crate::error::Error;

/// The path of the application host below the data host.
const APP_PATH: &str = "/api";

/// The hosts of the service.
#[derive(Debug)]
pub(super) struct Hosts {
    pub(super) data: BaseUrl,
    pub(super) app: BaseUrl,
}

impl Hosts {
    /// Checks the address of the application host, and that of the data host where it is named.
    pub(super) fn new(app: &str, data: Option<&str>) -> Result<Self, Error> {
        let app = base_url("--app-base-url", app)?;
        let data = match data.filter(|url| !url.is_empty()) {
            Some(url) => base_url("--api-base-url", url)?,
            None => match app.as_str().strip_suffix(APP_PATH) {
                Some(url) => base_url("--app-base-url", url)?,
                None => {
                    return Err(Error::usage(format!(
                        "--app-base-url {app} does not end in {APP_PATH}, as the application host of a service does; give it \
                         with {APP_PATH}, or the data host too with --api-base-url"
                    )));
                }
            },
        };
        Ok(Self { data, app })
    }

    /// Passwords and records go to the service. Without TLS anyone in between reads them.
    pub(super) fn warn_when_readable(&self) {
        for url in [&self.app, &self.data] {
            if is_readable_between(url.as_str()) {
                tracing::warn!(
                    %url,
                    "the service is called without TLS: anyone in between reads passwords and records; use https://"
                );
                return;
            }
        }
    }
}

fn base_url(option: &str, text: &str) -> Result<BaseUrl, Error> {
    text.parse()
        .map_err(|error| Error::usage(format!("{option} {error}")))
}

/// Whether calls to this URL cross a network in the clear.
fn is_readable_between(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return true;
    };
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let is_here = host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    uri.scheme_str() != Some("https") && !is_here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_host_is_the_application_host_without_its_path_unless_it_is_named() {
        let hosts = |app: &str, data: Option<&str>| {
            let hosts = Hosts::new(app, data)?;
            Ok::<_, Error>([hosts.app.to_string(), hosts.data.to_string()])
        };
        assert_eq!(
            hosts("https://a.example/x/api/", None).unwrap(),
            ["https://a.example/x/api", "https://a.example/x"]
        );
        assert_eq!(
            hosts("https://a.example", Some("https://d.example/")).unwrap(),
            ["https://a.example", "https://d.example"]
        );
        for wrong in ["https://a.example", "a.example/api", "ftp://a/api", "/api"] {
            let error = hosts(wrong, None).unwrap_err().to_string();
            assert!(error.contains("--app-base-url"), "{error}");
        }
        let error = hosts("https://u:hunter2@a.example/api", None).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn only_calls_within_the_machine_or_over_tls_are_unreadable_between() {
        for url in [
            "https://a.example/api",
            "http://127.0.0.1:8080/api",
            "http://[::1]:8080",
            "http://LOCALHOST/api",
        ] {
            assert!(!is_readable_between(url), "{url}");
        }
        for url in [
            "http://a.example/api",
            "http://10.0.0.1",
            "http://127.0.0.1.example",
        ] {
            assert!(is_readable_between(url), "{url}");
        }
    }
}
