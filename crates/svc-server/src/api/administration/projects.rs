//! Projects: listed, made, changed and deleted.

use svc_model::{
    Filter, Invalid, Lookup, ProjectName,
    administration::projects::{Create, Delete, Update},
    projects::List,
    wire::Operation,
};
use svc_store::{AccountRights, Administered, ListedOf, NewProject, ProjectPatch, Store};
use uuid::Uuid;

use super::{
    answered::Made,
    entries::{ListCall, Refined, named_field, read_rows},
    environments::text,
};
use crate::{
    api::{
        call::{Call, etag_of_json},
        records::list::Completion,
        routes::Routes,
    },
    auth::account::Account,
    http::{ApiError, ApiResult},
};

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Update, _>(update)
        .on::<Delete, _>(delete)
}

/// The projects of the caller; an operator sees all.
async fn list(call: ListCall<List>) -> ApiResult {
    let (account, rights) = (call.account().uid(), call.account().rights());
    let what = Administered::Projects;
    call.list_with(what, ListedOf::Service, &[], |mut query, _| {
        if rights.operator.is_none() {
            let open = of_memberships(rights);
            query.filter = Some(match query.filter.take() {
                None => open,
                Some(asked) => Filter::and([open, asked]),
            });
        }
        // What is in a project has no place in a row of CSV.
        let is_part = query.fields.is_some() || query.excerpt.is_some() || call.is_csv();
        let store = &call.state().store;
        Ok(Refined {
            completion: (!is_part).then(|| whole_projects(store, account, rights)),
            query,
        })
    })
    .await
}

/// Selects the projects that an account is a member of.
fn of_memberships(rights: &AccountRights) -> Filter {
    let names = rights.memberships.iter();
    let mut names = names.map(|open| open.project.to_string()).peekable();
    match names.peek() {
        Some(_) => Filter::field("unique_name", Lookup::In, names.collect::<Vec<_>>()),
        None => Filter::field("unique_name", Lookup::Isnull, "true"),
    }
}

/// Each project as the account sees it, in place of its row.
fn whole_projects(store: &Store, account: Uuid, rights: &AccountRights) -> Completion {
    let (store, rights) = (store.clone(), rights.clone());
    Completion {
        columns: &[],
        complete: Box::new(move |rows| {
            let (store, rights) = (store.clone(), rights.clone());
            Box::pin(async move {
                let names = read_rows(&rows)?.into_iter();
                let names = names.filter_map(|row| row.get("unique_name").ok().flatten());
                let projects = store.projects();
                let found = projects.get_all_for(account, &rights, names.collect());
                let json = serde_json::to_vec(&found.await?);
                let json = json.map_err(|error| ApiError::Internal(error.to_string()))?;
                Ok(json.into())
            })
        }),
    }
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
        // What the caller may do has changed with the project.
        let rights = match &call.account {
            Account::Program(program) => program.rights.clone(),
            account => call.store.accounts().rights(account.uid()).await?,
        };
        Made::of(&project(&call, &rights, &made.unique_name).await?)
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        project: name,
        patch,
        if_match,
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
    let store = store_if_match(&call, if_match.as_deref(), name).await?;
    store.projects().update(name, change).await?;
    call.state.sync_with_store().await?;
    call.answer_tagged(&project(&call, call.account.rights(), name).await?)
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete {
        project,
        confirm,
        if_match,
        ..
    } = &call.operation;
    if confirm.as_deref() != Some(project.as_str()) {
        let message = format!("must be {project}: everything in the project goes too");
        return Err(Invalid::field("confirm", message).into());
    }
    let store = store_if_match(&call, if_match.as_deref(), project).await?;
    store.projects().delete(project).await?;
    call.done().await
}

/// The store for a write of a project, which is held to the entity tags that it is for, where it names some.
async fn store_if_match<O: Operation>(
    call: &Call<O>,
    tags: Option<&str>,
    name: &ProjectName,
) -> ApiResult<Store> {
    let unchanged = call.store.while_project_unchanged(name);
    let etag = async || etag_of_json(&project(call, call.account.rights(), name).await?);
    call.store_if_tagged(tags, unchanged, etag).await
}

/// A project as the caller sees it.
async fn project<O: Operation>(
    call: &Call<O>,
    rights: &AccountRights,
    name: &ProjectName,
) -> ApiResult<svc_model::Project> {
    let projects = call.store.projects();
    Ok(projects.get_for(call.account.uid(), rights, name).await?)
}
