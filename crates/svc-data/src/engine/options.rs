//! What a connected database is held to.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use crate::Durations;

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
    /// Which database servers may be connected to; all of them when `None`. The sockets of this machine are no such
    /// servers.
    pub servers: Option<ServerRule>,
    /// Counts how long statements waited for a connection.
    pub waits: Arc<Durations>,
    /// Puts an SQLite database into WAL mode, so that readers and the writer do not wait for each other.
    /// Off, since the mode is the owner's choice.
    pub set_wal: bool,
    /// Opens an SQLite file so that nothing is created beside it, and nothing can be written.
    pub(crate) untouched: bool,
}

/// Which database servers may be connected to. It is asked for each connection, about the address that is connected to.
#[derive(Clone)]
pub struct ServerRule(Arc<Allows>);

type Allows = dyn Fn(&str, SocketAddr) -> bool + Send + Sync;

impl ServerRule {
    /// Allows what `allows` says of the host in the URL of the resource, and of one of its addresses.
    pub fn new(allows: impl Fn(&str, SocketAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(allows))
    }

    /// Whether this address of a host may be connected to.
    #[must_use]
    pub fn allows(&self, host: &str, address: SocketAddr) -> bool {
        (self.0)(host, address)
    }
}

impl fmt::Debug for ServerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerRule")
    }
}

impl Default for ResourceOptions {
    fn default() -> Self {
        Self {
            statement_timeout: STATEMENT_TIMEOUT,
            structure_check: STRUCTURE_CHECK,
            readers: std::thread::available_parallelism()
                .map_or(2, |cores| cores.get().clamp(2, 16)),
            connections: 10,
            servers: None,
            waits: Arc::default(),
            set_wal: false,
            untouched: false,
        }
    }
}
