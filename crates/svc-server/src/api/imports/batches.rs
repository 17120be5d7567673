//! The rows of a file in batches, read while the batch before is being written.

use std::{fs::File, sync::Arc};

use svc_data::NewRecords;
use svc_model::{Invalid, JsonObject, resources::ModelDescription};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{
    reader::Reader,
    row::{RawRow, Row, Unreadable},
    settings::Settings,
};
use crate::{api::records::bulk_create::hash_of, http::ApiResult};

/// How many bytes of rows a batch has at most, unless one row alone has more.
const BATCH_BYTES: usize = 4 << 20;
/// After how many rows that are left out it is asked whether anybody still waits for those behind them.
const SKIPPED_AT_ONCE: u64 = 10_000;

/// Rows that are written together, for one or several tries.
#[derive(Debug)]
pub(super) struct Batch {
    /// How many rows were read before.
    pub(super) after: u64,
    /// How many bytes of the file were read by its end.
    pub(super) bytes: u64,
    /// The rows, each with the reason why it describes no record.
    pub(super) rows: Vec<(u64, RawRow, Option<Invalid>)>,
    /// The records that the others describe.
    pub(super) bodies: Arc<[JsonObject]>,
    /// The [hash](hash_of) of these records.
    pub(super) hash: String,
    /// The records, read against their model.
    pub(super) read: Option<NewRecords>,
    /// The columns of CSV.
    pub(super) columns: Arc<[String]>,
}

impl Batch {
    fn new(
        rows: Vec<Row>,
        bytes: u64,
        columns: Arc<[String]>,
        settings: &Settings,
        read: impl Fn(&Arc<[JsonObject]>) -> Option<NewRecords>,
    ) -> ApiResult<Self> {
        let first = rows.first().map_or(1, |row| row.number);
        let mut bodies = Vec::with_capacity(rows.len());
        let rows = rows.into_iter().map(|row| {
            let why = row.record.map(|body| bodies.push(body)).err();
            (row.number, row.raw, why)
        });
        let rows = rows.collect();
        let hash = hash_of(&settings.options(), None, &bodies)?;
        let bodies = bodies.into();
        Ok(Self {
            after: (first - 1).saturating_sub(settings.skip),
            bytes,
            rows,
            read: read(&bodies),
            bodies,
            hash,
            columns,
        })
    }

    /// The number of its last row.
    pub(super) fn last(&self) -> u64 {
        self.rows.last().map_or(0, |(number, ..)| *number)
    }
}

/// The batches of a file, in their order.
pub(super) struct Batches {
    receiver: mpsc::Receiver<Result<Batch, Unreadable>>,
    reader: JoinHandle<()>,
}

impl Batches {
    /// The next batch; none behind the last.
    pub(super) async fn next(&mut self) -> Option<Result<Batch, Unreadable>> {
        match self.receiver.recv().await {
            // The end of the file, unless reading has broken off.
            None => (&mut self.reader).await.err().map(|error| {
                tracing::error!(%error, "the reader of an import ended early");
                Err(Unreadable("the service could not read it".to_owned()))
            }),
            batch => batch,
        }
    }
}

/// Reads the rows behind the first `done`. What is in a batch depends on the place where it begins and on the settings alone,
/// so that one that was interrupted is read again with the same rows. `read` reads records against their model.
pub(super) fn read_ahead(
    file: File,
    settings: Settings,
    model: ModelDescription,
    longest: usize,
    done: u64,
    read: impl Fn(&Arc<[JsonObject]>) -> Option<NewRecords> + Send + 'static,
) -> Batches {
    let (sender, receiver) = mpsc::channel(1);
    let reader = spawn_blocking(move || {
        let batch = settings.batch as usize;
        let opened = Reader::new(file, settings.form, &settings.columns, &model, longest);
        let opened = opened.map_err(Unreadable::from).and_then(|mut reader| {
            let all = settings.skip.saturating_add(done);
            let mut skipped = 0;
            while skipped < all && !sender.is_closed() {
                skipped = all.min(skipped + SKIPPED_AT_ONCE);
                reader.skip_rows(skipped)?;
            }
            Ok(reader)
        });
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                // Nobody may wait any more.
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        loop {
            let mut rows = Vec::new();
            let mut failed = None;
            let mut size = 0;
            while rows.len() < batch && size < BATCH_BYTES {
                match reader.next() {
                    None => break,
                    Some(Ok(row)) => {
                        size += row.raw.len();
                        rows.push(row);
                    }
                    Some(Err(error)) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            let is_end = rows.is_empty();
            if !is_end {
                let batch = Batch::new(rows, reader.bytes(), reader.columns(), &settings, &read);
                let batch = batch.map_err(|error| Unreadable(error.to_string()));
                if sender.blocking_send(batch).is_err() {
                    return;
                }
            }
            if let Some(error) = failed {
                let _ = sender.blocking_send(Err(error));
                return;
            }
            if is_end {
                return;
            }
        }
    });
    Batches { receiver, reader }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use http::{HeaderMap, header};
    use svc_model::{
        imports::ImportQuery,
        resources::{FieldDescription, FieldType},
    };

    use super::*;

    async fn batches(text: &str, query: &str, done: u64) -> Vec<String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "text/csv".parse().unwrap());
        let settings = Settings::new(&headers, ImportQuery::parse(query).unwrap()).unwrap();
        let mut model = ModelDescription::new("t", "t");
        model.fields = vec![FieldDescription::new("a", FieldType::TextField, "")];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        File::create(&path)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let file = File::open(&path).unwrap();
        let mut read = read_ahead(file, settings, model, 10 << 20, done, |_| None);
        let mut batches = Vec::new();
        while let Some(batch) = read.next().await {
            batches.push(match batch {
                Ok(batch) => {
                    let rows = batch.rows.iter().map(|(number, ..)| number.to_string());
                    let rows: Vec<_> = rows.collect();
                    format!("{} at {}", rows.join(" "), batch.bytes)
                }
                Err(error) => error.to_string(),
            });
        }
        batches
    }

    #[tokio::test]
    async fn a_batch_has_the_same_rows_wherever_reading_begins() {
        let text = "a\n1\n2\n3\n4\n5\n";
        let all = ["1 2 at 6", "3 4 at 10", "5 at 12"];
        assert_eq!(batches(text, "_batch=2", 0).await, all);
        assert_eq!(batches(text, "_batch=2", 2).await, all[1..]);
        assert_eq!(batches(text, "_batch=2&_skip=1", 2).await, ["4 5 at 12"]);
        assert!(batches(text, "_batch=2", 5).await.is_empty());
    }

    #[tokio::test]
    async fn long_rows_are_fewer_in_a_batch_and_those_before_an_error_are_written() {
        let long = "x".repeat(3 << 20);
        let text = format!("a\n{long}\n{long}\n{long}\n\"b");
        let read = batches(&text, "", 0).await;
        assert!(read[0].starts_with("1 2 at"), "{read:?}");
        assert!(read[1].starts_with("3 at"), "{read:?}");
        assert!(read[2].contains("a quote is opened"), "{read:?}");
        assert_eq!(read.len(), 3);
    }
}
