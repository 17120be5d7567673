//! The database servers that resources may be on.

use std::{fmt, net::SocketAddr, str::FromStr};

use svc_store::HostPort;

use super::IpRange;
use crate::Error;

/// A database server that resources may be on, or several: a name or an address, with every port or with one
/// (`db.internal`, `db.internal:5432`, `10.0.0.7:3306`, `[fd00::7]:5432`), or a range of addresses (`10.0.0.0/8`).
///
/// A name allows the server that is called so in the address of a resource, wherever it is at that moment. An address or a
/// range allows every server that is connected to there, whatever its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceHost(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Range(IpRange),
    Host(HostPort),
}

impl ResourceHost {
    /// Whether a resource may be at this address, which its URL calls `host`.
    pub(crate) fn covers(&self, host: &str, address: SocketAddr) -> bool {
        match &self.0 {
            Kind::Range(range) => range.contains(address.ip()),
            Kind::Host(entry) => {
                let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
                let ip = address.ip().to_canonical().to_string();
                entry.covers(&ip, address.port())
                    // A name that is written as an address is that address.
                    || host.parse::<std::net::IpAddr>().is_err()
                        && entry.covers(&name, address.port())
            }
        }
    }
}

impl fmt::Display for ResourceHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Range(range) => range.fmt(f),
            Kind::Host(host) => host.fmt(f),
        }
    }
}

impl FromStr for ResourceHost {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Ok(range) = text.parse() {
            return Ok(Self(Kind::Range(range)));
        }
        HostPort::parse(text)
            .map(|host| Self(Kind::Host(host)))
            .map_err(|_| {
                Error::config(format!(
                    "{text:?} must be a host such as db.internal, db.internal:5432 or 10.0.0.7:3306, or a range such as \
                     10.0.0.0/8"
                ))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_allow_what_is_called_so_and_addresses_what_is_there() {
        let covers = |entry: &str, host: &str, address: &str| {
            let entry: ResourceHost = entry.parse().unwrap();
            entry.covers(host, address.parse().unwrap())
        };
        for (entry, host, address) in [
            ("db.internal", "DB.internal.", "10.0.0.7:5432"),
            ("db.internal:5432", "db.internal", "10.0.0.7:5432"),
            ("10.0.0.7", "db.internal", "10.0.0.7:5432"),
            ("10.0.0.7:5432", "db.internal", "[::ffff:10.0.0.7]:5432"),
            ("10.0.0.0/8", "db.internal", "[::ffff:10.9.0.7]:1"),
            ("[fd00::7]:5432", "fd00::7", "[fd00::7]:5432"),
            ("fd00::/8", "db", "[fd00::7]:5432"),
        ] {
            assert!(covers(entry, host, address), "{entry} {host} {address}");
        }
        for (entry, host, address) in [
            ("db.internal", "evil.internal", "10.0.0.7:5432"),
            ("db.internal", "10.0.0.7", "10.0.0.7:5432"),
            ("db.internal:5432", "db.internal", "10.0.0.7:22"),
            ("10.0.0.7:5432", "10.0.0.7", "10.0.0.7:22"),
            // The name that a caller gives is not the address that is connected to.
            ("10.0.0.7", "10.0.0.7", "10.0.0.8:5432"),
            ("10.0.0.0/8", "db.internal", "11.0.0.1:5432"),
        ] {
            assert!(!covers(entry, host, address), "{entry} {host} {address}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused_with_what_would_be_right() {
        for text in [
            "",
            "postgres://db",
            "db:x",
            "10.0.0.0/33",
            "10.0.0.0/8:5432",
            "a b",
            "0x7f.1",
        ] {
            let error = text.parse::<ResourceHost>().unwrap_err();
            assert!(
                error.to_string().contains("db.internal:5432"),
                "{text}: {error}"
            );
        }
    }
}
