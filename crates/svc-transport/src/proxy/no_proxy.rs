//! The hosts that are connected to without a proxy.

use std::net::IpAddr;

use super::without_brackets;

/// A parsed `NO_PROXY` list.
#[derive(Clone, Debug, Default)]
pub(super) struct NoProxy(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    host: HostRule,
    port: Option<u16>,
}

#[derive(Clone, Debug)]
enum HostRule {
    Every,
    Network {
        address: IpAddr,
        bits: u32,
    },
    /// In lower case, without leading and trailing dots.
    Domain(String),
}

impl NoProxy {
    pub(super) fn parse(list: &str) -> Self {
        Self(
            list.split(|c: char| c == ',' || c.is_whitespace())
                .filter_map(Entry::parse)
                .collect(),
        )
    }

    pub(super) fn matches(&self, host: &str, port: u16) -> bool {
        let host = without_brackets(host);
        let host = host.strip_suffix('.').unwrap_or(host);
        let address = host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
        self.0.iter().any(|entry| {
            entry.port.is_none_or(|only| only == port) && entry.host.matches(host, address)
        })
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        if let Some(host) = HostRule::parse_address(text) {
            return Some(Self { host, port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok()?)),
            None => (text, None),
        };
        let host = match HostRule::parse_address(host) {
            Some(host) => host,
            None if host == "*" => HostRule::Every,
            None => {
                let domain = host.strip_prefix("*.").unwrap_or(host);
                let domain = domain.trim_matches('.').to_ascii_lowercase();
                if domain.is_empty() {
                    return None;
                }
                HostRule::Domain(domain)
            }
        };
        Some(Self { host, port })
    }
}

impl HostRule {
    fn parse_address(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = without_brackets(address).parse().ok()?;
        let width = width(address);
        let bits = bits.unwrap_or(width);
        (bits <= width).then_some(Self::Network { address, bits })
    }

    fn matches(&self, host: &str, ip: Option<IpAddr>) -> bool {
        match self {
            Self::Every => true,
            Self::Network { address, bits } => ip.is_some_and(|ip| within(ip, *address, *bits)),
            Self::Domain(domain) => {
                ip.is_none()
                    && host.len().checked_sub(domain.len()).is_some_and(|start| {
                        host.get(start..)
                            .is_some_and(|end| end.eq_ignore_ascii_case(domain))
                            && (start == 0 || host.as_bytes().get(start - 1) == Some(&b'.'))
                    })
            }
        }
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn within(ip: IpAddr, network: IpAddr, bits: u32) -> bool {
    let value = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    let host_bits = width(network) - bits;
    width(ip) == width(network)
        && (host_bits == 128 || value(ip) >> host_bits == value(network) >> host_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_matches_itself_and_its_subdomains() {
        for list in [
            "example.com",
            ".example.com",
            "*.example.com",
            "EXAMPLE.com.",
        ] {
            let list = NoProxy::parse(list);
            assert!(list.matches("example.com", 80));
            assert!(list.matches("Api.Example.Com.", 80));
            assert!(!list.matches("notexample.com", 80));
            assert!(!list.matches("example.com.evil.test", 80));
        }
    }

    #[test]
    fn addresses_and_networks_of_both_families_match() {
        let list = NoProxy::parse("192.0.2.7 10.0.0.0/8,2001:db8::/32, [::1]");
        for host in [
            "192.0.2.7",
            "10.255.0.1",
            "[2001:db8:1::2]",
            "[::1]",
            "[::ffff:10.1.2.3]",
        ] {
            assert!(list.matches(host, 443), "{host}");
        }
        for host in [
            "192.0.2.8",
            "11.0.0.1",
            "[2001:db9::1]",
            "[::2]",
            "10.example.com",
        ] {
            assert!(!list.matches(host, 443), "{host}");
        }
        assert!(NoProxy::parse("::/0").matches("[2001:db8::1]", 80));
        assert!(!NoProxy::parse("0.0.0.0/33").matches("10.0.0.1", 80));
    }

    #[test]
    fn an_entry_with_a_port_matches_only_that_port() {
        let list = NoProxy::parse("a.test:8080,192.0.2.7:81,[::1]:82");
        assert!(list.matches("a.test", 8080) && !list.matches("a.test", 80));
        assert!(list.matches("192.0.2.7", 81) && !list.matches("192.0.2.7", 80));
        assert!(list.matches("[::1]", 82) && !list.matches("[::1]", 80));
    }

    #[test]
    fn a_star_matches_every_host_and_an_empty_list_none() {
        assert!(NoProxy::parse("*").matches("a.test", 80));
        for list in ["", ",, ,", ".", ":", "a.test:many"] {
            assert!(!NoProxy::parse(list).matches("a.test", 80), "{list}");
        }
    }
}
