//! How the users of a project sign in.

use svc_model::{
    ProjectName,
    administration::sign_in::{Get, SignIn, Update},
};
use svc_store::{ProjectPatch, ProjectSettings, Store};

use super::entries::named_field;
use crate::{
    api::{
        call::{Call, etag_of_json},
        routes::Routes,
    },
    http::ApiResult,
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Get, _>(get).on::<Update, _>(update)
}

async fn get(call: Call<Get>) -> ApiResult {
    let settings = settings(&call.store, &call.operation.project).await?;
    call.answer_tagged(&shown(settings))
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project,
        patch,
        if_match,
        ..
    } = &call.operation;
    let mut change = ProjectPatch::default();
    change.sign_in.clone_from(patch);
    let unchanged = call.store.while_project_unchanged(project);
    let etag = async || etag_of_json(&shown(settings(&call.store, project).await?));
    let tags = if_match.as_deref();
    let store = call.store_if_tagged(tags, unchanged, etag).await?;
    let changed = store.projects().update(project, change).await;
    let settings = changed.map_err(|error| named_field(error, "link", "mail_link"))?;
    call.state.sync_with_store().await?;
    call.answer_tagged(&shown(settings))
}

async fn settings(store: &Store, project: &ProjectName) -> ApiResult<ProjectSettings> {
    Ok(store.projects().get(project).await?)
}

fn shown(settings: ProjectSettings) -> SignIn {
    let authentication = settings.authentication;
    let mut shown = SignIn::new(settings.sign_up, authentication.sign_up_team);
    shown.email_domains = authentication.email_domains;
    shown.confirm_email = authentication.confirm_email;
    shown.password_min_length = authentication.password_min_length;
    shown.access_token_seconds = authentication.access_token_seconds;
    shown.refresh_token_days = authentication.refresh_token_days;
    shown.mail_link = authentication.link;
    shown
}
