//! Places inside `json` and `jsonb`.

use sea_query::{Expr, ExprTrait};
use svc_model::{JsonPath, PathPart};

use super::{
    literal,
    types::{Type, type_of},
};
use crate::{
    Error, Field, Result,
    plan::{Match, Place, PlaceTest, PlaceValue},
    query::{all_of, call, column, compared},
};

/// What occurs in each `json` that is no `jsonb`: an escape, or a number of many digits.
const SUSPECT: &str = r"\\u|[0-9][eE][+-]?[0-9]{5}|[0-9.]{200}";
/// Two halves of a character.
const PAIR: &str = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}";
/// NUL, or half of a character, where pairs are left out.
const NO_CHARACTER: &str = r"\\u(0000|[dD][89a-fA-F])";
/// A text, where backslashes that are escaped are left out.
const TEXT: &str = r#""([^"\\]|\\.)*""#;
/// An exponent, or 6000 digits as [`MANY`], of a number that `numeric` may not hold.
const HUGE: &str = r"[eE][+-]?0*[1-9][0-9]{4}|#{30}";
const MANY: &str = "[0-9.]{200}";

/// A test of a place as SQL; `matches` tests a text.
///
/// # Errors
/// If a name or a value has a NUL character, which PostgreSQL does not.
pub(super) fn tested(
    table: &str,
    field: &Field,
    place: &Place,
    matches: impl FnOnce(Expr, Match, &str) -> Expr,
) -> Result<Expr> {
    check_characters(field, place)?;
    let here = || found(&document(table, field), &place.path);
    let is = |kind: &str| Expr::from(call("jsonb_typeof").arg(here())).eq(kind);
    let text = || Expr::cust_with_exprs("($1 #>> '{}')", [here()]);
    Ok(match &place.test {
        PlaceTest::Null => here().is_null(),
        PlaceTest::Equals(values) => match values.as_slice() {
            [value] => here().eq(jsonb(value)),
            values => {
                let mut list = String::from("{");
                for (position, value) in values.iter().enumerate() {
                    list.push_str(if position > 0 { "," } else { "" });
                    literal::push_element(&mut list, &value.json());
                }
                list.push('}');
                here().eq(call("ANY").arg(Expr::val(list).cast_as("jsonb[]")))
            }
        },
        PlaceTest::Order(comparison, PlaceValue::Text(value)) => {
            let text = Expr::cust_with_exprs("($1 COLLATE \"C\")", [text()]);
            let value = Expr::val(value.as_str()).cast_as("text");
            is("string").and(compared(text, *comparison, value))
        }
        PlaceTest::Order(comparison, value) => {
            is("number").and(compared(here(), *comparison, jsonb(value)))
        }
        PlaceTest::Match(how, needle) => is("string").and(matches(text(), *how, needle)),
    })
}

fn jsonb(value: &PlaceValue) -> Expr {
    Expr::val(value.json()).cast_as("jsonb")
}

fn check_characters(field: &Field, place: &Place) -> Result<()> {
    let in_value = match &place.test {
        PlaceTest::Null => false,
        PlaceTest::Equals(values) => values.iter().any(has_nul),
        PlaceTest::Order(_, value) => has_nul(value),
        PlaceTest::Match(_, text) => text.contains('\0'),
    };
    let mut parts = place.path.parts().iter();
    let in_path = parts.any(|part| matches!(part, PathPart::Member(name) if name.contains('\0')));
    match in_value || in_path {
        true => Err(Error::invalid_field(
            &field.name,
            "must not contain a NUL character",
        )),
        false => Ok(()),
    }
}

fn has_nul(value: &PlaceValue) -> bool {
    match value {
        PlaceValue::Text(text) => text.contains('\0'),
        // In one spelling a backslash before another one is the only one that escapes none.
        PlaceValue::Composite(json) => json.replace("\\\\", "").contains("\\u0000"),
        PlaceValue::Boolean(_) | PlaceValue::Number(_) => false,
    }
}

/// The document as `jsonb`; NULL where it has what `jsonb` has not, and a cast would end the statement.
fn document(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    if type_of(field) != Type::Json {
        return plain;
    }
    let bound = |text: &str| Expr::val(text).cast_as("text");
    let replaced = |text: Expr, pattern: &str, with: &str| -> Expr {
        let call = call("regexp_replace").arg(text).arg(bound(pattern));
        call.arg(bound(with)).arg(bound("g")).into()
    };
    let text = || plain.clone().cast_as("text");
    let characters = replaced(replaced(text(), r"\\\\", "  "), PAIR, " ");
    let numbers = replaced(replaced(characters.clone(), TEXT, "0"), MANY, "#");
    Expr::cust_with_exprs(
        "CASE WHEN $1 !~ $2 OR ($3 !~ $4 AND $5 !~ $6) THEN CAST($7 AS jsonb) END",
        [
            text(),
            bound(SUSPECT),
            characters,
            bound(NO_CHARACTER),
            numbers,
            bound(HUGE),
            text(),
        ],
    )
}

/// What is at a place of a document; NULL also for JSON's `null`. A path of PostgreSQL leads to an element by digits,
/// too, so that the values on the way are tested for what they are.
fn found(document: &Expr, path: &JsonPath) -> Expr {
    let inside = |count: usize| match path.parts().get(..count) {
        None | Some([]) => document.clone(),
        Some(parts) => {
            let steps = Expr::val(steps(parts)).cast_as("text[]");
            Expr::cust_with_exprs("($1 #> $2)", [document.clone(), steps])
        }
    };
    let parts = path.parts();
    let guards = parts.iter().enumerate().filter_map(|(count, part)| {
        let kind = match part {
            PathPart::Element(_) => "array",
            PathPart::Member(name) if name.ends_with(|c: char| c.is_ascii_digit()) => "object",
            _ => return None,
        };
        Some(Expr::from(call("jsonb_typeof").arg(inside(count))).eq(kind))
    });
    let guards: Vec<Expr> = guards.collect();
    let place = inside(parts.len());
    let place = match guards.is_empty() {
        true => place,
        false => Expr::cust_with_exprs("CASE WHEN $1 THEN $2 END", [all_of(guards), place]),
    };
    let null = Expr::cust("CAST('null' AS jsonb)");
    call("NULLIF").arg(place).arg(null).into()
}

/// Names and positions as the text of an array.
fn steps(parts: &[PathPart]) -> String {
    let mut list = String::from("{");
    for (position, part) in parts.iter().enumerate() {
        list.push_str(if position > 0 { "," } else { "" });
        match part {
            PathPart::Member(name) => literal::push_element(&mut list, name),
            PathPart::Element(position) => list.push_str(&position.to_string()),
            _ => {}
        }
    }
    list.push('}');
    list
}
