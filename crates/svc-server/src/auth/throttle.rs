//! Limits on how often account calls may be made (wire contract, section 9, and
//! `docs/decisions/0016-tries-are-counted-by-account-and-address.md`).
//!
//! The keys are the account that was asked about, the session, and the address of the caller, never anything that a
//! caller can choose freely: no path, no header but that of a trusted proxy.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::{IpAddr, Ipv6Addr, SocketAddr},
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    state::keyed::HashMapStateStore,
};
use http::HeaderMap;
use parking_lot::Mutex;
use uuid::Uuid;

use crate::{
    Config,
    http::{ApiError, ApiResult},
};

/// So many calls a minute for each key.
#[derive(Debug)]
struct Limit {
    limiter: RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>,
    per_minute: NonZeroU32,
}

/// How many times the limit of one address is the limit of an account from all addresses that are not known.
const ALL_ADDRESSES: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// How many times the limit of account calls is the limit of refreshes, which many users of one network make.
const REFRESHES: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// How long an address stays known after a user has signed in from it.
const KNOWN_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How many pairs of account and address are known at most.
const MAX_KNOWN: usize = 100_000;

/// The limits of account calls.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// Tries on an account from one address.
    pairs: Limit,
    /// Tries on an account from addresses that are not known.
    accounts: Limit,
    sessions: Limit,
    addresses: Limit,
    refreshes: Limit,
    /// When a user last signed in to an account from an address.
    known: Mutex<HashMap<u64, Instant>>,
    hasher: RandomState,
    /// How many nodes count apart from each other, each its part of the calls.
    nodes: AtomicU32,
}

/// An account of an environment, whether it exists or not.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct AccountKey<'a> {
    project: &'a str,
    environment: &'a str,
    /// The e-mail address in one spelling.
    email: String,
}

impl<'a> AccountKey<'a> {
    pub(crate) fn new(project: &'a str, environment: &'a str, email: &str) -> Self {
        Self {
            project,
            environment,
            email: email.trim().to_lowercase(),
        }
    }
}

impl Throttle {
    pub(crate) fn new(config: &Config) -> Self {
        let limiter = |per_minute: NonZeroU32| Limit {
            limiter: RateLimiter::hashmap(Quota::per_minute(per_minute)),
            per_minute,
        };
        let (per_account, per_address) = (config.tries_per_account, config.tries_per_address);
        Self {
            pairs: limiter(per_account),
            accounts: limiter(per_account.saturating_mul(ALL_ADDRESSES)),
            sessions: limiter(per_account),
            addresses: limiter(per_address),
            refreshes: limiter(per_address.saturating_mul(REFRESHES)),
            known: Mutex::default(),
            hasher: RandomState::new(),
            nodes: AtomicU32::new(1),
        }
    }

    /// So many nodes are the service together: each call counts so often in each of them, so that they allow no more calls than
    /// one would.
    pub(crate) fn share_among(&self, nodes: u32) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Counts a call from an address.
    pub(crate) fn address(&self, address: IpAddr) -> ApiResult<()> {
        self.check(&self.addresses, self.hasher.hash_one(network(address)))
    }

    /// Counts a refresh from an address.
    pub(crate) fn refresh(&self, address: IpAddr) -> ApiResult<()> {
        self.check(&self.refreshes, self.hasher.hash_one(network(address)))
    }

    /// Counts a try on an account from an address. Tries from other addresses do not keep out a user who has signed in
    /// from this one.
    pub(crate) fn account(&self, account: &AccountKey<'_>, address: IpAddr) -> ApiResult<()> {
        let pair = self.pair(account, address);
        self.check(&self.pairs, pair)?;
        if self.is_known(pair, Instant::now()) {
            return Ok(());
        }
        self.check(&self.accounts, self.hasher.hash_one(account))
    }

    /// Counts a try on the password of the user of a session.
    pub(crate) fn session(&self, session: Uuid) -> ApiResult<()> {
        self.check(&self.sessions, self.hasher.hash_one(session))
    }

    /// Remembers that a user has signed in to an account from an address.
    pub(crate) fn signed_in(&self, account: &AccountKey<'_>, address: IpAddr) {
        let pair = self.pair(account, address);
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN && !known.contains_key(&pair) {
            let oldest = known.iter().min_by_key(|(_, when)| **when);
            if let Some(oldest) = oldest.map(|(pair, _)| *pair) {
                known.remove(&oldest);
            }
        }
        known.insert(pair, Instant::now());
    }

    /// Forgets those who have not tried for long.
    pub(crate) fn tidy(&self) {
        for limit in [
            &self.pairs,
            &self.accounts,
            &self.sessions,
            &self.addresses,
            &self.refreshes,
        ] {
            limit.limiter.retain_recent();
        }
    }

    fn check(&self, limit: &Limit, key: u64) -> ApiResult<()> {
        let nodes = NonZeroU32::new(self.nodes.load(Ordering::Relaxed));
        let cost = nodes.unwrap_or(NonZeroU32::MIN).min(limit.per_minute);
        let Ok(checked) = limit.limiter.check_key_n(&key, cost) else {
            // Only a cost above the limit itself.
            return Ok(());
        };
        checked.map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            ApiError::Throttled {
                retry_after: wait.as_secs() + 1,
            }
        })
    }

    fn pair(&self, account: &AccountKey<'_>, address: IpAddr) -> u64 {
        self.hasher.hash_one((account, network(address)))
    }

    fn is_known(&self, pair: u64, now: Instant) -> bool {
        let known = self.known.lock();
        known
            .get(&pair)
            .is_some_and(|when| now.saturating_duration_since(*when) < KNOWN_FOR)
    }
}

/// What counts as one address: an IPv6 host has a whole network to itself.
pub(crate) fn network(address: IpAddr) -> IpAddr {
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
            let Some(address) = forwarded_address(part.trim()) else {
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

/// The address of an entry of `X-Forwarded-For`. Some proxies write a port behind it, and IPv6 in brackets.
fn forwarded_address(entry: &str) -> Option<IpAddr> {
    let bracketed = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || Some(entry.parse::<SocketAddr>().ok()?.ip());
    entry.parse().ok().or_else(with_port).or_else(bracketed)
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
    fn nodes_together_allow_what_one_would() {
        let mut config = Config::default();
        config.tries_per_address = NonZeroU32::new(6).unwrap();
        let allowed = |nodes: u32| {
            let throttle = Throttle::new(&config);
            throttle.share_among(nodes);
            let tries = (0..20).filter(|_| throttle.address(address("192.0.2.1")).is_ok());
            tries.count()
        };
        assert_eq!([1, 2, 3, 100].map(allowed), [6, 3, 2, 1]);
    }

    #[test]
    fn a_header_gives_no_new_bucket_unless_a_trusted_proxy_wrote_it() {
        let (spoofed, stranger) = (headers(&["1.1.1.1"]), address("9.9.9.9"));
        let mut config = Config::default();
        assert_eq!(caller(&config, &spoofed, stranger), stranger);
        config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        assert_eq!(caller(&config, &spoofed, stranger), stranger);
        for (sent, seen) in [
            (&["1.1.1.1"][..], "1.1.1.1"),
            (&["6.6.6.6, 1.1.1.1"], "1.1.1.1"),
            (&["6.6.6.6", "1.1.1.1, 10.0.0.2"], "1.1.1.1"),
            (&["nonsense"], "10.0.0.1"),
            (&["6.6.6.6, nonsense"], "10.0.0.1"),
            (&["10.0.0.3"], "10.0.0.3"),
            (&["7.7.7.7:1000"], "7.7.7.7"),
            (&["6.6.6.6, [2001:db8::1]:443, 10.0.0.2:80"], "2001:db8::1"),
            (&["[2001:db8::2]"], "2001:db8::2"),
            (&["7.7.7.7:"], "10.0.0.1"),
            (&["[7.7.7.7"], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ] {
            let caller = caller(&config, &headers(sent), address("10.0.0.1"));
            assert_eq!(caller, address(seen), "{sent:?}");
        }
    }

    #[test]
    fn an_account_is_one_however_it_is_spelt_and_an_ipv6_network_is_one_address() {
        let two = NonZeroU32::new(2).unwrap();
        let config = Config {
            tries_per_account: two,
            tries_per_address: two,
            ..Config::default()
        };
        let throttle = Throttle::new(&config);
        let try_on = |account: &AccountKey<'_>| throttle.account(account, address("9.9.9.9"));
        let account = |name: &str| try_on(&AccountKey::new("main", "prod", name));
        assert!(account("ann@example.com").is_ok());
        assert!(account(" ANN@example.com").is_ok());
        let Err(ApiError::Throttled { retry_after }) = account("Ann@Example.com") else {
            panic!("not refused");
        };
        assert!((1..=61).contains(&retry_after));
        assert!(account("bob@example.com").is_ok());
        assert!(try_on(&AccountKey::new("main", "staging", "ann@example.com")).is_ok());

        assert!(throttle.address(address("2001:db8::1")).is_ok());
        assert!(throttle.address(address("2001:db8::2")).is_ok());
        assert!(throttle.address(address("2001:db8:0:0:ffff::3")).is_err());
        assert!(throttle.address(address("2001:db8:0:1::1")).is_ok());
        throttle.tidy();
        assert!(throttle.address(address("2001:db8::4")).is_err());
    }

    #[test]
    fn tries_from_other_addresses_keep_no_user_out_who_has_signed_in_before() {
        let config = Config {
            tries_per_account: NonZeroU32::new(2).unwrap(),
            ..Config::default()
        };
        let throttle = Throttle::new(&config);
        let ann = AccountKey::new("main", "prod", "ann@example.com");
        let home = address("198.51.100.1");
        throttle.signed_in(&ann, home);
        // One address uses up its own tries, and no others.
        assert!(throttle.account(&ann, address("203.0.113.1")).is_ok());
        assert!(throttle.account(&ann, address("203.0.113.1")).is_ok());
        assert!(throttle.account(&ann, address("203.0.113.1")).is_err());
        assert!(throttle.account(&ann, address("203.0.113.2")).is_ok());
        // Many addresses together come to an end too, but for one that is known.
        let refused = (3..100_u8).filter(|host| {
            let guesser = IpAddr::from([203, 0, 113, *host]);
            throttle.account(&ann, guesser).is_err()
        });
        assert!(refused.count() > 70);
        assert!(throttle.account(&ann, home).is_ok());
        assert!(throttle.account(&ann, home).is_ok());
        assert!(
            throttle.account(&ann, home).is_err(),
            "known ones have a limit of their own"
        );
        assert!(!throttle.is_known(throttle.pair(&ann, home), Instant::now() + KNOWN_FOR));
    }

    #[test]
    fn what_is_known_of_addresses_stays_within_bounds() {
        let throttle = Throttle::new(&Config::default());
        let mut known = throttle.known.lock();
        let begun = Instant::now();
        for number in 0..MAX_KNOWN as u64 {
            known.insert(number, begun + Duration::from_millis(number));
        }
        drop(known);
        throttle.signed_in(
            &AccountKey::new("p", "e", "a@b.example"),
            address("9.9.9.9"),
        );
        let known = throttle.known.lock();
        assert_eq!(known.len(), MAX_KNOWN);
        assert!(!known.contains_key(&0), "the oldest went");
    }

    #[test]
    fn refreshes_have_a_limit_of_their_own() {
        let config = Config {
            tries_per_address: NonZeroU32::new(2).unwrap(),
            ..Config::default()
        };
        let throttle = Throttle::new(&config);
        let office = address("198.51.100.1");
        for _ in 0..20 {
            assert!(throttle.refresh(office).is_ok());
        }
        assert!(throttle.refresh(office).is_err());
        assert!(throttle.address(office).is_ok());
    }
}
