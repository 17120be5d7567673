//! Places inside JSON documents: a function of our own finds them, because SQLite's functions end a statement at a text
//! that is not JSON, and their paths cannot name every member.

use std::{cmp::Ordering, sync::Arc};

use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};
use sea_query::{Expr, ExprTrait};
use serde_json::value::RawValue;
use svc_model::JsonPath;

use crate::{
    Field,
    plan::{Comparison, Match, Place, PlaceTest, PlaceValue},
    query::{call, column},
    value::json_value::{self, Exact},
};

/// The function that tests a place: `svc_place(document, path, test, value)`.
const TEST: &str = "svc_place";
/// The function that gives the text at a place: `svc_place_text(document, path)`.
const TEXT: &str = "svc_place_text";

/// A test of a place as SQL; `matches` tests a text.
pub(super) fn tested(
    table: &str,
    field: &Field,
    place: &Place,
    matches: impl FnOnce(Expr, Match, &str) -> Expr,
) -> Expr {
    let here = || column(table, &field.name);
    let path = place.path.to_string();
    let test = |test: &str, value: String| -> Expr {
        let of = call(TEST).arg(here()).arg(path.as_str());
        of.arg(test).arg(value).into()
    };
    match &place.test {
        PlaceTest::Null => test("null", String::new()),
        PlaceTest::Equals(values) => {
            let values: Vec<String> = values.iter().map(PlaceValue::json).collect();
            test("in", format!("[{}]", values.join(",")))
        }
        PlaceTest::Order(comparison, value) => test(word(*comparison), value.json()),
        PlaceTest::Match(how, needle) => {
            let text = call(TEXT).arg(here()).arg(path.as_str());
            test("text", String::new()).and(matches(text.into(), *how, needle))
        }
    }
}

fn word(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Greater => "gt",
        Comparison::GreaterOrEqual => "gte",
        Comparison::Less => "lt",
        _ => "lte",
    }
}

/// Adds the functions to a connection.
pub(super) fn register(connection: &Connection, flags: FunctionFlags) -> Result<()> {
    connection.create_scalar_function(TEST, 4, flags, test)?;
    connection.create_scalar_function(TEXT, 2, flags, |context| {
        let path = path(context)?;
        let found = found(context.get_raw(0), &path).map(RawValue::get);
        let text = found.filter(|json| json.starts_with('"'));
        Ok(text.and_then(|json| serde_json::from_str::<String>(json).ok()))
    })
}

/// What a test comes to; unknown where nothing is at the place.
fn test(context: &Context<'_>) -> Result<Option<bool>> {
    let path = path(context)?;
    let found = found(context.get_raw(0), &path).map(RawValue::get);
    let test = context.get_raw(2).as_str()?;
    if test == "null" {
        return Ok(Some(found.is_none()));
    }
    let Some(json) = found else {
        return Ok(None);
    };
    if test == "text" {
        return Ok(Some(json.starts_with('"')));
    }
    let value: Arc<Option<Exact>> =
        context.get_or_create_aux(3, |value| value.as_str().map(Exact::parse))?;
    // What is nested deeper than values may be equals none of them.
    let Some(here) = Exact::parse(json) else {
        return Ok(Some(false));
    };
    let order = match (here, &*value) {
        (here, Some(Exact::Array(values))) if test == "in" => {
            return Ok(Some(values.contains(&here)));
        }
        (Exact::Number(here), Some(Exact::Number(value))) => here.cmp(value),
        (Exact::Text(here), Some(Exact::Text(value))) => here.cmp(value),
        _ => return Ok(Some(false)),
    };
    Ok(Some(match test {
        "gt" => order == Ordering::Greater,
        "gte" => order != Ordering::Less,
        "lt" => order == Ordering::Less,
        _ => order != Ordering::Greater,
    }))
}

/// The path in the second argument, which is read once for all rows.
fn path(context: &Context<'_>) -> Result<Arc<JsonPath>> {
    context.get_or_create_aux(1, |path| {
        let path = path.as_str().map_err(|error| error.to_string())?;
        path.parse::<JsonPath>().map_err(|error| error.to_string())
    })
}

/// What is at a place of a document; none for JSON's `null`.
fn found<'d>(document: ValueRef<'d>, path: &JsonPath) -> Option<&'d RawValue> {
    let ValueRef::Text(document) = document else {
        return None;
    };
    let document = std::str::from_utf8(document).ok()?;
    json_value::at(document, path.parts()).filter(|found| found.get() != "null")
}
