//! What a connected database is held to.

use std::time::Duration;

/// How long a statement on records may take when nothing else is set.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);
/// How old what is known of the structure may be when nothing else is set.
const STRUCTURE_CHECK: Duration = Duration::from_secs(10);

/// How a resource is connected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceOptions {
    /// How long a statement on records may take; 15 seconds.
    pub statement_timeout: Duration,
    /// How old what is known of the structure may be when a request uses it; 10 seconds. It is compared with the
    /// database upon use. Zero compares nothing: what was added is found when a request names it.
    pub structure_check: Duration,
    /// How many reads of an SQLite file run at once; one per core, at least 2, at most 16.
    pub readers: usize,
    /// How many connections to a database server are open at once, at most, for records; 10.
    pub connections: usize,
    /// Puts an SQLite database into WAL mode, so that readers and the writer do not wait for each other.
    /// Off, since the mode is the owner's choice.
    pub set_wal: bool,
}

impl Default for ResourceOptions {
    fn default() -> Self {
        Self {
            statement_timeout: STATEMENT_TIMEOUT,
            structure_check: STRUCTURE_CHECK,
            readers: std::thread::available_parallelism()
                .map_or(2, |cores| cores.get().clamp(2, 16)),
            connections: 10,
            set_wal: false,
        }
    }
}
