//! The account of the caller: its profile.

use svc_model::administration::{
    TeamName,
    account::{Account, Get, ProjectOfAccount, Update},
};
use svc_store::{AccountPatch, Administered, ListedOf};

use crate::{
    api::{
        call::{Call, etag_of_json},
        routes::Routes,
    },
    auth,
    http::ApiResult,
    state::State,
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Get, _>(get).on::<Update, _>(update)
}

async fn get(call: Call<Get>) -> ApiResult {
    let account = profile(&call.state, &call.account).await?;
    call.answer_tagged(&account)
}

async fn update(call: Call<Update>) -> ApiResult {
    let Update {
        patch, if_match, ..
    } = &call.operation;
    let mut change = AccountPatch::by_itself();
    change.first_name.clone_from(&patch.first_name);
    change.last_name.clone_from(&patch.last_name);
    change.language.clone_from(&patch.language);
    change.timezone.clone_from(&patch.timezone);
    let (uid, own) = (call.account.uid(), ListedOf::Service);
    let key = uid.to_string();
    let unchanged = call
        .store
        .while_unchanged(Administered::Accounts, &own, &key);
    let etag = async || etag_of_json(&profile(&call.state, &call.account).await?);
    let tags = if_match.as_deref();
    let store = call.store_if_tagged(tags, unchanged, etag).await?;
    store.accounts().update(uid, change).await?;
    call.state.sync_with_store().await?;
    let account = profile(&call.state, &call.account).await?;
    call.answer_tagged(&account)
}

/// The account as its owner sees it.
async fn profile(state: &State, caller: &auth::account::Account) -> ApiResult<Account> {
    let account = state.store.accounts().get(caller.uid()).await?;
    let memberships = &caller.rights().memberships;
    let listed = memberships.iter().map(|open| open.project.clone());
    let mut names = state.store.projects().names(listed.collect()).await?;
    let projects = memberships.iter().filter_map(|open| {
        let team = TeamName::new(open.team.uid.to_string(), open.team.name.clone());
        // One that was deleted just now has none.
        let name = names.remove(&open.project)?;
        Some(ProjectOfAccount::new(open.project.clone(), name, team))
    });
    let projects = projects.collect();
    let mut profile = Account::new(account.uid.to_string(), account.email);
    profile.first_name = account.first_name;
    profile.last_name = account.last_name;
    profile.language = account.language;
    profile.timezone = account.timezone;
    profile.is_operator = caller.rights().operator.is_some();
    profile.projects = projects;
    Ok(profile)
}
