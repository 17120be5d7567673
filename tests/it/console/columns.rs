//! How wide columns are and which of them are pinned: in the address, in views, and kept for the next time.

use rusqlite::Connection;
use svc_tests::browser::Browser;

use super::{EMAIL, HOME, PASSWORD, Setup, list, signed_in};

#[test]
fn widths_and_pinned_columns_are_in_the_address_and_are_there_again_elsewhere() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let list = list("s");
    let led_to = |query: &str| {
        let answer = browser.get(&format!("{list}?{query}"));
        assert_eq!(answer.status, 303, "{query}: {}", answer.body);
        answer.header("location").to_owned()
    };
    // What belongs to a column that is not shown is left out.
    let at = led_to(
        "name=bolt&_column=id&_column=name&_column=note&_column=amount&_width=narrow.id&_width=&_width=wide.note\
         &_width=wide.price&_pin=note&_pin=id&_pin=price",
    );
    let layout = "_pin=note&_pin=id&_width=narrow.id&_width=wide.note";
    assert_eq!(
        at,
        format!("{list}?name=bolt&_fields=id,name,note,amount&{layout}")
    );
    let page = browser.page(&at);
    let columns = "<col width=\"36\"><col width=\"320\"><col width=\"96\"><col><col></colgroup>";
    let table = "<table class=\"records first-wide second-narrow\"";
    let cell = "<td class=\"number col-narrow pinned pin-2 last-pin\" data-field=\"id\">";
    for part in [columns, table, cell] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("style="), "{page}");
    // The links and forms of the place carry it.
    let carried = layout.replace('&', "&amp;");
    let orders = page.matches(&format!("&amp;{carried}\"")).count();
    assert!(orders >= 5, "{orders}: {page}");
    let hidden = "<input type=\"hidden\" name=\"_width\" value=\"wide.note\">";
    assert!(page.matches(hidden).count() >= 3, "{page}");
    let filtered = led_to(&format!(
        "_fields=id&{layout}&_add_field=id&_add_lookup=exact&_add_value=1"
    ));
    assert_eq!(filtered, format!("{list}?id=1&_fields=id&{layout}"));
    let many = browser.page(&format!("{list}change/?_which=all&{layout}"));
    assert!(many.contains(&format!("parts/?{carried}\"")), "{many}");

    // Kept for the next time.
    let remember = format!("{list}views/columns/");
    let back = browser.submit_ok(&remember, &page, &[]);
    assert_eq!(back, format!("{list}?name=bolt&_saved=1"));
    let other = Browser::signed_in(&setup.service, EMAIL, PASSWORD);
    let page = other.page(&list);
    for part in [columns, table, cell] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // A column changes places with the one beside it, pinned ones among themselves, and the form stays open.
    let form = "_column=note&_column=id&_column=name&_column=amount&_pin=note&_pin=id&_width=";
    let moved = led_to(&format!("{form}&_move=left.amount"));
    let at = format!("{list}?_fields=note,id,amount,name&_pin=note&_pin=id&_arranged=1");
    assert_eq!(moved, at);
    let arranged = browser.page(&moved);
    assert!(
        arranged.contains("<details class=\"menu\" open>"),
        "{arranged}"
    );
    let edge = "value=\"left.amount\" disabled";
    assert!(arranged.contains(edge), "{arranged}");
    let moved = led_to(&format!("{form}&_move=right.note"));
    let at = format!("{list}?_fields=id,note,name,amount&_pin=id&_pin=note&_arranged=1");
    assert_eq!(moved, at);
    // An address may say otherwise.
    let none = led_to("_column=id&_column=name&_width=&_width=");
    assert_eq!(none, format!("{list}?_fields=id,name&_pin="));
    assert!(!other.page(&none).contains("<colgroup>"));
    let elsewhere = format!("{HOME}records/p/parts/");
    assert!(!other.page(&elsewhere).contains("<colgroup>"));
    let forgotten = other.submit_ok(&remember, &page, &[]);
    assert!(!other.page(&forgotten).contains("<colgroup>"));

    let four = led_to(
        "_column=id&_column=name&_column=note&_column=amount&_pin=id&_pin=name&_pin=note&_pin=amount",
    );
    assert!(
        four.ends_with("&_pin=id&_pin=name&_pin=note&_unpinned=1"),
        "{four}"
    );
    assert!(browser.page(&four).contains("Only three columns"));
    // What is no width and no column is nothing.
    let page = browser.page(&format!("{list}?_pin=gone&_width=huge.id&_width=wide"));
    assert!(!page.contains("<colgroup>"), "{page}");
    assert!(!page.contains("pinned pin"), "{page}");

    let new = format!("{list}views/new/?_fields=id,note&{layout}");
    let page = browser.page(&new);
    let at = browser.submit_ok(&new, &page, &[("name", "Narrow")]);
    assert!(at.ends_with(&format!("&_fields=id,note&{layout}")), "{at}");
    let page = browser.page(&at);
    assert!(
        page.contains("<col width=\"320\"><col width=\"96\">"),
        "{page}"
    );
    assert!(!page.contains("Save as a view"), "{page}");
}

#[test]
fn of_300_columns_the_shown_ones_come_first_and_the_others_are_found_by_typing() {
    let setup = Setup::new();
    let columns = (1..=300).map(|number| format!(", column_{number} TEXT"));
    let columns: String = columns.collect();
    Connection::open(setup.folder.path().join("s.db"))
        .unwrap()
        .execute_batch(&format!(
            "CREATE TABLE wide (id INTEGER PRIMARY KEY{columns}); INSERT INTO wide (id) VALUES (1);"
        ))
        .unwrap();
    setup.service.data("POST", "s", "/reload").ok();
    let browser = signed_in(&setup.service);
    let list = format!("{HOME}records/s/wide/");
    let page = browser.page(&format!("{list}?_fields=column_300,id"));
    assert!(page.contains("data-finds=\"columns\"") && page.contains("id=\"columns\""));
    let boxes = page.matches("type=\"checkbox\" name=\"_column\"").count();
    assert_eq!(boxes, 301, "{page}");
    assert_eq!(page.matches("<select name=\"_width\"").count(), 2, "{page}");
    let place = |column: &str| page.find(&format!("value=\"{column}\" checked"));
    assert!(place("column_300").is_some(), "{page}");
    assert!(place("column_300") < place("id"), "{page}");
    assert!(page.len() < 120 << 10, "{}", page.len());
}
