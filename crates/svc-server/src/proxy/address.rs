//! Which addresses the proxy connects to: public ones, and for hosts that a project allows others too, but never the
//! service itself.
//!
//! It is a list of what is let through, not of what is kept out: of IPv6 the global unicast addresses alone, and of both
//! families nothing that the registries of special-purpose addresses name (RFC 6890 and what follows it).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Networks of IPv4 that are not public, and what they are.
const NOT_PUBLIC_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by a carrier"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "of a cloud platform"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "of a protocol"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "of a 6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// Networks within the global unicast addresses of IPv6 that are not public, and what they are.
const NOT_PUBLIC_V6: &[(Ipv6Addr, u32, &str)] = &[
    // Teredo and ORCHID too: they hold addresses of another kind.
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        23,
        "of a protocol",
    ),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        "for documentation",
    ),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        "for documentation",
    ),
];

/// The global unicast addresses (RFC 4291, section 2.4).
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// What a translator to IPv4 puts in front of an address (RFC 6052, section 2.1).
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Refuses an address that is not public, and says what it is.
pub(super) fn check_public(address: IpAddr) -> Result<(), &'static str> {
    let what = match address.to_canonical() {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    };
    what.map_or(Ok(()), Err)
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |network: Ipv4Addr, bits: u32| {
        let shift = 32 - bits;
        address.to_bits() >> shift == network.to_bits() >> shift
    };
    let found = NOT_PUBLIC_V4
        .iter()
        .find(|(network, bits, _)| within(*network, *bits));
    found.map(|(_, _, what)| *what)
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let within = |network: Ipv6Addr, bits: u32| {
        let shift = 128 - bits;
        address.to_bits() >> shift == network.to_bits() >> shift
    };
    if within(NAT64.0, NAT64.1) {
        // Networks without IPv4 reach all of it so.
        let [.., a, b, c, d] = address.octets();
        return not_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    if address.is_loopback() {
        return Some("loopback");
    }
    if address.is_unique_local() {
        return Some("private");
    }
    if address.is_unicast_link_local() {
        return Some("link-local");
    }
    if !within(GLOBAL_V6.0, GLOBAL_V6.1) {
        return Some("reserved");
    }
    let found = NOT_PUBLIC_V6
        .iter()
        .find(|(network, bits, _)| within(*network, *bits));
    found.map(|(_, _, what)| *what)
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
