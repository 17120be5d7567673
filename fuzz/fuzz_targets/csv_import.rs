//! Files of records: what was written as CSV is read as it was, and any other text ends in records or a message.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use svc_model::{
    JsonObject,
    resources::{FieldDescription, FieldType, ModelDescription},
};

use crate::{reader::Reader, records::transfer::FileFormat};

// The reader of the program itself. It asks two small types of its crate, which stand below.
#[path = "../../crates/svc-cli/src/records/import/reader.rs"]
mod reader;

mod error {
    #[derive(Debug)]
    pub(crate) struct Error(#[expect(dead_code, reason = "shown when an assertion fails")] String);

    impl Error {
        pub(crate) fn new(message: impl Into<String>) -> Self {
            Self(message.into())
        }
    }
}

mod records {
    pub(crate) mod transfer {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum FileFormat {
            Ndjson,
            Csv,
        }
    }
}

#[derive(Arbitrary, Debug)]
enum File<'a> {
    Written(Vec<(String, String)>),
    Csv(&'a [u8]),
    Ndjson(&'a [u8]),
}

fn model() -> ModelDescription {
    let mut model = ModelDescription::new("t", "t");
    model.fields = vec![
        FieldDescription::new("id", FieldType::IntegerField, ""),
        FieldDescription::new("name", FieldType::TextField, ""),
        FieldDescription::new("doc", FieldType::JsonField, ""),
    ];
    model
}

fuzz_target!(|file: File<'_>| {
    match file {
        File::Written(rows) => assert_read_as_written(&rows),
        File::Csv(bytes) => assert_ends(bytes, FileFormat::Csv),
        File::Ndjson(bytes) => assert_ends(bytes, FileFormat::Ndjson),
    }
});

fn assert_read_as_written(rows: &[(String, String)]) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["name", "name"])
        .expect("the header is written");
    for (first, second) in rows {
        writer
            .write_record([first, second])
            .expect("a row is written");
    }
    let text = writer.into_inner().expect("everything is written");
    let reader =
        Reader::new(text.as_slice(), FileFormat::Csv, &model()).expect("the header is read");
    let read: Vec<_> = reader
        .map(|record| record.expect("a row that was written is read"))
        .collect();
    assert_eq!(read.len(), rows.len());
    for (record, (_, second)) in read.iter().zip(rows) {
        // Of two columns of one name the last holds.
        let record = serde_json::to_value(record).expect("a record is JSON");
        assert_eq!(record["name"].as_str().unwrap_or_default(), second);
    }
}

fn assert_ends(bytes: &[u8], format: FileFormat) {
    let Ok(reader) = Reader::new(bytes, format, &model()) else {
        return;
    };
    let most = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count()
        + 1;
    for (number, record) in reader.enumerate() {
        assert!(number < most, "more records than lines");
        match record {
            // As text, as it is sent: a number may be larger than any type of this program.
            Ok(record) => {
                let sent = serde_json::to_string(&record).expect("a record is JSON");
                serde_json::from_str::<JsonObject>(&sent).expect("what is sent is an object");
            }
            Err(_) => break,
        }
    }
}
