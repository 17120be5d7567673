//! A text that is too long for an address is kept as a draft of who has written it.

use svc_model::administration::items::{Item, ItemPatch, NewItem};

use super::state::State;
use crate::{
    places::{
        Context,
        saved::{self, Kind},
    },
    problem::Result,
};

/// What the draft is called.
const NAME: &str = "sql-draft";

/// Keeps the text that is run where it can be found again when it is too long for an address.
pub(crate) async fn keep(context: &Context<'_>, state: &mut State) -> Result<()> {
    if state.needs_draft() {
        state.draft = Some(kept(context, state).await?);
    }
    Ok(())
}

async fn kept(context: &Context<'_>, state: &State) -> Result<Item> {
    let drafts = saved::list(context, Kind::Draft, Some(&state.resource)).await?;
    let mut drafts = drafts.results.into_iter();
    let known = drafts.find(|item| item.owner == context.account.uid && item.name == NAME);
    let administration = context.client.administration();
    let items = administration.items();
    let value = state.to_value();
    Ok(match known {
        Some(known) => {
            let mut patch = ItemPatch::new();
            patch.value = Some(value.into());
            items.update(known.uid, patch).send().await?
        }
        None => {
            let mut new = NewItem::new(Kind::Draft.word(), NAME, value);
            new.model = Some(state.resource.clone());
            items.create(new).send().await?
        }
    })
}
