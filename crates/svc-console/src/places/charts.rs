//! Charts of models and of queries. The address of a chart is all of it, and is what is saved.

mod of_model;
mod of_sql;
mod points;
mod spec;
mod time;

use maud::{Markup, html};
use svc_api::Error;
use svc_model::administration::items::Item;

use self::{of_sql::OfSql, points::Points, spec::Spec};
use super::{
    Context, Scope,
    model::{Model, nothing},
    readable::Readable,
    saved::{self, Kind},
};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{
        chart::{self, Chart},
        form::account_field,
        frame::Area,
        notice,
    },
    visit::Visit,
};

/// How many models are offered at once.
const MOST_MODELS: usize = 60;

/// The places about charts.
pub(crate) async fn route(visit: &Visit, scope: &Scope, place: &[&str]) -> Result<Answer> {
    match *place {
        [] => overview(&Context::open(visit, scope).await?).await,
        ["model", resource, model] => of_model::answer(visit, scope, (resource, model)).await,
        ["sql", resource] => of_sql::answer(visit, scope, resource).await,
        ["saved", uid] => opened(&Context::open(visit, scope).await?, uid).await,
        ["saved", uid, "delete"] => delete(&Context::open(visit, scope).await?, uid).await,
        _ => Err(Problem::NotFound),
    }
}

/// The charts that were saved, and what a new one can be made of.
async fn overview(context: &Context<'_>) -> Result<Answer> {
    let texts = context.texts();
    let query = context.visit.query()?;
    let readable = Readable::limits(context).await;
    let databases = match context.is_administrator() {
        true => context.databases(),
        false => readable.databases().map(|(name, _)| name).collect(),
    };
    let first = databases
        .first()
        .map(|name| name.as_str())
        .unwrap_or_default();
    let chosen = match query.text("resource") {
        "" => first,
        name => name,
    };
    let models = async {
        match chosen.is_empty() {
            true => Ok(Vec::new()),
            false => {
                context
                    .client
                    .resource(chosen)
                    .model_descriptions()
                    .send()
                    .await
            }
        }
    };
    let (saved, models) = tokio::join!(saved::list(context, Kind::Chart, None), models);
    let mut saved = saved?;
    // SQL is for administrators.
    saved
        .results
        .retain(|item| context.is_administrator() || model_of(item).is_some());
    let place = context.place(["charts"]);
    let wanted = query.text("find").trim().to_lowercase();
    let main = html! {
        section {
            h2 { (texts.get("charts-saved")) }
            @if saved.results.is_empty() {
                p.empty-state {
                    (texts.get("charts-empty"))
                    @if !databases.is_empty() { " " (texts.get("charts-empty-next")) }
                }
            } @else {
                (saved::links(context, &saved, |item| place.below(["saved", &item.uid])))
            }
        }
        section {
            h2 { (texts.get("charts-new")) }
            @if databases.is_empty() {
                p.empty-state { (texts.get("resources-empty")) }
            } @else {
                form.toolbar method="get" action=(place) {
                    label { (texts.get("database")) " "
                        select name="resource" {
                            @for name in &databases {
                                option value=(name.as_str()) selected[name.as_str() == chosen] { (name) }
                            }
                        }
                    }
                    input type="search" name="find" value=(query.text("find")) aria-label=(texts.get("charts-find"))
                        placeholder=(texts.get("charts-find")) data-key="/";
                    button { (texts.get("search")) }
                }
                @match models {
                    Ok(models) => {
                        @let found = models.iter().filter(|model| !model.hidden && model.model.to_lowercase().contains(&wanted));
                        @let found: Vec<_> = found.collect();
                        ul.models {
                            @for model in found.iter().take(MOST_MODELS) {
                                li { a href=(place.below(["model", chosen, &model.model])) { bdi { (model.model) } } }
                            }
                        }
                        @if found.len() > MOST_MODELS {
                            p.muted { (texts.with("charts-more-models", [("count", (found.len() - MOST_MODELS).into())])) }
                        }
                        @if found.is_empty() {
                            p.muted {
                                @if wanted.is_empty() { (nothing(context)) } @else { (texts.get("models-not-found")) }
                            }
                        }
                    },
                    Err(error) => (notice::of_error(context.visit, &error)),
                }
                @if context.is_administrator() {
                    p.small.muted { (texts.get("charts-from-sql")) }
                }
            }
        }
    };
    let page = context.page(Area::Charts, texts.get("area-charts"), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// Where a chart that was saved is drawn.
async fn opened(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let item = saved::find(context, Kind::Chart, uid).await?;
    let place = place_of(&item);
    let (place, query) = match &place[..] {
        ["model", resource, model] => {
            // Before the address tells what the chart is of.
            Model::open(context.visit, &context.scope, (resource, model)).await?;
            let place = context.place(["charts", "model", resource, model]);
            (place, item.value["query"].as_str().unwrap_or_default())
        }
        ["sql", resource] => (context.place(["charts", "sql", resource]), ""),
        _ => return Err(Problem::NotFound),
    };
    let mut parameters = svc_model::QueryString::new();
    for (name, value) in svc_model::query::parse_pairs(query).unwrap_or_default() {
        parameters.push(&name, &value);
    }
    Ok(Answer::go(
        &place.query(parameters).with("_chart", &item.uid),
    ))
}

async fn delete(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let item = saved::find(context, Kind::Chart, uid).await?;
    let place = context.place(["charts", "saved", uid]);
    let here = place.below(["delete"]);
    let after = context.place(["charts"]);
    saved::delete(context, (Area::Charts, &item), (here, place, after)).await
}

/// What else can be done with a chart that was saved.
fn actions(context: &Context<'_>, item: &Item) -> Markup {
    let texts = context.texts();
    html! {
        div.actions {
            form method="post" action=(context.place(["dashboard"])) {
                (account_field(context.visit))
                input type="hidden" name="chart" value=(item.uid);
                button name="action" value="add" { (texts.get("dashboard-add-chart")) }
            }
            @if saved::may_change(context, item) {
                a.button.danger href=(context.place(["charts", "saved", &item.uid, "delete"])) { (texts.get("delete")) }
            }
        }
    }
}

/// The parts of the place that a saved chart is of.
fn place_of(item: &Item) -> Vec<&str> {
    let parts = item.value["place"].as_array();
    let parts = parts.map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part.as_str()).collect()
}

/// The model that a saved chart is of, with its database; `None` when it is one of SQL.
pub(crate) fn model_of(item: &Item) -> Option<(&str, &str)> {
    match place_of(item)[..] {
        ["model", resource, model] => Some((resource, model)),
        _ => None,
    }
}

/// Whether a chart that was saved is one number alone.
pub(crate) fn is_number(item: &Item) -> bool {
    let query = item.value["query"].as_str().unwrap_or_default();
    match place_of(item).first() {
        Some(&"model") => !query.contains("_x_column="),
        _ => query.contains("_shape=number"),
    }
}

/// The address of a chart that was saved.
pub(crate) fn href(context: &Context<'_>, item: &Item) -> Href {
    context.place(["charts", "saved", &item.uid])
}

/// A chart that was saved, for a page that has several.
pub(crate) async fn saved_part(context: &Context<'_>, item: &Item) -> Result<Markup> {
    let query = item.value["query"].as_str().unwrap_or_default();
    match place_of(item)[..] {
        ["model", resource, model] => {
            let model = Model::open(context.visit, &context.scope, (resource, model)).await?;
            let (spec, message) = Spec::read(&model, query);
            match message {
                Some(message) => Ok(notice::error(context.visit, &message)),
                None => Ok(of_model::part(&model, &spec, None).await),
            }
        }
        ["sql", resource] => {
            context.check_administrator()?;
            OfSql::saved_part(context, resource, item).await
        }
        _ => Err(Problem::NotFound),
    }
}

/// A chart of what the service has answered, or what the service says.
fn drawn(
    texts: &Texts,
    request: Option<&str>,
    chart: Chart,
    points: Result<Points, Error>,
) -> Markup {
    match points {
        Ok(points) => {
            let points = points.bounded(texts, chart.shape);
            let chart = Chart {
                is_time: points.unit.is_some(),
                points: points.points,
                ..chart
            };
            html! {
                (chart::chart(texts, &chart))
                @if let Some(note) = points.note { p.small.muted { (note) } }
            }
        }
        Err(error) if error.code() == Some("cancelled") => {
            notice::done(&texts.get("sql-cancelled"))
        }
        Err(error) => notice::of_error_in(texts, request, &error),
    }
}
