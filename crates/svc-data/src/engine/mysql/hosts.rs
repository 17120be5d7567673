//! The hosts of a URL: tried in the order in which they stand there, those that could not be used a moment ago last.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use mysql_async::{Conn, Error as SqlError, Opts, ServerError, prelude::Queryable as _};

use crate::engine::server::gate::CONNECT_TIMEOUT;

/// What a node of a Galera cluster says that is not ready, among them one that has lost the others.
pub(super) const NOT_READY: u16 = 1047;
/// How long a host that could not be used is tried after the others.
const AWAY: Duration = Duration::from_secs(5);
/// After how long a connection to another host than the first that can be used is replaced.
const RETURN: Duration = Duration::from_secs(30);
/// The least time that each of several hosts has to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// A host, and when it could not be used.
#[derive(Debug)]
pub(super) struct Host {
    opts: Opts,
    failed: Mutex<Option<Instant>>,
}

impl Host {
    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_away(&self) -> bool {
        self.failed().is_some_and(|failed| failed.elapsed() < AWAY)
    }

    /// What is said to it.
    pub(super) fn opts(&self) -> &Opts {
        &self.opts
    }

    /// Remembers whether it could be used.
    pub(super) fn tried(&self, error: Option<&SqlError>) {
        let (host, port) = (self.opts.ip_or_hostname(), self.opts.tcp_port());
        let now = error.map(|_| Instant::now());
        let before = std::mem::replace(&mut *self.failed(), now);
        match (error, before) {
            (Some(error), None) => {
                tracing::warn!(host, port, %error, "a host of a database cannot be used; the next one is tried");
            }
            (None, Some(_)) => {
                tracing::info!(host, port, "a host of a database can be used again");
            }
            _ => {}
        }
    }
}

/// The hosts at which a database may be found.
#[derive(Debug)]
pub(super) struct Hosts(Vec<Host>);

impl Hosts {
    /// Reads the hosts of what follows `mysql:` in a URL. `None` where it cannot be read; why is not said, since that may
    /// quote the URL.
    pub(super) fn parse(rest: &str) -> Option<Self> {
        let authority = rest.strip_prefix("//")?;
        let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
        let (authority, path) = authority.split_at_checked(end)?;
        let (user, hosts) = match authority.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), authority),
        };
        let is_one_of_several = hosts.contains(',');
        let hosts = hosts.split(',').map(|host| {
            if host.is_empty() && is_one_of_several {
                return None;
            }
            Some(Host {
                opts: Opts::from_url(&format!("mysql://{user}{host}{path}")).ok()?,
                failed: Mutex::default(),
            })
        });
        Some(Self(hosts.collect::<Option<_>>()?))
    }

    /// The same hosts, with other settings for each.
    pub(super) fn map(self, set: impl Fn(Opts) -> Opts) -> Self {
        let set = |host: Host| Host {
            opts: set(host.opts),
            ..host
        };
        Self(self.0.into_iter().map(set).collect())
    }

    /// What is said to each of them.
    pub(super) fn opts(&self) -> impl Iterator<Item = &Opts> {
        self.0.iter().map(|host| &host.opts)
    }

    /// Whether there are several.
    pub(super) fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    /// Whether a connection of this age is to be replaced by one to another host.
    pub(super) fn replaces(&self, conn: &Conn, age: Duration) -> bool {
        if !self.are_several() {
            return false;
        }
        let Some((place, host)) = self.of(conn) else {
            return false;
        };
        let mut before = self.0.iter().take(place);
        host.is_away() || age > RETURN && before.any(|host| !host.is_away())
    }

    /// The hosts in the order in which they are to be tried: those that could not be used a moment ago come last.
    pub(super) fn in_turn(&self) -> Vec<&Host> {
        let mut hosts: Vec<&Host> = self.0.iter().collect();
        hosts.sort_by_key(|host| host.is_away());
        hosts
    }

    /// The host of a connection, and its place.
    pub(super) fn of(&self, conn: &Conn) -> Option<(usize, &Host)> {
        let at = |opts: &Opts| (opts.ip_or_hostname().to_owned(), opts.tcp_port());
        let here = at(conn.opts());
        let mut hosts = self.0.iter().enumerate();
        hosts.find(|(_, host)| at(&host.opts) == here)
    }

    /// How long each has to answer, where there are several.
    pub(super) fn patience(&self) -> Duration {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        (CONNECT_TIMEOUT / count).max(PATIENCE)
    }
}

/// Makes sure that a node of a Galera cluster is ready, and that what is read from it contains all that was committed at
/// other nodes before: callers of this service may have written there. Other servers are always ready.
pub(super) async fn join_cluster(conn: &mut Conn) -> Result<(), SqlError> {
    let on = conn.query_first("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'");
    let on = on.await?;
    let is_on = |row: Option<(String, String)>| row.is_some_and(|(_, value)| value == "ON");
    if !is_on(on) {
        return Ok(());
    }
    let ready = conn.query_first("SHOW GLOBAL STATUS LIKE 'wsrep_ready'");
    let ready = ready.await?;
    if !is_on(ready) {
        return Err(SqlError::Server(ServerError {
            code: NOT_READY,
            message: "the node of the cluster is not ready".to_owned(),
            state: "08S01".to_owned(),
        }));
    }
    // 1: reads and the begin of transactions, 2: updates and deletes, 4: inserts.
    conn.query_drop("SET SESSION wsrep_sync_wait = @@global.wsrep_sync_wait | 7")
        .await
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn hosts(rest: &str) -> Option<Vec<(String, u16)>> {
        let hosts = Hosts::parse(rest)?;
        let at = |opts: &Opts| (opts.ip_or_hostname().to_owned(), opts.tcp_port());
        Some(hosts.opts().map(at).collect())
    }

    #[test]
    fn hosts_are_separated_by_commas_and_have_the_usual_port_unless_they_name_one() {
        let one = |host: &str, port| (host.to_owned(), port);
        assert_eq!(
            hosts("//u:p%40,x@db1:13306,db2,[::1]:7/d?wait_timeout=9").unwrap(),
            [one("db1", 13_306), one("db2", 3306), one("[::1]", 7)]
        );
        assert_eq!(hosts("//db1,db2/d").unwrap().len(), 2);
        assert_eq!(hosts("//u:a,b@db/d").unwrap(), [one("db", 3306)]);
        for wrong in ["//u@db1,/d", "//u@,db1/d", "//u@db1,db2:x/d", "db1,db2"] {
            assert!(hosts(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_host_that_failed_comes_last_until_it_answers() {
        let hosts = Hosts::parse("//u@db1,db2,db3/d").unwrap();
        let order = || -> Vec<_> {
            let order = hosts.in_turn();
            order
                .iter()
                .map(|host| host.opts.ip_or_hostname().to_owned())
                .collect()
        };
        let refused = SqlError::from(io::Error::from(io::ErrorKind::ConnectionRefused));
        assert_eq!(order(), ["db1", "db2", "db3"]);
        hosts.0[0].tried(Some(&refused));
        assert_eq!(order(), ["db2", "db3", "db1"]);
        hosts.0[0].tried(None);
        assert_eq!(order(), ["db1", "db2", "db3"]);
        *hosts.0[1].failed() = Instant::now().checked_sub(2 * AWAY);
        assert_eq!(order(), ["db1", "db2", "db3"], "it is tried again");
    }
}
