//! Where a database is.

use std::{fmt, str::FromStr};

use crate::{Error, Result};

/// Where a database is: `sqlite:PATH`, optionally with `?mode=ro`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
/// optionally with `sslmode`, `sslrootcert`, `connect_timeout` and `host` (of a Unix socket) as in libpq; or
/// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, optionally with `ssl-mode`, `ssl-ca` and `socket` as in MySQL's client.
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
