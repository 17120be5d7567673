//! Lookups of fields: what a comparison with texts of a client comes to.

use svc_model::{Lookup, Operand, parse_bool};

use super::test::{Comparison, Containment, Match, Test};
use crate::{
    Field,
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The largest regular expression, compiled, in bytes.
const REGEX_SIZE: usize = 1 << 20;

/// The test that a lookup of a field, which is at that index, comes to.
pub(super) fn field_test(
    index: usize,
    field: &Field,
    lookup: Lookup,
    operand: &Operand,
    zone: &Zone,
) -> Result<Test, String> {
    let kind = field.kind;
    let one = || match operand {
        Operand::One(text) => Ok(text.as_str()),
        _ => Err(format!("the lookup {lookup} needs one value, not a list")),
    };
    let scalar = |text: &str| Scalar::to_find(field, text, zone);
    let compare = |comparison| -> Result<Test, String> {
        let is_ordering = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if is_ordering {
            comparable(field, lookup)?;
        }
        Ok(Test::Compare(index, comparison, scalar(one()?)?))
    };
    let matching = |how| -> Result<Test, String> {
        if kind == Kind::Binary {
            return Err(format!("the lookup {lookup} does not work on binary data"));
        }
        let text = one()?;
        if text.is_empty() && !matches!(kind, Kind::Text | Kind::Any) {
            return Err(format!(
                "the lookup {lookup} takes a text that is not empty"
            ));
        }
        Ok(Test::Match(index, how, text.to_owned()))
    };
    let truth = |test: Test| -> Result<Test, String> {
        match parse_bool(one()?) {
            Some(true) => Ok(test),
            Some(false) => Ok(Test::Not(Box::new(test))),
            None => Err(format!("the lookup {lookup} needs true or false")),
        }
    };
    let element = || {
        let element = field.detail.element.as_deref();
        element.ok_or_else(|| format!("the lookup {lookup} needs an array column of PostgreSQL"))
    };
    let elements = |containment| -> Result<Test, String> {
        let (element, Operand::Many(texts)) = (element()?, operand) else {
            return Err(format!("the lookup {lookup} needs a list of values"));
        };
        if !field.is_ordered() {
            return Err(format!(
                "the database does not compare elements of the type {}",
                element.db_type
            ));
        }
        // As elements are shown, and written.
        let read = |text: &String| Scalar::from_text(element, text, zone);
        let values: Result<Vec<_>, _> = texts.iter().map(read).collect();
        let values = values.map_err(|message| format!("an element is not valid: {message}"))?;
        Ok(Test::Elements(index, containment, values))
    };
    let len = |comparison| -> Result<Test, String> {
        element()?;
        let number = one()?.trim().parse();
        let number = number.map_err(|_| "a valid integer is required".to_owned())?;
        Ok(Test::Len(index, comparison, number))
    };
    match lookup {
        Lookup::Exact => compare(Comparison::Equal),
        Lookup::Ne => compare(Comparison::Unequal),
        Lookup::Gt => compare(Comparison::Greater),
        Lookup::Gte => compare(Comparison::GreaterOrEqual),
        Lookup::Lt => compare(Comparison::Less),
        Lookup::Lte => compare(Comparison::LessOrEqual),
        Lookup::In => {
            let Operand::Many(texts) = operand else {
                return Err("the lookup in needs a list of values".to_owned());
            };
            let values: Result<Vec<_>, _> = texts.iter().map(|text| scalar(text)).collect();
            Ok(Test::In(index, values?))
        }
        Lookup::Range => {
            let texts = match operand {
                Operand::Many(texts) => texts.as_slice(),
                _ => &[],
            };
            let [low, high] = texts else {
                return Err("the lookup range needs two values".to_owned());
            };
            comparable(field, lookup)?;
            Ok(Test::All(vec![
                Test::Compare(index, Comparison::GreaterOrEqual, scalar(low)?),
                Test::Compare(index, Comparison::LessOrEqual, scalar(high)?),
            ]))
        }
        Lookup::Icontains => matching(Match::Contains { any_case: true }),
        Lookup::Istartswith => matching(Match::Starts { any_case: true }),
        Lookup::Iendswith => matching(Match::Ends { any_case: true }),
        Lookup::Contains => matching(Match::Contains { any_case: false }),
        Lookup::Startswith => matching(Match::Starts { any_case: false }),
        Lookup::Endswith => matching(Match::Ends { any_case: false }),
        Lookup::JsonIcontains => match kind {
            Kind::Json | Kind::Text | Kind::Any => matching(Match::Contains { any_case: true }),
            _ => Err("the lookup json_icontains works on JSON and text".to_owned()),
        },
        Lookup::Regex => {
            compile_regex(one()?)?;
            matching(Match::Regex)
        }
        Lookup::Isnull => truth(Test::Null(index)),
        Lookup::Isempty => truth(Test::Empty(index)),
        Lookup::Coveredby if field.is_geometry() => Ok(Test::CoveredBy(index, one()?.to_owned())),
        Lookup::ContainsAll => elements(Containment::All),
        Lookup::ContainsAny => elements(Containment::Any),
        Lookup::ContainedBy => elements(Containment::By),
        Lookup::Len => len(Comparison::Equal),
        Lookup::LenGt => len(Comparison::Greater),
        Lookup::LenGte => len(Comparison::GreaterOrEqual),
        Lookup::LenLt => len(Comparison::Less),
        Lookup::LenLte => len(Comparison::LessOrEqual),
        Lookup::Coveredby => Err("the lookup coveredby needs a geometry of PostGIS".to_owned()),
        _ => Err(format!(
            "the lookup {lookup} is not supported by this database"
        )),
    }
}

/// Refuses a lookup that compares values which have no order.
fn comparable(field: &Field, lookup: Lookup) -> Result<(), String> {
    if field.kind == Kind::Json && field.detail.element.is_none() {
        return Err(format!("the lookup {lookup} does not work on JSON"));
    }
    match field.is_ordered() {
        true => Ok(()),
        false => Err(unordered(field)),
    }
}

/// Why values of a field have no order.
pub(crate) fn unordered(field: &Field) -> String {
    format!(
        "the database has no order for values of the type {}",
        field.db_type
    )
}

/// Compiles a regular expression that runs in linear time and bounded memory.
pub(crate) fn compile_regex(pattern: &str) -> Result<regex::Regex, String> {
    regex::RegexBuilder::new(pattern)
        .size_limit(REGEX_SIZE)
        .dfa_size_limit(REGEX_SIZE)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
            _ => "must be a regular expression; look-around and back-references are not taken"
                .to_owned(),
        })
}
