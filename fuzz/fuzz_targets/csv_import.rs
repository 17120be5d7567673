//! Files of records: what was written as CSV is read as it was, and any other text ends in rows or a message.
#![no_main]
// The service uses more of its reader.
#![allow(dead_code)]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use svc_model::{
    JsonObject,
    imports::Mapping,
    resources::{FieldDescription, FieldType, ModelDescription},
};

use crate::{
    reader::Reader,
    row::{Columns, Form},
};

// The reader of the service itself.
#[path = "../../crates/svc-server/src/api/imports/csv_quotes.rs"]
mod csv_quotes;
#[path = "../../crates/svc-server/src/api/imports/csv_rows.rs"]
mod csv_rows;
#[path = "../../crates/svc-server/src/api/imports/ndjson_rows.rs"]
mod ndjson_rows;
#[path = "../../crates/svc-server/src/api/imports/reader.rs"]
mod reader;
#[path = "../../crates/svc-server/src/api/imports/row.rs"]
mod row;

/// The longest row.
const LONGEST: usize = 1 << 20;

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
        File::Csv(bytes) => assert_ends(bytes, Form::Csv { delimiter: b',' }),
        File::Ndjson(bytes) => assert_ends(bytes, Form::Ndjson),
    }
});

fn assert_read_as_written(rows: &[(String, String)]) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["other", "name"])
        .expect("the header is written");
    for (first, second) in rows {
        writer
            .write_record([first, second])
            .expect("a row is written");
    }
    let text = writer.into_inner().expect("everything is written");
    let form = Form::Csv { delimiter: b',' };
    let columns = Columns {
        mapping: Mapping::default().without("other"),
        ..Columns::default()
    };
    let reader = Reader::new(text.as_slice(), form, &columns, &model(), LONGEST);
    let read: Vec<_> = reader
        .expect("the header is read")
        .map(|row| row.expect("a row that was written is read"))
        .collect();
    assert_eq!(read.len(), rows.len());
    for (row, (_, second)) in read.iter().zip(rows) {
        let record = row.record.as_ref().expect("it is a record");
        let record = serde_json::to_value(record).expect("a record is JSON");
        assert_eq!(record["name"].as_str().unwrap_or_default(), second);
    }
}

fn assert_ends(bytes: &[u8], form: Form) {
    let Ok(mut reader) = Reader::new(bytes, form, &Columns::default(), &model(), LONGEST) else {
        return;
    };
    let most = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count()
        + 1;
    let columns = reader.columns().to_vec();
    let mut rows = 0;
    while let Some(row) = reader.next() {
        rows += 1;
        assert!(rows <= most, "more rows than lines");
        let Ok(row) = row else { break };
        let shown = row.raw.to_json(&columns);
        serde_json::from_str::<serde_json::Value>(&shown).expect("what is shown of a row is JSON");
        // As text, as it is kept: a number may be larger than any type of this program.
        if let Ok(record) = row.record {
            let kept = serde_json::to_string(&record).expect("a record is JSON");
            serde_json::from_str::<JsonObject>(&kept).expect("it is an object");
        }
    }
}
