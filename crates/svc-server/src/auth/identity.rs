//! Who credentials belong to, as far as it is known.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::Timestamp;
use svc_store::{
    AccountGrant, AccountRights, AccountSession, Actor, CredentialHash, Grant, ResourceGrant,
    SessionIdentity, TeamGrant,
};
use uuid::Uuid;

use crate::state::cache::StoreCache;

/// How often the use of a credential is recorded at most, in seconds.
const RECORD_USE_EVERY: i64 = 60;
/// How many credentials are remembered at most.
pub(crate) const MOST_KNOWN: usize = 100_000;

/// The credentials that were seen and are valid, until the store changes.
pub(crate) type Credentials = StoreCache<CredentialHash, Identity>;

#[derive(Clone, Debug)]
pub(crate) enum Identity {
    ApiKey(Arc<Used<AccountGrant>>),
    StaticToken(Arc<Used<ResourceGrant>>),
    ServiceToken(Arc<Used<TeamGrant>>),
    Session(Arc<SessionIdentity>),
    AccountSession(Arc<AccountSession>),
    Program(Arc<Program>),
}

/// The process that has the store open: an operator of the service without an account. Its key is known to this
/// process alone.
#[derive(Debug)]
pub(crate) struct Program {
    key: CredentialHash,
    pub(crate) grant: AccountGrant,
    pub(crate) rights: AccountRights,
    pub(crate) actor: Actor,
}

impl Program {
    /// The program with this key, as the audit trail calls it.
    pub(crate) fn new(key: &str, actor: Actor) -> Self {
        Self {
            key: CredentialHash::of(key),
            grant: AccountGrant::of_program(),
            rights: AccountRights::of_operator(),
            actor,
        }
    }

    /// Whether this is its key.
    pub(super) fn has_key(&self, presented: &str) -> bool {
        self.key == CredentialHash::of(presented)
    }
}

/// A credential, and when its use was last recorded.
#[derive(Debug)]
pub(crate) struct Used<G: Grant> {
    pub(crate) identity: svc_store::Identity<G>,
    recorded: AtomicI64,
}

impl<G: Grant> Used<G> {
    pub(super) fn new(identity: svc_store::Identity<G>) -> Arc<Self> {
        let last_use = identity.credential.last_use;
        Arc::new(Self {
            identity,
            recorded: AtomicI64::new(last_use.map_or(i64::MIN, Timestamp::as_second)),
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
