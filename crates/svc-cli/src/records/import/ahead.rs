//! The records of a file in batches, read while the batch before is being imported.

use svc_model::JsonObject;
use tokio::{sync::mpsc, task::spawn_blocking};

/// How many bytes of records a batch has at most, unless one record alone has more.
const BATCH_BYTES: usize = 4 << 20;

/// Records that are sent together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) records: Vec<JsonObject>,
    /// The same records, for the request.
    pub(super) sent: Vec<JsonObject>,
}

/// A record that cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) number: u64,
    pub(super) message: String,
}

/// Reads the records that follow the first `answered` ones. The first batch has as many records as the first of the
/// numbers says, and later ones as many as the second; fewer where records are long. What is in a batch depends on
/// nothing but the file and the number, so that an interrupted import sends the same batch again.
pub(super) fn read_ahead(
    records: impl Iterator<Item = Result<JsonObject, String>> + Send + 'static,
    mut answered: u64,
    [first, later]: [u32; 2],
) -> mpsc::Receiver<Result<Batch, Unreadable>> {
    let (sender, receiver) = mpsc::channel(1);
    spawn_blocking(move || {
        let (mut records, mut most) = (records, first);
        loop {
            let batch = next_batch(&mut records, answered, most);
            let Some(batch) = batch.transpose() else {
                return;
            };
            answered += batch.as_ref().map_or(0, |batch| batch.records.len() as u64);
            most = later;
            let is_last = batch.is_err();
            // Nobody waits for it any more when the import has ended.
            if sender.blocking_send(batch).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// The next batch; `None` at the end of the file.
fn next_batch(
    all: &mut impl Iterator<Item = Result<JsonObject, String>>,
    answered: u64,
    most: u32,
) -> Result<Option<Batch>, Unreadable> {
    let (mut records, mut bytes) = (Vec::new(), 0);
    while records.len() < most as usize && bytes < BATCH_BYTES {
        let Some(record) = all.next() else { break };
        let record = record.map_err(|message| Unreadable {
            number: answered + records.len() as u64 + 1,
            message,
        })?;
        let lengths = record
            .iter()
            .map(|(name, value)| name.len() + value.get().len());
        bytes += lengths.sum::<usize>();
        records.push(record);
    }
    Ok((!records.is_empty()).then(|| Batch {
        sent: records.clone(),
        records,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: usize) -> Result<JsonObject, String> {
        let text = format!("{{\"v\":\"{}\"}}", "x".repeat(bytes));
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_batch_ends_with_its_number_or_its_bytes() {
        let lengths = [1, 1, 1, 1, BATCH_BYTES, 1, 1];
        let mut batches = read_ahead(lengths.into_iter().map(record), 10, [3, 4]);
        let mut sizes = Vec::new();
        while let Some(batch) = batches.recv().await {
            let Batch { records, sent } = batch.unwrap();
            assert_eq!(records, sent);
            sizes.push(records.len());
        }
        assert_eq!(sizes, [3, 2, 2]);
    }

    #[tokio::test]
    async fn a_batch_with_a_record_that_cannot_be_read_is_not_sent() {
        let records = [
            record(1),
            record(1),
            record(1),
            Err("broken".to_owned()),
            record(1),
        ];
        let mut batches = read_ahead(records.into_iter(), 10, [2, 2]);
        assert_eq!(batches.recv().await.unwrap().unwrap().records.len(), 2);
        let unreadable = batches.recv().await.unwrap().unwrap_err();
        assert_eq!(
            (unreadable.number, unreadable.message.as_str()),
            (14, "broken")
        );
        assert!(batches.recv().await.is_none());
    }
}
