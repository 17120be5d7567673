//! The tree of the pages, from which several are published or discarded.

use maud::{Markup, html};

use super::{
    place::{Pages, both_layers, pages_of},
    tree::{Entry, tree},
};
use crate::{
    answer::Answer,
    places::Scope,
    problem::{Problem, Result},
    ui::{frame::Area, notice, table::table},
    visit::Visit,
};

/// From this depth on, pages are not indented further.
const DEEPEST: usize = 8;

/// The tree.
pub(super) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let calls = pages_of(visit, scope)?;
    let (pages, layers) = tokio::try_join!(Pages::open(visit, scope), async {
        Ok(both_layers(&calls).await?)
    })?;
    let entries = tree(&layers.0, &layers.1);
    let texts = visit.texts;
    let drafts = entries.iter().filter(|it| it.state.is_draft()).count();
    let main = html! {
        @if let Some(message) = message_of(visit)? { (message) }
        (toolbar(&pages, entries.is_empty()))
        @if entries.is_empty() {
            p.empty-state {
                (texts.get("pages-empty"))
                @if pages.may_write { " " (texts.get("pages-empty-next")) }
            }
        } @else if pages.may_write && drafts > 0 {
            form action=(pages.index().below(["publish"])) {
                (rows(&pages, &entries, true))
                div.actions {
                    button.primary { (texts.get("pages-publish-chosen")) }
                    button.danger formaction=(pages.index().below(["discard"])) { (texts.get("pages-discard-chosen")) }
                    p.muted.hint { (texts.with("pages-none-chosen", [("count", drafts.into())])) }
                }
            }
        } @else {
            (rows(&pages, &entries, false))
        }
    };
    let projects = pages
        .context
        .page(Area::Pages, texts.get("area-pages"), Vec::new(), &main);
    Ok(Answer::page(projects))
}

/// What was done before the tree is shown again.
fn message_of(visit: &Visit) -> Result<Option<Markup>> {
    let (texts, query) = (visit.texts, visit.query()?);
    let count = |name: &str| query.get(name).and_then(|count| count.parse::<u32>().ok());
    let text = if let Some(count) = count("published") {
        texts.with("pages-published", [("count", count.into())])
    } else if let Some(count) = count("discarded") {
        texts.with("pages-discarded", [("count", count.into())])
    } else if let Some(count) = count("copied") {
        texts.with("pages-copied", [("count", count.into())])
    } else if query.get("deleted").is_some() {
        texts.get("pages-deleted")
    } else {
        return Ok(None);
    };
    Ok(Some(notice::done(&text)))
}

fn toolbar(pages: &Pages<'_>, is_empty: bool) -> Markup {
    let texts = pages.texts();
    let may_copy = pages.context.is_administrator() && pages.context.project.environments.len() > 1;
    html! {
        div.toolbar {
            @if !pages.may_write { p.muted.hint { (texts.get("pages-read-only")) } }
            div.grow {}
            @if may_copy && !is_empty {
                a.button href=(pages.index().below(["copy"])) { (texts.get("pages-copy")) }
            }
            @if pages.may_write {
                a.button.primary href=(pages.index().below(["new"])) { (texts.get("pages-new")) }
            }
        }
    }
}

fn rows(pages: &Pages<'_>, entries: &[Entry], can_choose: bool) -> Markup {
    let texts = pages.texts();
    let head = html! {
        tr {
            @if can_choose { th.choice scope="col" { span.visually-hidden { (texts.get("pages-choose")) } } }
            th scope="col" { (texts.get("pages-page")) }
            th scope="col" { (texts.get("state")) }
            th.kind scope="col" { (texts.get("pages-view")) }
            @if pages.may_write { th scope="col" { span.visually-hidden { (texts.get("pages-actions")) } } }
        }
    };
    let body = html! {
        @for entry in entries { (row(pages, entry, can_choose)) }
    };
    html! { div.page-tree { (table(&texts.get("area-pages"), &head, &body)) } }
}

fn row(pages: &Pages<'_>, entry: &Entry, can_choose: bool) -> Markup {
    let texts = pages.texts();
    let depth = entry.depth.min(DEEPEST);
    let new_below = pages.index().below(["new"]);
    html! {
        tr {
            @if can_choose {
                td.choice {
                    @if entry.state.is_draft() {
                        label.check {
                            input type="checkbox" name="page" value=(entry.uid);
                            span.visually-hidden { (texts.with("pages-choose-one", [("name", entry.title.as_str().into())])) }
                        }
                    }
                }
            }
            th.page-name scope="row" data-depth=(depth) {
                a href=(pages.of(&entry.uid)) { bdi { (entry.title) } }
                " " span.small.muted { bdi { (entry.unique_name) } }
                @if let Some(above) = &entry.above {
                    span.visually-hidden { ", " (texts.with("pages-below", [("name", above.as_str().into())])) }
                }
            }
            td { (entry.state.mark(texts)) }
            td.kind.muted { bdi { (entry.view) } }
            @if pages.may_write {
                td {
                    a.small href=(new_below.with("parent", &entry.unique_name))
                        aria-label=(texts.with("pages-new-below-of", [("name", entry.title.as_str().into())])) {
                        (texts.get("pages-new-below"))
                    }
                }
            }
        }
    }
}
