//! Statements with the values that they bind.

use std::{
    fmt::{Debug, Write as _},
    sync::Arc,
    time::Duration,
};

use sea_query::{Query, QueryBuilder, SelectStatement, SqlWriterValues, Value, Values};

use svc_model::Count;

use crate::{
    Error, Model, Result,
    admission::Work,
    plan::ListPlan,
    query::{Dialect, PageQuery, SELF, all_fields, by_key, is_record},
    record::{Counted, Part},
    structure::AllFields,
    value::Scalar,
};

/// How long records are counted before an estimate has to do (wire contract, section 11).
const COUNTING_TIME: Duration = Duration::from_millis(100);

/// A value in the form in which an engine binds it.
pub(crate) trait Bound: Debug + PartialEq + Sized {
    fn of(value: Value) -> Self;

    /// What writes queries as the engine reads them.
    fn builder() -> impl QueryBuilder;

    /// Writes a query as the engine reads it.
    fn build(select: &SelectStatement) -> (String, Values) {
        select.build(Self::builder())
    }
}

/// A statement with the values that it binds.
#[derive(Clone, Debug)]
pub(crate) struct Statement<V> {
    pub(crate) sql: String,
    pub(crate) values: Vec<V>,
}

impl<V: Bound> From<(String, Values)> for Statement<V> {
    fn from((sql, Values(values)): (String, Values)) -> Self {
        Self {
            sql,
            values: values.into_iter().map(V::of).collect(),
        }
    }
}

impl<V: Bound> Statement<V> {
    pub(crate) fn select(select: &SelectStatement) -> Self {
        V::build(select).into()
    }

    /// Reads all fields of the record of a key.
    pub(crate) fn of_record(
        dialect: &dyn Dialect,
        model: &Model,
        key: &[(usize, Scalar)],
    ) -> Result<Self> {
        let all = Self::all_fields(dialect, model);
        let Some((all, from)) = all.and_then(|all| Some((all, all.from.as_deref()?))) else {
            return Ok(Self::select(by_key(dialect, model, key)?.limit(1)));
        };
        match (key, &all.by_number) {
            ([(index, Scalar::Integer(number))], Some(sql)) if model.key == [*index] => Ok(Self {
                sql: sql.clone(),
                values: vec![V::of((*number).into())],
            }),
            _ => Self::of_key(dialect, model, &all.columns, from, key),
        }
    }

    /// Reads columns of the record of a key.
    fn of_key(
        dialect: &dyn Dialect,
        model: &Model,
        columns: &str,
        from: &str,
        key: &[(usize, Scalar)],
    ) -> Result<Self> {
        let builder = V::builder();
        let (placeholder, is_numbered) = builder.placeholder();
        let mut sql = SqlWriterValues::new(placeholder, is_numbered);
        // Writing into a text does not fail.
        let _ = write!(sql, "SELECT {columns}{from}");
        builder.prepare_expr(&is_record(dialect, model, key)?, &mut sql);
        let _ = sql.write_str(" LIMIT 1");
        Ok(sql.into_parts().into())
    }

    /// The text of the statement for a key that is one whole number, if it is the same for the least and the greatest one and
    /// binds that alone: dialects write the same for all between these.
    fn by_number(
        dialect: &dyn Dialect,
        model: &Model,
        columns: &str,
        from: &str,
    ) -> Option<String> {
        let [index] = model.key.as_slice() else {
            return None;
        };
        let mut texts = [0, i64::MIN, i64::MAX].into_iter().map(|number| {
            let key = [(*index, Scalar::Integer(number))];
            let statement = Self::of_key(dialect, model, columns, from, &key).ok()?;
            (statement.values == [V::of(number.into())]).then_some(statement.sql)
        });
        let text = texts.next()??;
        texts
            .all(|other| other.as_ref() == Some(&text))
            .then_some(text)
    }

    /// What the model keeps of the statement for all fields.
    pub(crate) fn all_fields<'m>(dialect: &dyn Dialect, model: &'m Model) -> Option<&'m AllFields> {
        let write = || {
            let mut records = Query::select();
            all_fields(dialect, &mut records, model);
            let (columns, Values(values)) = V::build(&records);
            let columns = columns.strip_prefix("SELECT ")?.to_owned();
            dialect.from(&mut records, model, SELF);
            let (sql, _) = V::build(&records);
            let from = sql.get("SELECT ".len() + columns.len()..)?;
            let from = model.scope.is_none().then(|| format!("{from} WHERE "));
            let by_number = from
                .as_deref()
                .and_then(|from| Self::by_number(dialect, model, &columns, from));
            values.is_empty().then_some(AllFields {
                columns,
                from,
                by_number,
            })
        };
        model.all_fields.get_or_init(write).as_ref()
    }

    /// Refuses a statement that binds more values than the engine accepts.
    pub(crate) fn limited(self, most: usize) -> Result<Self> {
        match self.values.len() > most {
            true => Err(Error::invalid("the filters contain too many values")),
            false => Ok(self),
        }
    }

    /// What the answer is remembered by.
    pub(crate) fn key(&self) -> String {
        format!("{}\0{:?}", self.sql, self.values)
    }
}

/// A list as statements.
pub(crate) struct ListQuery<V> {
    pub(crate) query: Arc<PageQuery>,
    pub(crate) pages: Vec<Statement<V>>,
    pub(crate) count: Option<Statement<V>>,
    /// What the engine is asked about how many rows it expects.
    pub(crate) expected: Option<Statement<V>>,
}

impl<V: Bound> ListQuery<V> {
    /// Turns a plan into statements, each of which binds at most so many values.
    pub(crate) fn new(
        dialect: &dyn Dialect,
        model: &Arc<Model>,
        plan: ListPlan,
        most: usize,
    ) -> Result<Self> {
        let all = Statement::<V>::all_fields(dialect, model).map(|all| all.columns.as_str());
        let query = PageQuery::new(dialect, model, all, plan)?;
        let statement = |select: &SelectStatement| Statement::select(select).limited(most);
        let pages = query.pages.iter().map(statement);
        Ok(Self {
            pages: pages.collect::<Result<_, _>>()?,
            count: query.count.as_ref().map(statement).transpose()?,
            expected: query.expected.as_ref().map(statement).transpose()?,
            query: Arc::new(query),
        })
    }

    /// What the list is when it waits for its turn.
    pub(crate) fn work(&self) -> Work {
        let statements = self.pages.iter();
        self.query
            .work(statements.map(|statement| statement.sql.as_str()))
    }

    /// The statement that counts the records, where they are to be counted and the page does not prove their number.
    pub(crate) fn prove_count(&self, part: &mut Part) -> Option<&Statement<V>> {
        let statement = self.count.as_ref()?;
        let proven = self.query.proven_count(part.len, part.has_more);
        part.count = proven.map(Counted::exact);
        part.count.is_none().then_some(statement)
    }

    /// Whether an estimate of the number of records will do without a count.
    pub(crate) fn is_estimated(&self) -> bool {
        self.query.counting == Count::Estimated && self.expected.is_some()
    }

    /// How long the records may be counted before an estimate has to do.
    pub(crate) fn counting_time(&self) -> Option<Duration> {
        (self.query.counting == Count::Auto).then_some(COUNTING_TIME)
    }
}
