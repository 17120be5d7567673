//! The text of a query: a part of it that runs alone.

use svc_tests::browser::form_of;

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
