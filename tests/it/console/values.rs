//! Values as they are: what is shown is what the database holds, and what is not touched stays.

use rusqlite::Connection;
use serde_json::json;
use svc_tests::browser::links_of;

use super::{ENGINES, HOME, Setup, signed_in};

fn list(engine: &str, model: &str) -> String {
    format!("{HOME}records/{engine}/{model}/")
}

/// The first link of a page whose address has this in it.
fn link(page: &str, part: &str) -> String {
    let mut links = links_of(page).into_iter();
    links
        .find(|link| link.contains(part))
        .unwrap_or_else(|| panic!("{part}: {page}"))
}

fn record(model: &str, key: &str) -> String {
    format!("{}record/{key}/", list("s", model))
}

#[test]
fn a_time_is_written_in_the_zone_in_which_it_is_shown() {
    let script = |kind: &str| {
        format!(
            "CREATE TABLE times (id BIGINT PRIMARY KEY, at {kind}); \
             INSERT INTO times (id, at) VALUES (1, NULL);"
        )
    };
    let setup = Setup::over(
        &script("DATETIME"),
        &script("TIMESTAMPTZ"),
        &script("DATETIME"),
    );
    let browser = signed_in(&setup.service);
    let profile = "/console/profile/";
    let form = browser.page(profile);
    browser.submit_ok(profile, &form, &[("timezone", "America/New_York")]);
    for engine in ENGINES {
        let typed = [("state:at", "text"), ("value:at", "2024-06-01 10:00:00")];
        let place = format!("{}record/1/", list(engine, "times"));
        browser.submit_ok(&place, &browser.page(&place), &typed);
        let shown = browser.page(&place);
        assert!(
            shown.contains("2024-06-01T10:00:00-04:00"),
            "{engine}: {shown}"
        );

        let new = format!("{}new/", list(engine, "times"));
        let made = [("state:id", "text"), ("value:id", "2"), typed[0], typed[1]];
        browser.submit_ok(&new, &browser.page(&new), &made);
        for id in [1, 2] {
            let path = format!("/models/times/{id}");
            let kept = setup.service.data("GET", engine, &path).ok();
            assert_eq!(kept["at"], json!("2024-06-01T14:00:00Z"), "{engine} {id}");
        }
        // What was typed is found by what was typed.
        let found = browser.page(&format!("{}?at=2024-06-01 10:00:00", list(engine, "times")));
        assert!(found.contains("record/2/"), "{engine}: {found}");
    }
}

#[test]
fn values_that_a_form_cannot_hold_stay_while_others_are_changed() {
    let setup = Setup::over_file(
        "CREATE TABLE odd (id INTEGER PRIMARY KEY, flag BOOLEAN, note TEXT, name TEXT); \
         INSERT INTO odd VALUES (1, 2, CAST(x'610062' AS TEXT), 'a'), (2, -1, 'plain', 'a');",
    );
    let browser = signed_in(&setup.service);
    for id in ["1", "2"] {
        let place = record("odd", id);
        let page = browser.page(&place);
        browser.submit_ok(&place, &page, &[("value:name", "b")]);
    }
    let file = Connection::open(setup.folder.path().join("s.db")).unwrap();
    let row = |id: i64| -> (i64, String, String) {
        let sql = "SELECT flag, hex(note), name FROM odd WHERE id = ?1";
        file.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
    };
    assert_eq!(row(1), (2, "610062".to_owned(), "b".to_owned()));
    assert_eq!(row(2), (-1, "706C61696E".to_owned(), "b".to_owned()));
    // The same field can be set to one of the two.
    let place = record("odd", "2");
    let page = browser.page(&place);
    browser.submit_ok(&place, &page, &[("value:flag", "false")]);
    assert_eq!(row(2).0, 0);
}

#[test]
fn json_in_the_result_of_a_query_is_as_the_database_has_it() {
    let setup = Setup::over_file(
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, doc JSON); \
         INSERT INTO docs VALUES (1, '{\"z\":1,  \"a\":1.0e2,\"a\":2}');",
    );
    let browser = signed_in(&setup.service);
    let query = "SELECT%20id%2C%20doc%20FROM%20docs";
    let page = browser.page(&format!("{HOME}sql/s/?query={query}&run=1"));
    assert!(
        page.contains("{&quot;z&quot;:1,  &quot;a&quot;:1.0e2,&quot;a&quot;:2}"),
        "{page}"
    );
}

#[test]
fn a_reference_of_several_fields_is_followed_both_ways() {
    let setup = Setup::over_file(
        "CREATE TABLE places (country TEXT, number INTEGER, name TEXT, PRIMARY KEY (country, number)); \
         CREATE TABLE visits (id INTEGER PRIMARY KEY, n INTEGER, c TEXT, \
         FOREIGN KEY (c, n) REFERENCES places (country, number)); \
         INSERT INTO places VALUES ('d,e', 4, 'Here'), ('at', 4, 'There'); \
         INSERT INTO visits VALUES (1, 4, 'd,e'), (2, 4, 'at'), (3, NULL, 'at');",
    );
    let browser = signed_in(&setup.service);
    let visits = browser.page(&list("s", "visits"));
    let there = "records/s/places/record/at,4/";
    assert!(visits.contains(there), "{visits}");
    // Without the other field nobody knows the key.
    let one = browser.page(&format!("{}?_fields=id,c", list("s", "visits")));
    assert!(!one.contains(there), "{one}");
    let visit = browser.page(&record("visits", "2"));
    assert!(visit.contains(there), "{visit}");
    assert!(!browser.page(&record("visits", "3")).contains(there));

    let place = browser.page(&record("places", "at,4"));
    let back = link(&place, "records/s/visits/?");
    let found = browser.page(&back);
    assert!(
        found.contains("visits/record/2/") && !found.contains("visits/record/1/"),
        "{found}"
    );
}

#[test]
fn what_is_empty_is_seen_and_a_record_without_an_address_says_why() {
    let setup = Setup::over_file(
        "CREATE TABLE words (word TEXT PRIMARY KEY, at DATETIME, j JSON); \
         INSERT INTO words VALUES ('', '', NULL), ('..', NULL, NULL), ('a', '', '\"str\"'), ('b', NULL, '\"other\"'); \
         CREATE TABLE pairs (a TEXT, b INTEGER, PRIMARY KEY (a, b)); INSERT INTO pairs VALUES ('', 4);",
    );
    let browser = signed_in(&setup.service);
    let page = browser.page(&list("s", "words"));
    assert_eq!(page.matches("has no address").count(), 2, "{page}");
    assert!(!page.contains("datetime=\"\""), "{page}");
    let pairs = browser.page(&list("s", "pairs"));
    assert!(!pairs.contains("<bdi></bdi>"), "{pairs}");

    // A string in a JSON column is looked for with its quotes.
    let same = link(&browser.page(&record("words", "a")), "words/?j=");
    let found = browser.page(&same);
    assert!(
        found.contains("record/a/") && !found.contains("record/b/"),
        "{found}"
    );
}
