//! The memory that request bodies may take together, from the first byte that arrives until the request is answered.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use svc_data::turns::Caller;

use crate::Config;

/// How many bodies of the largest size fit.
const LARGEST: usize = 8;
/// Up to this size a body may use what large ones are not given.
const SMALL: usize = 64 << 10;

/// There is no memory for a body now.
#[derive(Debug, thiserror::Error)]
#[error("there is no memory for the request body")]
pub(crate) struct NoBodyMemory;

/// The memory of all request bodies.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    limit: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    of: HashMap<Caller, usize>,
}

impl BodyMemory {
    pub(crate) fn new(config: &Config) -> Arc<Self> {
        Arc::new(Self {
            limit: config.body_limit.saturating_mul(LARGEST),
            used: Mutex::default(),
        })
    }

    /// The memory of a body of which nothing has arrived.
    pub(crate) fn begin(self: &Arc<Self>, caller: Caller) -> HeldBody {
        HeldBody {
            memory: Arc::clone(self),
            caller,
            bytes: 0,
        }
    }

    /// How much the bodies take.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.used.lock().all
    }
}

/// What the body of one request takes; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct HeldBody {
    memory: Arc<BodyMemory>,
    caller: Caller,
    bytes: usize,
}

impl HeldBody {
    /// Counts bytes that have arrived. Large bodies leave a quarter to small ones, and those of one caller leave half
    /// to others.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), NoBodyMemory> {
        let limit = self.memory.limit;
        let is_large = self.bytes.saturating_add(bytes) > SMALL;
        let mut used = self.memory.used.lock();
        let of_caller = used.of.get(&self.caller).copied().unwrap_or_default();
        let (all, of_caller) = (
            used.all.saturating_add(bytes),
            of_caller.saturating_add(bytes),
        );
        let fits = match is_large {
            true => all <= limit - limit / 4 && of_caller <= limit / 2,
            false => all <= limit,
        };
        if !fits {
            return Err(NoBodyMemory);
        }
        used.all = all;
        used.of.insert(self.caller, of_caller);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut used = self.memory.used.lock();
        used.all -= self.bytes;
        if let Some(of_caller) = used.of.get_mut(&self.caller) {
            *of_caller -= self.bytes;
            if *of_caller == 0 {
                used.of.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_leave_memory_to_small_ones_and_one_caller_to_others() {
        let memory = BodyMemory::new(&Config {
            body_limit: 1 << 20,
            ..Config::default()
        });
        let whole = |caller: &str| {
            let mut body = memory.begin(Caller::of(caller));
            body.grow(1 << 20).map(|()| body)
        };
        let greedy: Vec<_> = (0..20).filter_map(|_| whole("greedy").ok()).collect();
        assert_eq!(greedy.len(), 4);
        let others: Vec<_> = (0..20).filter_map(|n| whole(&n.to_string()).ok()).collect();
        assert_eq!(others.len(), 2);
        let mut small = memory.begin(Caller::of("greedy"));
        small.grow(1_000).unwrap();
        assert!(small.grow(SMALL).is_err());
        assert_eq!(memory.taken(), (6 << 20) + 1_000);
        drop((greedy, others, small));
        assert_eq!(memory.taken(), 0);
        assert!(memory.used.lock().of.is_empty());
    }
}
