//! Users of an application (specification, section 4, "Users and Teams").

use svc_model::{
    users::{Create, Delete, Get, List, NewUser, Update},
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
        "create" => {
            let mut user = NewUser::new(given.text("email")?, given.text("group")?);
            user.first_name = given.optional_text("first_name")?;
            user.last_name = given.optional_text("last_name")?;
            let mut operation = Create::new(project, environment, user);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "update" => {
            let changes = given.json("changes")?.unwrap_or_default();
            let mut operation = Update::new(project, environment, given.text("uid")?, changes);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "delete" => {
            let mut operation = Delete::new(project, environment, given.text("uid")?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        _ => return Ok(None),
    }))
}
