//! One request at a time for each idempotency key, within this process.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use svc_store::WriteKey;
use tokio::sync::OwnedMutexGuard;

/// The keys whose requests are being done.
#[derive(Debug, Default)]
pub(crate) struct WriteKeys {
    busy: Arc<Mutex<HashMap<WriteKey, Arc<tokio::sync::Mutex<()>>>>>,
}

/// Keeps others with the same key waiting until it is dropped.
#[derive(Debug)]
pub(crate) struct WriteKeyGuard {
    keys: Arc<Mutex<HashMap<WriteKey, Arc<tokio::sync::Mutex<()>>>>>,
    key: WriteKey,
    turn: Option<OwnedMutexGuard<()>>,
}

impl WriteKeys {
    /// Waits until no other request with this key is being done.
    pub(crate) async fn lock(&self, key: &WriteKey) -> WriteKeyGuard {
        let turn = {
            let mut busy = self.busy.lock();
            Arc::clone(busy.entry(key.clone()).or_default())
        };
        // Made before the wait, so that a caller who leaves meanwhile is forgotten too.
        let mut guard = WriteKeyGuard {
            keys: Arc::clone(&self.busy),
            key: key.clone(),
            turn: None,
        };
        guard.turn = Some(turn.lock_owned().await);
        guard
    }
}

impl Drop for WriteKeyGuard {
    fn drop(&mut self) {
        let mut keys = self.keys.lock();
        drop(self.turn.take());
        // The map's own reference is the last one when nobody else waits.
        if keys
            .get(&self.key)
            .is_some_and(|turn| Arc::strong_count(turn) == 1)
        {
            keys.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::Pin, time::Duration};

    use super::*;

    async fn is_waiting(turn: &mut Pin<Box<impl Future<Output = WriteKeyGuard>>>) -> bool {
        tokio::time::timeout(Duration::ZERO, turn).await.is_err()
    }

    fn key(text: &str) -> WriteKey {
        WriteKey {
            scope: ("p", "prod").into(),
            resource: "r".into(),
            model: "m".to_owned(),
            idempotency_key: text.to_owned(),
        }
    }

    #[tokio::test]
    async fn requests_with_one_key_take_turns_and_are_forgotten_afterwards() {
        let keys = WriteKeys::default();
        let first = keys.lock(&key("a")).await;
        let other = keys.lock(&key("b")).await;
        let second_key = key("a");
        let mut second = Box::pin(keys.lock(&second_key));
        assert!(is_waiting(&mut second).await);
        drop(first);
        let second = second.await;
        let third_key = key("a");
        let mut third = Box::pin(keys.lock(&third_key));
        assert!(is_waiting(&mut third).await);
        drop(third);
        drop(second);
        drop(other);
        assert!(keys.busy.lock().is_empty());
    }
}
