//! Read-only SQL queries on a resource (specification, section 1; wire contract, section 5).

mod lengths;

use std::collections::BTreeMap;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeOwned},
};
use serde_json::{Map, Value};

use crate::{
    Invalid, JsonObject, ResourceName, Scope,
    records::{AggregateFunction, GroupLookup},
    wire::Operation,
};

/// The maximum number of rows in a response.
pub const MAX_ROWS: u32 = 10_000;
/// The maximum number of rows when a wrapping option is used without `limit`.
pub const DEFAULT_LIMIT: u32 = 100;
/// The maximum number of queries in a batch.
pub const MAX_BATCH: usize = 100;
/// The maximum number of conditions in `filters`.
pub const MAX_FILTERS: usize = 100;
/// The maximum number of values in the lists of all conditions of `filters` together.
pub const MAX_FILTER_VALUES: usize = 10_000;
/// The maximum number of entries in `columns`: more than the columns of any result.
pub const MAX_COLUMNS: usize = 10_000;
/// The maximum number of values in `params_obj` or `params`.
pub const MAX_PARAMS: usize = 10_000;

/// One query: a single `SELECT`, `WITH ... SELECT` or `VALUES`, and options that wrap it.
///
/// ```
/// use svc_model::sql::SqlQuery;
///
/// let query = SqlQuery::new("select * from orders where status = :status").bind("status", "paid");
/// assert_eq!(
///     serde_json::to_string(&query)?,
///     r#"{"query":"select * from orders where status = :status","params_obj":{"status":"paid"}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SqlQuery {
    /// The SQL.
    pub query: String,
    /// Values of the named binds `:name`.
    #[serde(default, alias = "paramsObj", skip_serializing_if = "Map::is_empty")]
    pub params_obj: Map<String, Value>,
    /// 1 when the binds are positional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<u8>,
    /// Values of the positional binds `%s`, when `v` is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Params>,
    /// The number of rows to skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The maximum number of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Columns of the result to order by, with `-` in front for descending.
    #[serde(default, alias = "orderBy", skip_serializing_if = "Vec::is_empty")]
    pub order_by: Vec<String>,
    /// Whether to count all rows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub count: bool,
    /// Names and types of the result's columns that the caller already knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<SqlColumn>,
    /// Conditions on the columns of the result: `name` is a column, optionally with `__` and a lookup.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<SqlFilter>,
    /// One value over all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<SqlAggregate>,
    /// One value for each group of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<SqlGroup>,
    /// One value for each group of rows, by several columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<SqlGroups>,
    /// Texts, binary data and JSON that are longer are cut; whole when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<u32>,
    /// UTC offset or IANA time zone of date texts; UTC when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The schema that is searched first for names of tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// The body of a request: one query, or several.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SqlRequest {
    /// One query, answered by an [`SqlResult`].
    One(Box<SqlQuery>),
    /// `queries`: several queries. The response is an array, in which a failed query is `{"error": text}`.
    Batch(Vec<Result<SqlQuery, Invalid>>),
}

impl SqlRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// [`Invalid`] with the field that is wrong. In a batch, an invalid query does not make the request invalid.
    pub fn parse(body: &JsonObject) -> Result<Self, Invalid> {
        let Some(queries) = body.get_raw("queries") else {
            return read_query(body).map(|query| Self::One(Box::new(query)));
        };
        let wrong = || Invalid::field("queries", "must be an array of queries");
        if body.len() > 1 {
            return Err(Invalid::general("nothing is taken beside queries"));
        }
        lengths::check("queries", queries, MAX_BATCH)?;
        let queries: Vec<JsonObject> = serde_json::from_str(queries).map_err(|_| wrong())?;
        Ok(Self::Batch(queries.iter().map(read_query).collect()))
    }
}

/// Checks that what is computed over the rows has the columns that it needs.
fn check_functions(query: &SqlQuery) -> Result<(), Invalid> {
    let SqlQuery {
        aggregate,
        group,
        groups,
        ..
    } = query;
    if groups.as_ref().is_some_and(|it| it.x_columns.is_empty()) {
        return Err(Invalid::field("groups", "x_columns must name a column"));
    }
    let all = aggregate
        .as_ref()
        .map(|it| ("aggregate", it.func, &it.column));
    let one = group.as_ref().map(|it| ("group", it.y_func, &it.y_column));
    let several = groups
        .as_ref()
        .map(|it| ("groups", it.y_func, &it.y_column));
    for (key, func, column) in [all, one, several].into_iter().flatten() {
        if column.is_none() && func != AggregateFunction::Count {
            return Err(Invalid::field(key, format!("{func} needs a column")));
        }
    }
    Ok(())
}

/// Reads the fields of a query, in every spelling.
fn read_query(body: &JsonObject) -> Result<SqlQuery, Invalid> {
    if body.get_raw("query").is_none() {
        return Err(Invalid::field("query", "this field is required"));
    }
    lengths::check_options(body)?;
    let json = serde_json::to_string(body).map_err(|error| Invalid::general(error.to_string()))?;
    let query: SqlQuery = serde_json::from_str(&json).map_err(|error| {
        // The position in the message refers to JSON that was written here, not to the caller's text.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Invalid::general(format!("the query cannot be read: {message}"))
    })?;
    lengths::check_within(&query)?;
    check_functions(&query)?;
    if query.v.is_some_and(|version| version != 1) {
        return Err(Invalid::field("v", "must be 1, or be left out"));
    }
    let excerpt = query
        .excerpt
        .filter(|_| query.aggregate.is_some() || query.group.is_some() || query.groups.is_some());
    if query.excerpt == Some(0) {
        return Err(Invalid::field(
            "excerpt",
            "must be an integer of at least 1",
        ));
    }
    if excerpt.is_some() {
        let message = "is for rows, not for aggregate, group or groups";
        return Err(Invalid::field("excerpt", message));
    }
    if query.params.is_some() && query.v.is_none() {
        return Err(Invalid::field(
            "params",
            "is taken when v is 1; else params_obj",
        ));
    }
    if query.v.is_some() && !query.params_obj.is_empty() {
        return Err(Invalid::field(
            "params_obj",
            "is taken without v; with v it is params",
        ));
    }
    let asked = [
        query.aggregate.is_some(),
        query.group.is_some(),
        query.groups.is_some(),
    ];
    if asked.into_iter().filter(|asked| *asked).count() > 1 {
        return Err(Invalid::general(
            "of aggregate, group and groups only one is taken",
        ));
    }
    Ok(query)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl SqlQuery {
    /// A query without binds.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            ..Self::default()
        }
    }

    /// Sets the value of the bind `:name`.
    #[must_use]
    pub fn bind(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params_obj.insert(name.into(), value.into());
        self
    }

    /// Whether a wrapping option is used, so that the default limit applies.
    pub fn is_wrapped(&self) -> bool {
        self.offset.is_some()
            || self.limit.is_some()
            || !self.order_by.is_empty()
            || self.count
            || !self.filters.is_empty()
            || self.aggregate.is_some()
            || self.group.is_some()
            || self.groups.is_some()
    }
}

/// Values of positional binds: a JSON array, or a comma-separated text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Params {
    /// The values.
    Values(Vec<Value>),
    /// The values as one comma-separated text.
    Text(String),
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its type, such as `IntegerField`.
    #[serde(default, alias = "dataType", skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
}

/// A condition on a column of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlFilter {
    /// The column, optionally with `__` and a lookup.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// One value over all rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlAggregate {
    /// The function.
    #[serde(alias = "yFunc", alias = "y_func")]
    pub func: AggregateFunction,
    /// The column; only `count` can be used without one.
    #[serde(
        default,
        alias = "yColumn",
        alias = "y_column",
        skip_serializing_if = "Option::is_none"
    )]
    pub column: Option<String>,
}

/// One value for each group of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlGroup {
    /// The column to group by.
    #[serde(alias = "xColumn")]
    pub x_column: String,
    /// How its values are grouped.
    #[serde(default, alias = "xLookup")]
    pub x_lookup: GroupLookup,
    /// The function.
    #[serde(alias = "yFunc")]
    pub y_func: AggregateFunction,
    /// The column that the function is applied to.
    #[serde(default, alias = "yColumn", skip_serializing_if = "Option::is_none")]
    pub y_column: Option<String>,
}

/// One value for each group of rows, by several columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlGroups {
    /// The columns to group by.
    #[serde(alias = "xColumns")]
    pub x_columns: Vec<SqlGroupColumn>,
    /// The function.
    #[serde(alias = "yFunc")]
    pub y_func: AggregateFunction,
    /// The column that the function is applied to.
    #[serde(default, alias = "yColumn", skip_serializing_if = "Option::is_none")]
    pub y_column: Option<String>,
}

/// A column to group rows by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlGroupColumn {
    /// The column.
    #[serde(alias = "xColumn")]
    pub x_column: String,
    /// How its values are grouped.
    #[serde(default, alias = "xLookup")]
    pub x_lookup: GroupLookup,
}

impl Serialize for GroupLookup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GroupLookup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        word.parse().map_err(de::Error::custom)
    }
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SqlResult {
    /// The rows, each with its values in the order of `columns`.
    pub data: Vec<Vec<Value>>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The types of the columns, by name.
    #[serde(default)]
    pub column_descriptions: BTreeMap<String, ColumnDescription>,
    /// The number of rows in `data`.
    pub row_count: u64,
    /// The maximum number of rows of this result.
    pub limit: Option<u32>,
    /// The total number of rows, if the query requested it.
    #[serde(default)]
    pub count: Option<u64>,
    /// Whether rows were left out because of the limits on rows and bytes.
    #[serde(default)]
    pub truncated: bool,
    /// Of a query with `excerpt`: for each row the whole lengths of the values that were cut, by column, or `None`. Empty
    /// when nothing was cut.
    #[serde(default, rename = "_cut", skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<Option<BTreeMap<String, u64>>>,
}

impl SqlResult {
    /// The rows as values of a type, by the names of their columns.
    ///
    /// ```
    /// use svc_model::sql::SqlResult;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Total {
    ///     status: String,
    ///     orders: u64,
    /// }
    ///
    /// let mut result = SqlResult::default();
    /// result.columns = vec!["status".to_owned(), "orders".to_owned()];
    /// result.data = vec![vec!["paid".into(), 7.into()]];
    /// let totals: Vec<Total> = result.into_rows()?;
    /// assert_eq!((totals[0].status.as_str(), totals[0].orders), ("paid", 7));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a row is no `T`.
    pub fn into_rows<T: DeserializeOwned>(self) -> Result<Vec<T>, serde_json::Error> {
        let Self { data, columns, .. } = self;
        let row = |values: Vec<Value>| {
            let row: Map<_, _> = columns.iter().cloned().zip(values).collect();
            serde_json::from_value(row.into())
        };
        data.into_iter().map(row).collect()
    }
}

/// The type of a column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnDescription {
    /// The type, such as `IntegerField`.
    pub field: String,
}

/// Query: `POST .../sql_get_query`, 200 with an [`SqlResult`]. It only reads, although it is a POST.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/sql_get_query")]
#[operation(name = "sql.query", credential = StaticToken, idempotent = true, answer = SqlResult)]
#[operation(new = "Runs one query.")]
#[non_exhaustive]
pub struct Query {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The query.
    #[wire(whole_body)]
    pub query: SqlQuery,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(rest: &Value) -> String {
        let mut body = json!({"query": "select a from t"});
        body.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        let body: JsonObject = serde_json::from_value(body).unwrap();
        SqlRequest::parse(&body).unwrap_err().to_string()
    }

    #[test]
    fn what_is_computed_of_a_column_needs_one() {
        for (rest, message) in [
            (json!({"aggregate": {"func": "sum"}}), "sum needs a column"),
            (
                json!({"group": {"x_column": "a", "y_func": "max"}}),
                "max needs a column",
            ),
            (
                json!({"groups": {"x_columns": [{"x_column": "a"}], "y_func": "avg"}}),
                "avg needs a column",
            ),
            (
                json!({"groups": {"x_columns": [], "y_func": "count"}}),
                "x_columns",
            ),
        ] {
            let error = refused(&rest);
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_property_that_is_not_known_is_refused_wherever_it_stands() {
        for rest in [
            json!({"aggregate": {"func": "sum", "colum": "a"}}),
            json!({"group": {"x_column": "a", "y_func": "count", "x": 1}}),
            json!({"groups": {"x_columns": [{"x_column": "a", "x": 1}], "y_func": "count"}}),
            json!({"filters": [{"name": "a", "lookup": "gte", "value": 100}]}),
            json!({"columns": [{"name": "a", "type": "IntegerField"}]}),
        ] {
            let error = refused(&rest);
            assert!(error.contains("unknown field"), "{rest}: {error}");
        }
    }
}
