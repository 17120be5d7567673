//! Which records a call is about, and what of them.

use svc_model::{Count, ListQuery, Lookup, Operand, OrderBy, QueryString, Relation};

use crate::{
    arguments::Arguments,
    error::{self, Failed},
};

/// The query string of the selection among the arguments of a call; empty when there is none.
pub(crate) fn query(given: &Arguments) -> Result<QueryString, Failed> {
    let mut query = ListQuery::new();
    for condition in given.objects("conditions")? {
        let field = condition.text("field")?;
        let lookup: Lookup = named(&format!("filters of {field}"), &condition.text("lookup")?)?;
        let value = match condition.texts("values")? {
            Some(values) => Operand::Many(values),
            None => Operand::One(condition.text("value")?),
        };
        query = match condition.flag("exclude") {
            Some(true) => query.exclude(field, lookup, value),
            _ => query.filter(field, lookup, value),
        };
    }
    for column in given.texts("orderBy")?.unwrap_or_default() {
        query = query.order_by(OrderBy::from(column.as_str()));
    }
    if let Some(relation) = given.optional_text("relation")? {
        query.relation = Some(named::<Relation>("relation", &relation)?);
    }
    query.search = given.optional_text("search")?;
    query.time_zone = given.optional_text("timezone")?;
    query.page = given.whole("page")?.unwrap_or(query.page);
    query.per_page = given.small("perPage")?;
    query.no_pagination = given.flag("noPagination").unwrap_or(false);
    query.fields = given.texts("fields")?;
    query.after = given.optional_text("after")?;
    query.count = match given.optional_text("count")?.as_deref() {
        None | Some("exact") => Count::Exact,
        Some("estimated") => Count::Estimated,
        Some("none") => Count::None,
        Some(_) => return Err(error::request("count must be exact, estimated or none")),
    };
    let mut query = query.to_query_string();
    // JSON already, and read by the service.
    if let Some(filter) = given.optional_text("filter")? {
        query.push("_filter", &filter);
    }
    Ok(query)
}

/// A value by its name or text.
fn named<T>(what: &str, text: &str) -> Result<T, Failed>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    text.parse()
        .map_err(|error| error::request(format!("{what}: {error}")))
}
