//! Texts that are kept for who wrote them: one that is too long for an address, and one that was typed and not run. The page keeps
//! that shortly after typing ends, and offers it when its writer comes back: after a reload, a crash, and signing in elsewhere. It
//! belongs to the account, so that signing out leaves it.

use maud::{Markup, html};
use svc_model::administration::items::{Item, ItemPatch, NewItem};

use super::{
    editor_of,
    state::{State, text_of, title_of},
};
use crate::{
    answer::Answer,
    places::{
        Context,
        saved::{self, Kind},
    },
    problem::Result,
    ui::{form::account_field, time},
};

/// What the text is called that is too long for an address.
const DRAFT: &str = "sql-draft";
/// What the text is called that was typed last.
const TYPED: &str = "sql-typed";

/// Keeps the text that is run where it can be found again when it is too long for an address.
pub(crate) async fn keep_draft(context: &Context<'_>, state: &mut State) -> Result<()> {
    if state.needs_draft() {
        state.draft = Some(keep(context, state, DRAFT).await?);
    }
    Ok(())
}

/// Keeps what somebody has written under a name of their own.
async fn keep(context: &Context<'_>, state: &State, name: &str) -> Result<Item> {
    let administration = context.client.administration();
    let items = administration.items();
    let value = state.to_value();
    Ok(match own(context, state, name).await? {
        Some(known) => {
            let mut patch = ItemPatch::new();
            patch.value = Some(value.into());
            items.update(known.uid, patch).send().await?
        }
        None => {
            let mut new = NewItem::new("preference", name, value);
            new.model = Some(state.resource.clone());
            items.create(new).send().await?
        }
    })
}

/// Keeps what was typed, or forgets it where the form has no text.
pub(super) async fn answer(context: &Context<'_>, resource: &str) -> Result<Answer> {
    let state = State::read(context, resource, context.visit.form()).await?;
    match state.text.trim().is_empty() {
        true => forget(context, &state).await?,
        false => drop(keep(context, &state, TYPED).await?),
    }
    Ok(Answer::go(&editor_of(context, resource)))
}

/// Forgets what was typed: it was run, saved or discarded.
pub(super) async fn forget(context: &Context<'_>, state: &State) -> Result<()> {
    if let Some(known) = own(context, state, TYPED).await? {
        let administration = context.client.administration();
        match administration.items().delete(known.uid).send().await {
            Err(error) if !error.is_not_found() => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

async fn own(context: &Context<'_>, state: &State, name: &str) -> Result<Option<Item>> {
    let drafts = saved::list(context, Kind::Draft, Some(&state.resource)).await?;
    let mut drafts = drafts.results.into_iter();
    Ok(drafts.find(|item| item.owner == context.account.uid && item.name == name))
}

/// The text that was typed and not run, where it is another one than that of the page.
pub(super) async fn find(context: &Context<'_>, state: &State) -> Result<Option<Item>> {
    let typed = own(context, state, TYPED).await?;
    Ok(typed.filter(|item| text_of(&item.value) != state.text))
}

/// Offers it.
pub(super) fn offer(context: &Context<'_>, state: &State, typed: &Item) -> Markup {
    let texts = context.texts();
    let here = editor_of(context, &state.resource);
    let age = time::age(texts, &typed.date_update);
    html! {
        div #typed.notice role="status" {
            p { (texts.with("sql-typed", [("age", age.into())])) " " code { bdi { (title_of(text_of(&typed.value))) } } }
            form.actions method="post" action=(here.below(["typed"])) {
                (account_field(context.visit))
                a.button href=(here.with("draft", &typed.uid)) { (texts.get("sql-typed-open")) }
                button { (texts.get("sql-typed-discard")) }
            }
        }
    }
}
