//! The pages of an environment: the tree of them, one page with its draft, publishing, revisions, and copies in other
//! environments.

mod about;
mod content;
mod copy;
mod editor;
mod fields;
mod form;
mod list;
mod place;
mod publish;
mod remove;
mod renamed;
mod revisions;
mod sent;
mod tree;

use std::time::Duration;

use svc_api::{Client, Error};
use svc_model::PageUid;

use super::Scope;
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    visit::Visit,
};

/// What a page is called.
#[derive(Debug)]
pub(crate) struct PageName {
    pub(crate) uid: PageUid,
    pub(crate) title: String,
    pub(crate) unique_name: String,
}

/// What the pages are called that editors see, if the service says so within this time.
pub(crate) async fn names(client: &Client, patience: Duration) -> Result<Vec<PageName>, Error> {
    let pages = place::listed(&client.pages(), true).deadline(patience);
    let pages = pages.send().await?;
    let named = pages.iter().filter_map(|page| {
        Some(PageName {
            uid: page.uid()?,
            title: content::title_of(page),
            unique_name: page.unique_name().unwrap_or_default(),
        })
    });
    Ok(named.collect())
}

/// The places below that of the pages.
pub(crate) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    match *rest {
        [] => list::answer(visit, scope).await,
        ["new"] => editor::create(visit, scope).await,
        ["publish"] => publish::answer(visit, scope).await,
        ["discard"] => publish::discard(visit, scope).await,
        ["copy"] => copy::answer(visit, scope).await,
        ["page", uid] => Box::pin(editor::answer(visit, scope, uid)).await,
        ["page", uid, "changes"] => revisions::changes(visit, scope, uid).await,
        ["page", uid, "delete"] => remove::answer(visit, scope, uid).await,
        ["page", uid, "revisions"] => revisions::list(visit, scope, uid).await,
        ["page", uid, "revisions", number] => revisions::one(visit, scope, uid, number).await,
        _ => Err(Problem::NotFound),
    }
}
