//! Records of connected databases (specification, section 4, "Records list").

use svc_model::{
    JsonObject, RecordId, RecordView,
    records::{
        Aggregate, Aggregation, Collection, Create, Delete, Get, Group, GroupColumn, List, Record,
        Update,
    },
    wire::AnyOperation,
};

use crate::{
    Client,
    arguments::Arguments,
    error::Failed,
    selection::{self, named},
};

/// The operation with this verb, if there is one.
pub(crate) fn operation(
    client: &Client,
    verb: &str,
    given: &Arguments,
) -> Result<Option<AnyOperation>, Failed> {
    let (project, environment) = client.place();
    let (resource, model) = (given.text("resource")?, given.text("model")?);
    let collection = Collection::new(project, environment, resource, model);
    let draft = client.inner().draft();
    Ok(Some(match verb {
        "list" => {
            let mut operation = List::<Record>::new(collection, selection::query(given)?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "get" => {
            let mut operation = Get::<Record>::new(collection, id(given)?);
            operation.view = view(given)?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "create" => {
            let mut operation = Create::<Record>::new(collection, record(given)?);
            operation.view = view(given)?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "update" => {
            let mut operation = Update::<Record>::new(collection, id(given)?, record(given)?);
            operation.view = view(given)?;
            operation.if_match = given.optional_text("ifMatch")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "delete" => {
            let mut operation = Delete::new(collection, id(given)?);
            operation.if_match = given.optional_text("ifMatch")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "aggregate" => {
            let query = selection::query(given)?;
            let mut operation = Aggregate::new(collection, query, aggregation(given)?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "group" => {
            let query = selection::query(given)?;
            let columns = given.objects("by")?;
            let columns: Result<Vec<_>, _> = columns.iter().map(group_column).collect();
            let mut operation = Group::new(collection, query, columns?, aggregation(given)?);
            operation.limit = given.small("limit")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        _ => return Ok(None),
    }))
}

fn id(given: &Arguments) -> Result<RecordId, Failed> {
    let parts = given.texts("id")?.unwrap_or_default();
    Ok(match parts.as_slice() {
        // As it is: a text may be a whole key, as it stands in a path.
        [id] => RecordId::from(id.as_str()),
        parts => RecordId::composite(parts),
    })
}

fn record(given: &Arguments) -> Result<JsonObject, Failed> {
    Ok(given.json("record")?.unwrap_or_default())
}

fn view(given: &Arguments) -> Result<RecordView, Failed> {
    let mut view = RecordView::default();
    view.fields = given.texts("fields")?;
    view.time_zone = given.optional_text("timezone")?;
    Ok(view)
}

fn aggregation(given: &Arguments) -> Result<Aggregation, Failed> {
    let mut aggregation = Aggregation::count();
    aggregation.func = named("func", &given.text("func")?)?;
    aggregation.column = given.optional_text("column")?;
    Ok(aggregation)
}

fn group_column(given: &Arguments) -> Result<GroupColumn, Failed> {
    let mut column = GroupColumn::new(given.text("column")?);
    if let Some(lookup) = given.optional_text("lookup")? {
        column.lookup = named("lookup", &lookup)?;
    }
    Ok(column)
}
