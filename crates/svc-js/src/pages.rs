//! Page settings (specification, section 4, "Pages").

use svc_model::{
    JsonObject, PageUid,
    pages::{Create, Delete, Discard, Get, List, Publish, Restore, Revisions, Update},
    wire::AnyOperation,
};

use crate::{Client, arguments::Arguments, error::Failed};

/// The operation with this verb, if there is one.
pub(crate) fn operation(
    client: &Client,
    verb: &str,
    given: &Arguments,
) -> Result<Option<AnyOperation>, Failed> {
    let (project, environment) = client.place();
    let draft = given.flag("draft").unwrap_or(client.inner().draft()).into();
    Ok(Some(match verb {
        "list" => {
            let mut operation = List::new(project, environment);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "get" => {
            let mut operation = Get::new(project, environment, given.text("uid")?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "create" => {
            let settings: JsonObject = given.json("settings")?.unwrap_or_default();
            let mut operation = Create::new(project, environment, settings);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "update" => {
            let changes = given.json("changes")?.unwrap_or_default();
            let mut operation = Update::new(project, environment, given.text("uid")?, changes);
            operation.if_match = given.optional_text("ifMatch")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "delete" => {
            let mut operation = Delete::new(project, environment, given.text("uid")?);
            operation.if_match = given.optional_text("ifMatch")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "publish" => {
            let mut operation = Publish::new(project, environment);
            operation.uids = uids(given)?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "discard" => {
            let mut operation = Discard::new(project, environment);
            operation.uids = uids(given)?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "revisions" => {
            let mut operation = Revisions::new(project, environment, given.text("uid")?);
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        "restore" => {
            let number = given.whole("number")?.unwrap_or_default();
            let mut operation = Restore::new(project, environment, given.text("uid")?, number);
            operation.if_match = given.optional_text("ifMatch")?;
            operation.draft = draft;
            AnyOperation::new(operation)
        }
        _ => return Ok(None),
    }))
}

/// All when there are none.
fn uids(given: &Arguments) -> Result<Option<Vec<PageUid>>, Failed> {
    let uids = given.texts("uids")?;
    Ok(uids.map(|uids| uids.into_iter().map(PageUid::from).collect()))
}
