//! What a function gives, as JSON.

use bytes::Bytes;
use svc_model::sql::MAX_ROWS;

use crate::{
    Error, Field, Result, engine::Cells, record::Projection, sql::MAX_ANSWER, value::time::Zone,
};

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// Nothing, which is shown as null.
    Nothing,
    /// One value: that of the first column of the only row.
    Value,
    /// Values, those of the first column of rows, as an array.
    Values,
    /// One row, as an object.
    Object,
    /// Rows, as an array of objects.
    Rows,
}

/// Writes what a function gives, up to the limits of answers.
pub(crate) struct AnswerWriter<'a> {
    returns: Returns,
    fields: &'a [Field],
    shown: Projection,
    out: Vec<u8>,
    rows: u32,
}

impl<'a> AnswerWriter<'a> {
    pub(crate) fn new(returns: Returns, fields: &'a [Field]) -> Self {
        Self {
            returns,
            fields,
            shown: Projection {
                fields: (0..fields.len()).collect(),
                zone: Zone::UTC,
                excerpt: None,
                keeping: None,
            },
            out: Vec::new(),
            rows: 0,
        }
    }

    /// Writes a row.
    pub(crate) fn row<C: Cells<Error = Error>>(&mut self, row: &C) -> Result<()> {
        self.rows += 1;
        if self.rows > MAX_ROWS {
            return Err(Error::invalid(format!(
                "the function gives more than {MAX_ROWS} rows, so that its call was taken back; let it give fewer"
            )));
        }
        if self.is_array() {
            self.out.push(if self.rows == 1 { b'[' } else { b',' });
        } else if self.rows > 1 {
            // One that gives no set gives one row.
            return Ok(());
        }
        match (self.returns, self.fields.first()) {
            (Returns::Nothing, _) => {}
            (Returns::Value | Returns::Values, Some(field)) => {
                row.write(&mut self.out, field, 0, &self.shown.zone)?;
            }
            (Returns::Value | Returns::Values, None) => self.out.extend_from_slice(b"null"),
            (Returns::Object | Returns::Rows, _) => {
                row.write_shown(&mut self.out, self.fields, &self.shown)?;
            }
        }
        match self.out.len() > MAX_ANSWER {
            true => Err(Error::invalid(format!(
                "the function gives more than {} MiB, so that its call was taken back; let it give less",
                MAX_ANSWER >> 20
            ))),
            false => Ok(()),
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        self.rows
    }

    fn is_array(&self) -> bool {
        matches!(self.returns, Returns::Values | Returns::Rows)
    }

    pub(crate) fn finish(mut self) -> Bytes {
        match (self.is_array(), self.out.is_empty()) {
            (true, true) => self.out.extend_from_slice(b"[]"),
            (true, false) => self.out.push(b']'),
            (false, true) => self.out.extend_from_slice(b"null"),
            (false, false) => {}
        }
        self.out.into()
    }
}
