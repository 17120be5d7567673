//! The matrix of addresses.

use proptest::prelude::*;

use super::*;

fn public(text: &str) -> Result<(), &'static str> {
    check_public(text.parse().unwrap_or_else(|_| panic!("{text}")))
}

#[test]
fn public_addresses_of_both_families_are_let_through() {
    for address in "\
        1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 \
        128.0.0.1 168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 \
        192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 \
        2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001:80b::200e \
        ::ffff:8.8.8.8 64:ff9b::8.8.8.8"
        .split(' ')
    {
        assert_eq!(public(address), Ok(()), "{address}");
    }
}

#[test]
fn every_other_address_is_refused_and_named_for_what_it_is() {
    for (address, what) in [
        ("0.0.0.0", "this network"),
        ("0.1.2.3", "this network"),
        ("10.0.0.0", "private"),
        ("10.255.255.255", "private"),
        ("100.64.0.0", "shared by a carrier"),
        ("100.100.100.200", "shared by a carrier"),
        ("100.127.255.255", "shared by a carrier"),
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("168.63.129.16", "of a cloud platform"),
        ("169.254.0.1", "link-local"),
        ("169.254.169.254", "link-local"),
        ("169.254.170.2", "link-local"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.192", "of a protocol"),
        ("192.0.2.1", "for documentation"),
        ("192.88.99.1", "of a 6to4 relay"),
        ("192.168.0.1", "private"),
        ("198.18.0.1", "for benchmarks"),
        ("198.19.255.255", "for benchmarks"),
        ("198.51.100.1", "for documentation"),
        ("203.0.113.1", "for documentation"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "reserved"),
        ("::1", "loopback"),
        ("::2", "reserved"),
        // IPv4 within IPv6: mapped, compatible, translated.
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "link-local"),
        ("::ffff:0a00:0001", "private"),
        ("::127.0.0.1", "reserved"),
        ("::8.8.8.8", "reserved"),
        ("::ffff:0:127.0.0.1", "reserved"),
        ("64:ff9b::127.0.0.1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b:1::10.0.0.1", "reserved"),
        ("64:ff9b:1::8.8.8.8", "reserved"),
        ("2002:7f00:1::", "6to4"),
        ("2002:808:808::1", "6to4"),
        ("2001::1", "of a protocol"),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", "of a protocol"),
        ("2001:2::1", "of a protocol"),
        ("2001:20::1", "of a protocol"),
        ("2001:db8::1", "for documentation"),
        ("3fff::1", "for documentation"),
        ("100::1", "reserved"),
        ("5f00::1", "reserved"),
        ("4000::1", "reserved"),
        ("fc00::1", "private"),
        ("fd00:ec2::254", "private"),
        ("fdff::1", "private"),
        ("fe80::1", "link-local"),
        ("febf::1", "link-local"),
        ("fec0::1", "reserved"),
        ("ff02::1", "reserved"),
        ("ff0e::1", "reserved"),
    ] {
        assert_eq!(public(address), Err(what), "{address}");
    }
}

#[test]
fn no_project_can_allow_the_service_itself_or_addresses_of_nobody() {
    let own: Vec<SocketAddr> = ["127.0.0.1:8080", "0.0.0.0:9090"]
        .map(|address| address.parse().unwrap())
        .to_vec();
    let check = |address: &str| check_allowed(address.parse().unwrap(), &own);
    for address in [
        "127.0.0.1:8080",
        "[::ffff:127.0.0.1]:8080",
        "127.0.0.1:9090",
        "127.8.9.1:9090",
        "[::1]:9090",
    ] {
        assert_eq!(check(address), Err("of this service"), "{address}");
    }
    assert_eq!(check("0.0.0.0:80"), Err("unspecified"));
    assert_eq!(check("[::]:80"), Err("unspecified"));
    assert_eq!(check("[::ffff:0.0.0.0]:80"), Err("unspecified"));
    assert_eq!(check("224.0.0.1:80"), Err("multicast"));
    assert_eq!(check("255.255.255.255:80"), Err("multicast"));
    assert_eq!(check("[ff02::1]:80"), Err("multicast"));
    for address in [
        "127.0.0.1:8081",
        "10.0.0.7:8080",
        "192.0.2.1:9090",
        "127.0.0.2:8080",
    ] {
        assert_eq!(check(address), Ok(()), "{address}");
    }
}

proptest! {
    #[test]
    fn an_ipv4_address_is_judged_alike_however_it_is_carried(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let judged = check_public(address.into());
        prop_assert_eq!(check_public(address.to_ipv6_mapped().into()), judged);
        let translated: Ipv6Addr = format!("64:ff9b::{address}").parse().unwrap();
        prop_assert_eq!(check_public(translated.into()), judged);
        prop_assert!(check_public(address.to_ipv6_compatible().into()).is_err());
    }

    #[test]
    fn what_the_standard_library_knows_to_be_special_is_refused(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let special = address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_broadcast()
            || address.is_documentation()
            || address.is_multicast()
            || address.is_unspecified();
        prop_assert!(!special || check_public(address.into()).is_err());
    }

    #[test]
    fn of_ipv6_nothing_is_let_through_but_global_unicast_and_ipv4(bits in any::<u128>()) {
        let address = Ipv6Addr::from_bits(bits);
        if check_public(address.into()).is_ok() {
            prop_assert_eq!(address.octets()[0] >> 5, 1);
        }
    }

    #[test]
    fn special_networks_are_refused_to_their_last_address(
        index in any::<prop::sample::Index>(),
        host in any::<u128>(),
    ) {
        let address: IpAddr = match NOT_PUBLIC[index.index(NOT_PUBLIC.len())].0 {
            IpNet::V4(network) => {
                let rest = network.hostmask().to_bits() & host as u32;
                Ipv4Addr::from_bits(network.network().to_bits() | rest).into()
            }
            IpNet::V6(network) => {
                let rest = network.hostmask().to_bits() & host;
                Ipv6Addr::from_bits(network.network().to_bits() | rest).into()
            }
        };
        prop_assert!(check_public(address).is_err(), "{}", address);
    }
}
