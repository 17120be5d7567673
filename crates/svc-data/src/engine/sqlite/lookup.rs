//! Records that are looked up by many whole numbers of their key, as related records are: the statement is made once for the
//! fields that are read, and looks the numbers up one after the other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use sea_query::{ExprTrait as _, Query, SelectStatement};
use svc_model::Count;

use super::{
    bound::Bound,
    select::{SqliteDialect, Statement},
};
use crate::{
    Model, Result,
    admission::Work,
    engine::statement::ListQuery,
    plan::{ListPlan, Test},
    query::{Dialect as _, PageQuery, SELF, call, column, name},
    structure::Kind,
    value::{Scalar, json::write_integer},
};

/// How many statements are kept.
const MOST: usize = 256;

/// The statements that were made.
#[derive(Default)]
pub(super) struct Lookups(Mutex<HashMap<Shape, Arc<Made>>>);

/// What a statement is made of, but for the numbers.
#[derive(PartialEq, Eq, Hash)]
struct Shape {
    model: String,
    structure_version: i64,
    /// The field that has the numbers.
    index: usize,
    shown: Arc<[usize]>,
    beside: Option<Vec<usize>>,
    limit: u32,
    is_internal: bool,
}

/// A statement that was made.
struct Made {
    query: Arc<PageQuery>,
    sql: String,
    work: Work,
}

/// A statement, and the numbers that are looked up.
pub(super) struct Lookup {
    made: Arc<Made>,
    index: usize,
    /// A JSON array, ascending.
    numbers: String,
}

impl Lookups {
    /// The records of a plan as a lookup, where they are looked up by whole numbers of their key and in its order, and
    /// nothing else is asked of them.
    pub(super) fn find(&self, model: &Arc<Model>, plan: &ListPlan) -> Result<Option<Lookup>> {
        let Some((index, numbers)) = numbers(model, plan) else {
            return Ok(None);
        };
        let shape = Shape {
            model: model.name.clone(),
            structure_version: model.structure_version,
            index,
            shown: Arc::clone(&plan.shown.fields),
            beside: plan.beside.clone(),
            limit: plan.limit,
            is_internal: plan.is_internal,
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match known.get(&shape) {
            Some(made) => Arc::clone(made),
            None => {
                let made = Arc::new(Made::new(model, plan, index)?);
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(shape, Arc::clone(&made));
                made
            }
        };
        Ok(Some(Lookup {
            made,
            index,
            numbers,
        }))
    }
}

impl Made {
    fn new(model: &Arc<Model>, plan: &ListPlan, index: usize) -> Result<Self> {
        let mut plan = plan.clone();
        // They are not part of what is read of each record.
        plan.among = Some(Test::In(index, Vec::new()));
        let all = Statement::all_fields(&SqliteDialect, model);
        let all = all.map(|all| all.columns.as_str());
        let query = PageQuery::new(&SqliteDialect, model, all, plan)?;
        let Statement { sql, .. } = Statement::select(&select(&query, index, "[]")?);
        Ok(Self {
            work: query.work(std::iter::once(sql.as_str())),
            query: Arc::new(query),
            sql,
        })
    }
}

impl Lookup {
    /// The list of the records.
    pub(super) fn list(&self) -> ListQuery<Bound> {
        ListQuery {
            query: Arc::clone(&self.made.query),
            pages: vec![Statement {
                sql: self.made.sql.clone(),
                values: vec![Bound(self.numbers.as_str().into())],
            }],
            count: None,
            expected: None,
        }
    }

    pub(super) fn work(&self) -> Work {
        self.made.work
    }

    /// The statement with the numbers.
    pub(super) fn select(&self) -> Result<SelectStatement> {
        select(&self.made.query, self.index, &self.numbers)
    }
}

/// The statement that goes through numbers and looks up the record of each. It neither keeps them in a table, as `IN` does, nor
/// sorts the records.
fn select(query: &PageQuery, index: usize, numbers: &str) -> Result<SelectStatement> {
    let model = &query.model;
    let number = column("list", "value");
    let key = column(SELF, &model.at(index)?.name);
    let mut select = Query::select();
    select.from_function(call("json_each").arg(numbers), name("list"));
    // In this order: SQLite does not change that of a cross join.
    select.cross_join(SqliteDialect.table(model));
    select.and_where(key.eq(number));
    Ok(query.in_order(select))
}

/// The field that the records of a plan are looked up by, and the numbers, as a JSON array in their order.
fn numbers(model: &Model, plan: &ListPlan) -> Option<(usize, String)> {
    let Some(Test::In(index, values)) = &plan.among else {
        return None;
    };
    let is_key = model.key == [*index] && model.row_id.is_none() && model.distinct_rows;
    let is_whole = model.fields.get(*index)?.kind == Kind::Integer;
    let is_plain = plan.test.is_none()
        && plan.most_of_each.is_none()
        && plan.after.is_none()
        && plan.before.is_none()
        && plan.count == Count::None
        && plan.offset == 0
        && !plan.reversed
        && plan.order == [(*index, false)];
    let is_usual = plan.shown.excerpt.is_none() && plan.shown.zone.is_utc && model.scope.is_none();
    if !is_key || !is_whole || !is_plain || !is_usual {
        return None;
    }
    let numbers = values.iter().map(|value| match value {
        Scalar::Integer(number) => Some(*number),
        _ => None,
    });
    let mut numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let mut json = Vec::with_capacity(numbers.len() * 8 + 2);
    json.push(b'[');
    for (place, number) in numbers.into_iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        write_integer(&mut json, number);
    }
    json.push(b']');
    Some((*index, String::from_utf8(json).ok()?))
}

#[cfg(test)]
mod tests {
    use rusqlite::params_from_iter;
    use svc_model::ListQuery as Query;

    use super::*;
    use crate::engine::sqlite::{connection::Role, read::ListQuery, test_file::File};

    fn file(folder: &tempfile::TempDir) -> File {
        let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO t SELECT i * 2, 'note ' || i FROM n;
            CREATE TABLE words (id TEXT PRIMARY KEY NOT NULL);
            ANALYZE;";
        File::of(folder.path(), sql, Role::DirectReader)
    }

    fn plan(
        file: &File,
        numbers: impl IntoIterator<Item = i64>,
        query: &Query,
    ) -> (Arc<Model>, ListPlan) {
        let model = Arc::clone(file.structure.model("t").unwrap());
        let mut plan = ListPlan::resolve(&file.structure, &model, query).unwrap();
        let numbers = numbers.into_iter().map(Scalar::Integer).collect();
        plan.among = Some(Test::In(0, numbers));
        plan.beside = Some(vec![0]);
        (model, plan)
    }

    fn by_key() -> Query {
        Query::new().order_by("id").count(Count::None).per_page(200)
    }

    #[test]
    fn the_records_are_those_of_the_general_statement_in_the_same_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        let lookups = Lookups::default();
        for numbers in [vec![40, 2, 7, 2, 1_000, 998, -4, i64::MAX], vec![], vec![3]] {
            let (model, plan) = plan(&file, numbers, &by_key());
            let lookup = lookups.find(&model, &plan).unwrap().unwrap();
            let found = ListQuery::of_lookup(lookup).run(file.session()).unwrap();
            let general = ListQuery::new(&model, plan).unwrap();
            let general = general.run(file.session()).unwrap();
            assert_eq!(found.results, general.results);
            assert_eq!((found.len, found.has_more), (general.len, general.has_more));
            let values = |part: &crate::record::Part| part.beside.clone().unwrap().values;
            assert_eq!(values(&found), values(&general));
        }
    }

    #[test]
    fn the_statement_is_made_once_and_looks_each_number_up_without_a_sort() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        let lookups = Lookups::default();
        let find = |numbers| {
            let (model, plan) = plan(&file, numbers, &by_key());
            lookups.find(&model, &plan).unwrap().unwrap()
        };
        let (one, other) = (find(0..25), find(7..90));
        assert!(Arc::ptr_eq(&one.made, &other.made));
        let session = file.session();
        let statement = Statement::select(&one.select().unwrap());
        assert_eq!(statement.sql, one.made.sql);
        let explain = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let mut explain = session.prepare(&explain).unwrap();
        let steps = explain.query_map(params_from_iter(&statement.values), |row| row.get(3));
        let steps: Vec<String> = steps.unwrap().map(Result::unwrap).collect();
        assert_eq!(steps.len(), 2, "{steps:?}");
        assert!(steps[0].starts_with("SCAN list VIRTUAL TABLE"), "{steps:?}");
        assert_eq!(steps[1], "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)");
    }

    #[test]
    fn what_asks_for_more_than_records_of_the_key_is_no_lookup() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        let lookups = Lookups::default();
        let is_lookup = |query: &Query, change: &dyn Fn(&mut ListPlan)| {
            let (model, mut plan) = plan(&file, 1..4, query);
            change(&mut plan);
            lookups.find(&model, &plan).unwrap().is_some()
        };
        assert!(is_lookup(&by_key(), &|_| {}));
        for query in [
            by_key().order_by("note"),
            Query::new().order_by("-id").count(Count::None),
            Query::new().order_by("id").count(Count::Exact),
            by_key().excerpt(3),
            by_key().filter("note", svc_model::Lookup::Exact, "note 1"),
        ] {
            assert!(!is_lookup(&query, &|_| {}), "{query:?}");
        }
        let text = Test::In(1, vec![Scalar::Integer(1)]);
        assert!(!is_lookup(&by_key(), &|plan| plan.among = Some(text.clone())));
        let mixed = Test::In(0, vec![Scalar::Integer(1), Scalar::Special("x".into())]);
        assert!(!is_lookup(&by_key(), &|plan| plan.among = Some(mixed.clone())));
        assert!(!is_lookup(&by_key(), &|plan| plan.after = Some("x".into())));
        assert!(!is_lookup(&by_key(), &|plan| plan.offset = 1));
        assert!(!is_lookup(&by_key(), &|plan| plan.reversed = true));
    }
}
