//! `svc records value`: one value of a record, as it is.

use std::{fs::OpenOptions, io::Write as _, path::PathBuf};

use clap::Args;
use svc_api::RequestOptions;
use svc_model::{FieldName, records::ByteRange};

use super::Item;
use crate::{
    client::{DataService, with_given},
    context::Context,
    error::{Error, OrIo as _},
    output::{counted, row, write_bytes},
};

/// Write one value of a record, as it is, to standard output or a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records value shop files 7 content --output photo.jpg\n  \
    svc records value shop orders 42 note\n  \
    svc records value shop files 7 content --range 0-1023")]
pub(crate) struct Value {
    #[command(flatten)]
    item: Item,
    /// The field
    field: FieldName,
    /// Write a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// Only these bytes, from 0 on: 0-99, 100- to the end, or -5 for the last ones
    #[arg(long, value_name = "FIRST-LAST", value_parser = range, allow_hyphen_values = true)]
    range: Option<ByteRange>,
    /// UTC offset or IANA zone of a time [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
    #[command(flatten)]
    service: DataService,
}

impl Value {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        if let Some(file) = self.output.as_ref().filter(|file| file.exists())
            && !self.force
        {
            return Err(Error::usage(format!(
                "{} is there already; name another file, or replace it with --force",
                file.display()
            )));
        }
        let records = self.item.collection.records(&self.service)?;
        let call = records.value(self.item.id.as_str(), self.field);
        // A long value may take its time.
        let call = call.options(RequestOptions::new().no_deadline());
        let call = with_given!(call, range: self.range, time_zone: self.tz);
        let Some(value) = call.send().await? else {
            output.note("the value is NULL");
            return Ok(());
        };
        let Some(file) = &self.output else {
            return write_bytes(&value.bytes);
        };
        let mut options = OpenOptions::new();
        let options = match self.force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        let written = options.write(true).open(file);
        let written = written.and_then(|mut file| file.write_all(&value.bytes));
        written.or_io("write", file)?;
        let name = file.to_string_lossy();
        let text = format!("{} in {name}\n", counted(value.bytes.len(), "byte"));
        output.result(&row! { file: &name, bytes: value.bytes.len() }, &text)
    }
}

/// Reads a range, such as `0-99`, `100-` or `-5`.
fn range(text: &str) -> Result<ByteRange, String> {
    let wrong = || "must be a range such as 0-99, 100- or -5".to_owned();
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
    match text.split_once('-').ok_or_else(wrong)? {
        ("", last) => number(last).map(ByteRange::Last),
        (first, "") => number(first).map(ByteRange::From),
        (first, last) => Ok(ByteRange::Between(number(first)?, number(last)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_its_first_and_its_last_byte() {
        assert_eq!(range("0-99"), Ok(ByteRange::Between(0, 99)));
        assert_eq!(range("100-"), Ok(ByteRange::From(100)));
        assert_eq!(range("-5"), Ok(ByteRange::Last(5)));
        for text in ["", "-", "5", "a-b", "1-2-3"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
