//! The processes that serve a store on a server: who they are, and that they live, and what they ask each other.

mod questions;

use jiff::Timestamp;
use svc_data::Row;
use uuid::Uuid;

use crate::database::{handle, row, values};
use crate::error::Result;

pub use self::questions::{NodeAnswer, NodeQuestion};

handle!(
    /// The nodes of a store, by [`Store::nodes`](crate::Store::nodes).
    Nodes,
    /// The nodes that serve this store.
    nodes
);

/// A process that serves the store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// Its identifier, which it makes when it starts.
    pub uid: Uuid,
    /// The name of its machine.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// Where it listens.
    pub address: String,
    /// Since when it runs, by its own clock.
    pub since: Timestamp,
    /// When it last said that it lives, by its own clock.
    pub last_seen: Timestamp,
    /// How often it said so. Others see that it lives by this number going up, whatever their clocks say.
    pub beat: i64,
}

impl Node {
    /// A node that starts now.
    pub fn new(
        uid: Uuid,
        name: impl Into<String>,
        version: impl Into<String>,
        address: impl Into<String>,
        since: Timestamp,
    ) -> Self {
        Self {
            uid,
            name: name.into(),
            version: version.into(),
            address: address.into(),
            since,
            last_seen: since,
            beat: 0,
        }
    }

    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            uid: row::get(row, "uid")?,
            name: row.get("name")?,
            version: row.get("version")?,
            address: row.get("address")?,
            since: row::get(row, "since")?,
            last_seen: row::get(row, "last_seen")?,
            beat: row.get("beat")?,
        })
    }
}

impl Nodes<'_> {
    /// Tells a text of at most 8000 bytes to all nodes that hear, this one among them. No statement of theirs is needed to hear it.
    /// It is not kept, and may be lost.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn tell(&self, text: &str) -> Result<()> {
        let told = self.store.database().tell(text).await;
        Ok(told?)
    }

    /// Waits for the next text that a node tells.
    pub async fn told(&self) -> String {
        self.store.database().told().await
    }

    /// Whether this node hears what the others tell at this time.
    pub fn hears(&self) -> bool {
        self.store.database().hears()
    }

    /// Says that a node lives, forgets those others, and gives all that are left.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn beat(&self, node: &Node, gone: Vec<Uuid>) -> Result<Vec<Node>> {
        let node = node.clone();
        let written = self.store.write(move |tx| {
            let now = tx.now();
            tx.housekeeping().execute(
                "INSERT INTO nodes (uid, name, version, address, since, last_seen, beat) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) \
                 ON CONFLICT (uid) DO UPDATE SET last_seen = excluded.last_seen, beat = nodes.beat + 1",
                &values![node.uid, node.name, node.version, node.address, node.since, now],
            )?;
            for uid in gone {
                tx.execute("DELETE FROM nodes WHERE uid = ?1", &values![uid])?;
            }
            let all = "SELECT uid, name, version, address, since, last_seen, beat FROM nodes ORDER BY name, address, uid";
            tx.list(all, &[], Node::from_row)
        });
        written.await
    }

    /// Forgets a node that ends.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn remove(&self, node: Uuid) -> Result<()> {
        let written = self.store.write(move |tx| {
            let delete = "DELETE FROM nodes WHERE uid = ?1";
            tx.housekeeping().execute(delete, &values![node])
        });
        written.await.map(drop)
    }
}
