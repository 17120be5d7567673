//! How long the lists of a SQL query may be (wire contract, section 5).

use std::{cell::Cell, fmt};

use serde::{Deserializer as _, de};

use super::{MAX_COLUMNS, MAX_FILTER_VALUES, MAX_FILTERS, MAX_PARAMS, Params, SqlQuery};
use crate::{Invalid, JsonObject, MAX_ORDER_BY, records::MAX_GROUP_COLUMNS};

/// The options that are lists or objects: all spellings, first the one for messages, and the maximum length.
const LENGTHS: [(&[&str], usize); 5] = [
    (&["filters"], MAX_FILTERS),
    (&["order_by", "orderBy"], MAX_ORDER_BY),
    (&["columns"], MAX_COLUMNS),
    (&["params_obj", "paramsObj"], MAX_PARAMS),
    (&["params"], MAX_PARAMS),
];

/// Checks the length of the options of a query that are lists or objects.
pub(super) fn check_options(body: &JsonObject) -> Result<(), Invalid> {
    for (spellings, most) in LENGTHS {
        for spelling in spellings {
            if let Some(json) = body.get_raw(spelling) {
                check(spelling, json, most)?;
            }
        }
    }
    Ok(())
}

/// Checks the length of an array or object without keeping its values. A value of another kind is refused later, when
/// it is read.
pub(super) fn check(name: &str, json: &str, most: usize) -> Result<(), Invalid> {
    let is_longer = Cell::new(false);
    let counter = LengthCheck {
        most,
        is_longer: &is_longer,
    };
    let _ = serde_json::Deserializer::from_str(json).deserialize_any(counter);
    match is_longer.get() {
        true => Err(too_many(name, most)),
        false => Ok(()),
    }
}

fn too_many(name: &str, most: usize) -> Invalid {
    Invalid::field(name, format!("at most {most} entries are allowed"))
}

/// Counts elements or properties, and stops at the first one over the limit.
struct LengthCheck<'c> {
    most: usize,
    is_longer: &'c Cell<bool>,
}

impl LengthCheck<'_> {
    fn check<E: de::Error>(&self, count: usize) -> Result<(), E> {
        if count <= self.most {
            return Ok(());
        }
        self.is_longer.set(true);
        Err(E::custom("it is too long"))
    }
}

impl<'de> de::Visitor<'de> for LengthCheck<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut count = 0;
        while seq.next_element::<de::IgnoredAny>()?.is_some() {
            count += 1;
            self.check(count)?;
        }
        Ok(())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut count = 0;
        while map
            .next_entry::<de::IgnoredAny, de::IgnoredAny>()?
            .is_some()
        {
            count += 1;
            self.check(count)?;
        }
        Ok(())
    }
}

/// Checks the length of lists inside options.
pub(super) fn check_within(query: &SqlQuery) -> Result<(), Invalid> {
    let params = match &query.params {
        Some(Params::Text(text)) => text.split(',').count(),
        _ => 0,
    };
    if params > MAX_PARAMS {
        return Err(too_many("params", MAX_PARAMS));
    }
    let groups = query.groups.as_ref().map_or(0, |it| it.x_columns.len());
    if groups > MAX_GROUP_COLUMNS {
        return Err(too_many("groups", MAX_GROUP_COLUMNS));
    }
    let lists = query
        .filters
        .iter()
        .filter_map(|filter| filter.value.as_array());
    let values: usize = lists.map(Vec::len).sum();
    if values > MAX_FILTER_VALUES {
        return Err(Invalid::field(
            "filters",
            format!("at most {MAX_FILTER_VALUES} values are allowed in lists"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::SqlRequest;

    fn refused(body: &str) -> String {
        let body: JsonObject = serde_json::from_str(body).unwrap();
        SqlRequest::parse(&body).unwrap_err().to_string()
    }

    #[test]
    fn every_list_of_a_query_has_a_maximum_length_and_the_message_names_the_list() {
        let list = |element: &str, count: usize| vec![element; count].join(",");
        let names = |count: usize| -> String {
            let names: Vec<_> = (0..count)
                .map(|number| format!("\"p{number}\":1"))
                .collect();
            names.join(",")
        };
        for (field, body, most) in [
            (
                "filters",
                format!(r#""filters":[{}]"#, list(r#"{"name":"a","value":1}"#, 101)),
                100,
            ),
            (
                "order_by",
                format!(r#""order_by":[{}]"#, list(r#""a""#, 101)),
                100,
            ),
            (
                "orderBy",
                format!(r#""orderBy":[{}]"#, list(r#""a""#, 101)),
                100,
            ),
            (
                "columns",
                format!(r#""columns":[{}]"#, list(r#"{"name":"a"}"#, 10_001)),
                10_000,
            ),
            (
                "params_obj",
                format!(r#""params_obj":{{{}}}"#, names(10_001)),
                10_000,
            ),
            (
                "params",
                format!(r#""v":1,"params":[{}]"#, list("1", 10_001)),
                10_000,
            ),
            (
                "params",
                format!(r#""v":1,"params":"{}""#, list("1", 10_001)),
                10_000,
            ),
            (
                "groups",
                format!(
                    r#""groups":{{"x_columns":[{}],"y_func":"count"}}"#,
                    list(r#"{"x_column":"a"}"#, 9)
                ),
                8,
            ),
        ] {
            let message = refused(&format!(r#"{{"query":"select 1",{body}}}"#));
            assert_eq!(
                message,
                format!("{field}: at most {most} entries are allowed")
            );
        }
        let filter = format!(r#"{{"name":"a__in","value":[{}]}}"#, list("1", 5_001));
        let message = refused(&format!(
            r#"{{"query":"select 1","filters":[{filter},{filter}]}}"#
        ));
        assert_eq!(
            message,
            "filters: at most 10000 values are allowed in lists"
        );
        let queries = list(r#"{"query":"select 1"}"#, 101);
        let message = refused(&format!(r#"{{"queries":[{queries}]}}"#));
        assert_eq!(message, "queries: at most 100 entries are allowed");
    }

    #[test]
    fn lists_of_the_maximum_length_are_read() {
        let filters = vec![r#"{"name":"a","value":1}"#; MAX_FILTERS].join(",");
        let body: JsonObject =
            serde_json::from_str(&format!(r#"{{"query":"select 1","filters":[{filters}]}}"#))
                .unwrap();
        let SqlRequest::One(query) = SqlRequest::parse(&body).unwrap() else {
            panic!("one query was sent");
        };
        assert_eq!(query.filters.len(), MAX_FILTERS);
        assert!(refused(r#"{"query":"select 1","filters":7}"#).contains("cannot be read"));
    }
}
