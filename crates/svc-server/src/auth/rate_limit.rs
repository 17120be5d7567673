//! How often callers may call: each credential, and each address for requests without one.
//!
//! A credential has one bucket however it is spelled, and so has a session with all its tokens. A credential that is
//! not valid counts for its address. Buckets are those of `governor`, in a store with an end to its size.

mod buckets;

use std::{
    fmt,
    hash::{BuildHasher as _, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    middleware::StateInformationMiddleware,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

use self::buckets::Buckets;
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

/// The limits that are set.
pub(crate) struct RateLimits {
    credentials: Option<Limit>,
    addresses: Option<Limit>,
    hasher: RandomState,
}

/// A limit with its buckets.
struct Limit {
    name: &'static str,
    limiter: RateLimiter<u64, Buckets, DefaultClock, StateInformationMiddleware>,
    rate: RateLimit,
    policy: HeaderValue,
}

/// Who a request counts for.
#[derive(Hash)]
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
            hasher: RandomState::new(),
        })
    }

    /// Counts a request of a caller at an address; `None` where no limit concerns it. Of several nodes that are the service
    /// together each allows its part.
    pub(crate) fn count(
        &self,
        bearer: Bearer,
        address: Option<IpAddr>,
        nodes: u32,
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
        Some(limit.count(self.hasher.hash_one(payer), nodes))
    }

    /// Forgets those whose burst is whole again.
    pub(crate) fn tidy(&self) {
        for limit in [&self.credentials, &self.addresses].into_iter().flatten() {
            limit.limiter.retain_recent();
        }
    }
}

impl fmt::Debug for RateLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimits").finish_non_exhaustive()
    }
}

impl Limit {
    fn new(name: &'static str, rate: RateLimit) -> Self {
        let quota = Quota::with_period(rate.period()).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let quota = quota.allow_burst(rate.burst());
        let limiter = RateLimiter::new(quota, Buckets::default(), DefaultClock::default());
        let window = seconds(rate.period() * rate.burst().get());
        let policy = format!("\"{name}\";q={};w={window}", rate.burst());
        Self {
            name,
            limiter,
            rate,
            policy: value(&policy),
        }
    }

    /// Counts a request for a bucket. Of several nodes each counts it for all of them: together they allow the rate.
    fn count(&self, bucket: u64, nodes: u32) -> Standing {
        let burst = self.rate.burst();
        let times = NonZeroU32::new(nodes).unwrap_or(NonZeroU32::MIN);
        let counted = self.limiter.check_key_n(&bucket, times.min(burst));
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
        Standing {
            policy: self.policy.clone(),
            left: value(&format!("\"{}\";r={left};t={reset}", self.name)),
            retry_after,
        }
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

    fn allowed(limit: &Limit, nodes: u32) -> usize {
        (0..100)
            .filter(|_| limit.count(7, nodes).check().is_ok())
            .count()
    }

    #[test]
    fn a_caller_has_its_burst_and_is_told_what_is_left_and_when_to_come_again() {
        let limit = Limit::new("credential", "6/m:3".parse().unwrap());
        let mut headers = HeaderMap::new();
        limit.count(1, 1).write(&mut headers);
        assert_eq!(headers[RATE_LIMIT_POLICY], "\"credential\";q=3;w=30");
        assert_eq!(headers[RATE_LIMIT], "\"credential\";r=2;t=10");
        assert!(limit.count(1, 1).check().is_ok());
        assert!(limit.count(1, 1).check().is_ok());
        let refused = limit.count(1, 1);
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
            limit.count(2, 1).check().is_ok(),
            "others have a bucket of their own"
        );
    }

    #[test]
    fn nodes_that_serve_together_share_the_limit() {
        let limit = || Limit::new("address", "1/h:60".parse().unwrap());
        assert_eq!(allowed(&limit(), 1), 60);
        let of_three: usize = (0..3).map(|_| allowed(&limit(), 3)).sum();
        assert_eq!(of_three, 60);
        // More nodes than the burst has requests: one at a time on each.
        let small = Limit::new("address", "1/h:2".parse().unwrap());
        assert_eq!(allowed(&small, 5), 1);
    }

    #[test]
    fn without_a_limit_there_is_nothing_to_count() {
        assert!(RateLimits::of(&Config::default()).is_none());
    }
}
