//! Connections to a database server: made when they are needed, kept for the next statement, and fewer than
//! configured while the server refuses more.

use std::{
    future::{Future, pending},
    time::{Duration, Instant},
};

use deadpool::{
    Runtime,
    managed::{self, Object, PoolBuilder, PoolError, Timeouts},
};

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Outage, Result,
    admission::{Admission, Permit, Work},
    engine::{
        PoolUse,
        server::{
            gate::{CONNECT_TIMEOUT, GRACE, Gate},
            lease::{ConnectionManager, Lease},
            pipelines::{Pipelines, Place, ReadOn, Sharing},
        },
    },
};

/// How long to try to get a connection from a server that has no connection left for this service.
const FULL_SERVER: Duration = Duration::from_secs(3);
/// How long the pause between two tries is.
const FULL_SERVER_PAUSE: Duration = Duration::from_millis(50);

/// A pool of connections to one server.
pub(crate) struct Connections<M: ConnectionManager> {
    pool: managed::Pool<M>,
    gate: Gate,
    admission: Admission,
    ender: M::Ender,
    pipelines: Pipelines<M>,
}

impl<M: ConnectionManager> Connections<M> {
    /// A pool of so many connections at most, whose statements get their turn from `admission`.
    pub(crate) fn new(
        pool: PoolBuilder<M>,
        size: usize,
        admission: Admission,
        ender: M::Ender,
    ) -> Result<Self> {
        let timeouts = Timeouts {
            // The wait for the turn comes before.
            wait: Some(CONNECT_TIMEOUT),
            create: Some(CONNECT_TIMEOUT + GRACE),
            recycle: Some(GRACE),
        };
        let pool = pool.max_size(size).timeouts(timeouts);
        let pool = pool.runtime(Runtime::Tokio1).build();
        Ok(Self {
            pool: pool
                .map_err(|error| Error::internal(format!("a pool cannot be made: {error}")))?,
            gate: Gate::default(),
            pipelines: Pipelines::new(admission.clone(), Sharing::default()),
            admission,
            ender,
        })
    }

    pub(crate) fn manager(&self) -> &M {
        self.pool.manager()
    }

    /// A connection that no other caller uses, once there is one. Where the server has none left, `other`, a pool to
    /// the same server, closes one of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the server cannot be reached, and when no connection is free before the
    /// deadline.
    pub(crate) async fn get(
        &self,
        work: Work,
        deadline: Instant,
        other: &Self,
    ) -> Result<Lease<M>> {
        match self.own_or(work, deadline, other, pending).await? {
            ReadOn::Own(lease) => Ok(lease),
            ReadOn::Shared(_) => Err(Error::internal(
                "a connection is shared that was asked for alone",
            )),
        }
    }

    /// A connection that no other caller uses, or a place on one that is shared, if that comes before the turn.
    async fn own_or<P: Future<Output = Place<M>>>(
        &self,
        work: Work,
        deadline: Instant,
        other: &Self,
        place: impl Fn() -> P,
    ) -> Result<ReadOn<M>> {
        let mut is_next = false;
        let full_until = deadline.min(Instant::now() + FULL_SERVER);
        loop {
            self.gate.check()?;
            let permit = tokio::select! {
                biased;
                permit = self.admission.enter(work, deadline, is_next) => permit?,
                place = place() => return Ok(ReadOn::Shared(place)),
            };
            self.gate.pass()?;
            let error = match self.pool.get().await {
                Ok(object) => return Ok(ReadOn::Own(self.lease(object, permit))),
                Err(PoolError::Backend(error))
                | Err(PoolError::PostCreateHook(managed::HookError::Backend(error))) => {
                    M::unreachable(error)
                }
                Err(error) => silent(&error),
            };
            let connections = self.pool.status().size;
            if connections > 0 {
                // Those that there are do the work, and this statement continues with the first that is free.
                tracing::debug!(%error, connections, "the database server refuses further connections");
                self.gate.open();
                self.admission.shrink(connections);
                permit.unused();
                is_next = true;
                continue;
            }
            if M::is_full(&error) && Instant::now() < full_until {
                self.gate.open();
                self.admission.shrink(1);
                other.close_one();
                // Other callers wait for their turn meanwhile.
                tokio::time::sleep(FULL_SERVER_PAUSE).await;
                permit.unused();
                is_next = true;
                continue;
            }
            self.gate.close(&error);
            permit.unused();
            return Err(error);
        }
    }

    /// Lets short reads share connections.
    pub(crate) fn with_pipelines(mut self, is_on_this_machine: bool) -> Self {
        let size = self.pool.status().max_size;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let sharing = Sharing::of(size, is_on_this_machine.then(cores));
        self.pipelines = Pipelines::new(self.admission.clone(), sharing);
        self
    }

    /// A connection for a read of stored records with one statement: one that short reads share, where it is known as short.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub(crate) async fn get_for_read(
        &self,
        work: Work,
        deadline: Instant,
        other: &Self,
    ) -> Result<ReadOn<M>> {
        if !self.pipelines.may_have(&work) {
            return self.get(work, deadline, other).await.map(ReadOn::Own);
        }
        if let Some(place) = self.join_pipeline(work).await {
            self.pipelines.did_not_wait();
            return Ok(ReadOn::Shared(place));
        }
        let place = || self.pipelines.join_later(work);
        Ok(match self.own_or(work, deadline, other, place).await? {
            ReadOn::Own(lease) => self.pipelines.share_own(lease, work),
            shared => shared,
        })
    }

    /// A place on a connection that short reads share, without waiting for one.
    async fn join_pipeline(&self, work: Work) -> Option<Place<M>> {
        if let Some(place) = self.pipelines.join(work) {
            return Some(place);
        }
        let Some(permit) = self.pipelines.enter() else {
            return self.pipelines.join_any(work);
        };
        // New connections are made for those who wait for one, and are told what is wrong.
        let is_there = self.pool.status().available > 0 && self.gate.pass().is_ok();
        let object = match is_there {
            true => self.pool.get().await.ok(),
            false => None,
        };
        let Some(object) = object else {
            permit.unused();
            return None;
        };
        Some(self.pipelines.begin(self.lease(object, permit), work))
    }

    /// Says that a read was too long for a connection that it shared: for a while, those of its shape share none.
    pub(crate) fn was_long(&self, work: &Work) {
        self.admission.was_long(work);
    }

    /// A connection that was taken out of the pool.
    fn lease(&self, object: Object<M>, mut permit: Permit) -> Lease<M> {
        self.gate.open();
        if Object::metrics(&object).recycle_count == 0 {
            self.admission.accepted();
        }
        permit.begin();
        Lease::new(object, self.ender.clone(), permit)
    }

    /// Looks whether the server answers: on a connection that nobody uses, else on one of its own, so that statements that
    /// run are not waited for.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the server cannot be reached or does not answer.
    pub(crate) async fn ping(&self) -> Result<()> {
        let timeouts = Timeouts {
            wait: Some(Duration::ZERO),
            create: Some(CONNECT_TIMEOUT),
            recycle: Some(GRACE),
        };
        let pinged = match self.pool.timeout_get(&timeouts).await {
            Ok(mut object) => {
                let pinged = tokio::time::timeout(GRACE, M::ping(&mut object)).await;
                if !matches!(pinged, Ok(Ok(()))) {
                    // It is of no use to others.
                    drop(Object::take(object));
                }
                pinged.map_err(|_| silent(&"no answer to a ping"))
            }
            Err(PoolError::Timeout(managed::TimeoutType::Wait)) => {
                let made = tokio::time::timeout(CONNECT_TIMEOUT, self.pool.manager().create());
                let made = made.await.map(|made| made.map(drop));
                made.map_err(|_| silent(&"no new connection"))
            }
            Err(
                PoolError::Backend(error)
                | PoolError::PostCreateHook(managed::HookError::Backend(error)),
            ) => Ok(Err(error)),
            Err(error) => Err(silent(&error)),
        };
        match pinged?.map_err(M::unreachable) {
            // It is there, and busy with others.
            Err(error) if M::is_full(&error) => Ok(()),
            Err(error) => Err(error),
            Ok(()) => {
                self.gate.open();
                Ok(())
            }
        }
    }

    /// What the connections do at this moment.
    pub(crate) fn pool_use(&self) -> PoolUse {
        let status = self.pool.status();
        let used = status.size.saturating_sub(status.available);
        PoolUse::new(status.max_size, used, self.admission.waiting())
    }

    /// Closes a connection that is not in use, unless it is the only one.
    fn close_one(&self) {
        let connections = self.pool.status().size;
        if connections < 2 {
            return;
        }
        let mut closed = false;
        self.pool
            .retain(|_, _| std::mem::replace(&mut closed, true));
        self.admission.shrink(connections - 1);
    }
}

/// The error of a server that takes too long to answer.
fn silent(why: &dyn std::fmt::Display) -> Error {
    let message = format!("the database server does not answer: {why}");
    Error::unavailable(message).with_outage(Outage::NoAnswer)
}
