//! The cookie of a session, and who may send forms.

use http::{HeaderMap, header, request::Parts};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// How long a browser keeps the cookie, in seconds: as long as browsers allow. When the session ends is for the service to say.
const MAX_AGE: u32 = 400 * 86_400;

/// The cookie of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    name: String,
    attributes: String,
}

impl Cookie {
    /// The cookie of a service, for a browser that has reached it under this origin.
    pub(crate) fn new(short_name: &str, origin: &str) -> Self {
        // Only where the browser speaks TLS may the name promise that it does.
        match origin.starts_with("https://") {
            true => Self {
                name: format!("__Host-svc-{short_name}"),
                attributes: "Path=/; HttpOnly; SameSite=Lax; Secure".to_owned(),
            },
            false => Self {
                name: format!("svc-{short_name}"),
                attributes: "Path=/; HttpOnly; SameSite=Lax".to_owned(),
            },
        }
    }

    /// What a request's cookie holds.
    pub(crate) fn read<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let values = headers.get_all(header::COOKIE).iter();
        let texts = values.filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';'));
        pairs.find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.name && !value.is_empty()).then_some(value)
        })
    }

    /// The header that sets it.
    pub(crate) fn set(&self, value: &str) -> String {
        let Self { name, attributes } = self;
        format!("{name}={value}; Max-Age={MAX_AGE}; {attributes}")
    }

    /// The header that removes it.
    pub(crate) fn clear(&self) -> String {
        let Self { name, attributes } = self;
        format!("{name}=; Max-Age=0; {attributes}")
    }
}

/// The field of a form that has the token.
pub(crate) const TOKEN: &str = "_token";

/// What a form has that was made for a browser with this in its cookie. Nobody else can know it, nor the cookie by it.
pub(crate) fn token_of(kept: &str) -> String {
    let digest = Sha256::new()
        .chain_update("a form of the console of svc\n")
        .chain_update(kept)
        .finalize();
    let bytes = digest.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The same of a header that sets the cookie.
pub(crate) fn token_in(set_cookie: &str) -> String {
    let pair = set_cookie.split(';').next().unwrap_or_default();
    token_of(pair.split_once('=').unwrap_or_default().1)
}

/// Whether two texts are the same, in a time that does not depend on where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// Where a form was sent from, as far as the browser says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// From a page of the console.
    Own,
    /// From another site, or a place of this one that is not the console's.
    Foreign,
    /// The browser says nothing.
    Unknown,
}

impl Sender {
    /// Whose page a link was on. Over plain HTTP to another machine browsers say no more than where it was.
    pub(crate) fn of_link(parts: &Parts, origin: &str) -> Self {
        match Self::of(parts, origin) {
            Self::Unknown => {
                let referer = parts.headers.get(header::REFERER);
                let referer = referer.and_then(|value| value.to_str().ok());
                match referer.map(origin_of) {
                    Some(referer) if referer == origin_of(origin) => Self::Own,
                    Some(_) => Self::Foreign,
                    None => Self::Unknown,
                }
            }
            known => known,
        }
    }

    /// Who has sent a request: by `Sec-Fetch-Site`, which browsers send over TLS and to this machine, else by `Origin`.
    pub(crate) fn of(parts: &Parts, origin: &str) -> Self {
        let text = |name: &str| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        if let Some(site) = text("sec-fetch-site") {
            return match site {
                "same-origin" | "none" => Self::Own,
                _ => Self::Foreign,
            };
        }
        let Some(sender) = text("origin") else {
            return Self::Unknown;
        };
        let (_, host) = sender.split_once("://").unwrap_or_default();
        let is_own = origin_of(origin) == sender
            || (!host.is_empty() && text("host") == Some(host) && !origin.starts_with("https://"));
        match is_own {
            true => Self::Own,
            false => Self::Foreign,
        }
    }
}

/// Scheme and host of a URL.
fn origin_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(start..).and_then(|rest| rest.find('/'));
    end.map_or(url, |end| url.get(..start + end).unwrap_or(url))
}

/// The path prefix of a URL.
pub(crate) fn prefix_of(url: &str) -> &str {
    url.get(origin_of(url).len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn sender(headers: &[(&str, &str)], origin: &str) -> Sender {
        let mut request = Request::post("/console/sign-out/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Sender::of(&request.body(()).unwrap().into_parts().0, origin)
    }

    #[test]
    fn forms_of_other_sites_ports_and_frames_are_foreign() {
        let local = "http://127.0.0.1:8080";
        for (headers, expected) in [
            (&[("sec-fetch-site", "same-origin")][..], Sender::Own),
            (&[("sec-fetch-site", "none")], Sender::Own),
            (&[("sec-fetch-site", "same-site")], Sender::Foreign),
            (&[("sec-fetch-site", "cross-site")], Sender::Foreign),
            (
                &[("sec-fetch-site", "cross-site"), ("origin", local)],
                Sender::Foreign,
            ),
            (&[("origin", local)], Sender::Own),
            (
                &[
                    ("origin", "http://127.0.0.1:9090"),
                    ("host", "127.0.0.1:8080"),
                ],
                Sender::Foreign,
            ),
            (
                &[("origin", "http://lan:8080"), ("host", "lan:8080")],
                Sender::Own,
            ),
            (&[("origin", "null"), ("host", "lan:8080")], Sender::Foreign),
            (&[], Sender::Unknown),
        ] {
            assert_eq!(sender(headers, local), expected, "{headers:?}");
        }
        let public = "https://a.example/svc";
        assert_eq!(
            sender(&[("origin", "https://a.example")], public),
            Sender::Own
        );
        let plain = [("origin", "http://a.example"), ("host", "a.example")];
        assert_eq!(sender(&plain, public), Sender::Foreign);
        assert_eq!(prefix_of(public), "/svc");
        assert_eq!(prefix_of(local), "");
    }

    #[test]
    fn a_token_is_that_of_one_cookie() {
        assert_eq!(token_of("svcb_a"), token_of("svcb_a"));
        assert_ne!(token_of("svcb_a"), token_of("svcb_b"));
        assert!(!token_of("svcb_a").contains("svcb"));
        let cookie = Cookie::new("1f2e", "http://a");
        assert_eq!(token_in(&cookie.set("svcb_a")), token_of("svcb_a"));
        assert!(is_same("abc", "abc") && is_same("", ""));
        assert!(!is_same("abc", "abd") && !is_same("abc", "ab") && !is_same("", "a"));
    }

    #[test]
    fn a_link_is_followed_from_the_console_alone() {
        let of = |headers: &[(&str, &str)]| {
            let mut request = Request::get("/console/");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let parts = request.body(()).unwrap().into_parts().0;
            Sender::of_link(&parts, "http://lan:8080")
        };
        assert_eq!(
            of(&[("referer", "http://lan:8080/console/a/")]),
            Sender::Own
        );
        assert_eq!(of(&[("referer", "http://evil.example/")]), Sender::Foreign);
        assert_eq!(of(&[]), Sender::Unknown);
        assert_eq!(of(&[("sec-fetch-site", "none")]), Sender::Own);
        assert_eq!(of(&[("sec-fetch-site", "cross-site")]), Sender::Foreign);
    }

    #[test]
    fn the_cookie_of_a_service_is_read_among_others() {
        let cookie = Cookie::new("1f2e", "http://127.0.0.1:8080");
        let mut headers = HeaderMap::new();
        headers.append(
            "cookie",
            "svc-aaaa=1; svc-1f2e=svcb_x; other".parse().unwrap(),
        );
        assert_eq!(cookie.read(&headers), Some("svcb_x"));
        assert!(!cookie.set("x").contains("Secure"));
        let secure = Cookie::new("1f2e", "https://a.example").set("x");
        assert!(
            secure.starts_with("__Host-svc-1f2e=x; ") && secure.contains("; Secure"),
            "{secure}"
        );
        assert_eq!(Cookie::new("2", "http://a").read(&headers), None);
    }
}
