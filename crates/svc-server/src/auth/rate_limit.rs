//! How often callers may call: each credential, and each address for requests without one.
//!
//! A credential has one bucket however it is spelled, and so has a session with all its tokens. A credential that is
//! not valid counts for its address. Buckets are those of `governor`, in a store with an end to its size. Nodes that are the
//! service together tell each other what they allow.

mod buckets;
mod sharing;

use std::{
    fmt::{self, Write as _},
    net::IpAddr,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    middleware::StateInformationMiddleware,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use uuid::Uuid;

use self::{buckets::Buckets, sharing::Sharing};
use crate::{
    Config,
    auth::throttle::network,
    config::RateLimit,
    http::{ApiError, ApiResult},
};

/// What the limits of a caller are (draft-ietf-httpapi-ratelimit-headers).
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// What is left of them.
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Of how many buckets of each limit nodes are told at once: a notification has at most 8000 bytes.
const TOLD_AT_ONCE: usize = 90;

/// The limits that are set.
pub(crate) struct RateLimits {
    credentials: Option<Limit>,
    addresses: Option<Limit>,
    /// That there is something to tell the other nodes.
    used: Notify,
}

/// The nodes that are the service together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nodes {
    /// How many they are, this one among them.
    pub(crate) count: u32,
    /// Whether they hear each other, as far as this one knows.
    pub(crate) hear: bool,
}

/// A limit with its buckets.
struct Limit {
    name: &'static str,
    limiter: RateLimiter<u64, Buckets, DefaultClock, StateInformationMiddleware>,
    buckets: Buckets,
    sharing: Sharing,
    started: Instant,
    rate: RateLimit,
    policy: HeaderValue,
}

/// Who a request counts for.
enum Payer {
    Credential(Uuid),
    Address(Option<IpAddr>),
    /// One whose credential is not valid, where only credentials are limited.
    Unknown(Option<IpAddr>),
}

/// Where a caller is after a request.
#[derive(Debug)]
pub(crate) struct Standing {
    policy: HeaderValue,
    left: HeaderValue,
    /// After how many seconds the caller may call again; `None` where the request is allowed.
    retry_after: Option<u64>,
}

impl RateLimits {
    /// The limits of the configuration; `None` where none is set.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        if config.rate_limit.is_none() && config.address_rate_limit.is_none() {
            return None;
        }
        Some(Self {
            credentials: config.rate_limit.map(|rate| Limit::new("credential", rate)),
            addresses: config
                .address_rate_limit
                .map(|rate| Limit::new("address", rate)),
            used: Notify::new(),
        })
    }

    /// Counts a request of a caller at an address; `None` where no limit concerns it.
    pub(crate) fn count(
        &self,
        bearer: Bearer,
        address: Option<IpAddr>,
        nodes: Nodes,
    ) -> Option<Standing> {
        let address = || address.map(network);
        let (limit, payer) = match bearer {
            Bearer::Nobody => (self.addresses.as_ref()?, Payer::Address(address())),
            Bearer::Known(uid) => (self.credentials.as_ref()?, Payer::Credential(uid)),
            Bearer::Wrong => match (&self.addresses, &self.credentials) {
                (Some(addresses), _) => (addresses, Payer::Address(address())),
                (None, credentials) => (credentials.as_ref()?, Payer::Unknown(address())),
            },
            Bearer::NotLimited => return None,
        };
        let (standing, is_to_be_told) = limit.count(payer.bucket(), nodes);
        if is_to_be_told {
            self.used.notify_one();
        }
        Some(standing)
    }

    /// Waits until there is something to tell the other nodes.
    pub(crate) async fn used(&self) {
        self.used.notified().await;
    }

    /// What this node has allowed that the others do not know of, as a text for [`hear`](Self::hear).
    pub(crate) fn tell(&self, node: Uuid) -> Option<String> {
        let mut text = node.simple().to_string();
        let mut is_any = false;
        for limit in self.limits() {
            let used = limit.sharing.take(TOLD_AT_ONCE);
            if used.len() == TOLD_AT_ONCE {
                // There may be more.
                self.used.notify_one();
            }
            for (bucket, count) in used {
                is_any = true;
                // Writing into a text does not fail.
                let _ = write!(text, " {}:{bucket:x}:{count}", limit.name);
            }
        }
        is_any.then_some(text)
    }

    /// Counts what another node has allowed. What cannot be read is left out: that node is of another version.
    pub(crate) fn hear(&self, text: &str, node: Uuid, nodes: u32) {
        let mut words = text.split(' ');
        let from = words.next().and_then(|word| word.parse::<Uuid>().ok());
        if from.is_none_or(|from| from == node) {
            return;
        }
        for word in words {
            let mut parts = word.split(':');
            let (name, bucket, count) = (parts.next(), parts.next(), parts.next());
            let limit = self.limits().find(|limit| Some(limit.name) == name);
            let bucket = bucket.and_then(|bucket| u64::from_str_radix(bucket, 16).ok());
            let count = count.and_then(|count| count.parse::<u32>().ok());
            if let (Some(limit), Some(bucket), Some(count)) = (limit, bucket, count)
                && limit.heard(bucket, count, nodes)
            {
                self.used.notify_one();
            }
        }
    }

    fn limits(&self) -> impl Iterator<Item = &Limit> {
        [&self.credentials, &self.addresses].into_iter().flatten()
    }

    /// Forgets those whose burst is whole again.
    pub(crate) fn tidy(&self) {
        for limit in self.limits() {
            limit.limiter.retain_recent();
            limit.sharing.tidy(limit.started.elapsed());
        }
    }
}

impl fmt::Debug for RateLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimits").finish_non_exhaustive()
    }
}

impl Payer {
    /// The bucket, which is the same at every node.
    fn bucket(&self) -> u64 {
        let hash = Sha256::new();
        let hash = match self {
            Self::Credential(uid) => hash.chain_update("credential").chain_update(uid),
            Self::Address(address) => hash.chain_update("address").chain_update(octets(*address)),
            Self::Unknown(address) => hash.chain_update("unknown").chain_update(octets(*address)),
        };
        let hash: [u8; 32] = hash.finalize().into();
        let (first, _) = hash.split_first_chunk().unwrap_or((&[0; 8], &[]));
        u64::from_be_bytes(*first)
    }
}

/// An address as IPv6; all zeros where it is not known.
fn octets(address: Option<IpAddr>) -> [u8; 16] {
    match address {
        Some(IpAddr::V4(address)) => address.to_ipv6_mapped().octets(),
        Some(IpAddr::V6(address)) => address.octets(),
        None => [0; 16],
    }
}

impl Limit {
    fn new(name: &'static str, rate: RateLimit) -> Self {
        let quota = Quota::with_period(rate.period()).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let quota = quota.allow_burst(rate.burst());
        let buckets = Buckets::default();
        let limiter = RateLimiter::new(quota, buckets.clone(), DefaultClock::default());
        let window = seconds(rate.period() * rate.burst().get());
        let policy = format!("\"{name}\";q={};w={window}", rate.burst());
        Self {
            name,
            limiter,
            buckets,
            sharing: Sharing::default(),
            started: Instant::now(),
            rate,
            policy: value(&policy),
        }
    }

    /// Counts a request for a bucket, and says whether the other nodes are to be told. Where they do not hear of it, it counts for
    /// all of them: together they allow the rate.
    fn count(&self, bucket: u64, nodes: Nodes) -> (Standing, bool) {
        let burst = self.rate.burst();
        let is_shared = nodes.count > 1 && nodes.hear && self.sharing.knows(bucket);
        let times = match is_shared {
            true => NonZeroU32::MIN,
            false => NonZeroU32::new(nodes.count).unwrap_or(NonZeroU32::MIN),
        };
        let counted = self.limiter.check_key_n(&bucket, times.min(burst));
        let is_to_be_told = is_shared && matches!(counted, Ok(Ok(_))) && {
            let now = self.started.elapsed();
            self.sharing.allowed(bucket, &self.rate, nodes.count, now)
        };
        let (left, reset, retry_after) = match counted {
            Ok(Ok(snapshot)) => {
                let left = snapshot.remaining_burst_capacity();
                let used = burst.get().saturating_sub(left);
                (left, seconds(self.rate.period() * used), None)
            }
            Ok(Err(until)) => {
                let wait = seconds(until.wait_time_from(self.limiter.clock().now()));
                (0, wait, Some(wait))
            }
            // More at once than a bucket holds are not asked for.
            Err(_) => (0, 1, Some(1)),
        };
        let standing = Standing {
            policy: self.policy.clone(),
            left: value(&format!("\"{}\";r={left};t={reset}", self.name)),
            retry_after,
        };
        (standing, is_to_be_told)
    }

    /// Counts what another node has allowed, and says whether this one has to tell something, too.
    fn heard(&self, bucket: u64, count: u32, nodes: u32) -> bool {
        let (now, period) = (self.started.elapsed(), self.rate.period());
        let most = period * self.rate.burst().get() * nodes.max(1);
        self.buckets.charge(bucket, period * count, most, now);
        self.sharing.heard(bucket, &self.rate, nodes, now)
    }
}

impl Standing {
    /// Refuses the request where it is over the limit.
    pub(crate) fn check(&self) -> ApiResult<()> {
        match self.retry_after {
            None => Ok(()),
            Some(retry_after) => Err(ApiError::RateLimited { retry_after }),
        }
    }

    /// Adds to an answer what the limit is and what is left of it.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        headers.insert(RATE_LIMIT_POLICY, self.policy);
        headers.insert(RATE_LIMIT, self.left);
    }
}

/// Who sends a request, as far as its limit depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bearer {
    /// There is no credential.
    Nobody,
    /// A valid credential, or the session of one.
    Known(Uuid),
    /// A credential that is not valid.
    Wrong,
    /// The process itself, or somebody who cannot be told while the store is away.
    NotLimited,
}

/// A time in whole seconds, and at least one.
fn seconds(time: Duration) -> u64 {
    let more = u64::from(time.subsec_nanos() > 0);
    (time.as_secs() + more).max(1)
}

fn value(text: &str) -> HeaderValue {
    // Names and numbers are visible ASCII.
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Nodes = Nodes {
        count: 1,
        hear: false,
    };

    fn deaf(count: u32) -> Nodes {
        Nodes { count, hear: false }
    }

    fn allowed(limit: &Limit, nodes: Nodes) -> usize {
        (0..100)
            .filter(|_| limit.count(7, nodes).0.check().is_ok())
            .count()
    }

    #[test]
    fn a_caller_has_its_burst_and_is_told_what_is_left_and_when_to_come_again() {
        let limit = Limit::new("credential", "6/m:3".parse().unwrap());
        let mut headers = HeaderMap::new();
        limit.count(1, ALONE).0.write(&mut headers);
        assert_eq!(headers[RATE_LIMIT_POLICY], "\"credential\";q=3;w=30");
        assert_eq!(headers[RATE_LIMIT], "\"credential\";r=2;t=10");
        assert!(limit.count(1, ALONE).0.check().is_ok());
        assert!(limit.count(1, ALONE).0.check().is_ok());
        let (refused, _) = limit.count(1, ALONE);
        let Err(ApiError::RateLimited { retry_after }) = refused.check() else {
            panic!("not refused");
        };
        assert!((9..=10).contains(&retry_after), "{retry_after}");
        refused.write(&mut headers);
        assert_eq!(
            headers[RATE_LIMIT],
            format!("\"credential\";r=0;t={retry_after}")
        );
        assert!(
            limit.count(2, ALONE).0.check().is_ok(),
            "others have a bucket of their own"
        );
    }

    #[test]
    fn nodes_that_do_not_hear_each_other_have_an_even_part_each() {
        let limit = || Limit::new("address", "1/h:60".parse().unwrap());
        assert_eq!(allowed(&limit(), ALONE), 60);
        let of_three: usize = (0..3).map(|_| allowed(&limit(), deaf(3))).sum();
        assert_eq!(of_three, 60);
        // More nodes than the burst has requests: one at a time on each.
        let small = Limit::new("address", "1/h:2".parse().unwrap());
        assert_eq!(allowed(&small, deaf(5)), 1);
    }

    #[test]
    fn nodes_that_hear_each_other_allow_the_limit_wherever_requests_arrive() {
        let config = Config {
            rate_limit: Some("1/h:60".parse().unwrap()),
            ..Config::default()
        };
        let [one, other] = [0; 2].map(|_| RateLimits::of(&config).unwrap());
        let [first, second] = [1, 2].map(Uuid::from_u128);
        let nodes = Nodes {
            count: 2,
            hear: true,
        };
        let allowed = |limits: &RateLimits, times: usize| {
            let caller = Bearer::Known(Uuid::nil());
            let counted = (0..times).filter_map(|_| limits.count(caller, None, nodes));
            counted.filter(|standing| standing.check().is_ok()).count()
        };
        assert_eq!(allowed(&one, 10), 10);
        assert_eq!(one.tell(first), None, "that is within an even part");
        assert_eq!(allowed(&one, 30), 30);
        let told = one.tell(first).unwrap();
        other.hear(&told, second, 2);
        assert_eq!(other.tell(second), None);
        assert_eq!(allowed(&other, 100), 20, "{told}");
        let told = other.tell(second).unwrap();
        other.hear(&told, second, 2);
        one.hear(&told, first, 2);
        assert_eq!(allowed(&one, 100), 0, "{told}");
        for strange in [
            "",
            "x",
            "credential:1:2",
            &format!("{second} a b: credential:x:1 address:1:1"),
        ] {
            one.hear(strange, first, 2);
        }
    }

    #[test]
    fn without_a_limit_there_is_nothing_to_count() {
        assert!(RateLimits::of(&Config::default()).is_none());
    }
}
