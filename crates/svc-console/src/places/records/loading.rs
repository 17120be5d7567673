//! The rows of a list: with the page where they come soon, else behind its beginning, which has a link that ends the list.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{JsonObject, ListQuery, Paginated};

use super::{View, filters::chips, layout::Layout, saved::Saved, speed, table};
use crate::{
    answer::Answer,
    places::{Scope, model::Model},
    problem::Problem,
    ui::{notice, waiting},
    visit::Visit,
};

/// What the service has answered.
type Loaded = Result<Paginated<JsonObject>, Error>;

/// The page with the rows; `whole` is the page around a sentence about how slow it is, what was refused, and around them.
pub(super) async fn page(
    view: &View<'_>,
    scope: &Scope,
    saved: &Saved,
    whole: impl Fn(Option<&Markup>, Option<&Error>, Markup) -> Markup,
) -> Answer {
    let mut load = view.load();
    let (loaded, slow) = tokio::join!(waiting::soon(&mut load), speed::note(view));
    if let Some(loaded) = loaded {
        return Answer::page(match loaded {
            Err(wrong) if chips::is_said(view, &wrong) => {
                let texts = view.model.texts();
                let rows = html! { p.empty-state { (texts.get("filters-wrong")) } };
                whole(slow.as_ref(), Some(&wrong), rows)
            }
            loaded => whole(slow.as_ref(), None, rows(view, loaded)),
        });
    }
    let later = Later::of(view, scope, saved);
    let rest = Box::pin(async move {
        let loaded = load.await;
        later.rows(loaded).await
    });
    let to = view.at(&view.query).with("_hold", "1");
    let visit = view.model.context.visit;
    waiting::left_by(visit, &to, rest, |rest| whole(slow.as_ref(), None, rest)).await
}

/// What stands in place of the rows of a list that was cancelled: it is loaded when somebody asks for it.
pub(super) fn held(view: &View<'_>) -> Markup {
    let texts = view.model.texts();
    let action = html! { a.button href=(view.at(&view.query)) { (texts.get("list-load")) } };
    notice::done_with(&texts.get("sql-cancelled"), &action)
}

fn rows(view: &View<'_>, loaded: Loaded) -> Markup {
    match loaded {
        Ok(page) => table::records(view, &page),
        Err(error) => notice::of_error(view.model.context.visit, &error),
    }
}

/// What rows are shown with that come after the request that the beginning of the page belongs to has ended.
struct Later {
    visit: Visit,
    scope: Scope,
    resource: String,
    model: String,
    query: ListQuery,
    named: Option<Layout>,
    saved: Saved,
}

impl Later {
    fn of(view: &View<'_>, scope: &Scope, saved: &Saved) -> Self {
        Self {
            visit: view.model.context.visit.for_later(),
            scope: scope.clone(),
            resource: view.model.resource.to_string(),
            model: view.model.name.to_string(),
            query: view.query.clone(),
            named: view.named.clone(),
            saved: saved.clone(),
        }
    }

    async fn rows(self, loaded: Loaded) -> Markup {
        let model = (self.resource.as_str(), self.model.as_str());
        match Model::open(&self.visit, &self.scope, model).await {
            Ok(model) => {
                let view = View::new(&model, self.query, self.named, &self.saved, Vec::new());
                rows(&view, loaded)
            }
            Err(Problem::Api(error)) => notice::of_error(&self.visit, &error),
            // It was there when the page began.
            Err(_) => notice::error(&self.visit, &self.visit.texts.get("list-again")),
        }
    }
}
