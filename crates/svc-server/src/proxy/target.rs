//! The URL of a request: read once, by one parser, and held to what the proxy sends.

use http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::{Host, Url};

use super::template::{Expanded, Names, Put, TemplateError};

/// What of a value is escaped in a URL: all but what means nothing special anywhere behind the host.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    url: Url,
    /// A name in lower case or an address, without brackets.
    host: String,
}

impl Target {
    /// Reads a URL that a caller gave; the error says what is wrong with it and does not quote it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.chars().any(|c| c.is_control() || c == '\\') {
            return Err("must be without control characters and backslashes");
        }
        let authority = text
            .split_once("://")
            .map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default())
            .filter(|authority| !authority.is_empty())
            .ok_or("must begin with http:// or https:// and a host")?;
        if authority.contains('@') {
            return Err("must hold no user or password; send a header instead");
        }
        let target = Self::of(Url::parse(text).map_err(|_| "is not a valid URL")?)?;
        // Other spellings of an address are used to deceive.
        if let Some(Host::Ipv4(address)) = target.url.host()
            && authority.split(':').next() != Some(&*address.to_string())
        {
            return Err("must name an IPv4 address as four decimal numbers");
        }
        Ok(target)
    }

    /// Where a `Location` leads from here; the error does not quote it.
    pub(super) fn follow(&self, location: &str) -> Result<Self, &'static str> {
        if location.chars().any(|c| c.is_control() || c == '\\') {
            return Err("must be without control characters and backslashes");
        }
        Self::of(self.url.join(location).map_err(|_| "is not a valid URL")?)
    }

    fn of(mut url: Url) -> Result<Self, &'static str> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must begin with http:// or https://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must hold no user or password; send a header instead");
        }
        let host = match url.host() {
            Some(Host::Domain(name)) if name.ends_with('.') => {
                return Err("must name the host without a dot at its end");
            }
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => return Err("must name a host"),
        };
        url.set_fragment(None);
        Ok(Self { url, host })
    }

    /// The host: a name in lower case or an address, without brackets.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The port, that of the scheme where the URL names none.
    pub(super) fn port(&self) -> u16 {
        // The scheme is http or https, both of which have one.
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Scheme, host, and the port where it is not that of the scheme.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Whether both are of one origin: scheme, host and port (RFC 6454, section 5).
    pub(super) fn is_same_origin(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// Adds query parameters.
    pub(super) fn add_query(&mut self, pairs: &[(String, String)]) {
        if !pairs.is_empty() {
            self.url.query_pairs_mut().extend_pairs(pairs);
        }
    }

    /// The URL in the form that the transport needs.
    pub(super) fn uri(&self) -> Result<Uri, &'static str> {
        let uri: Uri = self.url.as_str().parse().map_err(|_| "cannot be sent")?;
        // Two readers of one URL must not see two hosts.
        let host = uri.host().unwrap_or_default();
        let scheme = uri.scheme_str().unwrap_or_default();
        let port = uri.port_u16().or(match scheme {
            "https" => Some(443),
            _ => Some(80),
        });
        let agreed = Some(host) == self.url.host_str()
            && port == self.url.port_or_known_default()
            && scheme == self.url.scheme();
        match agreed {
            true => Ok(uri),
            false => Err("cannot be sent"),
        }
    }
}

/// The longest URL once names are replaced.
const MAX_EXPANDED: usize = 64 * 1024;

/// Puts values into a URL. One at its beginning is taken as the beginning of a URL, every other one as a part
/// of the component that it is in.
pub(super) fn expand(names: &mut Names<'_>, text: &str) -> Result<Expanded, TemplateError> {
    names.encoded(text, put_in)
}

fn put_in(put: Put<'_>, into: &mut String) -> Result<(), TemplateError> {
    let Put {
        before,
        value,
        is_secret,
    } = put;
    if before.len() + value.len() > MAX_EXPANDED {
        return Err(TemplateError::Invalid(format!(
            "must be at most {MAX_EXPANDED} bytes long once its names are replaced"
        )));
    }
    if is_secret && !is_behind_host(before) {
        return Err(TemplateError::Invalid(
            "a secret token can only stand behind the host".to_owned(),
        ));
    }
    if before.is_empty() {
        into.push_str(value);
        return Ok(());
    }
    // However they are escaped they would lead elsewhere.
    if matches!(value, "." | "..") {
        return Err(TemplateError::Invalid(
            "a value in the URL must not be . or ..".to_owned(),
        ));
    }
    into.extend(utf8_percent_encode(value, ESCAPED));
    Ok(())
}

/// Whether a text that begins a URL ends behind its host.
fn is_behind_host(text: &str) -> bool {
    text.split_once("://")
        .is_some_and(|(_, rest)| rest.contains(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_store::{OpenSecret, Secret};

    use super::{super::template::Context, *};

    #[test]
    fn a_url_names_a_scheme_and_a_host_and_nobody() {
        for (text, host) in [
            ("http://a.example", "a.example"),
            ("HTTPS://A.Example:8443/x?y#z", "a.example"),
            ("http://10.0.0.7:81/", "10.0.0.7"),
            ("http://[::1]:81/", "::1"),
            ("http://[0:0::0001]/", "::1"),
            ("http://bücher.example/", "xn--bcher-kva.example"),
            ("http://a.example/with@at", "a.example"),
        ] {
            let target = Target::parse(text).unwrap_or_else(|error| panic!("{text} {error}"));
            assert_eq!(target.host(), host);
            assert!(!target.uri().unwrap().to_string().contains('#'));
        }
    }

    #[test]
    fn what_leads_elsewhere_than_it_looks_is_refused() {
        for text in [
            "",
            "/path",
            "a.example",
            "//a.example",
            "file:///etc/passwd",
            "gopher://a.example/",
            "ftp://a.example/",
            "data:text/plain,x",
            "javascript://a.example/%0aalert(1)",
            "unix:///run/docker.sock",
            "http:a.example",
            "http:/a.example",
            "http:///a.example",
            "http://",
            "http://good.example@evil.example/",
            "http://@evil.example/",
            "http://good.example:80@evil.example/",
            "http://good.example\\@evil.example/",
            "http://good.example\\.evil.example/",
            "http:\\\\evil.example",
            "http://a.exa\nmple/",
            "ht\ttp://a.example/",
            "http://a.example/\r\nX-Evil: 1",
            "http://a.example./",
            "http://127.0.0.1./",
            "http://localhost./",
            "http://a b.example/",
            "http://a%2f.example/",
            "http://a.example:99999/",
            "http://a.example:port/",
            "http://[::1/",
            "http://[::1%25lo]/",
        ] {
            assert!(Target::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn other_spellings_of_an_ipv4_address_are_refused() {
        for host in "\
            2130706433 0x7f000001 0x7f.0.0.1 0x7F.0x0.0x0.0x1 0177.0.0.1 017700000001 127.1 \
            127.0.1 127.0.0.1. 127.0.0.01 %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1 \
            256.256.256.256"
            .split(' ')
        {
            for url in [format!("http://{host}/"), format!("http://{host}:80")] {
                assert!(Target::parse(&url).is_err(), "{url}");
            }
        }
    }

    #[test]
    fn a_location_is_read_from_where_it_was_given() {
        let from = Target::parse("https://a.example:444/x/y?z").unwrap();
        let to = |location: &str| from.follow(location).map(|to| to.url.to_string());
        assert_eq!(to("../w").unwrap(), "https://a.example:444/w");
        assert_eq!(to("//b.example/#f").unwrap(), "https://b.example/");
        assert!(from.is_same_origin(&from.follow("/w").unwrap()));
        for location in [
            "https://a.example/",
            "http://a.example:444/",
            "//b.example:444",
        ] {
            assert!(!from.is_same_origin(&from.follow(location).unwrap()));
        }
        for location in [
            "file:///etc/passwd",
            "http://u@b.example/",
            "gopher://b/",
            "/\\b",
            "http://b./",
        ] {
            assert!(to(location).is_err(), "{location}");
        }
    }

    fn expanded(text: &str, values: &serde_json::Value) -> Result<String, TemplateError> {
        let context = Context::parse(&values.to_string()).unwrap();
        let secrets = [OpenSecret::new("key", Vec::new(), Secret::new("a/b?c&d=e"))];
        let mut names = Names::new(&context, &secrets, &[], 10_000);
        expand(&mut names, text).map(|expanded| expanded.text)
    }

    #[test]
    fn a_value_stays_in_its_place_of_the_url() {
        let values =
            serde_json::json!({"base": "https://a.example/v1", "id": "7/../8?x#y", "up": ".."});
        assert_eq!(
            expanded("{{base}}/people/{{id}}?key={-key-}", &values).unwrap(),
            "https://a.example/v1/people/7%2F..%2F8%3Fx%23y?key=a%2Fb%3Fc%26d%3De"
        );
        assert!(expanded("https://a.example/{{up}}/x", &values).is_err());
        for text in [
            "{-key-}",
            "https://{-key-}.example/",
            "https://a.example:{-key-}/",
            "{-key-}://a/",
        ] {
            assert!(expanded(text, &values).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_value_behind_the_host_changes_neither_host_nor_path_before_it(value in any::<String>()) {
            let values = serde_json::json!({ "v": value });
            if let Ok(text) = expanded("https://a.example/x/{{v}}?q={{v}}", &values) {
                let target = Target::parse(&text).unwrap();
                prop_assert_eq!(target.host(), "a.example");
                prop_assert!(target.url.path().starts_with("/x/"));
                let query: Vec<_> = target.url.query_pairs().collect();
                prop_assert_eq!(query.len(), 1);
                prop_assert_eq!(&*query[0].1, value.as_str());
            }
        }

        #[test]
        fn a_value_in_the_host_makes_no_other_origin(value in "[a-z0-9./@:?#%\\\\-]{0,12}") {
            let values = serde_json::json!({ "v": value });
            if let Ok(text) = expanded("https://{{v}}.a.example/", &values)
                && let Ok(target) = Target::parse(&text)
            {
                prop_assert!(target.host().ends_with(".a.example"));
            }
        }

        #[test]
        fn both_readers_of_a_url_see_the_same_host(text in "https?://[a-zA-Z0-9.@:\\[\\]%_~-]{1,20}(/[ -~]{0,20})?") {
            if let Ok(target) = Target::parse(&text)
                && let Ok(uri) = target.uri()
            {
                prop_assert_eq!(uri.host(), target.url.host_str());
            }
        }
    }
}
