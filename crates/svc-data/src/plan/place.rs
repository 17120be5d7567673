//! Places inside JSON columns: what a comparison of one comes to.

use serde_json::value::RawValue;
use svc_model::{Lookup, PlaceCondition, parse_bool};

use super::{
    lookup::compile_regex,
    test::{Comparison, Match, Place, PlaceTest, PlaceValue, Test},
};
use crate::{
    Field,
    structure::Kind,
    value::{Scalar, json_value::plain_json, read_decimal, read_json},
};

/// Reads a value that a place in a field is compared with.
fn read_value(field: &Field, json: &str) -> Result<PlaceValue, String> {
    match json.as_bytes().first() {
        Some(b'n') => Err("null is compared with the lookup isnull".to_owned()),
        Some(b't') => Ok(PlaceValue::Boolean(true)),
        Some(b'f') => Ok(PlaceValue::Boolean(false)),
        Some(b'"') => serde_json::from_str(json)
            .map(PlaceValue::Text)
            .map_err(|_| "is not valid text".to_owned()),
        Some(b'{' | b'[') => match read_json(field, json)? {
            Scalar::Json(json) => plain_json(&json).map(PlaceValue::Composite),
            _ => Err("must be JSON".to_owned()),
        },
        _ => read_decimal(json).map(PlaceValue::Number),
    }
}

/// Resolves a comparison of a place in a field, which is at that index.
pub(super) fn place_test(
    index: usize,
    field: &Field,
    condition: &PlaceCondition,
) -> Result<Test, String> {
    let PlaceCondition {
        path,
        lookup,
        value,
        ..
    } = condition;
    if field.kind != Kind::Json || field.detail.element.is_some() {
        return Err("has no places inside it: a path needs a JSON column".to_owned());
    }
    let test = |test| {
        let path = path.clone();
        Test::Place(index, Place { path, test })
    };
    let one = || read_value(field, value.as_json());
    let many = || -> Result<Vec<PlaceValue>, String> {
        let values: Vec<&RawValue> = serde_json::from_str(value.as_json())
            .map_err(|_| format!("the lookup {lookup} needs an array of values"))?;
        let values = values.into_iter();
        values.map(|value| read_value(field, value.get())).collect()
    };
    let order = |comparison, value: PlaceValue| match value {
        PlaceValue::Number(_) | PlaceValue::Text(_) => {
            Ok(test(PlaceTest::Order(comparison, value)))
        }
        _ => Err(format!("the lookup {lookup} needs a number or a text")),
    };
    let text = || match one() {
        Ok(PlaceValue::Text(text)) => Ok(text),
        _ => Err(format!("the lookup {lookup} needs a text")),
    };
    let matching = |how| Ok(test(PlaceTest::Match(how, text()?)));
    let truth = |test: Test| {
        let word = one().map(|value| match value {
            PlaceValue::Text(word) => word,
            value => value.json(),
        });
        match word.ok().as_deref().and_then(parse_bool) {
            Some(true) => Ok(test),
            Some(false) => Ok(Test::Not(Box::new(test))),
            None => Err(format!("the lookup {lookup} needs true or false")),
        }
    };
    let equals = |values| test(PlaceTest::Equals(values));
    match lookup {
        Lookup::Exact => Ok(equals(vec![one()?])),
        Lookup::Ne => Ok(Test::Not(Box::new(equals(vec![one()?])))),
        Lookup::In => Ok(equals(many()?)),
        Lookup::Gt => order(Comparison::Greater, one()?),
        Lookup::Gte => order(Comparison::GreaterOrEqual, one()?),
        Lookup::Lt => order(Comparison::Less, one()?),
        Lookup::Lte => order(Comparison::LessOrEqual, one()?),
        Lookup::Range => {
            let values: [PlaceValue; 2] = many()?
                .try_into()
                .map_err(|_| "the lookup range needs two values".to_owned())?;
            match &values {
                [PlaceValue::Number(_), PlaceValue::Number(_)]
                | [PlaceValue::Text(_), PlaceValue::Text(_)] => {}
                _ => return Err("the lookup range needs two numbers or two texts".to_owned()),
            }
            let [low, high] = values;
            Ok(Test::All(vec![
                order(Comparison::GreaterOrEqual, low)?,
                order(Comparison::LessOrEqual, high)?,
            ]))
        }
        Lookup::Icontains => matching(Match::Contains { any_case: true }),
        Lookup::Istartswith => matching(Match::Starts { any_case: true }),
        Lookup::Iendswith => matching(Match::Ends { any_case: true }),
        Lookup::Contains => matching(Match::Contains { any_case: false }),
        Lookup::Startswith => matching(Match::Starts { any_case: false }),
        Lookup::Endswith => matching(Match::Ends { any_case: false }),
        Lookup::Regex => {
            compile_regex(&text()?)?;
            matching(Match::Regex)
        }
        Lookup::Isnull => truth(test(PlaceTest::Null)),
        Lookup::Isempty => truth(Test::Any(vec![
            test(PlaceTest::Null),
            equals(vec![PlaceValue::Text(String::new())]),
        ])),
        _ => Err(format!(
            "the lookup {lookup} does not work on a place inside JSON"
        )),
    }
}
