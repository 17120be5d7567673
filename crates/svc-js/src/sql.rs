//! Read-only SQL queries (specification, section 1; wire contract, section 5).

use svc_model::{
    sql::{Params, Query, SqlQuery},
    wire::AnyOperation,
};

use crate::{Client, arguments::Arguments, error::Failed};

/// The query.
pub(crate) fn operation(client: &Client, given: &Arguments) -> Result<AnyOperation, Failed> {
    let (project, environment) = client.place();
    let mut query = SqlQuery::new(given.text("query")?);
    if let Some(values) = given.json("values")? {
        query.v = Some(1);
        query.params = Some(Params::Values(values));
    }
    query.params_obj = given.json("named")?.unwrap_or_default();
    query.offset = given.whole("offset")?;
    query.limit = given.small("limit")?;
    query.order_by = given.texts("orderBy")?.unwrap_or_default();
    query.count = given.flag("count").unwrap_or(false);
    query.timezone = given.optional_text("timezone")?;
    query.schema = given.optional_text("schema")?;
    let resource = given.text("resource")?;
    Ok(AnyOperation::new(Query::new(
        project,
        environment,
        resource,
        query,
    )))
}
