//! The connections that are open: how many there may be in all and from one address, and which of them is closed when
//! there are too many.

use std::{
    collections::{HashMap, hash_map},
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::Notify, task::AbortHandle, time::Instant};

use super::activity::Activity;
use crate::{Config, IpRange, auth::throttle::network};

/// How many connections are compared to find the one that waits longest.
const COMPARED: usize = 64;
/// How many are looked at when none of the first can give way.
const LOOKED_AT: usize = 1_024;
/// How long a connection has to wait for its caller before its unread answer may give way to another one.
const STALLED: Duration = Duration::from_secs(1);
/// The index of an entry that is not in the list.
const GONE: usize = usize::MAX;

/// All open connections.
#[derive(Debug)]
pub(crate) struct Registry {
    epoch: Instant,
    most: usize,
    most_per_address: usize,
    /// Their connections carry those of many callers, and are not counted by address.
    proxies: Vec<IpRange>,
    lists: Mutex<Lists>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Lists {
    all: Vec<Arc<Entry>>,
    by_address: HashMap<IpAddr, Vec<Arc<Entry>>>,
    /// Where the next search begins.
    hand: usize,
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) activity: Activity,
    /// What it counts for; nothing for a trusted proxy.
    address: Option<IpAddr>,
    task: OnceLock<AbortHandle>,
    index: AtomicUsize,
    index_of_address: AtomicUsize,
}

impl Entry {
    /// Names the task that serves the connection, which is aborted when the connection has to give way.
    pub(super) fn served_by(&self, task: AbortHandle) {
        // It is set once.
        let _ = self.task.set(task);
    }

    /// How far it may give way: nothing when its caller is not waited for. Of the rest, connections without a request
    /// come first, then those that wait longest.
    fn rank(&self) -> Option<(bool, Instant)> {
        self.task.get()?;
        let (idle, moved) = (self.activity.is_idle(), self.activity.moved());
        (idle || self.activity.waits_for_caller()).then_some((!idle, moved))
    }
}

/// Why a connection is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its address has too many, and all of them are being worked for.
    Address,
    /// There are too many, and all of them are being worked for.
    Full,
}

/// The entry of a connection in the registry, removed when this is dropped.
#[derive(Debug)]
pub(super) struct Admission {
    registry: Arc<Registry>,
    pub(super) entry: Arc<Entry>,
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.registry.lists.lock().remove(&self.entry);
        self.registry.freed.notify_one();
    }
}

impl Registry {
    pub(crate) fn new(config: &Config) -> Arc<Self> {
        Arc::new(Self {
            epoch: Instant::now(),
            most: config.max_connections,
            most_per_address: config.max_connections_per_address,
            proxies: config.trusted_proxies.clone(),
            lists: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Registers a connection from this address. When the limit is reached, the connection that waits longest for its
    /// caller is closed: one of the same address when that has too many, else any.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<Admission, Refused> {
        let is_proxy = self.proxies.iter().any(|range| range.contains(address));
        let address = (!is_proxy).then(|| network(address));
        let mut lists = self.lists.lock();
        if let Some(address) = address
            && lists.count(address) >= self.most_per_address
            && !lists.close_one(Some(address))
        {
            return Err(Refused::Address);
        }
        if lists.all.len() >= self.most && !lists.close_one(None) {
            return Err(Refused::Full);
        }
        let entry = Arc::new(Entry {
            activity: Activity::new(self.epoch),
            address,
            task: OnceLock::new(),
            index: AtomicUsize::new(GONE),
            index_of_address: AtomicUsize::new(GONE),
        });
        lists.insert(&entry);
        drop(lists);
        Ok(Admission {
            registry: Arc::clone(self),
            entry,
        })
    }

    /// Waits until a connection has ended.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Closes the connection that has held an unread answer in memory for longest, if there is one.
    pub(super) fn close_stalled(&self) -> bool {
        let now = Instant::now();
        let mut lists = self.lists.lock();
        let hand = lists.turn(LOOKED_AT);
        let found = oldest(&lists.all, hand, LOOKED_AT, |entry| {
            let holds = entry.activity.held.load(Relaxed) > 0;
            let rank = entry.rank().filter(|_| holds);
            rank.filter(|(_, moved)| now.saturating_duration_since(*moved) >= STALLED)
        });
        lists.close(found)
    }
}

impl Lists {
    fn count(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).map_or(0, Vec::len)
    }

    /// Where this search begins; the next one begins behind it.
    fn turn(&mut self, by: usize) -> usize {
        let hand = self.hand;
        self.hand = hand.wrapping_add(by);
        hand
    }

    fn close_one(&mut self, of: Option<IpAddr>) -> bool {
        let hand = self.turn(COMPARED);
        let list = match of {
            Some(address) => self.by_address.get(&address),
            None => Some(&self.all),
        };
        self.close(list.and_then(|list| oldest(list, hand, COMPARED, Entry::rank)))
    }

    fn close(&mut self, found: Option<Arc<Entry>>) -> bool {
        let Some(entry) = found else {
            return false;
        };
        if let Some(task) = entry.task.get() {
            task.abort();
        }
        // Its task ends soon; its place is free now.
        self.remove(&entry);
        tracing::debug!("a connection that waited for its caller was closed for another one");
        true
    }

    fn insert(&mut self, entry: &Arc<Entry>) {
        entry.index.store(self.all.len(), Relaxed);
        self.all.push(Arc::clone(entry));
        if let Some(address) = entry.address {
            let list = self.by_address.entry(address).or_default();
            entry.index_of_address.store(list.len(), Relaxed);
            list.push(Arc::clone(entry));
        }
    }

    fn remove(&mut self, entry: &Entry) {
        take_out(&mut self.all, entry, |entry| &entry.index);
        if let Some(address) = entry.address
            && let hash_map::Entry::Occupied(mut list) = self.by_address.entry(address)
        {
            take_out(list.get_mut(), entry, |entry| &entry.index_of_address);
            if list.get().is_empty() {
                list.remove();
            }
        }
    }
}

/// Takes an entry out of a list in constant time: the last one moves to its place.
fn take_out(list: &mut Vec<Arc<Entry>>, entry: &Entry, index: fn(&Entry) -> &AtomicUsize) {
    let at = index(entry).swap(GONE, Relaxed);
    if at == GONE {
        return;
    }
    list.swap_remove(at);
    if let Some(moved) = list.get(at) {
        index(moved).store(at, Relaxed);
    }
}

/// The entry with the lowest rank among the next ones from `hand`. A whole list is not searched: there may be many
/// thousands, and many thousand connections may arrive in a second.
fn oldest<R: Ord>(
    list: &[Arc<Entry>],
    hand: usize,
    compared: usize,
    rank: impl Fn(&Entry) -> Option<R>,
) -> Option<Arc<Entry>> {
    let (before, after) = list.split_at(hand.checked_rem(list.len())?);
    let mut best: Option<(R, &Arc<Entry>)> = None;
    for (looked_at, entry) in after.iter().chain(before).take(LOOKED_AT).enumerate() {
        if looked_at >= compared && best.is_some() {
            break;
        }
        if let Some(rank) = rank(entry)
            && best.as_ref().is_none_or(|(least, _)| rank < *least)
        {
            best = Some((rank, entry));
        }
    }
    best.map(|(_, entry)| Arc::clone(entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn registry(most: usize, most_per_address: usize) -> Arc<Registry> {
        Registry::new(&Config {
            max_connections: most,
            max_connections_per_address: most_per_address,
            trusted_proxies: vec!["10.1.0.0/16".parse().unwrap()],
            ..Config::default()
        })
    }

    /// A connection with a task of its own.
    fn open(registry: &Arc<Registry>, address: IpAddr) -> Result<Admission, Refused> {
        let admission = registry.admit(address)?;
        let task = tokio::spawn(std::future::pending::<()>());
        admission.entry.served_by(task.abort_handle());
        Ok(admission)
    }

    fn is_open(admission: &Admission) -> bool {
        admission.entry.index.load(Relaxed) != GONE
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_of_the_same_address_that_waits_longest_gives_way() {
        let registry = registry(10, 2);
        let other = open(&registry, B).unwrap();
        tokio::time::advance(Duration::from_millis(5)).await;
        let first = open(&registry, A).unwrap();
        tokio::time::advance(Duration::from_millis(5)).await;
        let second = open(&registry, A).unwrap();
        tokio::time::advance(Duration::from_millis(5)).await;
        first.entry.activity.touch();
        let third = open(&registry, A).unwrap();
        assert!(is_open(&other) && is_open(&first) && is_open(&third));
        assert!(!is_open(&second));
        drop((first, second, third, other));
        assert!(registry.lists.lock().all.is_empty());
        assert!(registry.lists.lock().by_address.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_worked_for_does_not_give_way() {
        let registry = registry(2, 10);
        let working = open(&registry, A).unwrap();
        working.entry.activity.begin_request();
        let receiving = open(&registry, A).unwrap();
        receiving.entry.activity.begin_request();
        assert_eq!(open(&registry, B).err(), Some(Refused::Full));
        receiving.entry.activity.begin_receiving();
        let new = open(&registry, B).unwrap();
        assert!(is_open(&working) && is_open(&new));
        assert!(!is_open(&receiving));
    }

    #[tokio::test]
    async fn a_trusted_proxy_may_have_more_connections_than_one_address() {
        let registry = registry(10, 1);
        let proxy: IpAddr = "10.1.2.3".parse().unwrap();
        let admissions: Vec<_> = (0..3).map(|_| open(&registry, proxy).unwrap()).collect();
        assert!(admissions.iter().all(is_open));
        let first = open(&registry, A).unwrap();
        first.entry.activity.begin_request();
        assert_eq!(open(&registry, A).err(), Some(Refused::Address));
        // A network of IPv6 counts as one address.
        let v6 = open(&registry, "2001:db8::1".parse().unwrap()).unwrap();
        open(&registry, "2001:db8::2".parse().unwrap()).unwrap();
        assert!(!is_open(&v6));
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_connection_with_an_unread_answer_gives_way_for_memory() {
        let registry = registry(10, 10);
        let idle = open(&registry, A).unwrap();
        let stalled = open(&registry, A).unwrap();
        stalled.entry.activity.begin_request();
        stalled.entry.activity.begin_sending();
        stalled.entry.activity.held.store(1, Relaxed);
        assert!(!registry.close_stalled());
        tokio::time::advance(STALLED).await;
        assert!(registry.close_stalled());
        assert!(is_open(&idle) && !is_open(&stalled));
    }
}
