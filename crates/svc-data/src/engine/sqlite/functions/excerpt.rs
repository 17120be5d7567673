//! The beginnings of long values, made where they lie: of texts whatever their bytes are, and of JSON without spaces.

use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    types::{Value, ValueRef},
};
use sea_query::{CaseStatement, Expr, ExprTrait as _};

use super::{PORTION, bounded, owned};
use crate::{
    Field,
    engine::sqlite::limiter::Limiter,
    query::{call, column},
    record::{excerpt::Excerpted, raw::is_json},
    structure::Kind,
    value::excerpt::{json_excerpt, text_excerpt},
};

/// What is to be known of the column of a value: whether it has JSON, and whether bytes that are no text are shown as bytes.
const JSON: i32 = 1;
const SHOWS_BYTES: i32 = 2;

pub(super) fn register(
    connection: &mut Connection,
    flags: FunctionFlags,
    limiter: &Limiter,
) -> Result<()> {
    let clock = limiter.clone();
    connection.create_scalar_function("svc_excerpt", 3, flags, move |context| {
        let cut = cut(context, &clock)?;
        Ok(cut.map_or_else(|| owned(context.get_raw(0)), |(begin, _)| begin))
    })?;
    let clock = limiter.clone();
    connection.create_scalar_function("svc_excerpt_length", 3, flags, move |context| {
        let cut = cut(context, &clock)?;
        Ok(cut.and_then(|(_, length)| i64::try_from(length).ok()))
    })
}

/// How a field is read of which no more than the beginning is shown.
pub(in crate::engine::sqlite) fn read(table: &str, field: &Field, most: u32) -> Excerpted {
    let json = if field.kind == Kind::Json { JSON } else { 0 };
    let bytes = if field.detail.holds_anything {
        SHOWS_BYTES
    } else {
        0
    };
    let value = || column(table, &field.name);
    let cut = |function: &str| {
        let cut = call(function).arg(value()).arg(Expr::val(i64::from(most)));
        let cut: Expr = cut.arg(Expr::cust((json | bytes).to_string())).into();
        // SQLite knows how many bytes a value has without reading it.
        let size: Expr = call("octet_length").arg(value()).into();
        CaseStatement::new().case(size.gt(Expr::val(i64::from(most))), cut)
    };
    let begin = cut("svc_excerpt").finally(value());
    Excerpted::InDatabase(begin.into(), cut("svc_excerpt_length").into())
}

/// The beginning of a value and the length that it has in all; `None` where it is not longer.
fn cut(context: &Context<'_>, limiter: &Limiter) -> Result<Option<(Value, u64)>> {
    let most = u32::try_from(context.get::<i64>(1)?).unwrap_or(u32::MAX);
    let column: i32 = context.get(2)?;
    let value = context.get_raw(0);
    if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value
        && bytes.len() >= PORTION
    {
        bounded::check(limiter)?;
    }
    let text = |text: &str| {
        let excerpt = text_excerpt(text, most);
        excerpt.map(|(begin, length)| (Value::Text(begin.to_owned()), length))
    };
    Ok(match value {
        ValueRef::Text(bytes) => match str::from_utf8(bytes) {
            Ok(json) if column & JSON != 0 && is_json(bytes) => {
                let excerpt = json_excerpt(json, most);
                excerpt.map(|(begin, length)| (Value::Text(begin), length))
            }
            Ok(valid) => text(valid),
            Err(_) if column & SHOWS_BYTES != 0 => of_bytes(bytes, most),
            Err(_) => text(&String::from_utf8_lossy(bytes)),
        },
        ValueRef::Blob(bytes) => of_bytes(bytes, most),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    })
}

fn of_bytes(bytes: &[u8], most: u32) -> Option<(Value, u64)> {
    let begin = bytes.get(..most as usize)?;
    let is_longer = begin.len() < bytes.len();
    is_longer.then(|| (Value::Blob(begin.to_vec()), bytes.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sqlite::functions;

    fn ask(value: &str, most: u32, column: i32) -> (Value, Option<i64>) {
        let mut connection = Connection::open_in_memory().unwrap();
        functions::register(&mut connection, &Limiter::default()).unwrap();
        let sql = format!(
            "SELECT svc_excerpt({value}, {most}, {column}), svc_excerpt_length({value}, {most}, {column})"
        );
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        connection.query_row(&sql, [], row).unwrap()
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn values_of_every_kind_are_cut_where_they_are_longer() {
        assert_eq!(ask("'Zoë 日本'", 3, 2), (text("Zoë"), Some(6)));
        assert_eq!(ask("'Zoë'", 3, 2), (text("Zoë"), None));
        assert_eq!(ask("'a' || char(0) || 'bc'", 2, 2), (text("a\0"), Some(4)));
        assert_eq!(ask("x'00ff01'", 2, 2), (Value::Blob(vec![0, 255]), Some(3)));
        assert_eq!(ask("123456", 2, 2), (Value::Integer(123_456), None));
        assert_eq!(ask("NULL", 2, 2), (Value::Null, None));
        assert_eq!(ask("'[1, 2]'", 4, JSON), (text("[1,2"), Some(5)));
        assert_eq!(ask("'[1, 2]'", 5, JSON), (text("[1, 2]"), None));
        assert_eq!(ask("'[1, 2'", 4, JSON), (text("[1, "), Some(5)));
    }

    #[test]
    fn what_is_no_text_is_cut_as_it_is_shown() {
        let bytes = "CAST(x'61ff6263' AS TEXT)";
        let begin = Value::Blob(b"a\xffb".to_vec());
        assert_eq!(ask(bytes, 3, SHOWS_BYTES), (begin, Some(4)));
        assert_eq!(ask(bytes, 3, 0), (text("a\u{fffd}b"), Some(4)));
    }
}
