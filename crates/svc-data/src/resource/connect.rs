//! How a database is connected: where it is, and what it is held to.

use std::{fmt, str::FromStr, time::Duration};

use crate::{Error, guard::GuardOptions};

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
    /// What SQL of clients may do beyond the rules of the guard.
    pub guard: GuardOptions,
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
            guard: GuardOptions::default(),
        }
    }
}

/// Where a database is: `sqlite:PATH`, optionally with `?mode=ro`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
/// optionally with `sslmode`, `sslrootcert`, `connect_timeout` and `host` (of a Unix socket) as in libpq; or
/// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, optionally with `ssl-mode`, `ssl-ca` and `socket` as in MySQL's client.
///
/// It may hold a password, so it is shown with its scheme only.
///
/// ```
/// use svc_data::ResourceUrl;
///
/// let url: ResourceUrl = "sqlite:shop.db?mode=ro".parse()?;
/// assert_eq!(url.scheme(), "sqlite");
/// assert_eq!(format!("{url:?}"), "ResourceUrl(sqlite:...)");
/// assert!("oracle://host/db".parse::<ResourceUrl>().is_err());
/// # Ok::<(), svc_data::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ResourceUrl {
    scheme: &'static str,
    /// What follows the scheme and its colon.
    rest: String,
}

impl ResourceUrl {
    /// The engine.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.scheme
    }

    pub(crate) fn rest(&self) -> &str {
        &self.rest
    }
}

impl fmt::Debug for ResourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceUrl({}:...)", self.scheme)
    }
}

impl FromStr for ResourceUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once(':') {
            #[cfg(feature = "sqlite")]
            Some(("sqlite", rest)) => Ok(Self {
                scheme: "sqlite",
                rest: rest.to_owned(),
            }),
            #[cfg(feature = "mysql")]
            Some(("mysql" | "mariadb", rest)) => Ok(Self {
                scheme: "mysql",
                rest: rest.to_owned(),
            }),
            #[cfg(feature = "postgres")]
            Some(("postgres" | "postgresql", rest)) => Ok(Self {
                scheme: "postgres",
                rest: rest.to_owned(),
            }),
            _ => Err(Error::invalid(
                "a resource is given as sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE; other engines are not supported by this build",
            )),
        }
    }
}
