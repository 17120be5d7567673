//! Names of hosts, in the one spelling that they are compared in.

use std::fmt;
use std::net::IpAddr;

use crate::error::{Error, Result};

/// Longest name of a host, in characters (RFC 1035, section 2.3.4).
const MAX_LENGTH: usize = 253;
/// Longest part between two dots.
const MAX_LABEL: usize = 63;

/// A host: a name in lower case without a dot at its end, or an IP address in its canonical form, IPv6 without
/// brackets. No port.
///
/// ```
/// use svc_store::HostName;
///
/// assert_eq!(HostName::parse("API.Example.com")?.as_str(), "api.example.com");
/// assert_eq!(HostName::parse("[2001:DB8:0::1]")?.as_str(), "2001:db8::1");
/// assert!(HostName::parse("https://api.example.com").is_err());
/// # Ok::<(), svc_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

impl HostName {
    /// Reads a host. An international name is given in its ASCII form (`xn--...`).
    ///
    /// # Errors
    /// A field error on `host` when the text is not a host: it has a scheme, a port or a path, it is an IPv4 address in
    /// another form than four decimal numbers, it ends in a dot.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_or(
            text,
            "must be a host name such as api.example.com, or an IP address: no scheme, port, path or dot at the end",
        )
    }

    /// The same, where `wrong` says what else than a host may be written.
    pub(super) fn parse_or(text: &str, wrong: &str) -> Result<Self> {
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        if let Ok(address) = bare.parse::<IpAddr>() {
            // What is written as IPv6 and means IPv4 would be a second spelling.
            return match address.to_canonical() == address {
                true => Ok(Self(address.to_string())),
                false => Err(invalid_host(
                    "write an IPv4 address as four decimal numbers",
                )),
            };
        }
        let name = text.to_ascii_lowercase();
        if name.len() > MAX_LENGTH || !name.split('.').all(is_label) {
            return Err(invalid_host(wrong));
        }
        // Resolvers read such a name as an address of another spelling.
        let last = name.rsplit('.').next().unwrap_or_default();
        if last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(invalid_host(
                "write an IPv4 address as four decimal numbers",
            ));
        }
        Ok(Self(name))
    }

    /// The host in the spelling that it is compared in.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A host that was read before it was stored.
    pub(crate) fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The host as it is written in a URL: an IPv6 address in brackets.
    pub fn in_url(&self) -> String {
        match self.0.contains(':') {
            true => format!("[{}]", self.0),
            false => self.0.clone(),
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_label(label: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(fits)
}

fn invalid_host(message: &str) -> Error {
    Error::invalid_field("host", message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, host) in [
            ("api.example.com", "api.example.com"),
            ("LOCALHOST", "localhost"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("a_b.internal", "a_b.internal"),
            ("10.0.0.7", "10.0.0.7"),
            ("[::1]", "::1"),
            ("2001:DB8:0:0::7", "2001:db8::7"),
        ] {
            assert_eq!(HostName::parse(text).unwrap().as_str(), host);
        }
        assert_eq!(HostName::parse("::1").unwrap().in_url(), "[::1]");
    }

    #[test]
    fn what_is_more_or_less_than_a_host_is_refused() {
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a b",
            "a/b",
            "a:80",
            "u@a",
            "https://a",
            "*.a",
            "büch.er",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "127.0.0.0x1",
            "0177.0.0.1",
            "::ffff:127.0.0.1",
            "a\nb",
            &"a".repeat(64),
            &"a.".repeat(127),
        ] {
            let error = HostName::parse(text).unwrap_err();
            assert_eq!(
                error.invalid().unwrap().field_errors()[0].0,
                "host",
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_its_own_spelling(text in "[a-zA-Z0-9._:\\[\\]-]{0,20}") {
            if let Ok(host) = HostName::parse(&text) {
                prop_assert_eq!(HostName::parse(host.as_str()).unwrap(), host);
            }
        }
    }
}
