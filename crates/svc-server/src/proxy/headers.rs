//! Which headers go to the other service, and which come back from it.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use svc_model::{Invalid, proxy::X_SVC_PROXY};

use super::{
    pairs::Pairs,
    template::{Names, TemplateError, shortened},
};

/// The most headers of a request.
const MOST: usize = 100;
/// The most bytes of their names and values.
const MOST_BYTES: usize = 32 * 1024;

/// Headers that the proxy sets itself, or that concern one connection (RFC 9110, section 7.6.1).
const OWN: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers of an answer that would act upon this service: on what a browser keeps for its origin, or on a server in
/// front of it.
const NOT_PASSED: &[&str] = &[
    "alt-svc",
    "clear-site-data",
    "nel",
    "public-key-pins",
    "public-key-pins-report-only",
    "report-to",
    "reporting-endpoints",
    "service-worker-allowed",
    "set-cookie",
    "set-cookie2",
    "set-login",
    "strict-transport-security",
    "timing-allow-origin",
    "x-lighttpd-send-file",
    "x-sendfile",
    X_SVC_PROXY,
];

/// How the names of further such headers begin.
const NOT_PASSED_GROUPS: &[&str] = &["access-control-", "proxy-", "x-accel-"];

/// The headers of a request, and those with a secret in them.
#[derive(Debug, Default)]
pub(super) struct RequestHeaders {
    pub(super) map: HeaderMap,
    pub(super) secret: BTreeSet<String>,
}

/// What is wrong with the headers of a request.
pub(super) enum Refused {
    Invalid(Invalid),
    TooLarge,
}

/// The headers as the caller gave them, with values in place of names.
pub(super) fn of_request(names: &mut Names<'_>, pairs: &Pairs) -> Result<RequestHeaders, Refused> {
    // Before they are collected: a map of headers holds some ten thousand names and panics beyond.
    if pairs.len() > MOST {
        return Err(Refused::Invalid(Invalid::field("headers", too_many())));
    }
    let mut headers = RequestHeaders::default();
    let mut invalid = Invalid::new();
    let mut bytes = 0;
    for (name, value) in pairs {
        let (name, value, is_secret) = match one(names, name, value) {
            Ok(header) => header,
            Err(TemplateError::Invalid(message)) => {
                invalid.push_field("headers", message);
                continue;
            }
            Err(TemplateError::TooLarge) => return Err(Refused::TooLarge),
        };
        bytes += name.as_str().len() + value.len();
        if is_secret {
            headers.secret.insert(name.as_str().to_owned());
        }
        headers.map.append(name, value);
    }
    if bytes > MOST_BYTES {
        invalid.push_field("headers", too_many());
    }
    invalid.into_result().map_err(Refused::Invalid)?;
    Ok(headers)
}

/// A header, and whether there is a secret in it.
fn one(
    names: &mut Names<'_>,
    name: &str,
    value: &str,
) -> Result<(HeaderName, HeaderValue, bool), TemplateError> {
    let known = HeaderName::try_from(name).map_err(|_| {
        TemplateError::Invalid(format!("{:?} is not a header name", shortened(name)))
    })?;
    if OWN.contains(&known.as_str()) {
        let message = format!("{known} is set by the proxy; leave it out");
        return Err(TemplateError::Invalid(message));
    }
    let expanded = names.verbatim(value)?;
    let mut value = HeaderValue::from_bytes(expanded.text.as_bytes()).map_err(|_| {
        TemplateError::Invalid(format!(
            "the value of {known} holds a line end or another control character"
        ))
    })?;
    value.set_sensitive(expanded.secret || is_credential(&known));
    Ok((known, value, expanded.secret))
}

fn too_many() -> String {
    format!("must be at most {MOST} with {MOST_BYTES} bytes together")
}

/// Whether a header holds the credential of the caller.
pub(super) fn is_credential(name: &HeaderName) -> bool {
    *name == header::AUTHORIZATION || *name == header::COOKIE
}

/// Takes out of an answer's headers what is not passed on. Values with one of these secrets in them go too.
pub(super) fn strip_answer(headers: &mut HeaderMap, secrets: &[String]) {
    let mut gone: Vec<HeaderName> = Vec::new();
    for value in headers.get_all(header::CONNECTION) {
        let named = value.to_str().unwrap_or_default().split(',');
        gone.extend(named.filter_map(|name| HeaderName::try_from(name.trim()).ok()));
    }
    for (name, value) in &*headers {
        let name_text = name.as_str();
        let is_ours = OWN.contains(&name_text)
            || NOT_PASSED.contains(&name_text)
            || NOT_PASSED_GROUPS
                .iter()
                .any(|group| name_text.starts_with(group));
        if is_ours || holds_secret(value.as_bytes(), secrets) {
            gone.push(name.clone());
        }
    }
    for name in gone {
        headers.remove(name);
    }
}

/// Whether bytes hold one of these texts.
pub(super) fn holds_secret(bytes: &[u8], secrets: &[String]) -> bool {
    secrets.iter().any(|secret| {
        let secret = secret.as_bytes();
        !secret.is_empty() && bytes.windows(secret.len()).any(|window| window == secret)
    })
}

#[cfg(test)]
mod tests {
    use svc_store::{OpenSecret, Secret};

    use super::{super::template::Context, *};

    fn of(pairs: &[(&str, &str)]) -> Result<RequestHeaders, Refused> {
        let context =
            Context::parse(r#"{"evil":"x\r\nX-Evil: 1","plain":"p","nul":"a\u0000b"}"#).unwrap();
        let secrets = [
            OpenSecret::new("key", Vec::new(), Secret::new("hunter2")),
            OpenSecret::new("split", Vec::new(), Secret::new("a\r\nX-Evil: 1")),
        ];
        let mut names = Names::new(&context, &secrets, &[], 100_000);
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        of_request(&mut names, &pairs.collect())
    }

    fn refusal(pairs: &[(&str, &str)]) -> String {
        match of(pairs) {
            Err(Refused::Invalid(invalid)) => invalid.to_string(),
            _ => panic!("{pairs:?} is refused"),
        }
    }

    #[test]
    fn headers_keep_their_order_and_secrets_are_known() {
        let headers = of(&[
            ("X-Key", "k {-key-}"),
            ("x-list", "1"),
            ("X-List", "{{plain}}"),
            ("Cookie", "a=b"),
            ("X-Name", "Grüße"),
        ]);
        let Ok(headers) = headers else {
            panic!("they are fit")
        };
        assert_eq!(headers.map["x-key"], "k hunter2");
        assert!(headers.map["x-key"].is_sensitive() && headers.map["cookie"].is_sensitive());
        let list: Vec<_> = headers.map.get_all("x-list").iter().collect();
        assert_eq!(list, ["1", "p"]);
        assert_eq!(headers.secret.into_iter().collect::<Vec<_>>(), ["x-key"]);
        assert_eq!(headers.map["x-name"].as_bytes(), "Grüße".as_bytes());
    }

    #[test]
    fn a_line_end_in_a_name_a_value_or_a_secret_is_refused_and_not_repeated() {
        for (name, value) in [
            ("X-A", "x\r\nX-Evil: 1"),
            ("X-A", "x\nX-Evil: 1"),
            ("X-A", "{{evil}}"),
            ("X-A", "{{nul}}"),
            ("X-A", "{-split-}"),
        ] {
            let refusal = refusal(&[(name, value)]);
            assert!(refusal.contains("x-a"), "{refusal}");
            assert!(!refusal.contains("Evil"), "{refusal}");
        }
        for name in ["X-A\r\nX-Evil", "X A", "", "X-A:", "Ä"] {
            refusal(&[(name, "1")]);
        }
    }

    #[test]
    fn headers_of_the_connection_and_of_the_proxy_are_refused_by_name() {
        for name in [
            "Host",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "TE",
            "Upgrade",
            "Proxy-Authorization",
            "Expect",
            "Keep-Alive",
            "Trailer",
        ] {
            let refusal = refusal(&[(name, "x")]);
            assert!(refusal.contains(&name.to_lowercase()), "{refusal}");
        }
    }

    #[test]
    fn there_is_an_end_to_number_and_size() {
        refusal(&[("X-A", "1"); 101]);
        let long = "x".repeat(40_000);
        refusal(&[("X-A", &long)]);
        // More names than a map of headers can hold.
        let names: Vec<String> = (0..40_000).map(|n| format!("x-{n}")).collect();
        let pairs: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
        assert!(refusal(&pairs).contains("at most 100"));
    }

    #[test]
    fn of_an_answer_goes_what_would_act_upon_this_service() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "text/plain"),
            ("content-encoding", "gzip"),
            ("etag", "\"1\""),
            ("location", "/x?key=hunter2"),
            ("x-total", "7"),
            ("set-cookie", "a=b"),
            ("set-cookie", "c=d"),
            ("access-control-allow-origin", "*"),
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("transfer-encoding", "chunked"),
            ("content-length", "7"),
            ("clear-site-data", "\"*\""),
            ("strict-transport-security", "max-age=1"),
            ("x-accel-redirect", "/etc/passwd"),
            ("x-sendfile", "/etc/passwd"),
            ("x-svc-proxy", "forged"),
        ] {
            headers.append(name, value.parse().unwrap());
        }
        strip_answer(&mut headers, &["hunter2".to_owned()]);
        let left: BTreeSet<&str> = headers.keys().map(HeaderName::as_str).collect();
        let expected = ["content-encoding", "content-type", "etag", "x-total"];
        assert_eq!(left, BTreeSet::from(expected));
    }
}
