//! How much of a row is read: a row that is larger than an answer may be is not taken into memory, but named.

use rusqlite::{Connection, limits::Limit, params_from_iter};
use sea_query::{Expr, ExprTrait, SelectStatement};

use super::{
    fault::{Fault, is_too_big},
    json,
    select::{SqliteDialect, Statement},
    session::Session,
};
use crate::{
    Error, Model, Result,
    query::{Dialect as _, SELF, call, column},
    value::time::Zone,
};

/// The most bytes of a row, as they are written.
const MAX_ROW: usize = 64 << 20;
/// From how many written bytes on a page ends, so that the next row begins another page.
const PART: i64 = 1 << 20;

/// Runs what reads rows of so many columns, so that no row beyond [`MAX_ROW`] is read: first with a limit that no
/// row of long cells can get around, then, once `check` has found no such row, with one for each cell. Cells that are
/// compared and not shown may be as long as they are.
pub(super) fn bounded<T>(
    connection: &Connection,
    columns: usize,
    run: impl Fn() -> Result<T, Fault>,
    check: impl Fn() -> Result<(), Fault>,
) -> Result<T, Fault> {
    for (attempt, limit) in [MAX_ROW / Ord::max(columns, 1), MAX_ROW]
        .into_iter()
        .enumerate()
    {
        let limited = {
            let _limit = LengthLimit::new(connection, limit)?;
            run()
        };
        match limited {
            Err(Fault::Sqlite(error)) if is_too_big(&error) => {}
            result => return result,
        }
        if attempt == 0 {
            check()?;
        }
    }
    run()
}

/// The longest text or blob that a connection reads, until this is dropped.
struct LengthLimit<'c> {
    connection: &'c Connection,
    before: i32,
}

impl<'c> LengthLimit<'c> {
    fn new(connection: &'c Connection, bytes: usize) -> Result<Self> {
        let failed = |error: rusqlite::Error| {
            Error::internal("the longest value cannot be limited").with_source(error)
        };
        let before = connection
            .limit(Limit::SQLITE_LIMIT_LENGTH)
            .map_err(failed)?;
        let bytes = i32::try_from(bytes).unwrap_or(before);
        connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, Ord::min(bytes, before))
            .map_err(failed)?;
        Ok(Self { connection, before })
    }
}

impl Drop for LengthLimit<'_> {
    fn drop(&mut self) {
        // It was this value before, so that it is taken.
        let _ = self
            .connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, self.before);
    }
}

/// Looks for a row that is too large among those of a statement, and refuses it. `shown` are the fields that are read
/// of each of at most `limit` rows; their sizes are known without reading them.
pub(super) fn refuse_large_rows(
    session: Session<'_>,
    model: &Model,
    select: &SelectStatement,
    shown: &[usize],
    limit: usize,
) -> Result<(), Fault> {
    let mut sizes = select.clone();
    sizes.clear_selects();
    for field in model.primary_key() {
        sizes.expr(SqliteDialect.read(SELF, field));
    }
    for index in shown {
        sizes.expr(written_size(&model.at(*index)?.name));
    }
    let Statement { sql, values } = Statement::select(&sizes);
    let mut prepared = session.prepare(&sql)?;
    let mut rows = prepared.query(params_from_iter(&values))?;
    let keys = model.key.len();
    let mut written: i64 = 0;
    for _ in 0..limit {
        let Some(row) = rows.next()? else {
            break;
        };
        let mut row_size: i64 = 0;
        let mut largest = (0, None);
        for (place, index) in shown.iter().enumerate() {
            let size: i64 = row.get::<_, Option<_>>(keys + place)?.unwrap_or(0);
            row_size = row_size.saturating_add(size);
            largest = Ord::max(largest, (size, Some(*index)));
        }
        if usize::try_from(row_size).is_ok_and(|size| size > MAX_ROW)
            && let (size, Some(index)) = largest
        {
            let mut key = Vec::with_capacity(keys);
            for (place, field) in model.primary_key().enumerate() {
                let mut text = Vec::new();
                json::write_value(&mut text, field, row.get_ref(place)?, &Zone::UTC);
                key.push(String::from_utf8_lossy(&text).into_owned());
            }
            let field = &model.at(index)?.name;
            return Err(too_large(model, &key.join(","), field, size).into());
        }
        written = written.saturating_add(row_size);
        if written >= PART {
            break;
        }
    }
    Ok(())
}

/// The bytes that a field is written with at least: a blob has two digits for each of its bytes.
fn written_size(name: &str) -> Expr {
    let of = |function: &str| Expr::from(call(function).arg(column(SELF, name)));
    of("octet_length").mul(of("typeof").eq("blob").add(1))
}

fn too_large(model: &Model, key: &str, field: &str, size: i64) -> Error {
    Error::invalid(format!(
        "the record {key} of {:?} is larger than the {} MiB that an answer may have: its field {field:?} has {} MiB; list records without this field (`_fields`) or without this record (`exclude__{}`)",
        model.name,
        MAX_ROW >> 20,
        size >> 20,
        model
            .primary_key()
            .next()
            .map_or("id", |key| key.name.as_str()),
    ))
}
