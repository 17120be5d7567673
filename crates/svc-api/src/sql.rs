//! Read-only SQL queries (specification, section 1; wire contract, section 5).

use std::mem;

use serde_json::Value;
use svc_model::{
    ResourceName,
    sql::{Params, Query, SqlFilter, SqlQuery},
};

use crate::{Call, Client};

/// Read-only SQL on a connected resource, from [`Client::sql`].
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let totals = client
///     .sql("shop")
///     .query("select status, sum(total) from orders where created_at >= :from group by status")
///     .bind("from", "2026-01-01")
///     .await?;
/// for row in totals.data {
///     println!("{}: {}", row[0], row[1]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sql {
    client: Client,
    resource: ResourceName,
}

impl Client {
    /// Read-only SQL on a connected resource, in the client's project and environment.
    pub fn sql(&self, resource: impl Into<ResourceName>) -> Sql {
        Sql {
            client: self.clone(),
            resource: resource.into(),
        }
    }
}

impl Sql {
    /// Runs one `SELECT`, `WITH ... SELECT` or `VALUES` and returns its rows.
    pub fn query(&self, query: impl Into<String>) -> Call<Query> {
        self.send(SqlQuery::new(query))
    }

    /// Runs a prepared query.
    pub fn send(&self, query: SqlQuery) -> Call<Query> {
        Call::new(
            &self.client,
            Query::new(self.client.scope(), self.resource.clone(), query),
        )
    }
}

impl Call<Query> {
    /// Sets the value of the bind `:name`.
    pub fn bind(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.change(|query| query.bind(name, value))
    }

    /// Sets the value of the next positional bind, `%s`.
    pub fn bind_next(self, value: impl Into<Value>) -> Self {
        self.with(|operation| {
            operation.query.v = Some(1);
            match &mut operation.query.params {
                Some(Params::Values(values)) => values.push(value.into()),
                params => *params = Some(Params::Values(vec![value.into()])),
            }
        })
    }

    /// Selects rows for which the comparison holds; the key is a column, optionally with `__` and a lookup.
    pub fn filter(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|operation| {
            operation.query.filters.push(SqlFilter {
                name: key.into(),
                value: value.into(),
            });
        })
    }

    /// Adds a column to order by; `-` in front means descending.
    pub fn order_by(self, column: impl Into<String>) -> Self {
        self.with(|operation| operation.query.order_by.push(column.into()))
    }

    /// Sets the number of rows to skip.
    pub fn offset(self, offset: u64) -> Self {
        self.with(|operation| operation.query.offset = Some(offset))
    }

    /// Sets the maximum number of rows.
    pub fn limit(self, limit: u32) -> Self {
        self.with(|operation| operation.query.limit = Some(limit))
    }

    /// Requests the total number of rows.
    pub fn count(self) -> Self {
        self.with(|operation| operation.query.count = true)
    }

    /// Requests excerpts: texts have at most so many characters, binary data so many bytes, and JSON so many characters of
    /// its compact text. [`SqlResult::cut`](svc_model::sql::SqlResult::cut) tells what was cut.
    pub fn excerpt(self, most: u32) -> Self {
        self.with(|operation| operation.query.excerpt = Some(most))
    }

    /// Sets the UTC offset or IANA time zone of date texts; UTC by default.
    pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
        self.with(|operation| operation.query.timezone = Some(time_zone.into()))
    }

    /// Sets the schema that is searched first for names of tables.
    pub fn schema(self, schema: impl Into<String>) -> Self {
        self.with(|operation| operation.query.schema = Some(schema.into()))
    }

    /// Changes the query with a function.
    pub fn change(self, change: impl FnOnce(SqlQuery) -> SqlQuery) -> Self {
        self.with(|operation| operation.query = change(mem::take(&mut operation.query)))
    }
}
