//! Teams of a project (specification, section 4, "Users and Teams").

use svc_model::{
    teams::{Get, List, TeamPatch, Update},
    wire::AnyOperation,
};

use crate::{Client, arguments::Arguments, error::Failed, selection};

/// The operation with this verb, if there is one.
pub(crate) fn operation(
    client: &Client,
    verb: &str,
    given: &Arguments,
) -> Result<Option<AnyOperation>, Failed> {
    let (project, environment) = client.place();
    let draft = client.inner().draft();
    Ok(Some(match verb {
        "list" => {
            let mut operation = List::new(project, environment, selection::query(given)?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "get" => {
            let mut operation = Get::new(project, environment, given.text("uid")?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "update" => {
            let mut changes = TeamPatch::new();
            changes.name = given.optional_text("name")?;
            let mut operation = Update::new(project, environment, given.text("uid")?, changes);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        _ => return Ok(None),
    }))
}
