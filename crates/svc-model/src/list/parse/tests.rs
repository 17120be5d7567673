//! What query strings of lists mean, and what is refused.

use proptest::prelude::*;

use super::*;
use crate::{Filter, JsonPath, Relation};

const FIELDS: [&str; 8] = [
    "id",
    "status",
    "a__in",
    "exclude__x",
    "größe",
    "page",
    "_hidden",
    "with space",
];

fn is_field(name: &str) -> bool {
    FIELDS.contains(&name)
}

fn parsed(query: &str) -> ListQuery {
    ListQuery::parse(query, &is_field).unwrap()
}

fn refused(query: &str) -> String {
    ListQuery::parse(query, &is_field).unwrap_err().to_string()
}

#[test]
fn a_page_size_above_the_maximum_is_clamped_and_one_below_1_is_refused() {
    assert_eq!(parsed("_per_page=20000").limit(), 10_000);
    assert_eq!(
        parsed("_per_page=1000000000000000000000000").limit(),
        10_000
    );
    assert_eq!(parsed("").limit(), 25);
    assert_eq!(parsed("page=99999999999999999999999").page, u64::MAX);
    assert_eq!(parsed("_excerpt=7").excerpt, Some(7));
    assert_eq!(parsed("_excerpt=99999999999").excerpt, Some(u32::MAX));
    for query in [
        "_per_page=0",
        "_per_page=-1",
        "_per_page=x",
        "_per_page=",
        "page=0",
        "page=1.5",
        "_excerpt=0",
        "_excerpt=-1",
        "_excerpt=many",
        "_excerpt=",
    ] {
        assert!(
            refused(query).contains("must be an integer of at least 1"),
            "{query}"
        );
    }
}

#[test]
fn a_key_is_matched_to_the_longest_field_name() {
    let query = parsed("a__in=1&a__in__in=1,2&exclude__x=3&exclude__exclude__x__gt=4");
    let read: Vec<_> = query
        .filters
        .iter()
        .map(|filter| {
            (
                filter.condition.field.as_str(),
                filter.condition.lookup,
                filter.exclude,
            )
        })
        .collect();
    assert_eq!(
        read,
        [
            ("a__in", Lookup::Exact, false),
            ("a__in", Lookup::In, false),
            ("exclude__x", Lookup::Exact, false),
            ("exclude__x", Lookup::Gt, true),
        ]
    );
}

#[test]
fn a_lookup_of_two_words_is_known() {
    let query = parsed("status__len__gt=1&a__in__len__lte=2&exclude__a__in__len=3");
    let read: Vec<_> = query
        .filters
        .iter()
        .map(|filter| (filter.condition.field.as_str(), filter.condition.lookup))
        .collect();
    assert_eq!(
        read,
        [
            ("status", Lookup::LenGt),
            ("a__in", Lookup::LenLte),
            ("a__in", Lookup::Len),
        ]
    );
    for key in ["status__len__in", "status__lenn__gt", "x__len__gt"] {
        assert!(
            refused(&format!("{key}=1")).contains("unknown field"),
            "{key}"
        );
    }
}

#[test]
fn the_elements_of_an_array_are_a_json_array_or_a_comma_list() {
    for (written, read) in [
        ("a,b", vec!["a", "b"]),
        ("[\"a\",1.10,true]", vec!["a", "1.10", "true"]),
        (" [ ]", vec![]),
        ("", vec![]),
        ("\"\"", vec![""]),
        ("\"[a\",b", vec!["[a", "b"]),
    ] {
        let query = parsed(&format!("status__contains_all={written}"));
        assert_eq!(
            query.filters[0].condition.value,
            Operand::from(read),
            "{written}"
        );
    }
    assert!(refused("status__contained_by=[1").contains("must be a JSON array"));
    assert!(refused("status__contains_any=[[1]]").contains("a value is a text"));
    assert_eq!(
        parsed("status__in=[1").filters[0].condition.value,
        Operand::from(["[1"])
    );
}

#[test]
fn a_field_whose_name_begins_like_a_parameter_is_compared_in_the_tree() {
    let query = ListQuery::new()
        .filter("_hidden", Lookup::Gt, "5")
        .exclude("_hidden", Lookup::Exact, "7")
        .filter_tree(Filter::field("id", Lookup::Lt, "9"));
    let written = query.to_query_string();
    let read = parsed(written.as_str());
    assert!(read.filters.is_empty(), "{written:?}");
    assert_eq!(
        serde_json::to_string(&read.filter).unwrap(),
        concat!(
            r#"{"and":[{"field":"id","lookup":"lt","value":"9"},"#,
            r#"{"field":"_hidden","lookup":"gt","value":"5"},"#,
            r#"{"not":{"field":"_hidden","value":"7"}}]}"#,
        )
    );
}

#[test]
fn nothing_unknown_is_ignored() {
    for (query, expected) in [
        ("statsu=paid", "unknown field \"statsu\""),
        ("status__like=p", "unknown lookup"),
        ("exclude__statsu=paid", "unknown field \"statsu\""),
        ("_perpage=5", "unknown parameter \"_perpage\""),
        ("_hidden=5", "unknown parameter \"_hidden\""),
        ("status=%FF", "not UTF-8"),
        ("draft=2", "draft: must be 0 or 1"),
        ("_count=some", "must be exact, estimated, auto or none"),
        ("_after=", "must be the cursor of a next link"),
        ("_no_pagination=maybe", "must be true or false"),
        ("_order_by=-", "must be a comma list"),
        ("_relation=x", "expected column_here.model.column_there"),
        ("status__in=", "needs at least one value"),
        ("status__range=1", "needs two values"),
        ("status__in=\"a", "a double quote is not closed"),
    ] {
        let message = refused(query);
        assert!(message.contains(expected), "{query}: {message}");
    }
}

#[test]
fn the_last_value_of_a_repeated_key_counts_except_for_in() {
    let query = parsed("status=a&status=b&id__in=1&id__in=2,3&page=2&page=3");
    assert_eq!(query.filters[0].condition.value, Operand::One("b".into()));
    assert_eq!(query.filters[1].condition.value, Operand::from([1, 2, 3]));
    assert_eq!(query.page, 3);
}

#[test]
fn a_field_with_the_name_of_a_parameter_is_filtered_with_an_explicit_lookup() {
    assert_eq!(parsed("page__exact=2").filters[0].condition.field, "page");
    assert_eq!(parsed("page=2").page, 2);
}

#[test]
fn more_than_a_hundred_filters_are_refused() {
    let many: Vec<_> = (0..101).map(|number| format!("f{number}=1")).collect();
    let message = ListQuery::parse(&many.join("&"), &|name| name.starts_with('f')).unwrap_err();
    assert!(message.to_string().contains("at most 100 filters"));
}

#[test]
fn reading_stops_at_the_first_filter_that_is_too_many() {
    let asked = std::cell::Cell::new(0);
    let is_field = |name: &str| {
        asked.set(asked.get() + 1);
        name.starts_with('f')
    };
    let many: Vec<_> = (0..50_000).map(|number| format!("f{number}=1")).collect();
    assert!(ListQuery::parse(&many.join("&"), &is_field).is_err());
    assert_eq!(asked.get(), MAX_CONDITIONS + 1);
}

#[test]
fn an_order_and_a_search_have_a_maximum_length() {
    let order = |columns: usize| format!("_order_by={}", vec!["id"; columns].join(","));
    assert_eq!(parsed(&order(MAX_ORDER_BY)).order_by.len(), MAX_ORDER_BY);
    assert!(refused(&order(MAX_ORDER_BY + 1)).contains("at most 100 columns"));
    let search = |characters: usize| format!("_search={}", "ä".repeat(characters));
    assert!(parsed(&search(MAX_SEARCH)).search.is_some());
    assert!(refused(&search(MAX_SEARCH + 1)).contains("at most 1000 characters"));
}

#[test]
fn twice_the_keys_cost_twice_the_look_ups_and_no_longer_response() {
    let cost = |keys: usize| {
        let asked = std::cell::Cell::new(0_usize);
        let is_field = |name: &str| {
            asked.set(asked.get() + 1);
            name == "id"
        };
        let query: Vec<_> = (0..keys)
            .map(|number| format!("exclude__x{number}__gt=1"))
            .collect();
        let invalid = ListQuery::parse(&query.join("&"), &is_field).unwrap_err();
        (asked.get(), invalid.to_string().len())
    };
    let (once, twice) = (cost(5_000), cost(10_000));
    assert!(twice.0 * 2 <= once.0 * 5, "{once:?} {twice:?}");
    assert!(twice.1 <= once.1 + 10);
}

#[test]
fn the_draft_switch_of_a_client_is_accepted_by_every_operation_of_the_data_host() {
    assert_eq!(parsed("draft=1"), ListQuery::default());
    assert_eq!(RecordView::parse("draft=0"), Ok(RecordView::default()));
    assert!(RecordView::parse("draft=yes").is_err());
}

fn text() -> impl Strategy<Value = String> {
    "[ -~äß€&=+%#,\"|.\\\\]{0,12}"
}

fn condition() -> impl Strategy<Value = Condition> {
    let field = prop::sample::select(vec![
        "id",
        "status",
        "a__in",
        "exclude__x",
        "größe",
        "with space",
    ]);
    let lookup = prop::sample::select(Lookup::ALL);
    (field, lookup, text(), prop::collection::vec(text(), 2)).prop_map(
        |(field, lookup, one, two)| {
            if lookup.takes_list() {
                Condition::new(field, lookup, two)
            } else {
                Condition::new(field, lookup, one)
            }
        },
    )
}

fn place() -> impl Strategy<Value = Filter> {
    let part = prop_oneof![text().prop_map(Ok), (0..3_u32).prop_map(Err)];
    let path = prop::collection::vec(part, 0..4).prop_map(|parts| {
        let start = JsonPath::member("größe");
        parts.into_iter().fold(start, |path, part| match part {
            Ok(name) => path.then_member(name),
            Err(position) => path.then_element(position),
        })
    });
    let lookup = prop::sample::select(Lookup::ALL);
    (path, lookup, text(), text()).prop_map(|(path, lookup, one, two)| {
        if lookup.takes_list() {
            Filter::place("status", path, lookup, [one, two])
        } else {
            Filter::place("status", path, lookup, one)
        }
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![4 => condition().prop_map(Filter::Condition), 1 => place()].prop_recursive(
        4,
        20,
        3,
        |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::And),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::Or),
                inner.prop_map(|filter| !filter),
            ]
        },
    )
}

proptest! {
    #[test]
    fn a_written_query_is_read_back(
        filters in prop::collection::vec((condition(), any::<bool>()), 0..4),
        tree in prop::option::of(filter()),
        search in prop::option::of("[ -~ä]{1,8}"),
        order_by in prop::collection::vec((prop::sample::select(&FIELDS[..]), any::<bool>()), 0..3),
        fields in prop::option::of(prop::collection::vec(prop::sample::select(&FIELDS[..]), 1..3)),
        page in 1..u64::MAX,
        per_page in prop::option::of(1..=10_000_u32),
        excerpt in prop::option::of(1..=u32::MAX),
        values in prop::collection::vec("[a-z,\" |.]{1,5}", 1..3),
    ) {
        let mut query = ListQuery::new().page(page);
        (query.per_page, query.excerpt) = (per_page, excerpt);
        query.search = search;
        query.filter = tree;
        query.fields = fields.map(|fields| fields.iter().map(ToString::to_string).collect());
        for (field, descending) in order_by {
            query.order_by.push(OrderBy { field: field.to_owned(), descending });
        }
        for (condition, exclude) in filters {
            let filter = FieldFilter { condition, exclude };
            let taken = |other: &FieldFilter| other.exclude == exclude
                && other.condition.field == filter.condition.field
                && other.condition.lookup == filter.condition.lookup;
            if !query.filters.iter().any(taken) {
                query.filters.push(filter);
            }
        }
        query.relation = Some(Relation::new("id", "other.table", "status").having("größe", values));
        let text = query.to_query_string();
        prop_assert_eq!(ListQuery::parse(text.as_str(), &is_field).unwrap(), query);
    }

    #[test]
    fn the_parser_panics_on_no_query_string(query in "\\PC{0,200}") {
        let _ = ListQuery::parse(&query, &is_field);
        let _ = RecordView::parse(&query);
    }
}
