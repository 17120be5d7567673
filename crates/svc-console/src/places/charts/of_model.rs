//! A chart of a model: the form that makes it, the drawing, and saving it.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::json;
use svc_api::Error;
use svc_model::{
    administration::items::Item,
    query::parse_pairs,
    records::{AggregateFunction, DateUnit, GroupLookup},
    resources::FieldDescription,
    wire::BoxFuture,
};

use super::{
    drawn,
    points::Points,
    spec::{Spec, is_number, is_time},
};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope,
        model::Model,
        saved::{self, Kind},
    },
    problem::Result,
    texts::Texts,
    ui::{
        chart::{Chart, Shape},
        form::account_field,
        frame::Area,
        notice,
        waiting::{self, Running},
    },
    visit::Visit,
};

/// The chart as its address says.
pub(super) async fn answer(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    let context = &model.context;
    let query = visit.query()?;
    let (spec, message) = Spec::read(&model, visit.raw_query());
    let item = match &spec.chart {
        Some(uid) => Some(saved::find(context, Kind::Chart, uid).await?),
        None => None,
    };
    if visit.is_post() {
        return save(&model, &spec, item.as_ref()).await;
    }
    let page = Page {
        model: &model,
        spec: &spec,
        item: item.as_ref(),
        is_sent: false,
    };
    if let Some(message) = message {
        let message = notice::error(visit, &message);
        return Ok(Answer::page(page.show(&message)));
    }
    let done = query
        .get("_saved")
        .map(|_| notice::done(&visit.texts.get("saved")));
    let with_done = |part: &Markup| html! { @if let Some(done) = &done { (done) } (part) };
    if query.get("_hold").is_some() {
        let message = notice::done(&visit.texts.get("sql-cancelled"));
        return Ok(Answer::page(page.show(&message)));
    }
    let statement = waiting::statement_id(visit);
    let back = page.here().with("_hold", "1").to_string();
    let running = Running {
        visit,
        cancel: context
            .place(["cancel", model.resource.as_str()])
            .with("back", &back),
        statement: &statement,
    };
    let part = part(&model, &spec, Some(&statement));
    Ok(waiting::page(&running, part, |part| page.show(&with_done(&part))).await)
}

/// The chart alone.
pub(super) fn part(
    model: &Model<'_>,
    spec: &Spec,
    statement: Option<&str>,
) -> BoxFuture<'static, Markup> {
    let load: BoxFuture<'static, Result<Points, Error>> = spec.load(model, statement);
    let texts = model.texts();
    let chart = Chart {
        shape: spec.shape,
        title: title(model, spec),
        label: spec.column.clone().unwrap_or_default(),
        number: computed(texts, spec),
        points: Vec::new(),
        is_time: false,
    };
    let request = model.context.visit.request_id().map(str::to_owned);
    Box::pin(async move { drawn(texts, request.as_deref(), chart, load.await) })
}

/// Saves the chart of the address.
async fn save(model: &Model<'_>, spec: &Spec, item: Option<&Item>) -> Result<Answer> {
    let visit = model.context.visit;
    let opened = item.filter(|_| visit.form().text("action") == "save");
    let (resource, name) = (model.resource.as_str(), model.name.as_str());
    let query = spec.to_query_string();
    let value = json!({"place": ["model", resource, name], "query": query.as_str()});
    let about = format!("{resource}.{name}");
    match saved::save(&model.context, Kind::Chart, opened, &about, value).await {
        Ok(item) => {
            let to = place(model).query(query).with("_chart", &item.uid);
            Ok(Answer::go(&to.with("_saved", "1")))
        }
        Err(error) => {
            let message = notice::refused(visit, error)?;
            let page = Page {
                model,
                spec,
                item,
                is_sent: true,
            };
            Ok(Answer::page(page.show(&message)).status(StatusCode::BAD_REQUEST))
        }
    }
}

/// The address of charts of a model.
fn place(model: &Model<'_>) -> Href {
    let (resource, name) = (model.resource.as_str(), model.name.as_str());
    model.context.place(["charts", "model", resource, name])
}

/// What a chart shows, as a sentence.
fn title(model: &Model<'_>, spec: &Spec) -> String {
    let texts = model.texts();
    let number = computed(texts, spec);
    let name = model.name.as_str();
    match &spec.column {
        Some(column) => texts.with(
            "chart-title-by",
            [
                ("number", number.into()),
                ("model", name.into()),
                ("field", column.as_str().into()),
            ],
        ),
        None => texts.with(
            "chart-title",
            [("number", number.into()), ("model", name.into())],
        ),
    }
}

/// What is computed, in words.
fn computed(texts: &Texts, spec: &Spec) -> String {
    let function = function(texts, spec.aggregation.func);
    match &spec.aggregation.column {
        Some(column) => format!("{function}: {column}"),
        None => function,
    }
}

fn function(texts: &Texts, function: AggregateFunction) -> String {
    match function {
        AggregateFunction::CountDistinct => texts.get("chart-count-distinct"),
        AggregateFunction::Sum => texts.get("chart-sum"),
        AggregateFunction::Avg => texts.get("chart-avg"),
        AggregateFunction::Min => texts.get("chart-min"),
        AggregateFunction::Max => texts.get("chart-max"),
        _ => texts.get("chart-count"),
    }
}

/// The units of time that the form offers.
const UNITS: [DateUnit; 6] = [
    DateUnit::Hour,
    DateUnit::Day,
    DateUnit::Week,
    DateUnit::Month,
    DateUnit::Quarter,
    DateUnit::Year,
];

fn unit(texts: &Texts, unit: DateUnit) -> String {
    match unit {
        DateUnit::Hour => texts.get("chart-hour"),
        DateUnit::Week => texts.get("chart-week"),
        DateUnit::Month => texts.get("chart-month"),
        DateUnit::Quarter => texts.get("chart-quarter"),
        DateUnit::Year => texts.get("chart-year"),
        _ => texts.get("chart-day"),
    }
}

/// The page of a chart.
struct Page<'m> {
    model: &'m Model<'m>,
    spec: &'m Spec,
    item: Option<&'m Item>,
    is_sent: bool,
}

impl Page<'_> {
    /// The address of what it shows.
    fn here(&self) -> Href {
        let here = place(self.model).query(self.spec.to_query_string());
        match &self.spec.chart {
            Some(uid) => here.with("_chart", uid),
            None => here,
        }
    }

    fn show(&self, part: &Markup) -> Markup {
        let Self { model, item, .. } = self;
        let context = &model.context;
        let texts = model.texts();
        let above = vec![(texts.get("area-charts"), context.place(["charts"]))];
        let title = match item {
            Some(item) => item.name.clone(),
            None => format!("{}.{}", model.resource, model.name),
        };
        let sent = self.is_sent.then(|| context.visit.form());
        let main = html! {
            (self.form())
            (part)
            form.actions method="post" action=(self.here()) {
                (account_field(context.visit))
                details.menu open[self.is_sent] {
                    summary { (texts.get("save")) }
                    div.panel { (saved::fields(context, *item, sent)) }
                }
            }
            @if let Some(item) = item { (super::actions(context, item)) }
        };
        context.page(Area::Charts, title, above, &main)
    }

    /// What is computed, by what, and how it is drawn.
    fn form(&self) -> Markup {
        let Self { model, spec, .. } = self;
        let texts = model.texts();
        let fields = || {
            model
                .description
                .fields
                .iter()
                .filter(|field| field.filterable)
        };
        let chosen = spec.column.as_deref().and_then(|name| model.field(name));
        let option = |field: &FieldDescription, chosen: Option<&str>| {
            html! { option value=(field.name) selected[chosen == Some(field.name.as_str())] { (field.name) } }
        };
        let column = spec.aggregation.column.as_deref();
        // As long as there is one number, this is how it is drawn once a field is chosen.
        let shown = spec.column.as_ref().map(|_| spec.shape);
        let shown = shown.unwrap_or_default();
        html! {
            form.chart-form method="get" action=(place(model)) {
                (self.hidden())
                label { (texts.get("chart-function"))
                    select name="_y_func" {
                        @for known in AggregateFunction::ALL {
                            option value=(known.as_str()) selected[known == spec.aggregation.func] { (function(texts, known)) }
                        }
                    }
                }
                label { (texts.get("chart-of"))
                    select name="_y_column" {
                        option value="" { (texts.get("chart-records")) }
                        optgroup label=(texts.get("chart-numeric")) { @for field in fields().filter(|field| is_number(field)) { (option(field, column)) } }
                        optgroup label=(texts.get("chart-other-fields")) { @for field in fields().filter(|field| !is_number(field)) { (option(field, column)) } }
                    }
                }
                label { (texts.get("chart-by"))
                    select name="_x_column" {
                        option value="" { (texts.get("chart-by-nothing")) }
                        @for field in fields() { (option(field, spec.column.as_deref())) }
                    }
                }
                label { (texts.get("chart-unit"))
                    select name="_x_lookup" {
                        @for known in UNITS {
                            @let lookup = GroupLookup::Date(known);
                            @let is_chosen = spec.lookup == lookup || known == DateUnit::Day && spec.lookup == GroupLookup::Auto
                                || known == DateUnit::Month && !chosen.is_some_and(is_time);
                            option value=(lookup.to_string()) selected[is_chosen] { (unit(texts, known)) }
                        }
                    }
                }
                label { (texts.get("chart-shape"))
                    select name="_shape" {
                        @for shape in Shape::ALL {
                            option value=(shape.word()) selected[shape == shown] { (shape.name(texts)) }
                        }
                    }
                }
                button.primary { (texts.get("chart-draw")) }
            }
            p.small {
                @let count = spec.query.filters.len() + usize::from(spec.query.filter.is_some()) + usize::from(spec.query.search.is_some());
                span.muted { (texts.with("chart-filters", [("count", count.into())])) } " "
                a href=(model.list().query(spec.query.to_query_string())) { (texts.get("chart-filters-change")) }
            }
        }
    }

    /// What the form does not change.
    fn hidden(&self) -> Markup {
        let text = self.spec.query.to_query_string();
        let pairs = parse_pairs(text.as_str()).unwrap_or_default();
        html! {
            @for (name, value) in pairs {
                input type="hidden" name=(name) value=(value);
            }
            @if let Some(uid) = &self.spec.chart {
                input type="hidden" name="_chart" value=(uid);
            }
        }
    }
}
