//! Until when a write that takes long may be given up.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use crate::{Error, ErrorKind, Result};

const OPEN: u8 = 0;
const COMMITTING: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Whether a write may still be given up, which is so until it is about to be committed. Clones are of the same write.
#[derive(Clone, Debug, Default)]
pub struct CommitGate(Arc<AtomicU8>);

impl CommitGate {
    /// Gives the write up: it is not committed from now on, and its future may be dropped. `false` where it is too late for that:
    /// then its outcome has to be waited for.
    pub fn give_up(&self) -> bool {
        self.set(GIVEN_UP) != COMMITTING
    }

    /// Called right before the commit, and whenever that is tried again.
    pub(crate) fn pass(&self) -> Result<()> {
        match self.set(COMMITTING) {
            GIVEN_UP => Err(Error::new(
                ErrorKind::Unavailable,
                "the write was given up".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the write was given up.
    pub(crate) fn check(&self) -> Result<()> {
        match self.0.load(Ordering::Acquire) {
            GIVEN_UP => self.pass(),
            _ => Ok(()),
        }
    }

    /// Leaves the open state, and returns the one before.
    fn set(&self, state: u8) -> u8 {
        let set = self
            .0
            .compare_exchange(OPEN, state, Ordering::AcqRel, Ordering::Acquire);
        set.unwrap_or_else(|before| before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_either_committed_or_given_up() {
        let gate = CommitGate::default();
        assert!(gate.check().is_ok() && gate.pass().is_ok() && gate.pass().is_ok());
        assert!(!gate.give_up());
        assert!(gate.pass().is_ok() && gate.check().is_ok());
        let gate = CommitGate::default();
        assert!(gate.give_up() && gate.give_up());
        assert!(gate.pass().is_err() && gate.check().is_err());
    }
}
