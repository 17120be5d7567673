//! The memory of the parts of a page.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;

/// How many are kept: one part is written while the one before is sent.
const KEPT: usize = 2;
/// The most bytes of one that is kept: a record may be much larger than a part.
const MOST: usize = 5 << 20;

/// The memory of parts that were sent, for those that follow: a part has a megabyte, and an allocator that gets one back
/// from another thread does not give it out again at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

impl Buffers {
    /// An empty buffer, which may have the memory of an earlier part.
    pub(super) fn take(&self) -> Vec<u8> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pop().unwrap_or_default()
    }

    /// The bytes of a part, whose memory comes back when they were sent.
    pub(super) fn lend(&self, bytes: Vec<u8>) -> Bytes {
        let buffers = Arc::downgrade(&self.0);
        Bytes::from_owner(Lent { bytes, buffers })
    }
}

/// The bytes of a part, and where their memory goes.
struct Lent {
    bytes: Vec<u8>,
    /// Gone when the page is.
    buffers: Weak<Mutex<Vec<Vec<u8>>>>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(buffers) = self.buffers.upgrade() else {
            return;
        };
        let mut kept = buffers.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT && self.bytes.capacity() <= MOST {
            self.bytes.clear();
            kept.push(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lends a part of so many bytes, and returns where its memory is.
    fn lent(buffers: &Buffers, len: usize) -> (Bytes, *const u8) {
        let mut bytes = buffers.take();
        assert!(bytes.is_empty());
        bytes.resize(len, b'x');
        let part = buffers.lend(bytes);
        let at = part.as_ptr();
        (part, at)
    }

    #[test]
    fn the_memory_of_a_part_that_was_sent_is_that_of_the_next_one() {
        let buffers = Buffers::default();
        let (first, place) = lent(&buffers, 1000);
        let sent = first.slice(1..999);
        drop(first);
        // Not while any of it is still to be sent.
        let (second, other) = lent(&buffers, 1000);
        assert_ne!(other, place);
        assert!(sent.iter().all(|byte| *byte == b'x'));
        drop(sent);
        assert_eq!(lent(&buffers, 1000).1, place);
        drop(second);
    }

    #[test]
    fn no_more_memory_is_kept_than_two_parts_need() {
        let buffers = Buffers::default();
        let parts: Vec<Bytes> = (0..5).map(|_| lent(&buffers, 10).0).collect();
        drop(parts);
        assert_eq!(buffers.0.lock().unwrap().len(), KEPT);
    }

    #[test]
    fn the_memory_of_a_very_large_record_is_not_kept() {
        let buffers = Buffers::default();
        drop(lent(&buffers, MOST + 1));
        assert_eq!(buffers.take().capacity(), 0);
    }

    #[test]
    fn a_part_outlives_its_page() {
        let buffers = Buffers::default();
        let (part, _) = lent(&buffers, 10);
        drop(buffers);
        assert_eq!(part, "xxxxxxxxxx");
    }
}
