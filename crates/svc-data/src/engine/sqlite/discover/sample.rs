//! A look at some rows: SQLite has no types for dates and UUIDs, so the data tells how they are stored.

use std::sync::Arc;

use rusqlite::{Connection, types::ValueRef};

use super::Table;
use crate::{Model, engine::sqlite::temporal, query::quoted, structure::Kind};

/// How many rows at each end of a table are looked at for the form of its dates.
const SAMPLE: u32 = 40;

/// Whether values of a kind are stored in several forms.
pub(super) fn has_forms(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Boolean | Kind::Date | Kind::DateTime | Kind::Uuid
    )
}

/// Looks at some rows to see in which form the dates and UUIDs of a table are stored.
pub(super) fn sample(
    connection: &Connection,
    model: &mut Model,
    table: &Table,
) -> rusqlite::Result<()> {
    let chosen: Vec<usize> = (0..model.fields.len())
        .filter(|index| {
            let field = model.fields.get(*index);
            field.is_some_and(|field| has_forms(field.kind))
        })
        .collect();
    // A view may take long to return its first row.
    if chosen.is_empty() || table.sort != "table" {
        return Ok(());
    }
    let name = quoted(&model.table);
    let columns: Vec<String> = chosen
        .iter()
        .filter_map(|index| model.fields.get(*index))
        .map(|field| format!("{name}.{}", quoted(&field.name)))
        .collect();
    let order: Vec<String> = if table.without_rowid || table.key_is_row_id {
        model.primary_key().map(|f| quoted(&f.name)).collect()
    } else {
        model.row_id.iter().cloned().collect()
    };
    let mut seen: Vec<temporal::Forms> =
        chosen.iter().map(|_| temporal::Forms::default()).collect();
    for direction in ["ASC", "DESC"] {
        let order = if order.is_empty() {
            String::new()
        } else {
            let terms: Vec<String> = order
                .iter()
                .map(|o| format!("{name}.{o} {direction}"))
                .collect();
            format!(" ORDER BY {}", terms.join(", "))
        };
        let sql = format!(
            "SELECT {} FROM main.{name}{order} LIMIT {SAMPLE}",
            columns.join(", ")
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for (position, forms) in seen.iter_mut().enumerate() {
                forms.see(row.get_ref(position).unwrap_or(ValueRef::Null));
            }
        }
        if order.is_empty() {
            break;
        }
    }
    let fields = Arc::make_mut(&mut model.fields);
    for (index, forms) in chosen.into_iter().zip(seen) {
        if let Some(field) = fields.get_mut(index) {
            field.storage = forms.storage(field.kind, field.storage);
        }
    }
    Ok(())
}
