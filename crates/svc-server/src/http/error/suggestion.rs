//! "Did you mean": the nearest name to one that is not known.

use std::collections::HashMap;

use svc_data::Model;
use svc_model::{FieldFilter, Invalid, ListQuery, Lookup, Operand};

/// Names longer than this, in characters, are not compared.
const MAX_LENGTH: usize = 64;

/// For how many messages of a request the name that was meant is looked for: each is compared with every field.
const MAX_SUGGESTIONS: usize = 10;

/// The name that was meant most likely: the same but for its case, or one with few letters changed, swapped, left out or
/// added; `None` when nothing is near.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let length = name.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    let lower = name.to_lowercase();
    // One mistake in a short name, one more for every four letters.
    let most = (length / 4).clamp(1, 3);
    let distance = |candidate: &str| {
        if candidate.chars().count().abs_diff(length) > most {
            return None;
        }
        let distance = strsim::osa_distance(&lower, &candidate.to_lowercase());
        // Two letters of two would be any name at all.
        (distance <= most && distance < length).then_some(distance)
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The parameters of lists beside filters.
pub(crate) const PARAMETERS: [&str; 15] = [
    "page",
    "_per_page",
    "_no_pagination",
    "_order_by",
    "_search",
    "_filter",
    "_fields",
    "_expand",
    "_excerpt",
    "_relation",
    "_count",
    "_after",
    "_before",
    "_last",
    "tz",
];

/// What parameters of lists are called elsewhere, and here.
const FOREIGN_PARAMETERS: [(&str, &str); 15] = [
    ("limit", "_per_page"),
    ("page_size", "_per_page"),
    ("offset", "page"),
    ("order", "_order_by"),
    ("ordering", "_order_by"),
    ("sort", "_order_by"),
    ("select", "_fields"),
    ("columns", "_fields"),
    ("include", "_expand"),
    ("embed", "_expand"),
    ("q", "_search"),
    ("query", "_search"),
    ("where", "_filter"),
    ("cursor", "_after"),
    ("timezone", "tz"),
];

/// The parameter of lists that was meant by a name, most likely.
fn parameter(name: &str) -> Option<&'static str> {
    let bare = name.trim_start_matches('_');
    let foreign = FOREIGN_PARAMETERS.iter();
    let foreign = foreign
        .clone()
        .find(|(foreign, _)| foreign.eq_ignore_ascii_case(bare));
    foreign.map(|(_, here)| *here).or_else(|| {
        let own = PARAMETERS.iter().map(|own| own.trim_start_matches('_'));
        let meant = nearest(bare, own)?;
        PARAMETERS
            .into_iter()
            .find(|own| own.trim_start_matches('_') == meant)
    })
}

/// Adds to the messages about a list which field of the model, or else which parameter, was meant most likely.
pub(crate) fn in_list(invalid: &Invalid, model: &Model) -> Invalid {
    let invalid = with_fields(invalid, model);
    with_meant(&invalid, &["field", "parameter"], |name| {
        parameter(name).map(str::to_owned)
    })
}

/// Adds to the first messages about unknown things of these kinds what was meant by the name.
fn with_meant(
    invalid: &Invalid,
    kinds: &[&str],
    meant: impl Fn(&str) -> Option<String>,
) -> Invalid {
    let mut left = MAX_SUGGESTIONS;
    invalid.map_messages(|_, message| {
        let name = kinds.iter().find_map(|kind| unknown(message, kind));
        let name = name.filter(|_| left > 0);
        left = left.saturating_sub(usize::from(name.is_some()));
        match name.and_then(&meant) {
            Some(meant) => format!("{message}; did you mean {meant:?}?"),
            None => message.to_owned(),
        }
    })
}

/// The name of what is not known, in a message that ends with it.
fn unknown<'m>(message: &'m str, thing: &str) -> Option<&'m str> {
    let rest = message.strip_prefix("unknown ")?.strip_prefix(thing)?;
    rest.strip_prefix(" \"")?.strip_suffix('"')
}

/// Adds to the messages about unknown fields which field of the model was meant most likely.
pub(crate) fn with_fields(invalid: &Invalid, model: &Model) -> Invalid {
    let names = || model.fields().iter().map(|field| field.name.as_str());
    let meant = |name: &str| {
        nearest(name, names()).map(str::to_owned).or_else(|| {
            let (field, lookup) = name.rsplit_once("__")?;
            Some(format!("{}__{lookup}", nearest(field, names())?))
        })
    };
    with_meant(invalid, &["field"], meant)
}

/// The operators that PostgREST writes in front of values, and what they are here, behind the name of a field.
const OPERATORS: [(&str, &str); 10] = [
    ("eq.", ""),
    ("neq.", "__ne"),
    ("gte.", "__gte"),
    ("gt.", "__gt"),
    ("lte.", "__lte"),
    ("lt.", "__lt"),
    ("like.", "__contains"),
    ("ilike.", "__icontains"),
    ("in.", "__in"),
    ("is.", "__isnull"),
];

/// How a filter is written here whose value has an operator in front, such as `id=eq.5`; `None` for every other one.
pub(crate) fn without_operator(key: &str, value: &str) -> Option<String> {
    let (operator, lookup) = OPERATORS
        .iter()
        .find(|(operator, _)| value.starts_with(operator))?;
    let rest = match *operator {
        "is." => "true",
        operator => value.get(operator.len()..)?,
    };
    let rest = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(rest);
    Some(format!("{key}{lookup}={rest}"))
}

/// Adds to the messages about values with an operator in front how the filter is written here.
pub(crate) fn with_operators(invalid: &Invalid, query: &ListQuery) -> Invalid {
    let mut written: HashMap<&str, String> = HashMap::new();
    for FieldFilter { condition, .. } in &query.filters {
        if let (Lookup::Exact, Operand::One(value)) = (condition.lookup, &condition.value)
            && let Some(filter) = without_operator(&condition.field, value)
        {
            written.insert(&condition.field, filter);
        }
    }
    invalid.map_messages(
        |field, message| match field.and_then(|field| written.get(field)) {
            Some(filter) => format!("{message}; did you mean {filter}?"),
            None => message.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_meant_and_no_far_one() {
        let names = ["orders", "order_items", "customers", "id"];
        for (name, meant) in [
            ("Orders", Some("orders")),
            ("order", Some("orders")),
            ("odrers", Some("orders")),
            ("costumers", Some("customers")),
            ("orderitems", Some("order_items")),
            ("ID", Some("id")),
            ("invoices", None),
            ("xy", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), meant, "{name}");
        }
        assert_eq!(nearest(&"o".repeat(100_000), names), None);
    }

    #[test]
    fn a_parameter_is_meant_by_its_other_names_and_with_a_mistake_in_it() {
        for (name, meant) in [
            ("limit", Some("_per_page")),
            ("LIMIT", Some("_per_page")),
            ("_perpage", Some("_per_page")),
            ("_orderby", Some("_order_by")),
            ("order_by", Some("_order_by")),
            ("sort", Some("_order_by")),
            ("Page", Some("page")),
            ("status", None),
            ("_", None),
            ("", None),
        ] {
            assert_eq!(parameter(name), meant, "{name}");
        }
    }

    #[test]
    fn an_operator_in_front_of_a_value_stands_behind_the_field_here() {
        for (value, written) in [
            ("eq.5", Some("id=5")),
            ("gte.5", Some("id__gte=5")),
            ("in.(1,2)", Some("id__in=1,2")),
            ("is.null", Some("id__isnull=true")),
            ("5", None),
            ("equal", None),
        ] {
            assert_eq!(without_operator("id", value).as_deref(), written, "{value}");
        }
    }
}
