//! The rows of a query as JSON, up to the largest answer.

use bytes::{BufMut as _, BytesMut};
use rusqlite::{Rows, types::ValueRef};
use svc_model::resources::FieldType;

use crate::{
    Field, Model,
    engine::sqlite::json,
    sql::{MAX_ANSWER, SqlRows},
    structure::Kind,
    value::time::Zone,
};

/// Writes rows as arrays, and finds out the types of columns that have none.
pub(super) struct Writer<'a> {
    fields: Vec<Field>,
    seen: Vec<Option<FieldType>>,
    zone: &'a Zone,
    out: BytesMut,
    rows: usize,
    more: bool,
    too_large: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(model: &Model, zone: &'a Zone) -> Self {
        Self {
            fields: model.fields.to_vec(),
            seen: vec![None; model.fields.len()],
            zone,
            out: BytesMut::from("["),
            rows: 0,
            more: false,
            too_large: false,
        }
    }

    pub(super) fn write(&mut self, rows: &mut Rows<'_>, limit: usize) -> rusqlite::Result<()> {
        while let Some(row) = rows.next()? {
            if self.rows == limit {
                self.more = true;
                return Ok(());
            }
            let before = self.out.len();
            self.out.put_slice(if self.rows > 0 { b",[" } else { b"[" });
            for (position, field) in self.fields.iter().enumerate() {
                if position > 0 {
                    self.out.put_u8(b',');
                }
                let value = row.get_ref(position)?;
                json::write_value(&mut self.out, field, value, self.zone);
                if let Some(seen) = self.seen.get_mut(position) {
                    *seen = together(*seen, value);
                }
            }
            self.out.put_u8(b']');
            if self.out.len() > MAX_ANSWER {
                self.out.truncate(before);
                (self.more, self.too_large) = (true, true);
                return Ok(());
            }
            self.rows += 1;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> SqlRows {
        self.out.put_u8(b']');
        let columns = self.fields.into_iter().zip(self.seen).map(|(field, seen)| {
            let field_type = match field.kind {
                Kind::Any => seen.unwrap_or(field.field_type),
                _ => field.field_type,
            };
            (field.name, field_type)
        });
        SqlRows {
            columns: columns.collect(),
            data: self.out.freeze(),
            row_count: self.rows,
            more: self.more,
            too_large: self.too_large,
            count: None,
        }
    }
}

/// The type of a column of which these values were seen.
fn together(seen: Option<FieldType>, value: ValueRef<'_>) -> Option<FieldType> {
    let this = match value {
        ValueRef::Null => return seen,
        ValueRef::Integer(_) => FieldType::IntegerField,
        ValueRef::Real(_) => FieldType::FloatField,
        ValueRef::Text(_) => FieldType::TextField,
        ValueRef::Blob(_) => FieldType::BinaryField,
    };
    Some(match seen {
        None => this,
        Some(seen) if seen == this => this,
        Some(FieldType::IntegerField | FieldType::FloatField)
            if matches!(this, FieldType::IntegerField | FieldType::FloatField) =>
        {
            FieldType::FloatField
        }
        Some(_) => FieldType::TextField,
    })
}
