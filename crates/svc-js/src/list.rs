//! What a list asks for, as it comes from JavaScript.

use serde::Deserialize;
use svc_model::{Count, Filter, ListQuery, Lookup, OrderBy};

use crate::error::{self, Failed};

/// A condition on a field. Values are texts, as on the wire.
#[derive(Deserialize)]
struct FieldCondition {
    field: String,
    lookup: String,
    value: Operand,
    exclude: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Operand {
    One(String),
    Many(Vec<String>),
}

/// Which records, and what of them.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Selection {
    conditions: Vec<FieldCondition>,
    filter: Option<Filter>,
    search: Option<String>,
    relation: Option<String>,
    timezone: Option<String>,
    order_by: Vec<String>,
    page: Option<u64>,
    per_page: Option<u32>,
    no_pagination: bool,
    fields: Option<Vec<String>>,
    count: Option<String>,
    /// The cursor of a `next` link.
    after: Option<String>,
}

impl Selection {
    pub(crate) fn into_query(self) -> Result<ListQuery, Failed> {
        let mut query = ListQuery::new();
        for condition in self.conditions {
            let FieldCondition {
                field,
                lookup,
                value,
                exclude,
            } = condition;
            let lookup: Lookup = lookup
                .parse()
                .map_err(|error| error::request(format!("filters of {field}: {error}")))?;
            let value = match value {
                Operand::One(value) => svc_model::Operand::One(value),
                Operand::Many(values) => svc_model::Operand::Many(values),
            };
            query = match exclude {
                true => query.exclude(field, lookup, value),
                false => query.filter(field, lookup, value),
            };
        }
        for column in &self.order_by {
            query = query.order_by(OrderBy::from(column.as_str()));
        }
        query.filter = self.filter;
        query.search = self.search;
        query.time_zone = self.timezone;
        query.page = self.page.unwrap_or(query.page);
        query.per_page = self.per_page;
        query.no_pagination = self.no_pagination;
        query.fields = self.fields;
        query.after = self.after;
        let relation = self.relation.map(|text| text.parse()).transpose();
        query.relation = relation.map_err(|error| error::request(format!("relation: {error}")))?;
        query.count = match self.count.as_deref() {
            None | Some("exact") => Count::Exact,
            Some("estimated") => Count::Estimated,
            Some("none") => Count::None,
            Some(_) => return Err(error::request("count must be exact, estimated or none")),
        };
        Ok(query)
    }
}
