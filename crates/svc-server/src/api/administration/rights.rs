//! What the teams of a project may do with records.

use http::StatusCode;
use svc_model::{
    Invalid,
    administration::rights::{Delete, List, Set},
};
use svc_store::{Administered, ListedOf, Rights, RightsRule};

use super::{entries::ListCall, members::parse_uid};
use crate::{
    api::{call::Call, routes::Routes},
    http::ApiResult,
};

const WHAT: Administered = Administered::Rights;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Set, _>(set)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_project()).await
}

async fn set(call: Call<Set>) -> ApiResult {
    let Set {
        project,
        rule,
        if_match,
        ..
    } = &call.operation;
    let rights = rights("rights", &rule.rights)?;
    let mut new = RightsRule::new(rule.resource.clone(), rule.model.clone(), rights);
    new.environment.clone_from(&rule.environment);
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let known = call.store.rights();
    let known = known.find(project, &rule.team, &new);
    let store = call.store_if_replaced(tags, WHAT, &of, known).await?;
    let (uid, is_new) = store.rights().put(project, &rule.team, new).await?;
    let status = match is_new {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    call.written(status, WHAT, of, &uid.to_string()).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        project,
        uid,
        if_match,
        ..
    } = &call.operation;
    let of = ListedOf::Project(project.clone());
    let tags = if_match.as_deref();
    let store = call.store_if_match(tags, WHAT, &of, uid).await?;
    let rights = store.rights();
    rights.delete(project, parse_uid(uid)?).await?;
    call.done().await
}

/// Rights by their names.
pub(super) fn rights(field: &str, names: &[String]) -> Result<Rights, Invalid> {
    let mut rights = Rights::new(false, false, false);
    for name in names {
        match name.as_str() {
            "read" => rights.read = true,
            "write" => rights.write = true,
            "delete" => rights.delete = true,
            _ => {
                let message =
                    "each must be read, write or delete; an empty array denies everything";
                return Err(Invalid::field(field, message));
            }
        }
    }
    Ok(rights)
}
