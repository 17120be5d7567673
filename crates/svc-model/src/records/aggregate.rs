//! Aggregate: one value computed over many records.

use std::{fmt, str::FromStr};

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::Collection;
use crate::{
    Invalid, JsonObject, ListQuery, QueryString, RecordView, ResponseError, decode_json,
    list::is_parameter, operation::wire_key, query::parse_pairs, wire::Operation,
};

/// A function over the values of a column.
///
/// ```
/// use svc_model::records::AggregateFunction;
///
/// assert_eq!("SUM".parse(), Ok(AggregateFunction::Sum));
/// assert!("median".parse::<AggregateFunction>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AggregateFunction {
    /// The number of values that are not NULL; without a column, the number of records.
    Count,
    /// The number of different values that are not NULL.
    CountDistinct,
    /// The sum of the values; 0 when there are none.
    Sum,
    /// The average of the values; 0 when there are none.
    Avg,
    /// The smallest value; null when there is none.
    Min,
    /// The largest value; null when there is none.
    Max,
}

impl AggregateFunction {
    /// Every function.
    pub const ALL: [Self; 6] = [
        Self::Count,
        Self::CountDistinct,
        Self::Sum,
        Self::Avg,
        Self::Min,
        Self::Max,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::CountDistinct => "count_distinct",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

impl fmt::Display for AggregateFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AggregateFunction {
    type Err = UnknownAggregateFunction;

    fn from_str(word: &str) -> Result<Self, UnknownAggregateFunction> {
        let named = |function: &Self| function.as_str().eq_ignore_ascii_case(word);
        Self::ALL
            .into_iter()
            .find(named)
            .ok_or(UnknownAggregateFunction(()))
    }
}

/// The error for a word that is not the name of an [`AggregateFunction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be count, count_distinct, sum, avg, min or max")]
pub struct UnknownAggregateFunction(());

impl Serialize for AggregateFunction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for AggregateFunction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// A function and the column that it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Aggregation {
    /// The function.
    pub func: AggregateFunction,
    /// The column; only `count` can be used without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl Aggregation {
    /// The number of records.
    pub fn count() -> Self {
        Self {
            func: AggregateFunction::Count,
            column: None,
        }
    }

    /// A function applied to a column.
    pub fn of(func: AggregateFunction, column: impl Into<String>) -> Self {
        Self {
            func,
            column: Some(column.into()),
        }
    }

    /// Reads function and column as texts; `func_key` and `column_key` name them in messages.
    pub(crate) fn read(
        func: Option<&str>,
        column: Option<&str>,
        [func_key, column_key]: [&str; 2],
    ) -> Result<Self, Invalid> {
        let column = column
            .filter(|column| !column.is_empty())
            .map(str::to_owned);
        let Some(func) = func else {
            return Err(Invalid::field(func_key, "this field is required"));
        };
        let func = func.parse().map_err(|error: UnknownAggregateFunction| {
            Invalid::field(func_key, error.to_string())
        })?;
        if column.is_none() && func != AggregateFunction::Count {
            return Err(Invalid::field(column_key, format!("{func} needs a column")));
        }
        Ok(Self { func, column })
    }
}

/// An aggregate as the service reads it: the selection of records, and what is computed over them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AggregateQuery {
    /// The selection of records; only filters, `_search`, `_filter`, `_relation` and `tz` are set.
    pub query: ListQuery,
    /// What is computed over the records.
    pub aggregation: Aggregation,
}

impl AggregateQuery {
    /// An aggregate over the records that `query` selects.
    #[must_use]
    pub fn new(query: &ListQuery, aggregation: Aggregation) -> Self {
        Self {
            query: query.selection(),
            aggregation,
        }
    }

    /// Reads the `GET` form: the query string alone.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<Self, Invalid> {
        let mut parts = SplitQuery::new(query, &["_y_func", "_y_column"])?;
        let (func, column) = (parts.last("_y_func"), parts.last("_y_column"));
        let aggregation =
            Aggregation::read(func.as_deref(), column.as_deref(), ["_y_func", "_y_column"])?;
        Ok(Self {
            query: parts.selection(is_field)?,
            aggregation,
        })
    }

    /// Reads the `POST` form: filters from the query string, the rest from the body.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with_body(
        query: &str,
        body: &JsonObject,
        is_field: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Invalid> {
        let body = Texts::read(body, &["func", "column", "y_func", "y_column"])?;
        let func = body.get("func").or_else(|| body.get("y_func"));
        let column = body.get("column").or_else(|| body.get("y_column"));
        let aggregation = Aggregation::read(func, column, ["func", "column"])?;
        Ok(Self {
            query: SplitQuery::new(query, &[])?.selection(is_field)?,
            aggregation,
        })
    }
}

/// The parameters that select records, besides filters, and `draft`, which clients send with every request.
const SELECTING: [&str; 5] = ["_search", "_filter", "_relation", "tz", "draft"];

/// A query string from which some parameters were removed, and those parameters.
pub(super) struct SplitQuery {
    parameters: Vec<(String, String)>,
    rest: QueryString,
    /// Whether the rest has nothing but what selects records, whatever the values of other parameters are.
    selects_alone: bool,
}

impl SplitQuery {
    /// Separates the parameters `keys` from the others.
    pub(super) fn new(query: &str, keys: &[&str]) -> Result<Self, Invalid> {
        let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
        let (mut parameters, mut rest) = (Vec::new(), QueryString::new());
        let mut selects_alone = true;
        for (key, value) in pairs {
            if keys.contains(&&*key) {
                parameters.push((key.into_owned(), value.into_owned()));
            } else {
                selects_alone &= !is_parameter(&key) || SELECTING.contains(&&*key);
                rest.push(&key, &value);
            }
        }
        Ok(Self {
            parameters,
            rest,
            selects_alone,
        })
    }

    /// Whether there is nothing else but what selects records.
    pub(super) fn selects_alone(&self) -> bool {
        self.selects_alone
    }

    /// Removes a parameter and returns its values.
    pub(super) fn all(&mut self, key: &str) -> Vec<String> {
        let parameters = std::mem::take(&mut self.parameters);
        let (found, kept): (Vec<_>, Vec<_>) =
            parameters.into_iter().partition(|(name, _)| name == key);
        self.parameters = kept;
        found.into_iter().map(|(_, value)| value).collect()
    }

    /// Removes a parameter and returns its last value.
    pub(super) fn last(&mut self, key: &str) -> Option<String> {
        self.all(key).pop()
    }

    /// Reads the other parameters, which may only set the view of a record.
    pub(super) fn view(self) -> Result<RecordView, Invalid> {
        RecordView::parse_of_write(self.rest.as_str())
    }

    /// Reads the other parameters, which may only select records.
    pub(super) fn selection(self, is_field: &dyn Fn(&str) -> bool) -> Result<ListQuery, Invalid> {
        let query = ListQuery::parse(self.rest.as_str(), is_field)?;
        match self.selects_alone {
            true => Ok(query),
            false => Err(Invalid::general(
                "only filters, exclude__, _search, _filter, _relation and tz select records here",
            )),
        }
    }
}

/// The texts of a body by their wire names; the body may spell the names in snake_case or camelCase.
pub(super) struct Texts(Vec<(String, String)>);

impl Texts {
    pub(super) fn read(body: &JsonObject, known: &[&str]) -> Result<Self, Invalid> {
        let mut texts = Vec::new();
        let mut invalid = Invalid::new();
        for (name, value) in body.iter() {
            let key = wire_key(name);
            if !known.contains(&&*key) {
                invalid.push_field(name, "unknown field");
            } else {
                match serde_json::from_str::<Option<String>>(value.get()) {
                    Ok(Some(text)) => texts.push((key, text)),
                    Ok(None) => {}
                    Err(_) => invalid.push_field(name, "must be a text"),
                }
            }
        }
        invalid.into_result().map(|()| Self(texts))
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, text)| text.as_str())
    }
}

/// Aggregate: `POST B/aggregate`, 200 with `{"y_func": value}`. It only reads, although it is a POST.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/aggregate")]
#[operation(name = "records.aggregate", credential = StaticToken, idempotent = true)]
#[operation(answer = Value, parse = Self::parse_value, query = Self::selection)]
#[operation(new = "Computes an aggregate over the records that `query` selects.")]
#[non_exhaustive]
pub struct Aggregate {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The selection of records; only the parameters that select records are sent.
    #[wire(query)]
    pub query: ListQuery,
    /// What is computed over the records.
    #[wire(whole_body)]
    pub aggregation: Aggregation,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

impl Aggregate {
    fn selection(&self) -> QueryString {
        self.query.selection().to_query_string()
    }

    fn parse_value(response: http::Response<Bytes>) -> Result<Value, ResponseError> {
        #[derive(Deserialize)]
        struct Answer {
            y_func: Value,
        }

        decode_json::<Answer>(response).map(|answer| answer.y_func)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lookup;

    fn is_field(name: &str) -> bool {
        ["status", "total"].contains(&name)
    }

    fn object(json: &str) -> JsonObject {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_get_and_the_post_form_are_read_alike() {
        let expected = AggregateQuery {
            query: ListQuery::new().filter("status", Lookup::Exact, "paid"),
            aggregation: Aggregation::of(AggregateFunction::Sum, "total"),
        };
        let query = "_y_func=SUM&status=paid&_y_column=total";
        assert_eq!(
            AggregateQuery::parse(query, &is_field),
            Ok(expected.clone())
        );
        for body in [
            r#"{"func":"sum","column":"total"}"#,
            r#"{"yFunc":"Sum","yColumn":"total"}"#,
        ] {
            let read = AggregateQuery::parse_with_body("status=paid", &object(body), &is_field);
            assert_eq!(read, Ok(expected.clone()), "{body}");
        }
    }

    #[test]
    fn a_missing_or_unknown_field_is_named() {
        for (query, expected) in [
            ("status=paid", "_y_func: this field is required"),
            ("_y_func=median", "_y_func: must be count, count_distinct"),
            ("_y_func=sum", "_y_column: sum needs a column"),
            ("_y_func=count&nothing=1", "unknown field"),
            ("_y_func=count&_order_by=status", "only filters"),
            ("_y_func=count&page=2", "only filters"),
        ] {
            let message = AggregateQuery::parse(query, &is_field)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{query}: {message}");
        }
        for (body, expected) in [
            ("{}", "func: this field is required"),
            (r#"{"func":5}"#, "func: must be a text"),
            (
                r#"{"func":"max","column":null}"#,
                "column: max needs a column",
            ),
            (
                r#"{"func":"count","distinct":true}"#,
                "distinct: unknown field",
            ),
        ] {
            let read = AggregateQuery::parse_with_body("", &object(body), &is_field);
            let message = read.unwrap_err().to_string();
            assert!(message.contains(expected), "{body}: {message}");
        }
    }

    #[test]
    fn the_service_reads_back_the_request_of_a_client() {
        let collection = Collection::new(("p", "prod"), "r", "m");
        let query = ListQuery::new().search("x").page(3).order_by("total");
        let aggregation = Aggregation::of(AggregateFunction::CountDistinct, "status");
        let call = Aggregate::new(collection, query, aggregation.clone());
        let request = call.to_request("http://data.example.com").unwrap();
        let body: JsonObject = serde_json::from_slice(request.body().as_bytes().unwrap()).unwrap();
        let text = request.uri().query().unwrap();
        let read = AggregateQuery::parse_with_body(text, &body, &is_field).unwrap();
        assert_eq!(read.aggregation, aggregation);
        assert_eq!(
            read.query,
            ListQuery::new().search("x"),
            "only what selects is sent"
        );
        let answer = http::Response::new(Bytes::from_static(br#"{"y_func":9007199254740993}"#));
        assert_eq!(
            Aggregate::parse_response(answer).unwrap(),
            9_007_199_254_740_993_u64
        );
    }
}
