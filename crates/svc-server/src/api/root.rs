//! `/`: what this service is and where to continue, for a person who opens the address in a browser.

use axum::extract::{ConnectInfo, State};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use maud::{DOCTYPE, html};
use serde_json::json;

use crate::{
    api::{
        console::CONSOLE,
        routes::{Hosts, PREFIX, Routes},
    },
    http::{
        ApiResponse, links,
        request::Peer,
        response::{json_response, page_response},
    },
    state::Shared,
};

/// Where the project and its book are.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// Nothing is loaded or run, and the page is shown in no frame.
const POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes(hosts: Hosts) -> Routes {
    let answer = move |State(state): State<Shared>,
                       ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
                       headers: HeaderMap| async move {
        let origin = links::origin(&state.config, &headers, peer);
        let addresses = Addresses::new(hosts, &origin, state.console.get().is_some());
        let mut answer = match wants_html(&headers) {
            true => addresses.page(),
            false => addresses.json(),
        };
        let vary = HeaderValue::from_static("accept");
        answer.headers_mut().insert(header::VARY, vary);
        answer
    };
    Routes::new().get_free("/", answer)
}

/// Whether the caller would rather read a page than JSON, as browsers do.
fn wants_html(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter();
    accepted.any(|value| {
        value
            .to_str()
            .is_ok_and(|value| value.to_ascii_lowercase().contains("text/html"))
    })
}

/// What a host has.
struct Addresses {
    /// Names, and paths or URLs, in the order in which they are shown.
    listed: Vec<(&'static str, String)>,
}

impl Addresses {
    fn new(hosts: Hosts, origin: &str, has_console: bool) -> Self {
        let mut listed = Vec::new();
        if hosts != Hosts::Data && has_console {
            listed.push(("console", format!("{origin}{CONSOLE}/")));
        }
        if hosts != Hosts::Application {
            let resource = format!("{origin}/projects/{{project}}/{{environment}}/{{resource}}");
            listed.push(("resource", resource.clone()));
            listed.push(("resource_definition", format!("{resource}/openapi.json")));
        }
        if hosts != Hosts::Data {
            listed.push(("application", format!("{origin}{PREFIX}")));
            let definition = format!("{origin}{PREFIX}/openapi.json");
            listed.push(("application_definition", definition));
            listed.push((
                "interactive_documentation",
                format!("{origin}{PREFIX}/docs/"),
            ));
        }
        listed.push(("health", format!("{origin}/healthz")));
        listed.push(("documentation", REPOSITORY.to_owned()));
        Self { listed }
    }

    fn json(&self) -> ApiResponse {
        let mut body = json!({"service": "svc"});
        for (name, url) in &self.listed {
            body[name] = url.as_str().into();
        }
        json_response(StatusCode::OK, &body)
    }

    fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { "svc" }
                }
                body {
                    h1 { "svc" }
                    p {
                        "A REST API in front of databases. Calls need a credential in the "
                        code { "Authorization" } " header."
                    }
                    dl {
                        @for (name, url) in &self.listed {
                            dt { (name.replace('_', " ")) }
                            dd {
                                // A URL with names to fill in leads nowhere.
                                @if url.contains('{') { code { (url) } } @else { a href=(url) { (url) } }
                            }
                        }
                    }
                }
            }
        };
        page.into_string()
    }

    fn page(&self) -> ApiResponse {
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::REFERRER_POLICY, "no-referrer"),
        ];
        page_response(self.html().into(), headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_names_what_it_has() {
        let names = |hosts: Hosts| -> Vec<_> {
            let addresses = Addresses::new(hosts, "http://a.example", false);
            addresses.listed.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(
            names(Hosts::Data),
            ["resource", "resource_definition", "health", "documentation"]
        );
        assert_eq!(
            names(Hosts::Application),
            [
                "application",
                "application_definition",
                "interactive_documentation",
                "health",
                "documentation"
            ]
        );
        assert_eq!(names(Hosts::Both).len(), 7);
    }

    #[test]
    fn nothing_of_a_request_becomes_a_tag() {
        let page = Addresses::new(Hosts::Both, "http://<a href=\"x\">&", true).html();
        assert!(
            page.contains("href") && !page.contains("<a href=\"x"),
            "{page}"
        );
    }
}
