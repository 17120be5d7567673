//! The dashboard of an environment: saved charts and numbers of records, above its databases. Who looks sees the own one,
//! or else the one that is shared.

mod arrange;

use maud::{Markup, html};
use serde_json::{Value, json};
use svc_api::Error;
use svc_model::{Count, CountIs, JsonObject, ListQuery, ResourceName, administration::items::Item};

pub(crate) use self::arrange::answer;
use super::{
    Context, charts,
    readable::Readable,
    saved::{self, Kind},
};
use crate::{
    href::Href,
    problem::{Problem, Result},
    ui::notice,
};

/// How many parts a dashboard has at most.
const MOST_TILES: usize = 24;

/// A dashboard with the charts that it may name.
#[derive(Debug)]
pub(crate) struct Dashboard {
    item: Option<Item>,
    tiles: Vec<Tile>,
    /// Parts of what the signed-in account may not read.
    unseen: Vec<Tile>,
    charts: Vec<Item>,
    /// Whether there is a shared one below the own one.
    hides_shared: bool,
}

/// A part of a dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tile {
    /// A saved chart.
    Chart(String),
    /// The number of records of a model.
    Count { resource: String, model: String },
}

impl Tile {
    fn read(value: &Value) -> Option<Self> {
        if let Some(uid) = value["chart"].as_str() {
            return Some(Self::Chart(uid.to_owned()));
        }
        let count = &value["count"];
        Some(Self::Count {
            resource: count["resource"].as_str()?.to_owned(),
            model: count["model"].as_str()?.to_owned(),
        })
    }

    /// What a form names it by.
    fn key(&self) -> String {
        self.to_json().to_string()
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Chart(uid) => json!({"chart": uid}),
            Self::Count { resource, model } => {
                json!({"count": {"resource": resource, "model": model}})
            }
        }
    }
}

impl Dashboard {
    /// The dashboard of the signed-in account.
    pub(crate) async fn load(context: &Context<'_>) -> Result<Self, Error> {
        let (dashboards, charts) = tokio::try_join!(
            saved::list(context, Kind::Dashboard, None),
            saved::list(context, Kind::Chart, None),
        )?;
        let is_own = |item: &Item| !item.shared && item.owner == context.account.uid;
        // The newest are first; of shared ones the first one that there was stays.
        let all = dashboards.results;
        let own = all.iter().find(|item| is_own(item));
        let shared = all.iter().rfind(|item| item.shared);
        let item = own.or(shared).cloned();
        let tiles = item
            .as_ref()
            .and_then(|item| item.value["tiles"].as_array());
        let tiles = tiles.into_iter().flatten().filter_map(Tile::read);
        let hides_shared = own.is_some() && shared.is_some();
        let has_more = charts.has_more == Some(true);
        let mut dashboard = Self {
            tiles: tiles.take(MOST_TILES).collect(),
            unseen: Vec::new(),
            hides_shared,
            charts: charts.results,
            item,
        };
        if has_more {
            dashboard.load_older_charts(context).await?;
        }
        Ok(dashboard)
    }

    /// Looks up the charts that are not among the newest.
    async fn load_older_charts(&mut self, context: &Context<'_>) -> Result<(), Error> {
        let uids = self.tiles.iter().filter_map(|tile| match tile {
            Tile::Chart(uid) if self.known(uid).is_none() => Some(uid.as_str()),
            _ => None,
        });
        let uids: Vec<&str> = uids.collect();
        if !uids.is_empty() {
            let found = saved::named(context, Kind::Chart, &uids).await?;
            self.charts.extend(found.results);
        }
        Ok(())
    }

    /// The same without what the signed-in account may not read.
    #[must_use]
    fn seen_by(mut self, context: &Context<'_>, readable: &Readable<'_>) -> Self {
        let tiles = std::mem::take(&mut self.tiles);
        let is_seen = |tile: &Tile| self.is_seen(context, readable, tile);
        (self.tiles, self.unseen) = tiles.into_iter().partition(is_seen);
        self.charts
            .retain(|item| context.is_administrator() || charts::model_of(item).is_some());
        self
    }

    fn is_seen(&self, context: &Context<'_>, readable: &Readable<'_>, tile: &Tile) -> bool {
        let is_seen = |chart| match charts::model_of(chart) {
            Some((resource, model)) => readable.has(resource, model),
            // Of SQL, which sees everything.
            None => context.is_administrator(),
        };
        match tile {
            Tile::Count { resource, model } => readable.has(resource, model),
            // Who may change the dashboard sees that it is gone.
            Tile::Chart(uid) => self.known(uid).map_or_else(
                || {
                    let item = self.item.as_ref();
                    item.is_some_and(|item| saved::may_change(context, item))
                },
                is_seen,
            ),
        }
    }

    /// What is shown above the databases: what is of models that the signed-in account may read.
    pub(crate) fn section(&self, context: &Context<'_>, readable: &Readable<'_>) -> Markup {
        let texts = context.texts();
        let is_shown = |tile: &Tile| self.is_seen(context, readable, tile);
        let arrange = context.place(["dashboard"]);
        html! {
            section.dashboard aria-label=(texts.get("dashboard")) {
                @for (at, tile) in self.tiles.iter().enumerate().filter(|(_, tile)| is_shown(tile)) {
                    article.tile.small-tile[self.is_number(tile)] id=(fragment(at)) data-fragment=(fragment(at)) {
                        (self.head(context, tile))
                        p.muted { a href=(self.href(context, tile)) { (texts.get("dashboard-show")) } }
                    }
                }
            }
            p.small { a href=(arrange) {
                @if self.tiles.is_empty() { (texts.get("dashboard-begin")) } @else { (texts.get("dashboard-arrange")) }
            } }
        }
    }

    /// One part as it is when it has been loaded.
    pub(crate) async fn tile(&self, context: &Context<'_>, name: &str) -> Result<Markup> {
        let mut all = self.tiles.iter().enumerate();
        let (at, tile) = all
            .find(|(at, _)| fragment(*at) == name)
            .ok_or(Problem::NotFound)?;
        if !self.is_seen(context, &Readable::limits(context).await, tile) {
            return Err(Problem::NotFound);
        }
        let content = match tile {
            Tile::Chart(uid) => self.chart(context, uid).await,
            Tile::Count { resource, model } => count(context, resource, model).await,
        };
        let content = match content {
            Ok(content) => content,
            Err(Problem::Api(error)) => notice::of_error(context.visit, &error),
            Err(Problem::TooManyParameters) => notice::error(
                context.visit,
                &context.texts().get("sql-too-many-parameters"),
            ),
            Err(Problem::NotFound) => {
                html! { p.empty-state { (context.texts().get("dashboard-gone")) } }
            }
            Err(other) => return Err(other),
        };
        Ok(html! {
            article.tile.small-tile[self.is_number(tile)] id=(fragment(at)) {
                (self.head(context, tile))
                (content)
            }
        })
    }

    async fn chart(&self, context: &Context<'_>, uid: &str) -> Result<Markup> {
        match self.known(uid) {
            Some(item) => charts::saved_part(context, item).await,
            None => {
                let item = saved::find(context, Kind::Chart, uid).await?;
                charts::saved_part(context, &item).await
            }
        }
    }

    /// Whether a part is one number alone.
    fn is_number(&self, tile: &Tile) -> bool {
        match tile {
            Tile::Count { .. } => true,
            Tile::Chart(uid) => self.known(uid).is_some_and(charts::is_number),
        }
    }

    fn known(&self, uid: &str) -> Option<&Item> {
        self.charts.iter().find(|item| item.uid == uid)
    }

    fn head(&self, context: &Context<'_>, tile: &Tile) -> Markup {
        html! { h2 { a href=(self.href(context, tile)) { bdi { (self.name(context, tile)) } } } }
    }

    /// What a part is called.
    fn name(&self, context: &Context<'_>, tile: &Tile) -> String {
        match tile {
            Tile::Chart(uid) => {
                let known = self.known(uid).map(|item| item.name.clone());
                known.unwrap_or_else(|| context.texts().get("dashboard-chart"))
            }
            Tile::Count { resource, model } => format!("{resource}.{model}"),
        }
    }

    fn href(&self, context: &Context<'_>, tile: &Tile) -> Href {
        match tile {
            Tile::Chart(uid) => context.place(["charts", "saved", uid]),
            Tile::Count { resource, model } => context.place(["records", resource, model]),
        }
    }
}

/// What a part is called in the page.
fn fragment(at: usize) -> String {
    format!("tile-{at}")
}

/// The number of records of a model.
async fn count(context: &Context<'_>, resource: &str, model: &str) -> Result<Markup> {
    let texts = context.texts();
    let query = ListQuery::new().per_page(1).count(Count::Auto);
    let records = context.client.records(ResourceName::from(resource), model);
    let list = records.typed::<JsonObject>().list().query(query);
    let page = list.send().await?;
    let number = page.count.map(|count| texts.number(&count.to_string()));
    let is_about = page.count_is == Some(CountIs::Estimate);
    Ok(html! {
        p.big-number {
            @if is_about { span.small { (texts.get("dashboard-about")) " " } }
            (number.unwrap_or_else(|| texts.get("count-unknown")))
        }
    })
}
