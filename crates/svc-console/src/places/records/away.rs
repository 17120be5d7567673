//! Whether the database of a list is away. The rows that are there stay; a module asks for this while they are looked at.

use maud::{Markup, html};

use crate::{places::Scope, problem::Result, texts::Texts, ui::time, visit::Visit};

/// What the page has in the beginning. It is shown where the service itself does not answer any more.
pub(super) fn at_first(texts: &Texts) -> Markup {
    said(false, &texts.get("away-service"))
}

/// What the service says of the database now.
///
/// # Errors
/// When it does not say it.
pub(super) async fn load(visit: &Visit, scope: &Scope, resource: &str) -> Result<Markup> {
    let client = visit.client_in(&scope.project, &scope.environment)?;
    let resources = client.administration().resources();
    let status = resources.status(resource).send().await?;
    let texts = visit.texts;
    Ok(match status.state.as_str() {
        "up" => at_first(texts),
        _ => {
            let since = time::clock(visit.account()?, &status.since);
            said(true, &texts.with("away-database", [("time", since.into())]))
        }
    })
}

fn said(is_away: bool, text: &str) -> Markup {
    html! {
        p #away.notice.error hidden[!is_away] role="alert" { (text) }
    }
}
