//! Statements contain no text of a client, whatever it asks for, and names stay names.

use std::sync::Arc;

use proptest::prelude::*;
use sea_query::{MysqlQueryBuilder, PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sqlparser::{
    ast::Statement,
    dialect::{self, Dialect as Grammar},
    parser::Parser,
};
use svc_model::{Condition, Filter, ListQuery, Lookup, Operand, OrderBy, resources::FieldType};

use super::{Dialect, PageQuery};
use crate::{
    Field, Model, Structure,
    engine::{mysql::MysqlDialect, postgres::PostgresDialect, sqlite::SqliteDialect},
    plan::{ListPlan, Match},
    structure::{ColumnType, Kind, Storage},
};

/// Writes a statement in the SQL of an engine.
type Build = fn(&SelectStatement) -> String;

/// The statements of a list on every engine, each with the grammar of the engine.
fn statements(names: &[String], query: &ListQuery) -> Vec<(String, &'static dyn Grammar)> {
    let of = |dialect: &dyn Dialect, column_type: Option<ColumnType>| -> PageQuery {
        let field = |name: &String| -> Field {
            let mut field = Field::new(name.clone(), FieldType::TextField, Kind::Text, "text");
            field.storage = column_type.map_or(Storage::Native, Storage::Typed);
            field
        };
        let model = Arc::new(Model::of_columns("t", names.iter().map(field).collect()));
        let plan = ListPlan::resolve(&Structure::new(Vec::new(), 0), &model, query)
            .expect("the query fits");
        PageQuery::new(dialect, &model, None, plan).expect("the plan is one")
    };
    let text = Some(ColumnType::Text);
    let engines: [(_, Build, &dyn Grammar); 3] = [
        (
            of(&SqliteDialect, None),
            |select| select.build(SqliteQueryBuilder).0,
            &dialect::SQLiteDialect {},
        ),
        (
            of(&PostgresDialect, text),
            |select| select.build(PostgresQueryBuilder).0,
            &dialect::PostgreSqlDialect {},
        ),
        (
            of(&MysqlDialect, text),
            |select| select.build(MysqlQueryBuilder).0,
            &dialect::MySqlDialect {},
        ),
    ];
    let mut all = Vec::new();
    for (query, build, grammar) in engines {
        let built = query.pages.iter().chain(&query.count).map(build);
        all.extend(built.map(|sql| (sql, grammar)));
    }
    all
}

#[test]
fn records_with_null_are_read_apart_where_an_index_has_them_at_the_other_end() {
    let pages = |order: &str, filter: Option<Condition>| -> Vec<String> {
        let column = |name: &str| {
            let mut field = Field::new(name.to_owned(), FieldType::TextField, Kind::Text, "text");
            field.storage = Storage::Typed(ColumnType::Text);
            // There are an index of a, and one of b and c.
            field.detail.null_is_last_behind = match name {
                "a" | "b" => vec![Vec::new()],
                "c" => vec![vec![1]],
                _ => Vec::new(),
            };
            field
        };
        let columns = ["a", "b", "c", "d"].map(column);
        let mut model = Model::of_columns("t", columns.to_vec());
        model.row_id = Some("ctid".to_owned());
        let mut query = ListQuery::new();
        if let Some(filter) = filter {
            query = query.filter_tree(Filter::Condition(filter));
        }
        query.order_by = vec![OrderBy {
            field: order.trim_start_matches('-').to_owned(),
            descending: order.starts_with('-'),
        }];
        let model = Arc::new(model);
        let plan = ListPlan::resolve(&Structure::new(Vec::new(), 0), &model, &query)
            .expect("the query fits");
        let query = PageQuery::new(&PostgresDialect, &model, None, plan).expect("the plan is one");
        let pages = query.pages.iter().map(|page| {
            let sql = page.to_string(PostgresQueryBuilder).replace('"', "");
            let (_, sql) = sql.split_once(" AS t0 ").expect("an alias");
            sql.replace("t0.", "")
        });
        pages.collect()
    };
    let null = "WHERE a IS NULL ORDER BY ctid";
    let others = "WHERE a IS NOT NULL ORDER BY a";
    assert_eq!(
        pages("a", None),
        [
            format!("{null} ASC LIMIT 26"),
            format!("{others} ASC, ctid ASC LIMIT 26")
        ]
    );
    assert_eq!(
        pages("-a", None),
        [
            format!("{others} DESC, ctid DESC LIMIT 26"),
            format!("{null} DESC LIMIT 26")
        ]
    );
    // Without an index both would go through all records.
    for order in ["c", "d"] {
        assert_eq!(
            pages(&format!("-{order}"), None),
            [format!(
                "ORDER BY {order} DESC NULLS LAST, ctid DESC LIMIT 26"
            )]
        );
    }
    let is = |field: &str, lookup| Condition {
        field: field.to_owned(),
        lookup,
        value: Operand::One("x".to_owned()),
    };
    assert_eq!(pages("-c", Some(is("b", Lookup::Exact))).len(), 2);
    assert_eq!(pages("-c", Some(is("b", Lookup::Gte))).len(), 1);
    // Records with NULL do not match.
    let only = pages("a", Some(is("a", Lookup::Gte)));
    assert!(
        matches!(&*only, [only] if only.ends_with("ORDER BY a ASC, ctid ASC LIMIT 26")),
        "{only:?}"
    );
}

/// A way to compare, on the field of a number; its value comes later.
#[derive(Clone, Debug)]
enum Shape {
    One(usize, Lookup),
    Many(usize, usize),
    All(Vec<Shape>),
    Any(Vec<Shape>),
    Not(Box<Shape>),
}

impl Shape {
    /// The filter, with values that are taken one after the other.
    fn filter(&self, names: &[String], values: &mut dyn Iterator<Item = String>) -> Filter {
        let condition = |field: usize, lookup, value| {
            Filter::Condition(Condition {
                field: names[field % names.len()].clone(),
                lookup,
                value,
            })
        };
        let mut each = |shapes: &[Self]| {
            let filters = shapes.iter().map(|shape| shape.filter(names, values));
            filters.collect::<Vec<_>>()
        };
        match self {
            Self::All(shapes) => Filter::And(each(shapes)),
            Self::Any(shapes) => Filter::Or(each(shapes)),
            Self::Not(shape) => Filter::Not(Box::new(shape.filter(names, values))),
            Self::One(field, lookup) => {
                let value = values.next().unwrap_or_default();
                condition(*field, *lookup, Operand::One(value))
            }
            Self::Many(field, count) => {
                let values = values.take(*count).collect();
                condition(*field, Lookup::In, Operand::Many(values))
            }
        }
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let lookups = prop::sample::select(vec![
        Lookup::Exact,
        Lookup::Ne,
        Lookup::Gt,
        Lookup::Lte,
        Lookup::Icontains,
        Lookup::Contains,
        Lookup::Istartswith,
        Lookup::Endswith,
    ]);
    let leaf = prop_oneof![
        (0..9_usize, lookups).prop_map(|(field, lookup)| Shape::One(field, lookup)),
        (0..9_usize, 1..20_usize).prop_map(|(field, count)| Shape::Many(field, count)),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(Shape::All),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Shape::Any),
            inner.prop_map(|shape| Shape::Not(Box::new(shape))),
        ]
    })
}

/// Texts and names that break out of quotes where they can.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^\\x00]{1,12}",
        "['\"`\\\\;%_$?:() -]{1,8}",
        Just("' OR 1=1; --".to_owned())
    ]
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::hash_set(hostile(), 1..4).prop_map(|names| names.into_iter().collect())
}

proptest! {
    #![proptest_config(crate::tests::cases(500))]

    #[test]
    fn the_text_of_a_statement_does_not_depend_on_values(
        shape in shape(),
        names in names(),
        one in prop::collection::vec(hostile(), 8),
        other in prop::collection::vec(hostile(), 8),
    ) {
        let texts = |values: &[String]| {
            let mut values = values.iter().cloned().cycle();
            let mut query = ListQuery::new().filter_tree(shape.filter(&names, &mut values));
            query.order_by = vec![OrderBy { field: names[0].clone(), descending: false }];
            statements(&names, &query).into_iter().map(|(sql, _)| sql).collect::<Vec<_>>()
        };
        prop_assert_eq!(texts(&one), texts(&other));
    }

    #[test]
    fn a_statement_is_one_query_whatever_its_columns_are_called(
        shape in shape(),
        names in names(),
    ) {
        let mut values = std::iter::repeat_with(|| "x".to_owned());
        let mut query = ListQuery::new().filter_tree(shape.filter(&names, &mut values));
        query.order_by = vec![OrderBy { field: names[0].clone(), descending: true }];
        for (sql, grammar) in statements(&names, &query) {
            let parsed = Parser::parse_sql(grammar, &sql);
            let parsed = parsed.map_err(|error| TestCaseError::fail(format!("{error}: {sql}")))?;
            prop_assert!(matches!(parsed.as_slice(), [Statement::Query(_)]), "{}", sql);
            // Every identifier is one that was there before.
            let _ = sqlparser::ast::visit_expressions(&parsed, |expr| {
                if let sqlparser::ast::Expr::CompoundIdentifier(parts) = expr {
                    // How a long list of values gets into SQLite.
                    if parts.first().is_some_and(|part| part.value == "list") {
                        return std::ops::ControlFlow::Continue(());
                    }
                    let name = parts.last().map(|part| part.value.as_str()).unwrap_or_default();
                    assert!(names.iter().any(|known| known == name), "{name:?} in {sql}");
                }
                std::ops::ControlFlow::<()>::Continue(())
            });
        }
    }

    #[test]
    fn a_pattern_has_no_wildcard_that_was_not_escaped(text in "[a%_\\\\]{0,12}") {
        let (pattern, _) = super::like_pattern(Match::Contains { any_case: false }, &text).unwrap_or_default();
        let pattern = pattern.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')).unwrap_or_default();
        let mut read = String::new();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            prop_assert!(!matches!(c, '%' | '_'));
            read.push(if c == '\\' { chars.next().unwrap() } else { c });
        }
        prop_assert_eq!(read, text);
    }
}
