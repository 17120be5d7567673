//! What came of a query: its rows, or what is wrong with it.

use std::{collections::BTreeMap, ops::Range, time::Instant};

use maud::{Markup, Render as _, html};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use svc_api::{Call, Error};
use svc_model::{
    resources::FieldType,
    sql::{ColumnDescription, Query},
};

use super::mark;
use crate::{
    href::Href,
    texts::Texts,
    ui::{cell::cell, notice, table},
};

/// How many rows are shown at most.
const ROWS: u32 = 200;
/// How many cells are shown at most.
const CELLS: usize = 8_000;
/// How much of a long value is shown.
const EXCERPT: u32 = 200;

/// How long an answer may be, in bytes.
const LONGEST: usize = 64 << 20;

/// What the part of the page with the result is made of.
#[derive(Debug)]
pub(super) struct ResultPart {
    pub(super) texts: &'static Texts,
    pub(super) request: Option<String>,
    pub(super) title: String,
    pub(super) text: String,
    /// The part of the text that was run, where it was not all of it.
    pub(super) part: Option<Range<usize>>,
    /// Where all rows are as CSV.
    pub(super) csv: Href,
    /// Where they are drawn.
    pub(super) chart: Href,
    /// Where the same is run again, after signing in.
    pub(super) again: Href,
}

/// The rows of a query as they came: what is in a JSON column keeps its order, its digits and its spaces.
#[derive(Debug, Deserialize)]
struct Rows {
    data: Vec<Vec<Box<RawValue>>>,
    columns: Vec<String>,
    #[serde(default)]
    column_descriptions: BTreeMap<String, ColumnDescription>,
    #[serde(default)]
    truncated: bool,
    #[serde(default, rename = "_cut")]
    cut: Vec<Option<BTreeMap<String, u64>>>,
}

impl Rows {
    /// Runs a query; `None` where its answer ends early.
    async fn of(call: Call<Query>) -> Result<Option<Self>, Error> {
        let answer = call.send_streaming().await?;
        let Ok(body) = answer.into_body().collect(LONGEST).await else {
            return Ok(None);
        };
        Ok(serde_json::from_slice(&body).ok())
    }
}

/// Runs a query and shows what came of it.
pub(super) async fn result(call: Call<Query>, shown: ResultPart) -> Markup {
    let begun = Instant::now();
    // One more, to know that there are more.
    let answer = Rows::of(call.limit(ROWS + 1).excerpt(EXCERPT)).await;
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let texts = shown.texts;
    html! {
        section #result {
            h2 { (texts.get("sql-result")) }
            p.muted.small {
                @if shown.part.is_some() { (texts.get("sql-part")) " " }
                code { bdi { (shown.title) } }
            }
            @match answer {
                Ok(Some(answer)) => (rows(&shown, &answer, milliseconds)),
                Ok(None) => div.notice.error role="alert" { p { (texts.get("sql-ended-early")) } },
                Err(error) => (refused(&shown, &error)),
            }
        }
    }
}

/// What the service or the database says, with its place in the text.
fn refused(shown: &ResultPart, error: &Error) -> Markup {
    let texts = shown.texts;
    if error.is_unauthenticated() {
        return html! {
            div.notice.error role="alert" {
                p { (texts.get("sign-in-ended")) }
                p { a href=(shown.again) { (texts.get("sign-in")) } }
            }
        };
    }
    if error.code() == Some("cancelled") {
        return notice::done(&texts.get("sql-cancelled"));
    }
    let fields = error
        .field_errors()
        .iter()
        .flat_map(|(_, messages)| messages);
    let messages = error.general_errors().iter().chain(fields);
    let (before, ran) = match &shown.part {
        Some(part) => (
            shown.text.get(..part.start).unwrap_or_default(),
            shown.text.get(part.clone()).unwrap_or_default(),
        ),
        None => ("", shown.text.as_str()),
    };
    let places = messages.filter_map(|message| mark::place(message, ran));
    let mut places = places.map(|place| place.behind(before));
    html! {
        (notice::of_error_in(texts, shown.request.as_deref(), error))
        @if let Some(place) = places.next() {
            p { (texts.with("sql-place", [("line", place.line.into()), ("column", place.column.into())])) }
            (mark::excerpt(&shown.text, place))
        }
    }
}

fn rows(shown: &ResultPart, answer: &Rows, milliseconds: u64) -> Markup {
    let texts = shown.texts;
    let most = (ROWS as usize)
        .min(CELLS / answer.columns.len().max(1))
        .max(1);
    let has_more = answer.data.len() > most || answer.truncated;
    let count = answer.data.len().min(most);
    let kinds: Vec<FieldType> = answer
        .columns
        .iter()
        .map(|name| kind_of(answer, name))
        .collect();
    html! {
        div.toolbar {
            p.result-facts {
                @if has_more { (texts.with("sql-first-rows", [("count", count.into())])) }
                @else { (texts.with("sql-rows", [("count", count.into())])) }
                " · "
                (texts.with("sql-milliseconds", [("count", milliseconds.into())]))
            }
            div.grow {}
            a.button href=(shown.chart) { (texts.get("chart")) }
            a.button href=(shown.csv) download { (texts.get("sql-csv")) }
        }
        @if answer.data.is_empty() {
            p.empty-state { (texts.get("sql-empty")) }
        } @else {
            (table::table(
                &shown.title,
                &html! {
                    tr {
                        @for (name, kind) in answer.columns.iter().zip(&kinds) {
                            th.number[is_number(*kind)] scope="col" { bdi { (name) } }
                        }
                    }
                },
                &html! {
                    @for (at, row) in answer.data.iter().take(most).enumerate() {
                        tr {
                            @for ((value, kind), name) in row.iter().zip(&kinds).zip(&answer.columns) {
                                td.number[is_number(*kind)] { (value_of(shown, *kind, value, cut(answer, at, name))) }
                            }
                        }
                    }
                },
            ))
        }
    }
}

fn value_of(shown: &ResultPart, kind: FieldType, value: &RawValue, cut: Option<u64>) -> Markup {
    cell(shown.texts, kind, Some(value.get()), cut).render()
}

fn cut(answer: &Rows, row: usize, column: &str) -> Option<u64> {
    answer.cut.get(row)?.as_ref()?.get(column).copied()
}

/// The type of a column; a text where the service names none.
fn kind_of(answer: &Rows, column: &str) -> FieldType {
    let description = answer.column_descriptions.get(column);
    let word = description.map(|it| Value::String(it.field.clone()));
    let kind = word.and_then(|word| serde_json::from_value(word).ok());
    kind.unwrap_or(FieldType::TextField)
}

fn is_number(kind: FieldType) -> bool {
    matches!(
        kind,
        FieldType::IntegerField | FieldType::FloatField | FieldType::DecimalField
    )
}
