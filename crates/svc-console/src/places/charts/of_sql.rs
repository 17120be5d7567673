//! A chart of the rows of a query: the first column has the labels, the second one the numbers.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};
use svc_api::{Call, Error};
use svc_model::{
    QueryString,
    administration::items::Item,
    query::parse_pairs,
    records::DateUnit,
    sql::{Query, SqlResult},
    wire::BoxFuture,
};

use super::{
    drawn,
    points::{Points, label, point},
    time,
};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Context, Scope,
        saved::{self, Kind},
        sql::{draft, state::State},
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
    visit::{Form, Visit},
};

/// How many rows are read at most.
const MOST_ROWS: u32 = 1_000;
/// How long a label may be.
const EXCERPT: u32 = 100;

/// A chart of a query.
#[derive(Debug)]
pub(super) struct OfSql {
    state: State,
    shape: Shape,
    item: Option<Item>,
}

impl OfSql {
    /// Reads an address. Where it has no text, the text is that of the chart that was opened.
    async fn read(context: &Context<'_>, resource: &str, form: &Form) -> Result<Self> {
        let item = match form.text("_chart") {
            "" => None,
            uid => Some(saved::find(context, Kind::Chart, uid).await?),
        };
        let has_text = ["query", "draft", "saved"]
            .iter()
            .any(|name| form.get(name).is_some());
        let kept = item
            .as_ref()
            .map(|item| item.value["query"].as_str().unwrap_or_default());
        let kept = Form::parse(kept.unwrap_or_default())?;
        let is_of_another = item
            .as_ref()
            .is_some_and(|item| !has_text && item.owner != context.account.uid);
        let of_state = if has_text { form } else { &kept };
        let shape = Shape::of(form.text("_shape")).or_else(|| Shape::of(kept.text("_shape")));
        let mut state = State::read(context, resource, of_state).await?.of_part();
        state.is_of_another |= is_of_another;
        Ok(Self {
            state,
            shape: shape.unwrap_or_default(),
            item,
        })
    }

    /// A chart that was saved, for a page that has several.
    pub(super) async fn saved_part(
        context: &Context<'_>,
        resource: &str,
        item: &Item,
    ) -> Result<Markup> {
        let query = item.value["query"].as_str().unwrap_or_default();
        let mut chart = Self::read(context, resource, &Form::parse(query)?).await?;
        let is_of_another = chart.state.is_of_another || item.owner != context.account.uid;
        chart.item = Some(item.clone());
        match is_of_another {
            true => Ok(chart.question(context)),
            false => Ok(chart.part(context, None).await),
        }
    }

    /// The text of a query that another account has saved, with the button that runs exactly this text.
    fn question(&self, context: &Context<'_>) -> Markup {
        let texts = context.texts();
        let query = self.to_query_string();
        let place = context.place(["charts", "sql", &self.state.resource]);
        html! {
            p.muted { (texts.get("sql-of-another")) }
            pre.long { code { bdi { (self.state.text) } } }
            form.actions method="post" action=(place) {
                (account_field(context.visit))
                @if let Some(item) = &self.item { input type="hidden" name="_chart" value=(item.uid); }
                @for (name, value) in parse_pairs(query.as_str()).unwrap_or_default() {
                    input type="hidden" name=(name) value=(value);
                }
                button name="action" value="run" { (texts.get("sql-run")) }
            }
        }
    }

    /// The chart alone.
    pub(super) fn part(
        &self,
        context: &Context<'_>,
        statement: Option<&str>,
    ) -> BoxFuture<'static, Markup> {
        let texts = context.texts();
        let mut call = self.state.call(context);
        if let Some(id) = statement {
            call = call.statement_id(id);
        }
        let chart = Chart {
            shape: self.shape,
            title: self.state.title(),
            label: String::new(),
            number: String::new(),
            points: Vec::new(),
            is_time: false,
        };
        let request = context.visit.request_id().map(str::to_owned);
        Box::pin(async move {
            match points(texts, call).await {
                Ok((points, label, number)) => {
                    let chart = Chart {
                        label,
                        number,
                        ..chart
                    };
                    drawn(texts, request.as_deref(), chart, Ok(points))
                }
                Err(error) => drawn(texts, request.as_deref(), chart, Err(error)),
            }
        })
    }

    /// The address of the chart; `place` is where charts of queries are.
    fn at(&self, place: Href) -> Href {
        let at = self.state.at(place);
        let at = match &self.item {
            Some(item) => at.with("_chart", &item.uid),
            None => at,
        };
        at.with("_shape", self.shape.word())
    }

    /// What is saved: the text itself, also where the address has only the name of a query.
    fn to_query_string(&self) -> QueryString {
        let mut query = self.state.whole();
        query.push("_shape", self.shape.word());
        query
    }
}

/// The points with what the two columns are called.
async fn points(
    texts: &'static Texts,
    call: Call<Query>,
) -> Result<(Points, String, String), Error> {
    let answer: SqlResult = call.limit(MOST_ROWS).excerpt(EXCERPT).send().await?;
    let name = |at: usize| answer.columns.get(at).cloned().unwrap_or_default();
    // A single column has numbers alone.
    let number = usize::from(answer.columns.len() > 1);
    let rows = answer.data.iter().map(|row| {
        let value = row.get(number).unwrap_or(&Value::Null);
        let first = row.first().filter(|_| number == 1);
        point(
            first.map(|value| label(texts, value)).unwrap_or_default(),
            value,
        )
    });
    let points: Vec<_> = rows.collect();
    let cut = points.len() >= MOST_ROWS as usize;
    let is_time = !points.is_empty()
        && points
            .iter()
            .all(|point| time::next(&point.label, DateUnit::Day).is_some());
    let points = Points {
        points,
        // Dates stay in the order of the query.
        unit: is_time.then_some(DateUnit::Microsecond),
        adds_up: false,
        keeps_order: true,
        note: cut.then(|| texts.with("chart-first", [("count", MOST_ROWS.into())])),
    };
    Ok((points, name(0), name(number)))
}

/// The chart as its address says.
pub(super) async fn answer(visit: &Visit, scope: &Scope, resource: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    // Reading the text is work that not everybody may cause.
    context.check_administrator()?;
    let place = context.place(["charts", "sql", resource]);
    if visit.is_post() && visit.form().text("action") == "run" {
        let mut chart = OfSql::read(&context, resource, visit.form()).await?;
        draft::keep(&context, &mut chart.state).await?;
        return Ok(Answer::go(&chart.at(place)));
    }
    let query = visit.query()?;
    let chart = OfSql::read(&context, resource, &query).await?;
    let here = chart.at(place.clone());
    if visit.is_post() {
        return save(&context, &chart, &place, &here).await;
    }
    let page = |part: &Markup| page(&context, &chart, (&place, &here), part, false);
    if chart.state.is_of_another {
        return Ok(Answer::page(page(&chart.question(&context))));
    }
    if visit.is_from_elsewhere() || query.get("_hold").is_some() {
        let message = match query.get("_hold") {
            Some(_) => visit.texts.get("sql-cancelled"),
            None => visit.texts.get("sql-from-elsewhere"),
        };
        return Ok(Answer::page(page(&notice::done(&message))));
    }
    let statement = waiting::statement_id(visit);
    let back = here.clone().with("_hold", "1").to_string();
    let running = Running {
        visit,
        cancel: context.place(["cancel", resource]).with("back", &back),
        statement: &statement,
    };
    let part = chart.part(&context, Some(&statement));
    Ok(waiting::page(&running, part, |part| page(&part)).await)
}

async fn save(context: &Context<'_>, chart: &OfSql, place: &Href, here: &Href) -> Result<Answer> {
    let visit = context.visit;
    let opened = chart
        .item
        .as_ref()
        .filter(|_| visit.form().text("action") == "save");
    let resource = &chart.state.resource;
    let query = chart.to_query_string();
    let value = json!({"place": ["sql", resource], "query": query.as_str()});
    match saved::save(context, Kind::Chart, opened, resource, value).await {
        Ok(item) => Ok(Answer::go(&place.clone().with("_chart", &item.uid))),
        Err(error) => {
            let message = notice::refused(visit, error)?;
            let page = page(context, chart, (place, here), &message, true);
            Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
        }
    }
}

fn page(
    context: &Context<'_>,
    chart: &OfSql,
    (place, here): (&Href, &Href),
    part: &Markup,
    is_sent: bool,
) -> Markup {
    let texts = context.texts();
    let item = chart.item.as_ref();
    let state = &chart.state;
    let editor = state.at(context.place(["sql", &state.resource]));
    // What another account has saved runs by its own button alone.
    let editor = match state.is_of_another {
        true => editor,
        false => editor.with("run", "1"),
    };
    let sent = is_sent.then(|| context.visit.form());
    let shape_at = |shape: Shape| {
        let at = state.at(place.clone()).with("_shape", shape.word());
        match item {
            Some(item) => at.with("_chart", &item.uid),
            None => at,
        }
    };
    let main = html! {
        @if !state.is_of_another {
            nav.tabs aria-label=(texts.get("chart-shape")) {
                @for shape in Shape::ALL {
                    a href=(shape_at(shape)) aria-current=[(shape == chart.shape).then_some("true")] { (shape.name(texts)) }
                }
            }
        }
        (part)
        p.small.muted { (texts.get("chart-of-sql")) " " a href=(editor) { (texts.get("chart-to-sql")) } }
        form.actions method="post" action=(here) {
            (account_field(context.visit))
            details.menu open[is_sent] {
                summary { (texts.get("save")) }
                div.panel { (saved::fields(context, item, sent)) }
            }
        }
        @if let Some(item) = item { (super::actions(context, item)) }
    };
    let title = item.map_or_else(|| state.title(), |item| item.name.clone());
    let above = vec![(texts.get("area-charts"), context.place(["charts"]))];
    context.page(Area::Charts, title, above, &main)
}
