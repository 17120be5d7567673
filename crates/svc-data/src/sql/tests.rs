use super::*;

#[test]
fn columns_of_one_name_are_numbered_past_names_that_are_taken() {
    assert_eq!(
        column_names(["a", "A", "a_3", "a", "", "?column?", " "]),
        ["a", "A_2", "a_3", "a_4", "column", "column_2", "column_3"]
    );
    assert_eq!(column_names(["b_2", "b", "b"]), ["b_2", "b", "b_3"]);
}

#[test]
fn four_thousand_columns_of_one_name_take_one_number_each() {
    let names = column_names(std::iter::repeat_n("x", 4_096));
    assert_eq!(names[4_095], "x_4096");
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), 4_096);
}

#[test]
fn one_value_in_very_many_places_is_refused_before_it_is_copied() {
    let large = serde_json::Value::from("x".repeat(1 << 20));
    let small = serde_json::Value::from(1);
    let values = [&large, &small];
    assert_eq!(bind_all(&[0, 1, 0], &values).unwrap().len(), 3);
    let message = bind_all(&[0; 100], &values).unwrap_err();
    assert!(message.contains("larger than 67108864 bytes"), "{message}");
    let message = bind_all(&[1; MAX_PARAMS + 1], &values).unwrap_err();
    assert!(message.contains("at most 10000 binds"), "{message}");
}

#[test]
fn filters_are_added_to_one_query_not_to_a_copy_of_it_each() {
    // The values of a filter are moved into the query: their place in memory stays the same while others are added.
    let mut query = ListQuery::new();
    let is_field = |_: &str| true;
    query
        .filter_by_key("a", Operand::One("x".repeat(100)), &is_field)
        .unwrap();
    let first = |query: &ListQuery| match &query.filters[0].condition.value {
        Operand::One(text) => text.as_ptr(),
        _ => panic!("one value was given"),
    };
    let place = first(&query);
    for number in 0..99 {
        query
            .filter_by_key(
                &format!("f{number}"),
                Operand::One("1".to_owned()),
                &is_field,
            )
            .unwrap();
    }
    assert_eq!(first(&query), place);
}
