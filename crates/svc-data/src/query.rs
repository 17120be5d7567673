//! Plans as statements, with what the engines have in common: the tests of a plan, and ordered pages.
//!
//! What differs from engine to engine is its [`Dialect`].

pub(crate) mod assignments;
pub(crate) mod change_all;
pub(crate) mod cursor;
mod excerpts;
mod first_of_each;
mod page;
#[cfg(all(test, feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod tests;

use sea_query::{
    Alias, CaseStatement, DynIden, Expr, ExprTrait, Func, FunctionCall, IntoTableRef as _, Order,
    Query, SelectStatement, TableRef,
};

pub(crate) use self::{
    excerpts::excerpts,
    page::{Around, Buffers, PageQuery, PageWriter, PlaceQuery},
};
use crate::{
    Error, Field, Model, Result,
    plan::{Comparison, Containment, Match, Place, Step, Test},
    query::cursor::{Key, KeyValue},
    record::{excerpt::Excerpted, raw::MAX_VALUE},
    structure::Kind,
    value::Scalar,
};

/// The name of the listed table in a statement; `t1`, `t2`, ... are those it is related to.
pub(crate) const SELF: &str = "t0";

/// What an engine says in its own way. Columns are those of the table with the alias `table`.
pub(crate) trait Dialect: Sync {
    /// Adds the model's table or view to `FROM`, under this alias.
    fn from(&self, select: &mut SelectStatement, model: &Model, alias: &str) {
        match &model.schema {
            Some(schema) => select.from_as((name(schema), name(&model.table)), name(alias)),
            None => select.from_as(name(&model.table), name(alias)),
        };
    }

    /// The model's table as one that is written, under the name that [columns](column) are read of.
    fn table(&self, model: &Model) -> TableRef {
        let table = match &model.schema {
            Some(schema) => (name(schema), name(&model.table)).into_table_ref(),
            None => name(&model.table).into_table_ref(),
        };
        table.alias(name(SELF))
    }

    /// A field in the form in which the engine reads it out of a row.
    fn read(&self, table: &str, field: &Field) -> Expr {
        column(table, &field.name)
    }

    /// A column of the order, its field (none for the row id), as rows are ordered and compared by it.
    fn order_value(&self, table: &str, key: &Key, field: Option<&Field>) -> Expr {
        let _ = field;
        column(table, &key.column)
    }

    /// Whether the engine treats values of a field as equal that are not the same, and can order by what they are:
    /// [`order_value`](Self::order_value) does so for a key that [is exact](Key::is_exact).
    fn has_exact_order(&self, field: &Field) -> bool {
        let _ = field;
        false
    }

    /// What is read of a column of the order where a cursor could not bind what lists read of it; for most
    /// fields nothing.
    fn read_key(&self, table: &str, key: &Key, field: Option<&Field>) -> Option<Expr> {
        let (_, _, _) = (table, key, field);
        None
    }

    /// What a row had in a column of the order, bound so that it compares with
    /// [`order_value`](Self::order_value).
    fn bind_key(&self, field: Option<&Field>, value: &KeyValue) -> Result<Expr>;

    /// Orders by a column, NULL as the smallest of its values.
    fn order_by(&self, select: &mut SelectStatement, key: &Key, field: Option<&Field>) {
        select.order_by_expr(self.order_value(SELF, key, field), direction(key));
    }

    /// Whether an index has a field in an order in which NULL is the largest of its values, so that it does not give the order
    /// of a list. Says of the fields before it in the index whether they have one value in all rows of the list.
    fn null_is_last_in_index(&self, field: &Field, has_one_value: &dyn Fn(usize) -> bool) -> bool {
        let (_, _) = (field, has_one_value);
        false
    }

    /// Whether a field compares so with a value.
    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr>;

    /// Whether a field equals one of the values.
    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr>;

    /// Whether the text of a field matches.
    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr>;

    /// Whether a geometry is inside another, given as WKT.
    fn is_covered_by(&self, table: &str, field: &Field, wkt: &str) -> Result<Expr> {
        let (_, _) = (table, wkt);
        Err(Error::invalid_field(
            &field.name,
            "the database of this resource has no lookup coveredby",
        ))
    }

    /// Whether an array has these elements, or such. No engine that has no arrays is asked.
    fn has_elements(
        &self,
        table: &str,
        field: &Field,
        containment: Containment,
        values: &[Scalar],
    ) -> Result<Expr> {
        let (_, _, _) = (table, containment, values);
        Err(no_array(field))
    }

    /// How many elements an array has.
    fn len(&self, table: &str, field: &Field) -> Result<Expr> {
        let _ = table;
        Err(no_array(field))
    }

    /// Whether a test of a place inside the JSON of a field holds.
    fn place(&self, table: &str, field: &Field, place: &Place) -> Result<Expr>;

    /// Whether a field is NULL.
    fn is_null(&self, table: &str, field: &Field) -> Expr {
        column(table, &field.name).is_null()
    }

    /// How many bytes a value of a field has, where that may be many.
    fn size(&self, table: &str, field: &Field) -> Option<Expr> {
        let (_, _) = (table, field);
        None
    }

    /// The excerpt of a field: at most so many characters of a text or of compact JSON, or so many bytes.
    fn excerpt(&self, table: &str, field: &Field, most: u32) -> Excerpted;

    /// A field as text.
    fn text(&self, table: &str, field: &Field) -> Expr {
        column(table, &field.name)
    }

    /// Whether a field is NULL or the empty text.
    fn is_empty(&self, table: &str, field: &Field) -> Expr {
        let is_null = self.is_null(table, field);
        match field.kind {
            Kind::Text | Kind::Any => is_null.or(self.text(table, field).eq("")),
            Kind::Json => is_null.or(self.text(table, field).eq("\"\"")),
            _ => is_null,
        }
    }

    /// A test of records that are gone through in their order, or looked up by their keys: the engine is kept from
    /// looking them up by the test instead, and from sorting all of them for each part of a page.
    fn test_only(&self, test: Expr) -> Expr {
        test
    }

    /// Whether two columns that a relation joins are equal.
    fn joins(&self, here: (&str, &Field), there: (&str, &Field)) -> Expr {
        column(there.0, &there.1.name).eq(column(here.0, &here.1.name))
    }
}

fn no_array(field: &Field) -> Error {
    Error::invalid_field(&field.name, "the database of this resource has no arrays")
}

/// Which way a column is ordered.
pub(crate) fn direction(key: &Key) -> Order {
    match key.descending {
        true => Order::Desc,
        false => Order::Asc,
    }
}

/// A name of the structure as an identifier, quoted when it is written.
pub(crate) fn name(text: &str) -> DynIden {
    DynIden::from(text.to_owned())
}

/// A name as an identifier of SQLite and of PostgreSQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A column with the name of its table, so that no engine reads it as anything else.
pub(crate) fn column(table: &str, column: &str) -> Expr {
    Expr::col((name(table), name(column)))
}

/// A call of a function.
pub(crate) fn call(function: impl Into<String>) -> FunctionCall {
    Func::cust(Alias::new(function))
}

/// Compares two values.
pub(crate) fn compared(here: Expr, comparison: Comparison, there: Expr) -> Expr {
    match comparison {
        Comparison::Equal => here.eq(there),
        Comparison::Unequal => here.ne(there),
        Comparison::Greater => here.gt(there),
        Comparison::GreaterOrEqual => here.gte(there),
        Comparison::Less => here.lt(there),
        Comparison::LessOrEqual => here.lte(there),
    }
}

/// Starts a query on the records of the model that pass a test.
pub(crate) fn selection(
    dialect: &dyn Dialect,
    model: &Model,
    passed: Option<&Test>,
) -> Result<SelectStatement> {
    let passed = passed.map(|passed| test(dialect, model, SELF, passed));
    Ok(select(dialect, model, passed.transpose()?))
}

/// Starts a query on the model.
pub(crate) fn select(dialect: &dyn Dialect, model: &Model, test: Option<Expr>) -> SelectStatement {
    let mut select = Query::select();
    dialect.from(&mut select, model, SELF);
    select.and_where_option(scope(model, SELF));
    select.and_where_option(test);
    select
}

/// Whether a row of the model's table is one of its records at all, where that is a question.
fn scope(model: &Model, table: &str) -> Option<Expr> {
    let scope = model.scope.as_ref()?;
    Some(column(table, &scope.column).eq(scope.value.as_str()))
}

/// The query for all fields of the record of a key.
pub(crate) fn by_key(
    dialect: &dyn Dialect,
    model: &Model,
    key: &[(usize, Scalar)],
) -> Result<SelectStatement> {
    let mut query = select(dialect, model, Some(is_record(dialect, model, key)?));
    all_fields(dialect, &mut query, model);
    Ok(query)
}

/// The query for one field of the record of a key, and behind it 0 where its value is too large to be read: then it is
/// NULL.
pub(crate) fn one_field(
    dialect: &dyn Dialect,
    model: &Model,
    key: &[(usize, Scalar)],
    field: &Field,
) -> Result<SelectStatement> {
    let mut query = select(dialect, model, Some(is_record(dialect, model, key)?));
    let read = dialect.read(SELF, field);
    let is_small = dialect.size(SELF, field);
    let is_small = is_small.map(|size| size.lte(Expr::cust(MAX_VALUE.to_string())));
    match is_small {
        Some(is_small) => {
            query.expr(CaseStatement::new().case(is_small.clone(), read));
            let is_small = CaseStatement::new().case(is_small.not(), Expr::cust("0"));
            query.expr(is_small.finally(Expr::cust("1")));
        }
        None => {
            query.expr(read).expr(Expr::cust("1"));
        }
    }
    query.limit(1);
    Ok(query)
}

/// Whether it is the record of a key.
pub(crate) fn is_record(
    dialect: &dyn Dialect,
    model: &Model,
    key: &[(usize, Scalar)],
) -> Result<Expr> {
    let tests = key
        .iter()
        .map(|(index, value)| Test::Compare(*index, Comparison::Equal, value.clone()))
        .collect();
    test(dialect, model, SELF, &Test::All(tests))
}

/// Selects every field, in the order of the columns.
pub(crate) fn all_fields(dialect: &dyn Dialect, query: &mut SelectStatement, model: &Model) {
    for field in model.fields.iter() {
        query.expr(dialect.read(SELF, field));
    }
}

/// All of these hold.
pub(crate) fn all_of(tests: Vec<Expr>) -> Expr {
    balanced(tests, &|a, b| a.and(b)).unwrap_or_else(|| constant(true))
}

/// At least one of these holds.
pub(crate) fn any_of(tests: Vec<Expr>) -> Expr {
    balanced(tests, &|a, b| a.or(b)).unwrap_or_else(|| constant(false))
}

/// Joins many tests as a tree of little depth, since engines limit the depth.
fn balanced(mut tests: Vec<Expr>, join: &dyn Fn(Expr, Expr) -> Expr) -> Option<Expr> {
    match tests.len() {
        0 | 1 => tests.pop(),
        count => {
            let right = tests.split_off(count / 2);
            match (balanced(tests, join), balanced(right, join)) {
                (Some(left), Some(right)) => Some(join(left, right)),
                (one, other) => one.or(other),
            }
        }
    }
}

/// The pattern of LIKE for a way to match, and whether case does not matter; none for a regular expression.
/// Nothing in the text is a wildcard, with the backslash as the escape character.
pub(crate) fn like_pattern(how: Match, text: &str) -> Option<(String, bool)> {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Some(match how {
        Match::Contains { any_case } => (format!("%{escaped}%"), any_case),
        Match::Starts { any_case } => (format!("{escaped}%"), any_case),
        Match::Ends { any_case } => (format!("%{escaped}"), any_case),
        Match::Regex => return None,
    })
}

fn constant(truth: bool) -> Expr {
    Expr::cust(if truth { "1 = 1" } else { "1 = 0" })
}

/// Turns a test into SQL.
pub(crate) fn test(dialect: &dyn Dialect, model: &Model, table: &str, test: &Test) -> Result<Expr> {
    Tester {
        dialect,
        aliases: 0,
    }
    .expr(model, table, test)
}

struct Tester<'a> {
    dialect: &'a dyn Dialect,
    /// How many related tables have a name so far.
    aliases: usize,
}

impl Tester<'_> {
    fn expr(&mut self, model: &Model, table: &str, test: &Test) -> Result<Expr> {
        let each = |tester: &mut Self, tests: &[Test]| -> Result<Vec<Expr>> {
            tests
                .iter()
                .map(|test| tester.expr(model, table, test))
                .collect()
        };
        let dialect = self.dialect;
        match test {
            Test::All(tests) => each(self, tests).map(all_of),
            Test::Any(tests) => each(self, tests).map(any_of),
            Test::Not(test) => Ok(self.expr(model, table, test)?.not()),
            Test::Compare(index, comparison, value) => {
                dialect.compare(table, model.at(*index)?, *comparison, value)
            }
            Test::In(index, values) => dialect.is_in(table, model.at(*index)?, values),
            Test::Match(index, how, text) => dialect.matches(table, model.at(*index)?, *how, text),
            Test::CoveredBy(index, wkt) => dialect.is_covered_by(table, model.at(*index)?, wkt),
            Test::Elements(index, containment, values) => {
                dialect.has_elements(table, model.at(*index)?, *containment, values)
            }
            Test::Len(index, comparison, number) => {
                let len = dialect.len(table, model.at(*index)?)?;
                Ok(compared(len, *comparison, Expr::val(*number)))
            }
            Test::Place(index, place) => dialect.place(table, model.at(*index)?, place),
            Test::Null(index) => Ok(dialect.is_null(table, model.at(*index)?)),
            Test::Empty(index) => Ok(dialect.is_empty(table, model.at(*index)?)),
            Test::Related(steps, last) => self.related(model, table, steps, last),
        }
    }

    fn related(&mut self, model: &Model, table: &str, steps: &[Step], last: &Test) -> Result<Expr> {
        let Some((step, rest)) = steps.split_first() else {
            return self.expr(model, table, last);
        };
        self.aliases += 1;
        let alias = format!("t{}", self.aliases);
        let mut select = Query::select();
        select.expr(Expr::cust("1"));
        self.dialect.from(&mut select, &step.model, &alias);
        select.and_where_option(scope(&step.model, &alias));
        for (here, there) in &step.fields {
            select.and_where(
                self.dialect
                    .joins((table, model.at(*here)?), (&alias, step.model.at(*there)?)),
            );
        }
        select.and_where(self.related(&step.model, &alias, rest, last)?);
        Ok(Expr::exists(select))
    }
}
