//! The text of a query: a part of it that runs alone, and what was typed and not run.

use svc_tests::browser::{Browser, form_of};

use super::{ENGINES, HOME, Setup, signed_in};

fn editor(engine: &str) -> String {
    format!("{HOME}sql/{engine}/")
}

/// The text in the editor of a page.
fn text_of(page: &str, engine: &str) -> String {
    let fields = form_of(page, &editor(engine)).fields;
    let query = fields
        .into_iter()
        .find(|(name, _)| name == "query")
        .unwrap();
    query.1.replace("\r\n", "\n")
}

#[test]
fn a_part_of_the_text_runs_alone_and_the_result_says_so() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let place = editor(engine);
        let page = browser.page(&place);
        assert!(page.contains("Run the selection"), "{page}");
        let text = "SELECT 'ä' AS whole;\nSELECT name AS chosen FROM parts WHERE id = :id";
        let part = format!("run:21-{}", text.chars().count());
        let asks = browser.submit_ok(&place, &page, &[("query", text), ("action", &part)]);
        let values = [("p.id", "1"), ("t.id", "number"), ("action", part.as_str())];
        let ran = browser.submit_ok(&place, &browser.page(&asks), &values);
        let page = browser.page(&ran);
        for shown in [
            "only what was selected",
            "<code><bdi>SELECT name AS chosen FROM parts WHERE id = :id</bdi></code>",
            "one row",
            "bolt",
        ] {
            assert!(page.contains(shown), "{engine}: {shown}: {page}");
        }
        assert_eq!(text_of(&page, engine), text);
        let csv = browser.get(&ran.replace("/?", "/csv/?"));
        assert_eq!(csv.body, "chosen\r\nbolt\r\n", "{engine}");
        let chart = ran
            .replace("/sql/", "/charts/sql/")
            .replace("/?", "/?_shape=number&");
        assert!(!browser.page(&chart).contains("AS whole"), "{engine}");
        // An error has its place in the whole text.
        let text = "SELECT 1;\nSELECT id, pricee FROM parts";
        let wrong = [("query", text), ("action", "run:10-38")];
        let ran = browser.submit_ok(&place, &page, &wrong);
        let page = browser.page(&ran);
        assert!(page.contains("line 2, column 12"), "{engine}: {page}");
        // What is not in the text any more is not the whole of it.
        let gone = ran.replace("part=10-38", "part=10-99");
        let page = browser.page(&gone);
        assert!(
            page.contains("nothing was run") && !page.contains("id=\"result\""),
            "{engine}: {page}"
        );
    }
}

#[test]
fn text_that_was_not_run_is_offered_to_who_typed_it_until_it_is_run_or_discarded() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = editor("s");
    let typed = format!("{place}typed/");
    let keep = |text: &str| {
        let fields = form_of(&browser.page(&place), &place).fields;
        let mut fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        fields.retain(|(name, _)| *name != "query");
        fields.push(("query", text));
        assert_eq!(browser.post(&typed, &fields).status, 303);
    };
    let offers = |browser: &Browser| browser.page(&place).contains("and did not run");
    assert!(!offers(&browser));
    keep("SELECT 1");
    keep("SELECT name FROM parts WHERE id = 1");
    // Also after signing in again, and to nobody else.
    let later = signed_in(&setup.service);
    let page = later.page(&place);
    assert!(
        page.contains("less than a minute ago") && page.contains("SELECT name FROM parts"),
        "{page}"
    );
    assert_eq!(text_of(&page, "s"), "");
    assert!(!later.page(&editor("p")).contains("and did not run"));
    let bob = setup.member("bob@example.com", "Administrator");
    assert!(!offers(&bob));
    let (_, open) = page.split_once("id=\"typed\"").unwrap();
    let (_, open) = open.split_once("href=\"").unwrap();
    let open = open.split_once('"').unwrap().0;
    let page = later.page(open);
    assert!(!page.contains("and did not run"), "{page}");
    assert_eq!(text_of(&page, "s"), "SELECT name FROM parts WHERE id = 1");
    let ran = later.submit_ok(&place, &page, &[("action", "run")]);
    assert!(later.page(&ran).contains("bolt"));
    assert!(!offers(&later));
    // The address that had it shows the editor.
    assert_eq!(text_of(&later.page(open), "s"), "");

    keep(&format!("SELECT 2 -- {}", "x".repeat(20_000)));
    let page = later.page(&place);
    assert!(offers(&later));
    later.submit_ok(&typed, &page, &[]);
    assert!(!offers(&later));
    keep("SELECT 3");
    keep("  ");
    assert!(!offers(&later));
}
