//! The rows of a list: with the page where they come soon, else behind its beginning, which has a link that ends the list.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{Count, ListQuery, Paginated};

use super::{View, counting, filters::chips, layout::Layout, saved::Saved, speed, table};
use crate::{
    answer::Answer,
    json::Row,
    places::{Scope, model::Model},
    problem::Problem,
    ui::{notice, waiting},
    visit::Visit,
};

/// What the service has answered.
type Loaded = Result<Paginated<Row>, Error>;

/// What is around the rows.
pub(super) struct Around<B, P> {
    /// What is above them, which marks what was refused.
    pub(super) bars: B,
    /// The page of the bars, a sentence about how slow it is, and the rows.
    pub(super) page: P,
}

/// The page with the rows. Where the address asks for the number of records, it comes after them.
pub(super) async fn page(
    view: &View<'_>,
    scope: &Scope,
    saved: &Saved,
    counted: Option<Count>,
    around: Around<
        impl Fn(Option<&Error>) -> Markup,
        impl Fn(&Markup, Option<&Markup>, &Markup) -> Markup,
    >,
) -> Answer {
    let Around { bars, page } = around;
    let mut load = view.load();
    let count = counted.map(|how| counting::load(view, how));
    // What does not need the rows is made while the service looks for them.
    let (loaded, slow, above, head) = tokio::join!(
        waiting::soon(&mut load),
        speed::note(view),
        async { bars(None) },
        async { table::Head::of(view) }
    );
    let visit = view.model.context.visit;
    let whole = |wrong: Option<&Error>, rows: Markup| match wrong {
        None => page(&above, slow.as_ref(), &rows),
        Some(_) => page(&bars(wrong), None, &rows),
    };
    let Some(loaded) = loaded else {
        let later = Later::of(view, scope, saved);
        let rest = Box::pin(async move {
            let counted = async { Some(count?.await) };
            let (loaded, counted) = tokio::join!(load, counted);
            later.rows(loaded, counted).await
        });
        let to = view.at(&view.query).with("_hold", "1");
        return waiting::left_by(visit, &to, rest, |rest| whole(None, rest)).await;
    };
    let page = match loaded {
        Ok(page) => page,
        Err(wrong) if chips::is_said(view, &wrong) => {
            let texts = view.model.texts();
            let rows = html! { p.empty-state { (texts.get("filters-wrong")) } };
            return Answer::page(whole(Some(&wrong), rows));
        }
        Err(error) => return Answer::page(whole(None, notice::of_error(visit, &error))),
    };
    let Some(mut count) = count else {
        return Answer::page(whole(None, table::records(view, &head, &page, None)));
    };
    let with = |counted| whole(None, table::records(view, &head, &page, Some(counted)));
    if let Some(counted) = waiting::soon(&mut count).await {
        return Answer::page(with(counting::shown(view, counted)));
    }
    let later = Later::of(view, scope, saved);
    let rest = Box::pin(async move { later.number(count.await).await });
    waiting::left_by(visit, &view.at(&view.query), rest, with).await
}

/// What stands in place of the rows of a list that was cancelled: it is loaded when somebody asks for it.
pub(super) fn held(view: &View<'_>) -> Markup {
    let texts = view.model.texts();
    let action = html! { a.button href=(view.at(&view.query)) { (texts.get("list-load")) } };
    notice::done_with(&texts.get("sql-cancelled"), &action)
}

fn rows(view: &View<'_>, loaded: Loaded, counted: Option<Loaded>) -> Markup {
    let counted = counted.map(|counted| counting::shown(view, counted));
    match loaded {
        Ok(page) => table::records(view, &table::Head::of(view), &page, counted),
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

    async fn rows(self, loaded: Loaded, counted: Option<Loaded>) -> Markup {
        self.shown(|view| rows(view, loaded, counted)).await
    }

    async fn number(self, counted: Loaded) -> Markup {
        self.shown(|view| counting::shown(view, counted)).await
    }

    async fn shown(self, show: impl FnOnce(&View<'_>) -> Markup) -> Markup {
        let model = (self.resource.as_str(), self.model.as_str());
        match Model::open(&self.visit, &self.scope, model).await {
            Ok(model) => show(&View::new(
                &model,
                self.query,
                self.named,
                &self.saved,
                Vec::new(),
            )),
            Err(Problem::Api(error)) => notice::of_error(&self.visit, &error),
            // It was there when the page began.
            Err(_) => notice::error(&self.visit, &self.visit.texts.get("list-again")),
        }
    }
}
