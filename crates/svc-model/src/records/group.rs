//! Group: one value computed for each group of records.

mod lookup;

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::Value;

pub use self::lookup::{DateUnit, GroupLookup, UnknownGroupLookup};
use super::{
    Collection,
    aggregate::{AggregateFunction, Aggregation, SplitQuery, Texts},
};
use crate::{
    Invalid, JsonObject, ListQuery, QueryString,
    wire::{Operation, QueryValue as _},
};

/// The maximum number of groups in a response when `_per_page` is absent.
pub const DEFAULT_GROUPS: u32 = 10_000;
/// The maximum number of groups in a response.
pub const MAX_GROUPS: u32 = 100_000;
/// The maximum number of columns to group by.
pub const MAX_GROUP_COLUMNS: usize = 8;

/// A column to group by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupColumn {
    /// The column.
    pub column: String,
    /// How its values are grouped.
    pub lookup: GroupLookup,
}

impl GroupColumn {
    /// Groups by the values of a column.
    pub fn new(column: impl Into<String>) -> Self {
        Self {
            column: column.into(),
            lookup: GroupLookup::Plain,
        }
    }

    /// Groups by the unit of time that a date or time falls into.
    pub fn by_date(column: impl Into<String>, unit: DateUnit) -> Self {
        Self {
            column: column.into(),
            lookup: GroupLookup::Date(unit),
        }
    }
}

impl From<&str> for GroupColumn {
    fn from(column: &str) -> Self {
        Self::new(column)
    }
}

/// A group query as the service reads it: the selection of records, the columns to group by, and the function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupQuery {
    /// The selection of records; only filters, `_search`, `_filter`, `_relation` and `tz` are set.
    pub query: ListQuery,
    /// The columns to group by; at least one.
    pub columns: Vec<GroupColumn>,
    /// What is computed over each group.
    pub aggregation: Aggregation,
    /// The maximum number of groups.
    pub limit: u32,
}

impl GroupQuery {
    /// A query for groups of the records that `query` selects, at most `limit` of them.
    #[must_use]
    pub fn new(
        query: &ListQuery,
        columns: Vec<GroupColumn>,
        aggregation: Aggregation,
        limit: u32,
    ) -> Self {
        Self {
            query: query.selection(),
            columns,
            aggregation,
            limit,
        }
    }

    /// Reads the `GET` form: the query string alone, in which the `_x_` keys can be repeated and are
    /// matched by position.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<Self, Invalid> {
        let keys = [
            "_x_column",
            "_x_lookup",
            "_y_func",
            "_y_column",
            "_per_page",
        ];
        let mut parts = SplitQuery::new(query, &keys)?;
        let (columns, lookups) = (parts.all("_x_column"), parts.all("_x_lookup"));
        if lookups.len() > columns.len() {
            return Err(Invalid::field(
                "_x_lookup",
                "each belongs to the _x_column of its place",
            ));
        }
        let lookups = lookups
            .iter()
            .map(String::as_str)
            .chain(std::iter::repeat(""));
        let pairs = columns.iter().map(String::as_str).zip(lookups);
        let columns = read_columns(pairs, ["_x_column", "_x_lookup"])?;
        let (func, column) = (parts.last("_y_func"), parts.last("_y_column"));
        let keys = ["_y_func", "_y_column"];
        let aggregation = Aggregation::read(func.as_deref(), column.as_deref(), keys)?;
        let limit = read_limit(parts.last("_per_page").as_deref())?;
        Ok(Self {
            query: parts.selection(is_field)?,
            columns,
            aggregation,
            limit,
        })
    }

    /// Reads the `POST` form: filters and `_per_page` from the query string, the rest from the body.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with_body(
        query: &str,
        body: &JsonObject,
        is_field: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Invalid> {
        let mut body = body.clone();
        let several = ["x_columns", "xColumns"]
            .into_iter()
            .find_map(|name| body.remove(name));
        let known = ["x_column", "x_lookup", "y_func", "y_column"];
        let texts = Texts::read(&body, &known)?;
        let keys = ["x_column", "x_lookup"];
        let columns = match (several, texts.get("x_column")) {
            (Some(_), Some(_)) => {
                return Err(Invalid::field(
                    "x_column",
                    "give x_columns or x_column, not both",
                ));
            }
            (Some(_), None) if texts.get("x_lookup").is_some() => {
                let message = "belongs to x_column; give each of x_columns one of its own";
                return Err(Invalid::field("x_lookup", message));
            }
            (Some(several), None) => {
                let objects: Vec<JsonObject> =
                    serde_json::from_str(several.get()).map_err(|_| {
                        Invalid::field(
                            "x_columns",
                            "must be an array of {\"x_column\", \"x_lookup\"?}",
                        )
                    })?;
                let texts: Vec<_> = objects
                    .iter()
                    .map(|object| Texts::read(object, &keys))
                    .collect::<Result<_, _>>()?;
                let pairs = texts.iter().map(|texts| {
                    (
                        texts.get("x_column").unwrap_or(""),
                        texts.get("x_lookup").unwrap_or(""),
                    )
                });
                read_columns(pairs, keys)?
            }
            (None, column) => {
                let pairs = column.map(|column| (column, texts.get("x_lookup").unwrap_or("")));
                read_columns(pairs.into_iter(), keys)?
            }
        };
        let (func, column) = (texts.get("y_func"), texts.get("y_column"));
        let aggregation = Aggregation::read(func, column, ["y_func", "y_column"])?;
        let mut parts = SplitQuery::new(query, &["_per_page"])?;
        let limit = read_limit(parts.last("_per_page").as_deref())?;
        Ok(Self {
            query: parts.selection(is_field)?,
            columns,
            aggregation,
            limit,
        })
    }
}

fn read_columns<'a>(
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
    [column_key, lookup_key]: [&str; 2],
) -> Result<Vec<GroupColumn>, Invalid> {
    let mut columns = Vec::new();
    for (column, lookup) in pairs {
        if column.is_empty() {
            return Err(Invalid::field(column_key, "this field is required"));
        }
        let lookup = lookup
            .parse()
            .map_err(|error: UnknownGroupLookup| Invalid::field(lookup_key, error.to_string()))?;
        columns.push(GroupColumn {
            column: column.to_owned(),
            lookup,
        });
    }
    match columns.len() {
        0 => Err(Invalid::field(column_key, "this field is required")),
        1..=MAX_GROUP_COLUMNS => Ok(columns),
        _ => Err(Invalid::field(
            column_key,
            format!("at most {MAX_GROUP_COLUMNS} columns are taken"),
        )),
    }
}

fn read_limit(text: Option<&str>) -> Result<u32, Invalid> {
    let Some(text) = text else {
        return Ok(DEFAULT_GROUPS);
    };
    // Read like `_per_page` of a list, but with a larger maximum.
    if let Ok(limit @ 1..) = text.parse::<u32>() {
        return Ok(limit.min(MAX_GROUPS));
    }
    let mut query = QueryString::new();
    query.push("_per_page", text);
    ListQuery::parse(query.as_str(), &|_| false).map(|_| MAX_GROUPS)
}

/// Group: `POST B/group`, 200 with an array of [`GroupRow`], sorted by the groups, ascending. It only reads, although
/// it is a POST.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/group")]
#[operation(name = "records.group", credential = StaticToken, idempotent = true, answer = Vec<GroupRow>)]
#[operation(query = Self::selection, body = Self::to_body)]
#[non_exhaustive]
pub struct Group {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The selection of records; only the parameters that select records are sent.
    #[wire(query)]
    pub query: ListQuery,
    /// The columns to group by.
    #[wire(elsewhere)]
    pub columns: Vec<GroupColumn>,
    /// What is computed over each group.
    #[wire(elsewhere)]
    pub aggregation: Aggregation,
    /// The maximum number of groups; [`DEFAULT_GROUPS`] when `None`.
    #[wire(elsewhere)]
    pub limit: Option<u32>,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

impl Group {
    /// Groups the records that `query` selects.
    pub fn new(
        collection: Collection,
        query: ListQuery,
        columns: impl IntoIterator<Item = impl Into<GroupColumn>>,
        aggregation: Aggregation,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self {
            collection,
            query,
            columns,
            aggregation,
            limit: None,
            statement_id: None,
        }
    }

    fn selection(&self) -> QueryString {
        let mut query = self.query.selection().to_query_string();
        self.limit.write("_per_page", &mut query);
        query
    }

    fn to_body(&self) -> impl Serialize {
        #[derive(Serialize)]
        struct Body<'a> {
            x_columns: Vec<Column<'a>>,
            y_func: AggregateFunction,
            #[serde(skip_serializing_if = "Option::is_none")]
            y_column: Option<&'a str>,
        }

        #[derive(Serialize)]
        struct Column<'a> {
            x_column: &'a str,
            x_lookup: String,
        }

        let x_columns = self.columns.iter().map(|column| Column {
            x_column: &column.column,
            x_lookup: column.lookup.to_string(),
        });
        let Aggregation { func, column } = &self.aggregation;
        Body {
            x_columns: x_columns.collect(),
            y_func: *func,
            y_column: column.as_deref(),
        }
    }
}

/// A group and the value that was computed over it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupRow {
    /// The values that the records of the group have in common, one for each column: `group`, `group_2`, ...
    pub groups: Vec<Value>,
    /// The computed value: `y_func`.
    pub value: Value,
}

/// The name of a group column in responses: `group`, `group_2`, `group_3`, ...; `index` starts at 0.
pub fn group_name(index: usize) -> String {
    if index == 0 {
        "group".to_owned()
    } else {
        format!("group_{}", index + 1)
    }
}

impl<'de> Deserialize<'de> for GroupRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Row;

        impl<'de> Visitor<'de> for Row {
            type Value = GroupRow;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with group and y_func")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<GroupRow, A::Error> {
                let (mut groups, mut value) = (Vec::new(), None);
                while let Some((key, found)) = map.next_entry::<String, Value>()? {
                    if key == "y_func" {
                        value = Some(found);
                    } else if key == group_name(groups.len()) {
                        groups.push(found);
                    }
                }
                let value = value.ok_or_else(|| A::Error::missing_field("y_func"))?;
                Ok(GroupRow { groups, value })
            }
        }

        deserializer.deserialize_map(Row)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_field(name: &str) -> bool {
        ["status", "created_at", "total"].contains(&name)
    }

    fn with_body(query: &str, body: &Value) -> Result<GroupQuery, String> {
        let body: JsonObject = serde_json::from_str(&body.to_string()).unwrap();
        GroupQuery::parse_with_body(query, &body, &is_field).map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn a_unit_beside_several_columns_belongs_to_none_of_them() {
        let body = json!({
            "x_columns": [{"x_column": "created_at"}], "x_lookup": "date_month", "y_func": "count"
        });
        let error = with_body("", &body).unwrap_err();
        assert!(error.contains("x_lookup"), "{error}");
    }

    #[test]
    fn all_spellings_are_read_alike() {
        let expected = GroupQuery {
            query: ListQuery::new(),
            columns: vec![
                GroupColumn::new("status"),
                GroupColumn::by_date("created_at", DateUnit::Week),
            ],
            aggregation: Aggregation::of(AggregateFunction::Avg, "total"),
            limit: 5,
        };
        let query = "_x_column=status&_x_column=created_at&_x_lookup=&_x_lookup=date_week\
            &_y_func=avg&_y_column=total&_per_page=5";
        assert_eq!(GroupQuery::parse(query, &is_field), Ok(expected.clone()));
        for body in [
            json!({
                "x_columns": [{"x_column": "status"}, {"x_column": "created_at", "x_lookup": "date_week"}],
                "y_func": "avg", "y_column": "total",
            }),
            json!({
                "xColumns": [{"xColumn": "status"}, {"xColumn": "created_at", "xLookup": "DATE_WEEK"}],
                "yFunc": "AVG", "yColumn": "total",
            }),
        ] {
            assert_eq!(
                with_body("_per_page=5", &body),
                Ok(expected.clone()),
                "{body}"
            );
        }
        let one = with_body("", &json!({"x_column": "status", "y_func": "count"})).unwrap();
        assert_eq!((one.columns.len(), one.limit), (1, DEFAULT_GROUPS));
    }

    #[test]
    fn the_number_of_groups_is_capped() {
        let limit = |text: &str| {
            let query = format!("_x_column=status&_y_func=count&_per_page={text}");
            GroupQuery::parse(&query, &is_field).map(|query| query.limit)
        };
        assert_eq!(limit("99999999999999999999"), Ok(MAX_GROUPS));
        assert_eq!(limit("70000"), Ok(70_000));
        assert!(limit("0").is_err() && limit("x").is_err());
    }

    #[test]
    fn a_missing_or_unknown_field_is_named() {
        for (query, expected) in [
            ("_y_func=count", "_x_column: this field is required"),
            ("_x_column=status", "_y_func: this field is required"),
            (
                "_x_column=status&_x_lookup=date_era&_y_func=count",
                "_x_lookup: must be plain",
            ),
            ("_x_lookup=auto&_y_func=count", "_x_lookup: each belongs"),
        ] {
            let message = GroupQuery::parse(query, &is_field).unwrap_err().to_string();
            assert!(message.contains(expected), "{query}: {message}");
        }
        let both = json!({"x_column": "status", "x_columns": [], "y_func": "count"});
        assert!(with_body("", &both).unwrap_err().contains("not both"));
        let many = vec![json!({"x_column": "status"}); MAX_GROUP_COLUMNS + 1];
        let many = json!({"x_columns": many, "y_func": "count"});
        assert!(with_body("", &many).unwrap_err().contains("at most 8"));
    }

    #[test]
    fn the_rows_of_a_response_are_read() {
        let body = r#"[{"group":null,"group_2":"2024-01-01","y_func":2},{"group":"x","group_2":"2024-01-08","y_func":"1.50"}]"#;
        let rows = Group::parse_response(http::Response::new(body.into())).unwrap();
        assert_eq!(rows[0].groups, [Value::Null, json!("2024-01-01")]);
        assert_eq!(rows[1].value, "1.50");
        let wrong = http::Response::new(r#"[{"group":1}]"#.into());
        assert!(Group::parse_response(wrong).is_err());
    }
}
