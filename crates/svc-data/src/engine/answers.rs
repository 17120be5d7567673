//! Answers as JSON, written row by row.

mod excerpts;

use std::sync::Arc;

use bytes::Bytes;
use svc_model::{records::group_name, resources::FieldType};

use crate::{
    Error, Field, RecordJson, Result,
    record::{
        Kept, Projection, RawValue, Tag,
        excerpt::{Cutting, Place, RowExcerpts},
        projection::{write_cut, write_lengths, write_object},
        raw::RawCell,
    },
    sql::{MAX_ANSWER, SqlRows},
    value::{
        json::{write_hex, write_stored_text, write_text},
        time::Zone,
    },
};

/// A row as an engine has it, whose cells are written straight into an answer.
pub(crate) trait Cells {
    type Error;

    /// Writes the cell at a place as JSON.
    fn write(
        &self,
        out: &mut Vec<u8>,
        field: &Field,
        position: usize,
        zone: &Zone,
    ) -> Result<(), Self::Error>;

    /// Adds the cell at a place to an entity tag.
    fn tag(&self, tag: &mut Tag, field: &Field, position: usize) -> Result<(), Self::Error>;

    /// The cell at a place, as its value is given by itself.
    fn raw(&self, field: &Field, position: usize) -> Result<RawCell<'_>, Self::Error>;

    /// The text or the bytes of the cell at a place, of which it may be a part.
    fn part(&self, field: &Field, position: usize) -> Result<RawCell<'_>, Self::Error>;

    /// Writes a part of a value as JSON.
    fn write_part(&self, out: &mut Vec<u8>, field: &Field, part: RawCell<'_>) {
        let _ = field;
        match part {
            RawCell::Null | RawCell::Shown => out.extend_from_slice(b"null"),
            RawCell::Binary(bytes) => write_hex(out, bytes),
            RawCell::Text(text) => write_stored_text(out, text),
        }
    }

    /// The whole number at a place; `None` for NULL.
    fn number(&self, position: usize) -> Result<Option<u64>, Self::Error>;

    /// The value at a place by itself; `None` for NULL.
    fn value(
        &self,
        field: &Field,
        position: usize,
        zone: &Zone,
    ) -> Result<Option<RawValue>, Self::Error> {
        Ok(match self.raw(field, position)? {
            RawCell::Null => None,
            RawCell::Binary(bytes) => Some(RawValue::binary(bytes)),
            RawCell::Text(text) => Some(RawValue::text(text)),
            RawCell::Shown => {
                let mut json = Vec::new();
                self.write(&mut json, field, position, zone)?;
                RawValue::shown(field, json)
            }
        })
    }

    /// Writes the shown fields as an object, of a row that begins with these.
    fn write_shown(
        &self,
        out: &mut Vec<u8>,
        fields: &[Field],
        shown: &Projection,
    ) -> Result<(), Self::Error> {
        write_object(out, fields, shown, |out, field, order, _| {
            self.write(out, field, order, &shown.zone)
        })
    }

    /// The same, of a row that has excerpts of values. `place` says where a field is, by its place among those that are
    /// shown, and among all.
    fn write_excerpts(
        &self,
        out: &mut Vec<u8>,
        fields: &[Field],
        shown: &Projection,
        place: impl Fn(usize, usize) -> Place,
    ) -> Result<(), Self::Error> {
        let mut cut = Vec::new();
        write_object(out, fields, shown, |out, field, order, index| {
            let place = place(order, index);
            let length = excerpts::write(self, out, field, place, &shown.zone)?;
            let field = fields.get(index);
            cut.extend(field.zip(length));
            Ok(())
        })?;
        write_cut(out, &cut);
        Ok(())
    }

    /// The record of a row that has all fields.
    fn record(&self, fields: &[Field], shown: &Projection) -> Result<RecordJson, Self::Error> {
        self.record_at(fields, shown, 0)
    }

    /// The record of a row that has all fields from a place on.
    fn record_at(
        &self,
        fields: &[Field],
        shown: &Projection,
        first: usize,
    ) -> Result<RecordJson, Self::Error> {
        let mut out = Vec::with_capacity(256);
        match &shown.excerpt {
            None => write_object(&mut out, fields, shown, |out, field, _, index| {
                self.write(out, field, first + index, &shown.zone)
            })?,
            // The entity tag is that of the whole record, so that it was read.
            Some(excerpt) => self.write_excerpts(&mut out, fields, shown, |_, index| Place {
                position: first + index,
                cutting: match excerpt.cuts(index) {
                    true => Cutting::Here,
                    false => Cutting::Never,
                },
                most: excerpt.most,
            })?,
        }
        let out = Bytes::from(out);
        let kept = match &shown.keeping {
            None => Kept::Nothing,
            Some(keeping) if shown.is_as_kept(keeping, fields.len()) => keeping.keep(out.clone()),
            Some(keeping) => {
                let mut object = Vec::with_capacity(256);
                let kept = Projection {
                    fields: match keeping.fields() {
                        Some(kept) => Arc::clone(kept),
                        None => (0..fields.len()).collect(),
                    },
                    zone: Zone::UTC,
                    excerpt: None,
                    keeping: None,
                };
                write_object(&mut object, fields, &kept, |out, field, _, index| {
                    self.write(out, field, first + index, &kept.zone)
                })?;
                keeping.keep(object.into())
            }
        };
        let mut tag = Tag::new();
        for (index, field) in fields.iter().enumerate() {
            self.tag(&mut tag, field, first + index)?;
        }
        Ok(RecordJson::new(out, tag.finish()).keep(kept))
    }
}

/// Writes an aggregate: an object, or an array with one for each group.
pub(crate) struct AggregateWriter {
    out: Vec<u8>,
    /// The names of the groups.
    names: Vec<String>,
}

impl AggregateWriter {
    pub(crate) fn new(groups: usize) -> Self {
        Self {
            out: Vec::with_capacity(256),
            names: (0..groups).map(group_name).collect(),
        }
    }

    /// Writes a row. `write` gets the place of each group in it, and then that of the value after them.
    pub(crate) fn row<E: From<Error>>(
        &mut self,
        mut write: impl FnMut(&mut Vec<u8>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let out = &mut self.out;
        if !self.names.is_empty() {
            out.push(if out.is_empty() { b'[' } else { b',' });
        }
        out.push(b'{');
        for (position, name) in self.names.iter().enumerate() {
            write_text(out, name);
            out.push(b':');
            write(out, position)?;
            out.push(b',');
        }
        out.extend_from_slice(b"\"y_func\":");
        write(out, self.names.len())?;
        out.push(b'}');
        match out.len() > MAX_ANSWER {
            true => Err(Error::invalid(
                "the groups are too many or too large; ask for fewer (_per_page)",
            )
            .into()),
            false => Ok(()),
        }
    }

    pub(crate) fn finish(mut self) -> Bytes {
        match (self.names.is_empty(), self.out.is_empty()) {
            (true, _) => {}
            (false, true) => self.out.extend_from_slice(b"[]"),
            (false, false) => self.out.push(b']'),
        }
        self.out.into()
    }
}

/// Writes the rows of a query of a client as arrays, up to the largest answer.
pub(crate) struct RowsWriter<'a> {
    fields: &'a [Field],
    out: Vec<u8>,
    rows: usize,
    limit: usize,
    more: bool,
    too_large: bool,
    /// How the values are cut.
    excerpts: Option<RowExcerpts>,
    /// The whole lengths of what was cut, an object or null for each row: the elements of a JSON array.
    cut: Vec<u8>,
    is_any_cut: bool,
}

impl<'a> RowsWriter<'a> {
    pub(crate) fn new(fields: &'a [Field], excerpts: Option<RowExcerpts>, limit: u32) -> Self {
        Self {
            excerpts,
            cut: Vec::new(),
            is_any_cut: false,
            fields,
            out: vec![b'['],
            rows: 0,
            limit: limit as usize,
            more: false,
            too_large: false,
        }
    }

    /// Whether the next row belongs to what is not given.
    pub(crate) fn is_full(&mut self) -> bool {
        self.more |= self.rows == self.limit;
        self.more
    }

    /// Writes a row; says whether it still belongs to the answer.
    pub(crate) fn row<C: Cells>(&mut self, row: &C, zone: &Zone) -> Result<bool, C::Error> {
        let before = self.out.len();
        let mut cut = Vec::new();
        self.out
            .extend_from_slice(if self.rows > 0 { b",[" } else { b"[" });
        for (position, field) in self.fields.iter().enumerate() {
            if position > 0 {
                self.out.push(b',');
            }
            match &self.excerpts {
                None => row.write(&mut self.out, field, position, zone)?,
                Some(excerpts) => {
                    let place = excerpts.place(position);
                    let length = excerpts::write(row, &mut self.out, field, place, zone)?;
                    cut.extend(length.map(|length| (field, length)));
                }
            }
        }
        self.out.push(b']');
        if self.out.len() > MAX_ANSWER {
            self.out.truncate(before);
            (self.more, self.too_large) = (true, true);
            return Ok(false);
        }
        if self.excerpts.is_some() {
            self.cut.push(if self.rows == 0 { b'[' } else { b',' });
            self.is_any_cut |= !cut.is_empty();
            match cut.is_empty() {
                true => self.cut.extend_from_slice(b"null"),
                false => write_lengths(&mut self.cut, &cut),
            }
        }
        self.rows += 1;
        Ok(true)
    }

    /// The rows. `type_of` says what the type of a column is.
    pub(crate) fn finish(mut self, type_of: impl Fn(usize, &Field) -> FieldType) -> SqlRows {
        self.out.push(b']');
        let columns = self.fields.iter().enumerate();
        let columns = columns.map(|(index, field)| (field.name.clone(), type_of(index, field)));
        SqlRows {
            columns: columns.collect(),
            data: self.out.into(),
            row_count: self.rows,
            more: self.more,
            too_large: self.too_large,
            count: None,
            cut: self.is_any_cut.then(|| {
                self.cut.push(b']');
                self.cut.into()
            }),
        }
    }
}
