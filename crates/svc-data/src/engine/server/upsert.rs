//! Records that are changed where others have the same values in unique fields, and else created.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use super::{
    AtOnce, CreateRecord as _, ServerEngine, change::Change, lease::Lease, transaction::finish,
};
use crate::{
    Error, Model, RecordJson, Result,
    engine::{ChangeRequest, Update},
    record::{Projection, RecordBody},
};

/// How often a write is tried, where others write the same record at the same time.
const TRIES: u32 = 8;
/// Half of the longest pause before the second try.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// Pauses before a transaction is repeated that was ended for the sake of another one: longer each time, and not as long as
/// those that were ended with it.
async fn let_others_end(tried: u32) {
    let longest = FIRST_PAUSE.saturating_mul(1 << tried.min(10));
    let part = RandomState::new().hash_one(tried) % 100;
    let part = u32::try_from(part).unwrap_or(0);
    tokio::time::sleep(longest * part / 100).await;
}

/// How often a write was tried that the server may take back for the sake of another one: in a deadlock, and in a cluster also
/// when another node was first.
#[derive(Default)]
pub(super) struct Tries(u32);

impl Tries {
    /// Whether a write is to be tried again, after a pause.
    pub(super) async fn again(&mut self, was_taken_back: bool) -> bool {
        self.0 += 1;
        if !was_taken_back || self.0 >= TRIES {
            return false;
        }
        let_others_end(self.0).await;
        true
    }
}

/// Whether the server has taken a write back for the sake of another one.
pub(super) fn is_taken_back<E: ServerEngine, T>(done: &Result<T>) -> bool {
    done.as_ref().is_err_and(E::is_deadlock)
}

/// What a write gives in the end, which is made again each time that the server has taken it back for the sake of another one.
/// It is no function: the futures of closures that borrow are not known to be `Send`.
macro_rules! repeated {
    ($engine:ty, $write:expr) => {{
        let mut tries = $crate::engine::server::upsert::Tries::default();
        loop {
            let done = $write;
            let is_taken_back = $crate::engine::server::upsert::is_taken_back::<$engine, _>(&done);
            if !tries.again(is_taken_back).await {
                break done;
            }
        }
    }};
}
pub(super) use repeated;

/// A record that is changed or created, in the way of an engine.
pub(crate) struct Upsert<E: ServerEngine> {
    model: Arc<Model>,
    change: Change,
    /// What creates it, or why it cannot be created.
    create: Result<E::Create>,
}

impl<E: ServerEngine> Upsert<E> {
    /// `body` has the values of unique fields.
    pub(super) fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self> {
        let request = ChangeRequest {
            key: body.unique.clone(),
            if_match: None,
            keeping: shown.keeping.clone(),
            update: Some(Update {
                body: body.without_unique(),
                replace: false,
                shown: shown.clone(),
            }),
        };
        Ok(Self {
            model: Arc::clone(model),
            change: Change::new(model, request, E::stored)?,
            create: match &body.incomplete {
                Some(incomplete) => Err(incomplete.clone()),
                None => E::Create::new(model, body, shown),
            },
        })
    }

    /// What creates the record, where there is enough of it.
    pub(super) fn create(&self) -> Option<&E::Create> {
        self.create.as_ref().ok()
    }

    /// Changes or creates the record, and nothing else.
    pub(super) async fn run(
        &self,
        engine: &E,
        lease: &mut Lease<E::Manager>,
    ) -> Result<RecordJson> {
        repeated!(E, self.run_once(engine, lease).await)
    }

    async fn run_once(&self, engine: &E, lease: &mut Lease<E::Manager>) -> Result<RecordJson> {
        if !E::WRITES_ALONE {
            E::run(lease, E::BEGIN).await?;
            let done = self.run_within(lease).await;
            return finish::<E, _>(lease, &self.model, done, true).await;
        }
        match (
            self.change_or_create(lease, Some(engine)).await,
            &self.create,
        ) {
            (Err(error), Ok(create)) => Err(E::blame(lease, create, None, error).await),
            (done, _) => done,
        }
    }

    /// Changes or creates the record in a transaction that is open.
    pub(super) async fn run_within(&self, lease: &mut Lease<E::Manager>) -> Result<RecordJson> {
        self.change_or_create(lease, None).await
    }

    /// `alone` is the engine where no transaction is open.
    async fn change_or_create(
        &self,
        lease: &mut Lease<E::Manager>,
        alone: Option<&E>,
    ) -> Result<RecordJson> {
        for tried in 0..TRIES {
            let is_there = tried > 0;
            if let (Some(engine), Ok(create)) = (alone, &self.create) {
                match engine.change_or_create(lease, &self.change, create).await? {
                    AtOnce::Written(record) => return Ok(record),
                    AtOnce::Taken => continue,
                    AtOnce::Unsuited => {}
                }
            }
            let in_transaction = alone.is_none();
            let changed = E::change_found(lease, &self.change, in_transaction, is_there).await?;
            if let Some(changed) = changed {
                return changed.into_updated();
            }
            let create = self.create.as_ref().map_err(Error::clone)?;
            if let Some(created) = create.insert_new(lease).await? {
                return Ok(created);
            }
        }
        Err(Error::unavailable(
            "others create and delete the record all the time; try again",
        ))
    }
}
