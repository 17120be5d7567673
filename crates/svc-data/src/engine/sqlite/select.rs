//! A plan of a list, and the key of a record, as SQL for SQLite.

use rusqlite::{Connection, params_from_iter};
use sea_query::{
    Expr, ExprTrait, QueryBuilder, SelectStatement, SqliteQueryBuilder, Value, Values,
};

use super::{
    bound::{Bound, bind},
    comparison::{comparable, compare, is_in, ordering},
    functions::{excerpt, fold},
    place,
};
use crate::{
    Field, Result,
    engine::statement,
    plan::{Comparison, Match, Place},
    query::{
        Dialect, call, column,
        cursor::{Key, KeyValue},
    },
    record::excerpt::Excerpted,
    structure::Kind,
    value::Scalar,
};

/// How many values SQLite binds in one statement.
pub(super) const MAX_BOUND: usize = 32_766;

pub(crate) type Statement = statement::Statement<Bound>;

impl Statement {
    /// Whether it returns a row.
    pub(super) fn has_rows(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let mut prepared = connection.prepare_cached(&self.sql)?;
        prepared.exists(params_from_iter(&self.values))
    }
}

impl statement::Bound for Bound {
    fn of(value: Value) -> Self {
        Self(value)
    }

    fn builder() -> impl QueryBuilder {
        SqliteQueryBuilder
    }

    fn build(select: &SelectStatement) -> (String, Values) {
        let (sql, Values(mut values)) = select.build(SqliteQueryBuilder);
        let sql = write_limit(&sql, &mut values).unwrap_or(sql);
        (sql, Values(values))
    }
}

/// Writes the limit of a statement as a number instead of binding it: SQLite compiles a statement with a bound limit again
/// each time it runs. `None` where there is no such limit.
fn write_limit(sql: &str, values: &mut Vec<Value>) -> Option<String> {
    const LIMIT: &str = " LIMIT ?";
    const OFFSET: &str = " OFFSET ?";
    let (head, offset) = match sql.strip_suffix(OFFSET) {
        Some(head) => (head, OFFSET),
        None => (sql, ""),
    };
    let head = head.strip_suffix(LIMIT)?;
    let place = values
        .len()
        .checked_sub(1 + usize::from(!offset.is_empty()))?;
    let Some(Value::BigUnsigned(Some(limit))) = values.get(place) else {
        return None;
    };
    let sql = format!("{head} LIMIT {limit}{offset}");
    values.remove(place);
    Some(sql)
}

/// How SQLite says what engines say in their own ways.
pub(crate) struct SqliteDialect;

impl Dialect for SqliteDialect {
    fn order_value(&self, table: &str, key: &Key, field: Option<&Field>) -> Expr {
        match field {
            // In whatever collation the column compares.
            _ if key.is_exact => {
                Expr::cust_with_exprs("? COLLATE BINARY", [column(table, &key.column)])
            }
            Some(field) => comparable(table, field),
            None => column(table, &key.column),
        }
    }

    fn has_exact_order(&self, field: &Field) -> bool {
        !matches!(
            field.kind,
            Kind::Integer | Kind::Float | Kind::Decimal | Kind::Boolean
        )
    }

    fn read_key(&self, table: &str, key: &Key, field: Option<&Field>) -> Option<Expr> {
        let field = field.filter(|field| !key.is_exact && ordering(field).is_some())?;
        Some(comparable(table, field))
    }

    fn bind_key(&self, _: Option<&Field>, value: &KeyValue) -> Result<Expr> {
        Ok(bind(value))
    }

    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr> {
        compare(field, table, comparison, value)
    }

    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr> {
        is_in(field, table, values)
    }

    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr> {
        Ok(matched(column(table, &field.name), how, text))
    }

    fn place(&self, table: &str, field: &Field, place: &Place) -> Result<Expr> {
        Ok(place::tested(table, field, place, matched))
    }

    fn excerpt(&self, table: &str, field: &Field, most: u32) -> Excerpted {
        excerpt::read(table, field, most)
    }

    fn test_only(&self, test: Expr) -> Expr {
        // An expression behind a plus is not looked up in an index.
        Expr::cust_with_exprs("+(?)", [test])
    }

    fn is_empty(&self, table: &str, field: &Field) -> Expr {
        let is_null = column(table, &field.name).is_null();
        match field.kind {
            Kind::Integer | Kind::Float | Kind::Boolean => is_null,
            _ => is_null.or(column(table, &field.name).eq("")),
        }
    }
}

/// Whether a text matches.
pub(super) fn matched(here: Expr, how: Match, text: &str) -> Expr {
    let (function, any_case) = match how {
        Match::Contains { any_case: true } => ("svc_icontains", true),
        Match::Contains { any_case: false } => ("svc_contains", false),
        Match::Starts { any_case: true } => ("svc_istartswith", true),
        Match::Starts { any_case: false } => ("svc_startswith", false),
        Match::Ends { any_case: true } => ("svc_iendswith", true),
        Match::Ends { any_case: false } => ("svc_endswith", false),
        Match::Regex => ("svc_regex", false),
    };
    let needle = if any_case {
        fold(text)
    } else {
        text.to_owned()
    };
    call(function).arg(here).arg(needle).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_written_and_other_values_are_bound() {
        let mut select = sea_query::Query::select();
        select.expr(Expr::val("x LIMIT ?")).limit(26);
        let statement = Statement::select(&select);
        assert_eq!(statement.sql, "SELECT ? LIMIT 26");
        assert_eq!(statement.values.len(), 1);
        let statement = Statement::select(select.offset(50));
        assert_eq!(statement.sql, "SELECT ? LIMIT 26 OFFSET ?");
        assert_eq!(statement.values.len(), 2);
        select.reset_limit().reset_offset();
        assert_eq!(Statement::select(&select).sql, "SELECT ?");
    }
}
