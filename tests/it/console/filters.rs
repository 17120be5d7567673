//! Filters: the form that makes them, and alternatives.

use super::{ENGINES, Setup, list, signed_in};

#[test]
fn filters_are_made_changed_and_combined_by_links_and_forms() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let list = list(engine);
        let led_to = |query: &str| {
            let answer = browser.get(&format!("{list}?{query}"));
            assert_eq!(answer.status, 303, "{query}: {}", answer.body);
            answer.header("location").to_owned()
        };
        // First the field, then what fits it.
        let page = browser.page(&format!("{list}?_add_field=price"));
        assert!(page.contains("inputmode=\"decimal\""), "{page}");
        let page = browser.page(&format!(
            "{list}?_add_field=price&_add_lookup=range&_add_value=1"
        ));
        assert_eq!(page.matches("name=\"_add_value\"").count(), 2, "{page}");
        assert!(page.contains("id=\"filter-error\""), "{page}");
        let part = browser.fragment(&format!("{list}?_add_field=name&_add_lookup=in"), "filter");
        assert!(
            part.starts_with("<form class=\"stack\" id=\"filter\"") && part.contains("<textarea"),
            "{part}"
        );

        let at =
            led_to("_add_field=price&_add_lookup=range&_add_value=1&_add_value=99999999999999");
        assert_eq!(at, format!("{list}?price__range=1,99999999999999"));
        assert!(browser.page(&at).contains("record/1/"));
        let at = led_to("_add_field=name&_add_lookup=in&_add_value=bolt%0D%0Aa,b");
        assert_eq!(at, format!("{list}?name__in=bolt,%22a,b%22"));
        let at = led_to("_add_field=note&_add_lookup=-isnull&_add_alone=1");
        assert_eq!(at, format!("{list}?note__isnull=false"));
        let page = browser.page(&at);
        assert!(
            page.contains("is not NULL") && !page.contains("record/2/"),
            "{page}"
        );
        let at = led_to("_add_field=name&_add_lookup=-icontains&_add_value=ol");
        assert_eq!(at, format!("{list}?exclude__name__icontains=ol"));

        // Alternatives: one of them holds.
        let at = led_to("_add_field=id&_add_lookup=exact&_add_value=1&_group=0");
        let at = led_to(&format!(
            "{}&_add_field=amount&_add_lookup=lte&_add_value=1&_group=1",
            at.split_once('?').unwrap().1
        ));
        let page = browser.page(&at);
        assert!(
            page.contains("record/1/") && page.contains("record/2/"),
            "{page}"
        );
        assert!(page.contains("_edit=1.0"), "{page}");
        // One of them is changed in its place.
        let query = at.split_once('?').unwrap().1;
        let page = browser.page(&format!("{list}?{query}&_edit=1.0"));
        assert!(page.contains("name=\"_edit\" value=\"1.0\""), "{page}");
        let changed = led_to(&format!(
            "{query}&_edit=1.0&_group=1&_add_field=amount&_add_lookup=gt&_add_value=5"
        ));
        let page = browser.page(&changed);
        assert!(
            page.contains("record/1/") && !page.contains("record/2/"),
            "{page}"
        );
    }
}

#[test]
fn filters_of_one_field_hold_together_and_an_alternative_to_one_is_an_or() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let list = list(engine);
        let led_to = |query: &str| {
            let answer = browser.get(&format!("{list}?{query}"));
            assert_eq!(answer.status, 303, "{query}: {}", answer.body);
            answer.header("location").to_owned()
        };
        let at = led_to("name__icontains=o&_add_field=name&_add_lookup=icontains&_add_value=x");
        let page = browser.page(&at);
        assert!(
            page.contains("_edit=0") && page.contains("_edit=1"),
            "{page}"
        );
        assert!(!page.contains("record/1/"), "{page}");
        let at = led_to("amount__ne=1&_add_field=amount&_add_lookup=ne&_add_value=2");
        let page = browser.page(&at);
        assert!(
            page.contains("record/1/") && !page.contains("record/2/"),
            "{page}"
        );

        let at = led_to("id=1&_add_field=id&_add_lookup=exact&_add_value=2&_group=0");
        let page = browser.page(&at);
        assert!(
            page.contains("record/1/") && page.contains("record/2/"),
            "{page}"
        );
        assert!(page.contains(">either<") && page.contains(">or<"), "{page}");
    }
}

#[test]
fn what_is_wrong_with_a_filter_is_said_beside_it() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let page = browser.page(&format!("{}?name=bolt&amount__gt=abc", list(engine)));
        let chips = page.split("class=\"filters\"").nth(1).unwrap();
        let chips = chips.split("</div>").next().unwrap();
        assert_eq!(chips.matches("field-error").count(), 1, "{chips}");
        let (before, _) = chips.split_once("field-error").unwrap();
        assert!(before.contains("abc"), "{chips}");
        assert!(!page.contains("class=\"notice error\""), "{page}");
        assert!(page.contains("No records are shown"), "{page}");
    }
}

#[test]
fn a_filter_for_other_values_says_that_it_leaves_out_null() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let looked_at = |engine: &str, query: &str| {
        let page = browser.page(&format!("{}?{query}", list(engine)));
        let chips = page.split("class=\"filters\"").nth(1).unwrap();
        let chips = chips.split("</div>").next().unwrap().to_owned();
        (chips, page)
    };
    for engine in ENGINES {
        for query in ["note__ne=x", "exclude__note=x", "exclude__note__in=x,y"] {
            let (said, page) = looked_at(engine, query);
            assert!(said.contains("and is not NULL"), "{query}: {said}");
            // The note of the second record is NULL.
            assert!(
                page.contains("record/1/") && !page.contains("record/2/"),
                "{query}: {page}"
            );
        }
        for query in ["amount__ne=1", "note=x", "note__isnull=false&name=x"] {
            let (said, _) = looked_at(engine, query);
            assert!(!said.contains("and is not NULL"), "{query}: {said}");
        }
    }
}
