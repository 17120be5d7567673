//! Where a database is.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::{Error, Result};

/// Where a database is: `sqlite:PATH`, optionally with `?mode=ro`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
/// optionally with `sslmode`, `sslrootcert`, `connect_timeout` and `host` (of a Unix socket) as in libpq; or
/// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, optionally with `ssl-mode`, `ssl-ca` and `socket` as in MySQL's client.
/// Several hosts are separated by commas, as `HOST:PORT,HOST:PORT`.
///
/// It may contain a password, so it is shown with its scheme only.
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

    /// What the address leads to. Nothing is looked up.
    ///
    /// ```
    /// use svc_data::{Location, ResourceUrl};
    ///
    /// let url: ResourceUrl = "postgres://app:secret@db.internal/shop".parse()?;
    /// let Location::Server(server) = url.location()? else { unreachable!() };
    /// assert_eq!(server.hosts, [("db.internal".to_owned(), 5432)]);
    /// assert!("postgres://app@db:port/shop".parse::<ResourceUrl>()?.location().is_err());
    /// # Ok::<(), svc_data::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the address is not valid for its engine; the error does not
    /// quote it.
    pub fn location(&self) -> Result<Location> {
        match self.scheme {
            #[cfg(feature = "mysql")]
            "mysql" => crate::engine::mysql::Mysql::location(&self.rest),
            #[cfg(feature = "postgres")]
            "postgres" => crate::engine::postgres::Postgres::location(&self.rest),
            #[cfg(feature = "sqlite")]
            "sqlite" => crate::engine::sqlite::Sqlite::location(&self.rest),
            scheme => Err(Error::invalid(format!(
                "{scheme} is not supported by this build"
            ))),
        }
    }

    pub(crate) fn rest(&self) -> &str {
        &self.rest
    }
}

/// What an address leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// A database server.
    Server(ServerLocation),
}

/// How a database server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLocation {
    /// Its hosts, each a name or an address, and the port; empty where it is reached through a socket.
    pub hosts: Vec<(String, u16)>,
    /// The Unix sockets of this machine that lead to it.
    pub sockets: Vec<PathBuf>,
    /// The file of this machine with the certificates to trust, where the address names one.
    pub certificates: Option<PathBuf>,
}

impl ServerLocation {
    /// The files of this machine that are opened to reach the server.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let sockets = self.sockets.iter();
        sockets.chain(&self.certificates).map(PathBuf::as_path)
    }
}

impl fmt::Debug for ResourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceUrl({}:...)", self.scheme)
    }
}

impl FromStr for ResourceUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once(':').unwrap_or_default();
        let scheme = match scheme {
            #[cfg(feature = "sqlite")]
            "sqlite" => "sqlite",
            #[cfg(feature = "mysql")]
            "mysql" | "mariadb" => "mysql",
            #[cfg(feature = "postgres")]
            "postgres" | "postgresql" => "postgres",
            _ => {
                return Err(Error::invalid(
                    "a resource is given as sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE; other engines are not supported by this build",
                ));
            }
        };
        Ok(Self {
            scheme,
            rest: rest.to_owned(),
        })
    }
}
