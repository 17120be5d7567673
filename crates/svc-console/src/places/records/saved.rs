//! What people keep of the lists of a model: views with a name, own and shared ones, and the columns that somebody wants to see.

use maud::{Markup, html};
use svc_model::{ListQuery, Lookup, administration::items::Item};

use super::{View, kept, layout::Layout};
use crate::{
    places::{Scope, controls::escaped, model::Model},
    visit::{Form, Visit},
};

/// The most views that are shown.
const MOST: u32 = 20;
/// How long the query of a view may be, in bytes, to stand in the link of it. A longer one is looked up when it is opened.
const LONGEST: usize = 4 << 10;

/// What is kept about a model, as far as the signed-in account sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Saved {
    pub(super) views: Vec<Item>,
    /// What the signed-in account wants to see at first.
    pub(super) preference: Option<Item>,
}

impl Saved {
    /// What is kept about a model. Without it the list is shown all the same.
    pub(super) async fn load(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Self {
        let Ok(client) = visit.client_in(&scope.project, &scope.environment) else {
            return Self::default();
        };
        let Ok(account) = visit.account() else {
            return Self::default();
        };
        let about = about(model);
        let administration = client.administration();
        let items = administration.items();
        // Preferences come first.
        let kept = ListQuery::new()
            .filter("model", Lookup::Exact, about.as_str())
            .order_by("kind")
            .order_by("name")
            .per_page(MOST);
        let own = kept
            .clone()
            .filter("owner", Lookup::Exact, account.uid.as_str())
            .filter("kind", Lookup::In, ["view", "preference"]);
        let others = kept
            .exclude("owner", Lookup::Exact, account.uid.as_str())
            .filter("kind", Lookup::Exact, "view");
        let opened = async {
            let query = visit.query().ok()?;
            let uid = query.get("_view")?;
            items.get(uid).send().await.ok()
        };
        let (own, others, opened) = tokio::join!(
            items.list().query(own).send(),
            items.list().query(others).send(),
            opened
        );
        // What the signed-in account keeps for itself is not there for the user that it acts as.
        let is_there = |item: &Item| item.shared || visit.acting_as().is_none();
        let kept = own.into_iter().chain(others).flat_map(|page| page.results);
        let kept = kept.filter(is_there);
        let (mut views, preferences): (Vec<Item>, Vec<Item>) =
            kept.partition(|item| item.kind == "view");
        views.truncate(MOST as usize);
        // Whatever is open can be changed.
        let is_about = |item: &Item| item.kind == "view" && item.model.as_ref() == Some(&about);
        let opened = opened.filter(is_about).filter(is_there);
        views.extend(opened.filter(|item| views.iter().all(|known| known.uid != item.uid)));
        Self {
            views,
            // A shared one is for others too, so it is nobody's preference.
            preference: preferences.into_iter().rfind(|item| !item.shared),
        }
    }

    /// Where the address of a view leads that has nothing of its query, because that is long.
    pub(super) fn led_to(&self, model: &Model<'_>, form: &Form, query: &str) -> Option<String> {
        let uid = form.get("_view").filter(|_| query.is_empty())?;
        let item = self.views.iter().find(|item| item.uid == uid)?;
        // An address without a query would lead to itself again.
        let leads_on = is_long(item) && !kept(&kept_of(item)).is_empty();
        leads_on.then(|| link(model, item))
    }

    /// The columns that the signed-in account wants to see at first.
    pub(super) fn columns(&self) -> Option<Vec<String>> {
        let columns = self.preference.as_ref()?.value.get("columns")?.as_array()?;
        let names = columns.iter().filter_map(|name| name.as_str());
        Some(names.map(str::to_owned).collect())
    }

    /// How the signed-in account wants to see columns.
    pub(super) fn layout(&self, model: &Model<'_>) -> Layout {
        let preference = self.preference.as_ref();
        preference.map_or_else(Layout::default, |item| Layout::of_kept(&item.value, model))
    }
}

/// What items about a model say that they are about.
pub(super) fn about((resource, model): (&str, &str)) -> String {
    format!("{resource}.{model}")
}

/// The query string that a view keeps.
pub(super) fn query_of(item: &Item) -> &str {
    let query = item.value.get("query").and_then(|query| query.as_str());
    query.unwrap_or_default()
}

/// The views, and what can be done with the one that is open.
pub(super) fn bar(view: &View<'_>, saved: &Saved, form: &Form) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let open = saved
        .views
        .iter()
        .find(|item| Some(item.uid.as_str()) == form.get("_view"));
    let here = view.at_start();
    let is_plain = here == ListQuery::new() && view.named.is_none();
    let query = view.query_string(&here);
    let is_changed = open.is_some_and(|item| kept(query_of(item)) != query.as_str());
    let views = model.list().below(["views"]);
    html! {
        @if !saved.views.is_empty() || !is_plain {
            nav.views aria-label=(texts.get("views")) {
                a href=(model.list()) aria-current=[(is_plain && open.is_none()).then_some("page")] { (texts.get("view-all")) }
                @for item in &saved.views {
                    a href=(short_link(model, item)) aria-current=[(Some(&item.uid) == open.map(|it| &it.uid)).then_some("page")] {
                        bdi { (item.name) }
                        @if item.shared { span.visually-hidden { " (" (texts.get("view-shared")) ")" } span.muted aria-hidden="true" { " ⇄" } }
                    }
                }
                div.grow {}
                @if let Some(item) = open {
                    @if is_changed { span.muted { (texts.get("view-changed")) } }
                    @if may_change(model, item) {
                        a href=(views.below([&item.uid]).query(query.clone())) { (texts.get("view-edit")) }
                    }
                }
                @if !is_plain && (open.is_none() || is_changed) {
                    a href=(views.below(["new"]).query(query)) { (texts.get("view-save")) }
                }
            }
        }
    }
}

/// The address of a view for a list of several.
fn short_link(model: &Model<'_>, item: &Item) -> String {
    match is_long(item) {
        true => model.list().with("_view", &item.uid).to_string(),
        false => link(model, item),
    }
}

fn is_long(item: &Item) -> bool {
    query_of(item).len() > LONGEST
}

/// The address of a view.
pub(super) fn link(model: &Model<'_>, item: &Item) -> String {
    let kept = kept_of(item);
    let place = model.list().with("_view", &item.uid);
    match kept.is_empty() {
        true => place.to_string(),
        false => format!("{place}&{kept}"),
    }
}

/// The query of a view as it stands in an address.
fn kept_of(item: &Item) -> String {
    escaped(&kept(query_of(item)), |_| true).as_str().to_owned()
}

/// Whether the signed-in account may change a view: its owner and administrators.
pub(super) fn may_change(model: &Model<'_>, item: &Item) -> bool {
    item.owner == model.context.account.uid || model.context.is_administrator()
}
