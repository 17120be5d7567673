//! The comparisons that fit a field, and the words for them.

use svc_model::{
    FieldFilter, Lookup, Operand,
    resources::{FieldDescription, FieldType},
};

use crate::texts::Texts;

/// A comparison that is offered, and whether it is its contrary.
pub(super) type Offered = (Lookup, bool);

const TEXT: &[Offered] = &[
    (Lookup::Icontains, false),
    (Lookup::Icontains, true),
    (Lookup::Exact, false),
    (Lookup::Ne, false),
    (Lookup::Istartswith, false),
    (Lookup::Iendswith, false),
    (Lookup::In, false),
    (Lookup::In, true),
    (Lookup::Contains, false),
    (Lookup::Gt, false),
    (Lookup::Gte, false),
    (Lookup::Lt, false),
    (Lookup::Lte, false),
    (Lookup::Range, false),
    (Lookup::Regex, false),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
    (Lookup::Isempty, false),
    (Lookup::Isempty, true),
];
const ORDERED: &[Offered] = &[
    (Lookup::Exact, false),
    (Lookup::Ne, false),
    (Lookup::Gt, false),
    (Lookup::Gte, false),
    (Lookup::Lt, false),
    (Lookup::Lte, false),
    (Lookup::Range, false),
    (Lookup::Range, true),
    (Lookup::In, false),
    (Lookup::In, true),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const CHOICE: &[Offered] = &[
    (Lookup::Exact, false),
    (Lookup::Ne, false),
    (Lookup::In, false),
    (Lookup::In, true),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const TRUTH: &[Offered] = &[
    (Lookup::Exact, false),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const JSON: &[Offered] = &[
    (Lookup::JsonIcontains, false),
    (Lookup::JsonIcontains, true),
    (Lookup::Exact, false),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const ARRAY: &[Offered] = &[
    (Lookup::ContainsAny, false),
    (Lookup::ContainsAll, false),
    (Lookup::ContainedBy, false),
    (Lookup::Len, false),
    (Lookup::LenGte, false),
    (Lookup::LenLte, false),
    (Lookup::Exact, false),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const GEOMETRY: &[Offered] = &[
    (Lookup::Coveredby, false),
    (Lookup::Isnull, false),
    (Lookup::Isnull, true),
];
const BINARY: &[Offered] = &[(Lookup::Isnull, false), (Lookup::Isnull, true)];

/// The comparisons that fit a field, the likeliest first.
pub(super) fn offered(field: &FieldDescription) -> &'static [Offered] {
    match field.field {
        FieldType::CharField | FieldType::FixedCharField | FieldType::TextField => TEXT,
        FieldType::SelectField => CHOICE,
        FieldType::BooleanField => TRUTH,
        FieldType::JsonField => JSON,
        FieldType::ArrayField => ARRAY,
        FieldType::GeometryField => GEOMETRY,
        FieldType::BinaryField => BINARY,
        _ => ORDERED,
    }
}

/// The name of a comparison in the form.
pub(super) fn name((lookup, is_contrary): Offered) -> String {
    let sign = if is_contrary { "-" } else { "" };
    format!("{sign}{lookup}")
}

/// The comparison of this name.
pub(super) fn of_name(name: &str) -> Option<Offered> {
    let (is_contrary, name) = match name.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, name),
    };
    Some((name.parse().ok()?, is_contrary))
}

/// Whether the comparison needs no value.
pub(super) fn is_alone(lookup: Lookup) -> bool {
    matches!(lookup, Lookup::Isnull | Lookup::Isempty)
}

/// Whether it compares with what is not to be, which no NULL fulfils.
pub(super) fn is_contrary((lookup, is_contrary): Offered) -> bool {
    is_contrary || lookup == Lookup::Ne
}

/// How a filter is offered: the contrary of "is NULL" is not an exclusion but its other value.
pub(super) fn of_filter(filter: &FieldFilter) -> Offered {
    let lookup = filter.condition.lookup;
    let is_false = is_alone(lookup)
        && matches!(&filter.condition.value, Operand::One(word) if svc_model::parse_bool(word) == Some(false));
    (lookup, filter.exclude != is_false)
}

/// What a comparison is called.
pub(super) fn word(texts: &Texts, (lookup, is_contrary): Offered) -> String {
    match (lookup, is_contrary) {
        (Lookup::Exact, false) => texts.get("lookup-exact"),
        (Lookup::Exact, true) | (Lookup::Ne, false) => texts.get("lookup-ne"),
        (Lookup::Icontains, false) => texts.get("lookup-icontains"),
        (Lookup::Icontains, true) => texts.get("lookup-not-icontains"),
        (Lookup::Istartswith, false) => texts.get("lookup-istartswith"),
        (Lookup::Iendswith, false) => texts.get("lookup-iendswith"),
        (Lookup::Contains, false) => texts.get("lookup-contains"),
        (Lookup::Regex, false) => texts.get("lookup-regex"),
        (Lookup::Gt, false) => texts.get("lookup-gt"),
        (Lookup::Gte, false) => texts.get("lookup-gte"),
        (Lookup::Lt, false) => texts.get("lookup-lt"),
        (Lookup::Lte, false) => texts.get("lookup-lte"),
        (Lookup::In, false) => texts.get("lookup-in"),
        (Lookup::In, true) => texts.get("lookup-not-in"),
        (Lookup::Range, false) => texts.get("lookup-range"),
        (Lookup::Range, true) => texts.get("lookup-not-range"),
        (Lookup::Isnull, false) => texts.get("lookup-isnull"),
        (Lookup::Isnull, true) => texts.get("lookup-not-isnull"),
        (Lookup::Isempty, false) => texts.get("lookup-isempty"),
        (Lookup::Isempty, true) => texts.get("lookup-not-isempty"),
        (Lookup::JsonIcontains, false) => texts.get("lookup-json-icontains"),
        (Lookup::JsonIcontains, true) => texts.get("lookup-not-json-icontains"),
        (Lookup::Coveredby, false) => texts.get("lookup-coveredby"),
        (Lookup::ContainsAny, false) => texts.get("lookup-contains-any"),
        (Lookup::ContainsAll, false) => texts.get("lookup-contains-all"),
        (Lookup::ContainedBy, false) => texts.get("lookup-contained-by"),
        (Lookup::Len, false) => texts.get("lookup-len"),
        (Lookup::LenGte, false) => texts.get("lookup-len-gte"),
        (Lookup::LenLte, false) => texts.get("lookup-len-lte"),
        (other, false) => other.as_str().to_owned(),
        (other, true) => format!("{} {other}", texts.get("not")),
    }
}
