//! Which columns of a view are numbers, from the expressions that compute them: SQLite declares no type for these, and
//! a view without rows has none to look at.

use sqlparser::{
    ast::{
        BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
        SelectItem, SetExpr, Statement, UnaryOperator, Value,
    },
    dialect::SQLiteDialect,
    parser::Parser,
};

use crate::structure::Kind;

/// How deep a view may be nested.
const MAX_DEPTH: usize = 50;

/// Functions that return a whole number or NULL.
const INTEGER_FUNCTIONS: &str = "\
    changes count dense_rank instr json_array_length json_valid last_insert_rowid length ntile \
    octet_length random rank row_number sign unixepoch";
/// Functions that return a number or NULL.
const NUMBER_FUNCTIONS: &str = "\
    abs avg ceil ceiling cume_dist exp floor julianday ln log mod percent_rank pi pow power \
    round sqrt sum total";

/// What the columns of a view are, in their order, as far as its statement says; empty where it says nothing.
pub(super) fn kinds(create_view: &str) -> Vec<Option<Kind>> {
    let parsed = Parser::new(&SQLiteDialect {})
        .with_recursion_limit(MAX_DEPTH)
        .try_with_sql(create_view)
        .and_then(|mut parser| parser.parse_statements());
    let Ok(statements) = parsed else {
        return Vec::new();
    };
    match statements.as_slice() {
        [Statement::CreateView(view)] => {
            let columns = of_set(&view.query.body).into_iter();
            columns.map(Found::kind).collect()
        }
        _ => Vec::new(),
    }
}

/// What is known of the values of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// They may be of any type.
    Unknown,
    /// They are NULL.
    Null,
    /// They are whole numbers or NULL.
    Integers,
    /// They are numbers or NULL.
    Numbers,
}

impl Found {
    /// What is known of values that are those of one or of the other.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Null, known) | (known, Self::Null) => known,
            (Self::Integers, Self::Integers) => Self::Integers,
            _ => Self::Numbers,
        }
    }

    fn kind(self) -> Option<Kind> {
        match self {
            Self::Integers => Some(Kind::Integer),
            Self::Numbers => Some(Kind::Float),
            Self::Unknown | Self::Null => None,
        }
    }
}

/// The columns of a select, or of several that are put together.
fn of_set(set: &SetExpr) -> Vec<Found> {
    match set {
        SetExpr::Select(select) => {
            let columns = select.projection.iter().map(|item| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    Some(found(expr))
                }
                // Nobody knows from here how many columns a star stands for.
                _ => None,
            });
            columns.collect::<Option<_>>().unwrap_or_default()
        }
        SetExpr::Query(query) => of_set(&query.body),
        SetExpr::SetOperation { left, right, .. } => {
            let (left, right) = (of_set(left), of_set(right));
            let columns = left.into_iter().zip(right);
            columns.map(|(one, other)| one.or(other)).collect()
        }
        _ => Vec::new(),
    }
}

fn found(expr: &Expr) -> Found {
    match expr {
        Expr::Nested(inner) => found(inner),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) if digits.parse::<i64>().is_ok() => Found::Integers,
            Value::Number(..) => Found::Numbers,
            Value::Boolean(_) => Found::Integers,
            Value::Null => Found::Null,
            _ => Found::Unknown,
        },
        Expr::UnaryOp { op, expr } => match op {
            UnaryOperator::Plus => found(expr),
            UnaryOperator::Minus => Found::Numbers,
            UnaryOperator::Not | UnaryOperator::BitwiseNot => Found::Integers,
            _ => Found::Unknown,
        },
        Expr::BinaryOp { op, .. } => match op {
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => Found::Numbers,
            BinaryOperator::Gt
            | BinaryOperator::Lt
            | BinaryOperator::GtEq
            | BinaryOperator::LtEq
            | BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::BitwiseOr
            | BinaryOperator::BitwiseAnd => Found::Integers,
            _ => Found::Unknown,
        },
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Exists { .. } => Found::Integers,
        Expr::Case {
            conditions,
            else_result,
            ..
        } => {
            let results = conditions.iter().map(|case| &case.result);
            of_any(results.chain(else_result.as_deref()))
        }
        Expr::Cast { data_type, .. } => cast_to(&data_type.to_string()),
        Expr::Subquery(query) => match of_set(&query.body).as_slice() {
            [only] => *only,
            _ => Found::Unknown,
        },
        Expr::Function(function) => of_function(function),
        _ => Found::Unknown,
    }
}

/// One of the expressions, or NULL.
fn of_any<'e>(exprs: impl Iterator<Item = &'e Expr>) -> Found {
    exprs.map(found).fold(Found::Null, Found::or)
}

/// The affinity of a type, by SQLite's rules.
fn cast_to(declared: &str) -> Found {
    let declared = declared.to_ascii_uppercase();
    let has = |word: &str| declared.contains(word);
    if has("INT") {
        Found::Integers
    } else if ["CHAR", "CLOB", "TEXT", "BLOB"].into_iter().any(has) {
        Found::Unknown
    } else {
        Found::Numbers
    }
}

fn of_function(function: &Function) -> Found {
    let name = function.name.to_string().to_ascii_lowercase();
    let is_in = |names: &str| names.split(' ').any(|known| known == name);
    if is_in(INTEGER_FUNCTIONS) {
        return Found::Integers;
    }
    if is_in(NUMBER_FUNCTIONS) {
        return Found::Numbers;
    }
    let FunctionArguments::List(list) = &function.args else {
        return Found::Unknown;
    };
    let arguments = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    let Some(arguments) = arguments.collect::<Option<Vec<&Expr>>>() else {
        return Found::Unknown;
    };
    let arguments = arguments.into_iter();
    match name.as_str() {
        "coalesce" | "ifnull" | "max" | "min" => of_any(arguments),
        "iif" | "if" => of_any(arguments.skip(1)),
        "nullif" | "first_value" | "last_value" | "nth_value" => of_any(arguments.take(1)),
        // The second argument counts rows.
        "lag" | "lead" => of_any(
            arguments
                .enumerate()
                .filter(|(at, _)| *at != 1)
                .map(|(_, a)| a),
        ),
        _ => Found::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_what_computes_them_and_nothing_else_is() {
        let only = |expr: &str| {
            let sql = format!("CREATE VIEW v AS SELECT {expr} AS c FROM t GROUP BY x");
            match kinds(&sql).as_slice() {
                [kind] => *kind,
                other => panic!("{expr}: {other:?}"),
            }
        };
        for expr in [
            "count(*)",
            "count(DISTINCT y)",
            "COUNT(*) FILTER (WHERE y > 1)",
            "length(y)",
            "CAST(y AS INTEGER)",
            "CAST(y AS BIGINT)",
            "y > 1",
            "y IS NULL",
            "y IN (1, 2)",
            "NOT y",
            "row_number() OVER (ORDER BY y)",
            "coalesce(count(y), 0)",
            "(SELECT count(*) FROM u)",
            "CASE WHEN y THEN 1 ELSE 0 END",
            "CASE WHEN y THEN 1 END",
            "7",
        ] {
            assert_eq!(only(expr), Some(Kind::Integer), "{expr}");
        }
        for expr in [
            "sum(y)",
            "avg(y) * 100",
            "y * 1.0",
            "y + z",
            "-y",
            "round(y, 2)",
            "CAST(y AS REAL)",
            "CAST(y AS DECIMAL(10,2))",
            "coalesce(sum(y), 0)",
            "ifnull(sum(y), 0.0)",
            "max(sum(y), 0)",
            "1.5",
            "(sum(y) / count(*))",
        ] {
            assert_eq!(only(expr), Some(Kind::Float), "{expr}");
        }
        for expr in [
            "y",
            "max(y)",
            "coalesce(y, 0)",
            "y || 1",
            "upper(y)",
            "CAST(y AS TEXT)",
            "NULL",
            "'5'",
            "CASE WHEN y THEN 1 ELSE 'none' END",
            "(SELECT y FROM u)",
            "group_concat(y)",
            "json_extract(y, '$.a')",
        ] {
            assert_eq!(only(expr), None, "{expr}");
        }
    }

    #[test]
    fn columns_of_several_selects_are_what_all_of_them_say() {
        let of = |sql: &str| kinds(&format!("CREATE VIEW v (a, b) AS {sql}"));
        assert_eq!(
            of("SELECT 1, 'x' UNION ALL SELECT 2.5, 3"),
            [Some(Kind::Float), None]
        );
        assert_eq!(
            of("WITH c AS (SELECT 1) SELECT count(*), NULL FROM c UNION SELECT 1, sum(x) FROM t"),
            [Some(Kind::Integer), Some(Kind::Float)]
        );
        assert_eq!(of("SELECT *, count(*) FROM t"), []);
        assert_eq!(of("VALUES (1, 2)"), []);
        assert_eq!(kinds("CREATE VIEW v AS SELECT ("), []);
    }
}
