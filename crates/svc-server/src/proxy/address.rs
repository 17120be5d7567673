//! Which addresses the proxy connects to: public ones, and for hosts that a project allows others too, but never the
//! service itself.
//!
//! It is a list of what is let through, not of what is kept out: of IPv6 the global unicast addresses alone, and of both
//! families nothing that the registries of special-purpose addresses name (RFC 6890 and what follows it).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Networks that are not public, and what they are.
const NOT_PUBLIC: &[(IpNet, &str)] = &[
    (v4([0, 0, 0, 0], 8), "this network"),
    (v4([10, 0, 0, 0], 8), "private"),
    (v4([100, 64, 0, 0], 10), "shared by a carrier"),
    (v4([127, 0, 0, 0], 8), "loopback"),
    (v4([168, 63, 129, 16], 32), "of a cloud platform"),
    (v4([169, 254, 0, 0], 16), "link-local"),
    (v4([172, 16, 0, 0], 12), "private"),
    (v4([192, 0, 0, 0], 24), "of a protocol"),
    (v4([192, 0, 2, 0], 24), "for documentation"),
    (v4([192, 88, 99, 0], 24), "of a 6to4 relay"),
    (v4([192, 168, 0, 0], 16), "private"),
    (v4([198, 18, 0, 0], 15), "for benchmarks"),
    (v4([198, 51, 100, 0], 24), "for documentation"),
    (v4([203, 0, 113, 0], 24), "for documentation"),
    (v4([224, 0, 0, 0], 4), "multicast"),
    (v4([240, 0, 0, 0], 4), "reserved"),
    (
        IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
        "loopback",
    ),
    (v6([0xfc00, 0], 7), "private"),
    (v6([0xfe80, 0], 10), "link-local"),
    // Teredo and ORCHID too: they hold addresses of another kind.
    (v6([0x2001, 0], 23), "of a protocol"),
    (v6([0x2001, 0xdb8], 32), "for documentation"),
    (v6([0x2002, 0], 16), "6to4"),
    (v6([0x3fff, 0], 20), "for documentation"),
];

/// The global unicast addresses (RFC 4291, section 2.4).
const GLOBAL_V6: IpNet = v6([0x2000, 0], 3);
/// The prefix that a translator to IPv4 puts in front of an address (RFC 6052, section 2.1).
const NAT64: IpNet = v6([0x64, 0xff9b], 96);

const fn v4([a, b, c, d]: [u8; 4], bits: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits))
}

const fn v6([a, b]: [u16; 2], bits: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(
        Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0),
        bits,
    ))
}

/// Refuses an address that is not public, and says what it is.
pub(super) fn check_public(address: IpAddr) -> Result<(), &'static str> {
    let address = match address.to_canonical() {
        // Networks without IPv4 reach all of it so.
        IpAddr::V6(translated) if NAT64.contains(&IpAddr::V6(translated)) => {
            let [.., a, b, c, d] = translated.octets();
            IpAddr::from([a, b, c, d])
        }
        address => address,
    };
    let mut networks = NOT_PUBLIC.iter();
    match networks.find(|(network, _)| network.contains(&address)) {
        Some((_, what)) => Err(what),
        None if address.is_ipv6() && !GLOBAL_V6.contains(&address) => Err("reserved"),
        None => Ok(()),
    }
}

/// Refuses what no project can allow: addresses of nobody in particular, and the service itself, whose listeners these
/// are.
pub(super) fn check_allowed(address: SocketAddr, own: &[SocketAddr]) -> Result<(), &'static str> {
    let ip = address.ip().to_canonical();
    if ip.is_unspecified() {
        return Err("unspecified");
    }
    if ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST) {
        return Err("multicast");
    }
    let reaches = |listener: &SocketAddr| {
        let bound = listener.ip().to_canonical();
        listener.port() == address.port()
            && (bound == ip || (bound.is_unspecified() && is_of_this_machine(ip)))
    };
    match own.iter().any(reaches) {
        true => Err("of this service"),
        false => Ok(()),
    }
}

/// Whether the address is one of this machine: only those can be bound to.
fn is_of_this_machine(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests;
