//! Projects: made, changed and deleted.

use http::StatusCode;
use svc_model::{
    Invalid, ProjectName,
    administration::projects::{Create, Delete, Update},
    wire::Operation,
};
use svc_store::{NewProject, ProjectPatch};

use super::{answered::Made, entries::named_field, environments::text};
use crate::{
    api::{call::Call, routes::Routes},
    auth::account::Account,
    http::{ApiError, ApiResult, response::json_response},
};

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<Create, _>(create)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        new_project,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let mut new = NewProject::new(new_project.unique_name.clone());
        new.name.clone_from(&new_project.name);
        new.color.clone_from(&new_project.color);
        new.domain.clone_from(&new_project.domain);
        new.params = new_project.params.as_ref().map(text).transpose()?;
        new.owner = match (&new_project.owner, &call.account) {
            (Some(owner), _) => Some(owner.clone()),
            (None, Account::Program(_)) => None,
            (None, account) => Some(account.grant().email.clone()),
        };
        let made = call.store.projects().create(new).await;
        let made = made.map_err(|error| named_field(error, "email", "owner"))?;
        call.state.sync_with_store().await?;
        let project = project(&call, &made.unique_name).await?;
        let json = serde_json::to_vec(&project);
        Made::entry(&json.map_err(|error| ApiError::Internal(error.to_string()))?)
    };
    call.create_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project: name,
        patch,
        ..
    } = &call.operation;
    let mut change = ProjectPatch::default();
    change.name.clone_from(&patch.name);
    change.color.clone_from(&patch.color);
    change.domain.clone_from(&patch.domain);
    change
        .default_environment
        .clone_from(&patch.default_environment);
    change.params = patch.params.as_ref().map(text).transpose()?;
    call.store.projects().update(name, change).await?;
    call.state.sync_with_store().await?;
    Ok(json_response(StatusCode::OK, &project(&call, name).await?))
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        project, confirm, ..
    } = &call.operation;
    if confirm.as_deref() != Some(project.as_str()) {
        let message = format!("must be {project}: everything in the project goes too");
        return Err(Invalid::field("confirm", message).into());
    }
    call.store.projects().delete(project).await?;
    call.done().await
}

/// A project as the caller sees it now.
async fn project<O: Operation>(
    call: &Call<O>,
    name: &ProjectName,
) -> ApiResult<svc_model::Project> {
    let uid = call.account.uid();
    let rights = match &call.account {
        Account::Program(program) => program.rights.clone(),
        // What the caller may do may have changed with the project.
        _ => call.store.accounts().rights(uid).await?,
    };
    Ok(call.store.projects().get_for(uid, &rights, name).await?)
}
