//! How long the texts of a query may be, by how much the query does with them: between two rows SQLite does not look at
//! the clock, and a query of thousands of calls may make one row last for minutes.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{Connection, Result, limits::Limit};

/// How many bytes the values may have that are read and made for one row.
const BUDGET: usize = 256 << 20;
/// The longest text or blob, in bytes, of the simplest query.
pub(super) const MAX_LENGTH: i32 = 8 << 20;
/// What every query may read and make, however much it does.
const MIN_LENGTH: usize = 8 << 10;

/// Instructions that never touch the content of a text. Those that are not known here count.
static CHEAP: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = "\
    AddImm BeginSubrtn Close CollSeq DecrJumpZero DeferredSeek EndCoroutine Explain Gosub Goto \
    Halt HaltIfNull IdxRowid If IfEmpty IfNoHope IfNot IfNotOpen IfNotZero IfNullRow IfPos \
    IfSizeBetween Init InitCoroutine Int64 Integer IsNull Jump Last MustBeInt Next Noop Not \
    NotExists NotNull Null NullRow OffsetLimit Once OpenAutoindex OpenEphemeral OpenPseudo \
    OpenRead Prev ReadCookie Real ReopenIdx ResultRow Return Rewind Rowid SeekRowid TableLock \
    Transaction";
    words.split(' ').collect()
});

/// Lets a query that runs next read and make texts that are as long as fits what it does with them.
pub(super) fn limit(connection: &Connection, sql: &str) -> Result<()> {
    lift(connection)?;
    let longest = BUDGET / weight(connection, sql)?.max(1);
    let longest = longest.clamp(MIN_LENGTH, MAX_LENGTH.unsigned_abs() as usize);
    connection.set_limit(
        Limit::SQLITE_LIMIT_LENGTH,
        i32::try_from(longest).unwrap_or(MAX_LENGTH),
    )?;
    Ok(())
}

/// Lets what runs next be as long as it may be at most.
pub(super) fn lift(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_LENGTH)?;
    Ok(())
}

/// How many instructions of a query may touch long texts.
fn weight(connection: &Connection, sql: &str) -> Result<usize> {
    let mut statement = connection.prepare(&format!("EXPLAIN {sql}"))?;
    let mut rows = statement.raw_query();
    let mut weight = 0_usize;
    // How many of the last instructions load, make and keep one value of a list.
    let mut of_list = 0;
    while let Some(row) = rows.next()? {
        let opcode = row.get_ref(1)?;
        let opcode = opcode.as_str()?;
        of_list = match (opcode, of_list) {
            ("Variable" | "String8" | "Integer" | "Int64" | "Real", _) => 1,
            ("MakeRecord", 1) => 2,
            // What the caller sent is not long, however many values it has: the size of a request has a limit.
            ("IdxInsert", 2) => {
                weight = weight.saturating_sub(2);
                0
            }
            _ => 0,
        };
        let is_light = of_list == 0 && opcode == "IdxInsert";
        if !is_light && !CHEAP.contains(opcode) {
            weight += 1;
        }
    }
    Ok(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(sql: &str) -> i32 {
        let connection = Connection::open_in_memory().unwrap();
        let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, body TEXT)";
        connection.execute_batch(table).unwrap();
        limit(&connection, sql).unwrap();
        connection.limit(Limit::SQLITE_LIMIT_LENGTH).unwrap()
    }

    #[test]
    fn the_more_a_query_does_with_texts_the_shorter_they_are() {
        for simple in [
            "SELECT 1",
            "SELECT * FROM t WHERE id = ?1",
            "SELECT name, count(*) FROM t GROUP BY name",
            "SELECT upper(name) FROM t ORDER BY body",
        ] {
            assert_eq!(longest(simple), MAX_LENGTH, "{simple}");
        }
        let many = |part: &str, count: usize| {
            let parts: Vec<_> = (0..count)
                .map(|n| part.replace('#', &n.to_string()))
                .collect();
            format!("SELECT {} FROM t", parts.join(", "))
        };
        for part in [
            "hex(body || '#')",
            "body || '#'",
            "body = '#'",
            "json(name)",
        ] {
            let (few, more) = (longest(&many(part, 100)), longest(&many(part, 1_000)));
            assert!(few < MAX_LENGTH && more < few / 5, "{part}: {few} {more}");
        }
        // A join of a query that is doubled again and again is as much as if it was written out.
        let doubled = (0..9).fold("SELECT hex(body) a FROM t".to_owned(), |inner, _| {
            format!("SELECT a || a a FROM ({inner})")
        });
        assert!(longest(&doubled) < 1 << 20);
    }

    #[test]
    fn a_long_list_of_values_does_not_make_texts_shorter() {
        let list = |value: &str| {
            let values: Vec<_> = (0..5_000)
                .map(|n| value.replace('#', &n.to_string()))
                .collect();
            format!("SELECT name FROM t WHERE name IN ({})", values.join(","))
        };
        assert!(longest(&list("'v#'")) > 4 << 20);
        assert!(longest(&list("?")) > 4 << 20);
    }
}
