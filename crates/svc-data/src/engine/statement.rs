//! Statements with the values that they bind.

use std::{fmt::Debug, sync::Arc};

use sea_query::{SelectStatement, Value, Values};

use crate::{
    Error, Model, Result,
    admission::Work,
    plan::ListPlan,
    query::{Dialect, PageQuery},
    record::Part,
};

/// A value in the form in which an engine binds it.
pub(crate) trait Bound: Debug + Sized {
    fn of(value: Value) -> Self;

    /// Writes a query as the engine reads it.
    fn build(select: &SelectStatement) -> (String, Values);
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
    pub(crate) query: PageQuery,
    pub(crate) pages: Vec<Statement<V>>,
    pub(crate) count: Option<Statement<V>>,
}

impl<V: Bound> ListQuery<V> {
    /// Turns a plan into statements, each of which binds at most so many values.
    pub(crate) fn new(
        dialect: &dyn Dialect,
        model: &Arc<Model>,
        plan: ListPlan,
        most: usize,
    ) -> Result<Self> {
        let query = PageQuery::new(dialect, model, plan)?;
        let statement = |select: &SelectStatement| Statement::select(select).limited(most);
        let pages = query.pages.iter().map(statement);
        Ok(Self {
            pages: pages.collect::<Result<_, _>>()?,
            count: query.count.as_ref().map(statement).transpose()?,
            query,
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
        part.count = self.query.proven_count(part.len, part.has_more);
        part.count.is_none().then_some(statement)
    }
}
