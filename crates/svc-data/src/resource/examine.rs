//! A look at a database that is not connected for long: whether it can be used, and what it is.

use std::sync::Arc;

use super::{Resource, ResourceUrl};
use crate::{PoolUse, ResourceOptions, Result, Structure};

/// What is found out about a database by connecting it once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Examined {
    /// What the engine calls its version.
    pub version: String,
    /// Its tables and views.
    pub structure: Arc<Structure>,
}

impl Resource {
    /// Connects a database, reads its structure, and closes the connection. Nothing is created, not even the files that
    /// SQLite puts beside a database.
    ///
    /// It takes as long as the database does. Dropping the future ends what runs in the database.
    ///
    /// # Errors
    /// As [`Resource::connect`]; [`Error::outage`](crate::Error::outage) says why.
    pub async fn examine(url: &ResourceUrl, options: &ResourceOptions) -> Result<Examined> {
        let options = ResourceOptions {
            readers: 1,
            connections: 1,
            set_wal: false,
            untouched: true,
            ..options.clone()
        };
        let resource = Self::connect("examined", url, options).await?;
        let driver = &resource.inner.driver;
        let (version, closed) = (driver.version().await, driver.closed());
        let structure = resource.structure();
        drop(resource);
        if let Some(closed) = closed {
            closed.await;
        }
        Ok(Examined {
            version: version?,
            structure,
        })
    }

    /// Looks whether the database is still there, with as little as possible: the server's shortest answer, or the file.
    /// Statements that run are not waited for.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when it is not;
    /// [`Error::outage`](crate::Error::outage) says why.
    pub async fn ping(&self) -> Result<()> {
        self.inner.driver.ping().await
    }

    /// What its connections do at this moment.
    #[must_use]
    pub fn pool_use(&self) -> PoolUse {
        self.inner.driver.pool_use()
    }
}
