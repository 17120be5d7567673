//! What is on the dashboard, and in which order.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};
use svc_model::administration::items::{ItemPatch, NewItem};

use super::{Dashboard, MOST_TILES, Tile};
use crate::{
    answer::Answer,
    places::{
        Context, Scope, charts,
        readable::Readable,
        saved::{self, Kind},
    },
    problem::Result,
    ui::{form::account_field, frame::Area, notice},
    visit::Visit,
};

/// The parts with what can be done with each, and a form that adds one.
pub(crate) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    let (dashboard, readable) = tokio::join!(Dashboard::load(&context), Readable::limits(&context));
    let dashboard = dashboard?.seen_by(&context, &readable);
    if !visit.is_post() {
        return Ok(Answer::page(page(&context, &dashboard, None)));
    }
    let refused = |message: Markup| {
        let page = page(&context, &dashboard, Some(message));
        Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
    };
    let done = match visit.form().text("action") {
        "forget" => forget(&context, &dashboard).await,
        "share" => set_shared(&context, &dashboard, true).await,
        "unshare" => set_shared(&context, &dashboard, false).await,
        _ => match changed(&context, &dashboard).await? {
            Ok(tiles) => keep(&context, &dashboard, &tiles).await,
            Err(message) => return refused(notice::error(visit, &message)),
        },
    };
    match done {
        Ok(()) => Ok(Answer::go(&context.place(["dashboard"]))),
        Err(error) => refused(notice::refused(visit, error)?),
    }
}

/// The parts after what the form asks for, or why it cannot be done.
async fn changed(
    context: &Context<'_>,
    dashboard: &Dashboard,
) -> Result<Result<Vec<Tile>, String>> {
    let texts = context.texts();
    let form = context.visit.form();
    let mut tiles = dashboard.tiles.clone();
    if form.text("action") == "add" {
        let tile = match form.text("chart") {
            "" => match counted(context, form.text("count").trim()).await? {
                Some(tile) => tile,
                None => return Ok(Err(texts.get("dashboard-no-model"))),
            },
            uid => {
                let item = saved::find(context, Kind::Chart, uid).await?;
                Tile::Chart(item.uid)
            }
        };
        if tiles.len() >= MOST_TILES {
            return Ok(Err(
                texts.with("dashboard-full", [("count", MOST_TILES.into())])
            ));
        }
        if !tiles.contains(&tile) {
            tiles.push(tile);
        }
        return Ok(Ok(tiles));
    }
    // The part itself is named: somebody may have moved it meanwhile.
    let wanted = form.text("tile");
    let Some(at) = tiles.iter().position(|tile| tile.key() == wanted) else {
        return Ok(Ok(tiles));
    };
    match form.text("action") {
        "up" if at > 0 => tiles.swap(at, at - 1),
        "down" if at + 1 < tiles.len() => tiles.swap(at, at + 1),
        "remove" => {
            tiles.remove(at);
        }
        _ => {}
    }
    Ok(Ok(tiles))
}

/// The model of a text: database and table, with a point between them.
async fn counted(context: &Context<'_>, text: &str) -> Result<Option<Tile>> {
    let Some((resource, model)) = text.split_once('.') else {
        return Ok(None);
    };
    let databases = context.databases();
    if !databases.iter().any(|name| name.as_str() == resource) {
        return Ok(None);
    }
    let models = context
        .client
        .resource(resource)
        .model_descriptions()
        .send()
        .await?;
    let is_there = models.iter().any(|known| known.model == model);
    Ok(is_there.then(|| Tile::Count {
        resource: resource.to_owned(),
        model: model.to_owned(),
    }))
}

/// Keeps the parts: in the dashboard that is shown, or in a new one where that is not to be changed by who asks.
async fn keep(
    context: &Context<'_>,
    dashboard: &Dashboard,
    tiles: &[Tile],
) -> Result<(), svc_api::Error> {
    let to_value = |tiles: &mut dyn Iterator<Item = &Tile>| {
        let tiles: Vec<Value> = tiles.map(Tile::to_json).collect();
        json!({"tiles": tiles})
    };
    let administration = context.client.administration();
    let items = administration.items();
    let changeable = dashboard.item.as_ref();
    match changeable.filter(|item| saved::may_change(context, item)) {
        Some(item) => {
            let mut patch = ItemPatch::new();
            // What others see of a shared one stays.
            let mut all = tiles.iter().chain(&dashboard.unseen);
            patch.value = Some(to_value(&mut all).into());
            items.update(&item.uid, patch).send().await?;
        }
        None => {
            let value = to_value(&mut tiles.iter());
            let mut new = NewItem::new("dashboard", "dashboard", value);
            // The first one of a project is for everybody, if an administrator makes it.
            let is_first = dashboard.item.is_none();
            new.shared = Some(is_first && context.is_administrator());
            items.create(new).send().await?;
        }
    }
    Ok(())
}

/// Deletes the own one, so that the shared one is seen again.
async fn forget(context: &Context<'_>, dashboard: &Dashboard) -> Result<(), svc_api::Error> {
    let own = dashboard.item.as_ref().filter(|_| dashboard.hides_shared);
    let administration = context.client.administration();
    match own {
        Some(item) => administration.items().delete(&item.uid).send().await,
        None => Ok(()),
    }
}

/// Whether the one that is shown can be shared, as the only one, or is shared and need not be. It is the first view of the
/// environment for everybody, so administrators decide.
fn can_share(context: &Context<'_>, dashboard: &Dashboard) -> bool {
    context.is_administrator() && dashboard.item.is_some() && !dashboard.hides_shared
}

/// Shares the one that is shown, or ends that: then it is its maker's alone.
async fn set_shared(
    context: &Context<'_>,
    dashboard: &Dashboard,
    shared: bool,
) -> Result<(), svc_api::Error> {
    let administration = context.client.administration();
    let item = dashboard.item.as_ref();
    let Some(item) = item.filter(|_| can_share(context, dashboard)) else {
        return Ok(());
    };
    let mut patch = ItemPatch::new();
    patch.shared = Some(shared);
    administration
        .items()
        .update(&item.uid, patch)
        .send()
        .await?;
    Ok(())
}

fn page(context: &Context<'_>, dashboard: &Dashboard, message: Option<Markup>) -> Markup {
    let texts = context.texts();
    let here = context.place(["dashboard"]);
    let is_shared = dashboard.item.as_ref().is_some_and(|item| item.shared);
    let whose = match &dashboard.item {
        None => texts.get("dashboard-none"),
        Some(item) if item.shared && saved::may_change(context, item) => {
            texts.get("dashboard-is-shared")
        }
        Some(item) if item.shared => texts.get("dashboard-becomes-own"),
        Some(_) => texts.get("dashboard-is-own"),
    };
    let count = dashboard.tiles.len();
    let main = html! {
        @if let Some(message) = message { (message) }
        p { (whose) }
        @if count == 0 {
            p.empty-state { (texts.get("dashboard-empty")) }
        }
        ol.tiles {
            @for (at, tile) in dashboard.tiles.iter().enumerate() {
                li { (row(context, dashboard, tile, (at, count))) }
            }
        }
        section {
            h2 { (texts.get("dashboard-add")) }
            form.toolbar method="post" action=(here) {
                (account_field(context.visit))
                label { (texts.get("dashboard-chart")) " "
                    select name="chart" required {
                        option value="" { "–" }
                        // On a shared dashboard only what everybody sees.
                        @for item in dashboard.charts.iter().filter(|item| item.shared || !is_shared) {
                            option value=(item.uid) { (item.name) }
                        }
                    }
                }
                button name="action" value="add" { (texts.get("dashboard-add-button")) }
                a href=(context.place(["charts"])) { (texts.get("charts-new")) }
            }
            form.toolbar method="post" action=(here) {
                (account_field(context.visit))
                label { (texts.get("dashboard-count")) " "
                    input name="count" value=(context.visit.form().text("count")) placeholder=(texts.get("dashboard-count-form")) autocapitalize="none"
                        autocomplete="off" spellcheck="false" required;
                }
                button name="action" value="add" { (texts.get("dashboard-add-button")) }
            }
        }
        form.actions method="post" action=(here) {
            (account_field(context.visit))
            a.button.primary href=(context.scope.home(context.visit)) { (texts.get("dashboard-done")) }
            @if dashboard.hides_shared {
                button name="action" value="forget" { (texts.get("dashboard-forget")) }
            } @else if can_share(context, dashboard) {
                @if is_shared {
                    button name="action" value="unshare" { (texts.get("dashboard-unshare")) }
                } @else {
                    button name="action" value="share" { (texts.get("dashboard-share")) }
                }
            }
        }
    };
    context.page(Area::Data, texts.get("dashboard"), Vec::new(), &main)
}

/// A part, with what can be done with it.
fn row(
    context: &Context<'_>,
    dashboard: &Dashboard,
    tile: &Tile,
    (at, count): (usize, usize),
) -> Markup {
    let texts = context.texts();
    let name = dashboard.name(context, tile);
    let is_hidden = match tile {
        Tile::Chart(uid) => dashboard.known(uid).is_some_and(|item| !item.shared),
        Tile::Count { .. } => false,
    };
    let is_shared = dashboard.item.as_ref().is_some_and(|item| item.shared);
    let href = match tile {
        Tile::Chart(uid) => dashboard.known(uid).map(|item| charts::href(context, item)),
        Tile::Count { .. } => Some(dashboard.href(context, tile)),
    };
    let label = |text: String| format!("{text}: {name}");
    html! {
        form method="post" action=(context.place(["dashboard"])) {
            (account_field(context.visit))
            input type="hidden" name="tile" value=(tile.key());
            span.grow {
                @match &href {
                    Some(href) => a href=(href) { bdi { (name) } },
                    None => { bdi { (name) } " " span.muted { (texts.get("dashboard-gone")) } },
                }
                @if is_hidden && is_shared { " " span.muted { (texts.get("dashboard-hidden")) } }
            }
            button name="action" value="up" disabled[at == 0] aria-label=(label(texts.get("dashboard-up"))) { "↑" }
            button name="action" value="down" disabled[at + 1 == count] aria-label=(label(texts.get("dashboard-down"))) { "↓" }
            button name="action" value="remove" aria-label=(label(texts.get("dashboard-remove"))) { (texts.get("dashboard-remove")) }
        }
    }
}
