//! The rows of a query as JSON, up to the largest answer.

use rusqlite::{Rows, types::ValueRef};
use svc_model::resources::FieldType;

use crate::{
    engine::answers::RowsWriter,
    record::excerpt::RowExcerpts,
    sql::{SqlPlan, SqlRows},
    structure::Kind,
};

/// Writes rows as arrays, and finds out the types of columns that have none.
pub(super) fn write(
    plan: &SqlPlan,
    excerpts: Option<RowExcerpts>,
    rows: &mut Rows<'_>,
    limit: u32,
) -> rusqlite::Result<SqlRows> {
    let fields = &plan.model.fields;
    let mut seen = vec![None; fields.len()];
    let mut writer = RowsWriter::new(fields, excerpts, limit);
    while let Some(row) = rows.next()? {
        if writer.is_full() {
            break;
        }
        for (position, seen) in seen.iter_mut().enumerate() {
            *seen = together(*seen, row.get_ref(position)?);
        }
        if !writer.row(row, &plan.zone)? {
            break;
        }
    }
    Ok(writer.finish(|index, field| match field.kind {
        Kind::Any => seen
            .get(index)
            .copied()
            .flatten()
            .unwrap_or(field.field_type),
        _ => field.field_type,
    }))
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
