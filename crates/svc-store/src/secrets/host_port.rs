//! A host with every port, or with one.

use std::fmt;

use crate::error::{Error, Result};
use crate::secrets::HostName;

/// A [host](HostName), and the port where only one is meant: `crm.internal`, `crm.internal:8443`, `[fd00::7]:8443`.
///
/// ```
/// use svc_store::HostPort;
///
/// let entry = HostPort::parse("CRM.internal:8443")?;
/// assert_eq!(entry.to_string(), "crm.internal:8443");
/// assert!(entry.covers("crm.internal", 8443) && !entry.covers("crm.internal", 22));
/// assert!(HostPort::parse("crm.internal")?.covers("crm.internal", 22));
/// # Ok::<(), svc_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPort {
    host: HostName,
    port: Option<u16>,
}

impl HostPort {
    /// Reads a host, with or without a port. An IPv6 address with a port is written in brackets.
    ///
    /// # Errors
    /// A field error on `host`, as of [`HostName::parse`], and when the port is not a number from 1 to 65535.
    pub fn parse(text: &str) -> Result<Self> {
        let (host, port) = match text.rsplit_once(':') {
            // Without brackets it is an IPv6 address as a whole.
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = port.map(parse_port).transpose()?;
        Ok(Self {
            host: HostName::parse_or(
                host,
                "must be a host name such as api.example.com, or an IP address, with or without a port: no scheme, path, * or dot at the end",
            )?,
            port,
        })
    }

    /// The host.
    pub fn host(&self) -> &HostName {
        &self.host
    }

    /// The only port that is meant; `None` for every port.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether a port of a host is meant; the host in the spelling of [`HostName::as_str`].
    pub fn covers(&self, host: &str, port: u16) -> bool {
        self.host.as_str() == host && self.port.is_none_or(|only| only == port)
    }
}

impl From<HostName> for HostPort {
    /// Every port of a host.
    fn from(host: HostName) -> Self {
        Self { host, port: None }
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => self.host.fmt(f),
            Some(port) => write!(f, "{}:{port}", self.host.in_url()),
        }
    }
}

fn parse_port(text: &str) -> Result<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(port) if is_number && port > 0 => Ok(port),
        _ => Err(Error::invalid_field(
            "host",
            "the port must be a number from 1 to 65535, as in crm.internal:8443; write an IPv6 address with a port in brackets; a URL is not allowed",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_host_or_one_of_its_ports() {
        for (text, written, port) in [
            ("intranet", "intranet", None),
            ("Intranet:80", "intranet:80", Some(80)),
            ("10.0.0.7:0443", "10.0.0.7:443", Some(443)),
            ("[FD00::7]:443", "[fd00::7]:443", Some(443)),
            ("[fd00::7]", "fd00::7", None),
            ("fd00::7", "fd00::7", None),
        ] {
            let entry = HostPort::parse(text).unwrap();
            assert_eq!(
                (entry.to_string(), entry.port()),
                (written.to_owned(), port)
            );
            assert_eq!(HostPort::parse(written).unwrap(), entry);
        }
        let entry = HostPort::parse("[fd00::7]:443").unwrap();
        assert!(entry.covers("fd00::7", 443) && !entry.covers("fd00::7", 80));
        for text in [
            "a:",
            "a:0",
            "a:65536",
            "a:+80",
            "a:x",
            ":80",
            "https://a:80",
            "a:80:80",
        ] {
            assert!(HostPort::parse(text).is_err(), "{text}");
        }
    }
}
