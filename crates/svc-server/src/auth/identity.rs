//! Who credentials belong to, as far as it is known.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use jiff::Timestamp;
use svc_store::{AccountGrant, CredentialHash, Grant, ResourceGrant, SessionIdentity, TeamGrant};
use uuid::Uuid;

/// How often the use of a credential is recorded at most, in seconds.
const RECORD_USE_EVERY: i64 = 60;
/// How many credentials are remembered at most.
const MOST_KNOWN: usize = 100_000;

/// The credentials that were seen and are valid, until the store changes.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    known: RwLock<HashMap<CredentialHash, Identity>>,
    /// Moves when the store changed, so that what was read before is not kept after.
    generation: AtomicU64,
}

#[derive(Clone, Debug)]
pub(crate) enum Identity {
    ApiKey(Arc<Used<AccountGrant>>),
    StaticToken(Arc<Used<ResourceGrant>>),
    ServiceToken(Arc<Used<TeamGrant>>),
    Session(Arc<SessionIdentity>),
}

/// A credential, and when its use was last recorded.
#[derive(Debug)]
pub(crate) struct Used<G: Grant> {
    pub(crate) identity: svc_store::Identity<G>,
    recorded: AtomicI64,
}

impl<G: Grant> Used<G> {
    pub(super) fn new(identity: svc_store::Identity<G>) -> Arc<Self> {
        Arc::new(Self {
            identity,
            recorded: AtomicI64::new(i64::MIN),
        })
    }

    /// The identifier of the credential.
    pub(crate) fn uid(&self) -> Uuid {
        self.identity.credential.uid
    }

    /// Whether the credential has ended, and whether this use is to be recorded in the store.
    pub(super) fn state(&self, now: Timestamp) -> (bool, bool) {
        (self.identity.is_expired(now), self.is_due(now))
    }

    fn is_due(&self, now: Timestamp) -> bool {
        let now = now.as_second();
        let recorded = self.recorded.load(Ordering::Relaxed);
        now.saturating_sub(recorded) >= RECORD_USE_EVERY
            && self
                .recorded
                .compare_exchange(recorded, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

impl Credentials {
    /// Forgets everything: the store changed.
    pub(crate) fn forget(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        self.generation.fetch_add(1, Ordering::SeqCst);
        known.clear();
    }

    pub(super) fn get(&self, hash: &CredentialHash) -> Option<Identity> {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(hash)
            .cloned()
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    pub(super) fn keep(&self, hash: CredentialHash, identity: &Identity, generation: u64) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if self.generation() == generation {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(hash, identity.clone());
        }
    }
}
