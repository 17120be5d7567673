//! Who may try how often: limits on account calls, for each account and each address (wire contract, section 9).
//!
//! The keys are what was asked about and the address of the caller, never anything that a caller can choose freely:
//! no path, no header but that of a trusted proxy.

use std::{
    hash::{BuildHasher, RandomState},
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    state::keyed::HashMapStateStore,
};
use http::HeaderMap;

use crate::{Config, failure::Failure};

type Limiter = RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>;

/// The limits of account calls.
#[derive(Debug)]
pub(crate) struct Throttle {
    accounts: Limiter,
    addresses: Limiter,
    hasher: RandomState,
}

impl Throttle {
    pub(crate) fn new(config: &Config) -> Self {
        let limiter = |per_minute: NonZeroU32| RateLimiter::hashmap(Quota::per_minute(per_minute));
        Self {
            accounts: limiter(config.tries_per_account),
            addresses: limiter(config.tries_per_address),
            hasher: RandomState::new(),
        }
    }

    /// Counts a try from an address.
    pub(crate) fn address(&self, address: IpAddr) -> Result<(), Failure> {
        self.check(&self.addresses, self.hasher.hash_one(network(address)))
    }

    /// Counts a try on an account of an environment, whether it exists or not.
    pub(crate) fn account(
        &self,
        project: &str,
        environment: &str,
        account: &str,
    ) -> Result<(), Failure> {
        let account = account.trim().to_lowercase();
        self.check(
            &self.accounts,
            self.hasher.hash_one((project, environment, account)),
        )
    }

    /// Forgets who has not tried for long.
    pub(crate) fn tidy(&self) {
        self.accounts.retain_recent();
        self.addresses.retain_recent();
    }

    fn check(&self, limiter: &Limiter, key: u64) -> Result<(), Failure> {
        limiter.check_key(&key).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            Failure::Throttled {
                retry_after: wait.as_secs() + 1,
            }
        })
    }
}

/// What counts as one address: an IPv6 host has a whole network to itself.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

/// The address of the caller: that of the connection, or what a trusted proxy says of it.
pub(crate) fn caller(config: &Config, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
    let trusted = |address: IpAddr| {
        let mut ranges = config.trusted_proxies.iter();
        ranges.any(|range| range.contains(address))
    };
    if !trusted(peer) {
        return peer;
    }
    let mut caller = peer;
    // Each proxy adds behind what it was sent: from the end, everything is true up to the first stranger.
    for value in headers.get_all("x-forwarded-for").iter().rev() {
        for part in value.to_str().unwrap_or_default().rsplit(',') {
            let Ok(address) = part.trim().parse::<IpAddr>() else {
                return caller;
            };
            caller = address;
            if !trusted(address) {
                return caller;
            }
        }
    }
    caller
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        headers
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_header_gives_no_new_bucket_unless_a_trusted_proxy_wrote_it() {
        let mut config = Config::default();
        let spoofed = headers(&["1.1.1.1"]);
        assert_eq!(
            caller(&config, &spoofed, address("9.9.9.9")),
            address("9.9.9.9")
        );
        config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        assert_eq!(
            caller(&config, &spoofed, address("9.9.9.9")),
            address("9.9.9.9")
        );
        for (sent, seen) in [
            (&["1.1.1.1"][..], "1.1.1.1"),
            (&["6.6.6.6, 1.1.1.1"], "1.1.1.1"),
            (&["6.6.6.6", "1.1.1.1, 10.0.0.2"], "1.1.1.1"),
            (&["nonsense"], "10.0.0.1"),
            (&["6.6.6.6, nonsense"], "10.0.0.1"),
            (&["10.0.0.3"], "10.0.0.3"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(
                caller(&config, &headers(sent), address("10.0.0.1")),
                address(seen),
                "{sent:?}"
            );
        }
    }

    #[test]
    fn an_account_is_one_however_it_is_spelt_and_an_ipv6_network_is_one_address() {
        let mut config = Config::default();
        config.tries_per_account = NonZeroU32::new(2).unwrap();
        config.tries_per_address = NonZeroU32::new(2).unwrap();
        let throttle = Throttle::new(&config);
        let account = |name: &str| throttle.account("main", "prod", name);
        assert!(account("ann@example.com").is_ok());
        assert!(account(" ANN@example.com").is_ok());
        let refused = account("Ann@Example.com").unwrap_err();
        assert!(matches!(
            refused,
            Failure::Throttled {
                retry_after: 1..=61
            }
        ));
        assert!(account("bob@example.com").is_ok());
        assert!(
            throttle
                .account("main", "staging", "ann@example.com")
                .is_ok()
        );

        assert!(throttle.address(address("2001:db8::1")).is_ok());
        assert!(throttle.address(address("2001:db8::2")).is_ok());
        assert!(throttle.address(address("2001:db8:0:0:ffff::3")).is_err());
        assert!(throttle.address(address("2001:db8:0:1::1")).is_ok());
        throttle.tidy();
        assert!(throttle.address(address("2001:db8::4")).is_err());
    }
}
