//! Records: the table, the form, conflicts, deleting.

use serde_json::json;

use svc_tests::browser::{link_of, link_with};

use super::{ENGINES, Setup, list, record, signed_in};

#[test]
fn records_are_listed_opened_and_changed_by_forms_alone_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    assert_eq!(
        browser.get("/console/").header("location"),
        "/console/projects/main/prod/"
    );
    for engine in ENGINES {
        let page = browser.page(&list(engine));
        for text in [
            "9007199254740993",
            "12345678901234.5000",
            "Müller &amp; Söhne",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "class=\"null\"",
            "class=\"empty\"",
        ] {
            assert!(page.contains(text), "{engine}: {text}: {page}");
        }
        assert!(!page.contains("<script>alert"), "{page}");
        let counted = browser.fragment(&list(engine), "count");
        assert!(counted.contains("2 records"), "{counted}");
        let found = browser.page(&format!("{}?_search=bolt&_order_by=-id", list(engine)));
        assert!(
            found.contains("record/1/") && !found.contains("record/2/"),
            "{found}"
        );
        // The form for filters leads to the address with the filter in it.
        let added = browser.get(&format!(
            "{}?_add_field=amount&_add_lookup=gt&_add_value=5",
            list(engine)
        ));
        assert_eq!(
            added.header("location"),
            format!("{}?amount__gt=5", list(engine))
        );
        let wrong = browser.page(&format!(
            "{}?_add_field=amount&_add_lookup=range&_add_value=1",
            list(engine)
        ));
        assert!(wrong.contains("field-error"), "{wrong}");
        let wrong = browser.page(&format!("{}?nothing=1", list(engine)));
        assert!(
            wrong.contains("role=\"alert\"") && wrong.contains("nothing"),
            "{wrong}"
        );

        // A form that is sent as it is changes nothing, not even ends of lines.
        let path = record(engine, 1);
        let page = browser.page(&path);
        let same = browser.submit(&path, &page, &[]);
        assert_eq!(
            same.header("location"),
            format!("{path}?saved=0"),
            "{}",
            same.body
        );
        let saved = browser.submit(&path, &page, &[("value:name", "nut")]);
        assert_eq!(
            saved.header("location"),
            format!("{path}?saved=1"),
            "{}",
            saved.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(
            (&kept["name"], &kept["note"], &kept["price"]),
            (
                &json!("nut"),
                &json!("a  \nb"),
                &json!("12345678901234.5000")
            )
        );
        assert_eq!(kept["amount"].to_string(), "9007199254740993");

        // What is wrong stands beside its field, and what was typed stays.
        let page = browser.page(&path);
        let wrong = browser.submit(
            &path,
            &page,
            &[("value:amount", "many"), ("value:name", "kept")],
        );
        assert_eq!(wrong.status, 400);
        assert!(wrong.body.contains("field-error") && wrong.body.contains("value=\"kept\""));

        // NULL, the empty text and the default are three things.
        let new = format!("{}new/", list(engine));
        let page = browser.page(&new);
        let made = browser.submit(
            &new,
            &page,
            &[
                ("value:id", "7"),
                ("state:id", "text"),
                ("state:name", "null"),
                ("state:note", "text"),
            ],
        );
        assert_eq!(
            made.header("location"),
            format!("{}?saved=1", record(engine, 7)),
            "{}",
            made.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/7").ok();
        assert_eq!(
            (&kept["name"], &kept["note"], &kept["amount"]),
            (&json!(null), &json!(""), &json!(3))
        );

        // In prod the name is typed before something is deleted.
        let path = format!("{}delete/", record(engine, 7));
        let page = browser.page(&path);
        let refused = browser.submit(&path, &page, &[]);
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
        let deleted = browser.submit(&path, &page, &[("confirm", "parts")]);
        assert_eq!(
            deleted.header("location"),
            format!("{}?_gone=7", list(engine)),
            "{}",
            deleted.body
        );
        setup
            .service
            .data("GET", engine, "/models/parts/7")
            .expect(404);
        let makers = format!("/console/projects/main/prod/records/{engine}/makers/record/1/");
        assert!(browser.page(&makers).contains("parts/?maker_id=1"));
        let forbidden = browser.page(&format!("{makers}delete/"));
        let many = format!(
            "{}delete/?_which=only&_row=1",
            makers.replace("record/1/", "")
        );
        for page in [forbidden, browser.page(&many)] {
            assert!(page.contains("button class=\"danger\" disabled"), "{page}");
            assert!(!page.contains("name=\"confirm\""), "{page}");
        }
    }
}

#[test]
fn two_people_on_one_record_lose_nothing() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let path = record("s", 1);
    let page = browser.page(&path);
    let change = |body| {
        setup
            .service
            .data("PATCH", "s", "/models/parts/1")
            .json(&body)
            .ok()
    };
    change(json!({"note": "theirs"}));
    let met = browser.submit(&path, &page, &[("value:name", "mine")]);
    assert_eq!(met.status, 412);
    assert!(
        met.body.contains("theirs") && met.body.contains("value=\"mine\""),
        "{}",
        met.body
    );
    assert!(!met.body.contains("class=\"conflict\""), "{}", met.body);
    let saved = browser.submit(&path, &met.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(
        (&kept["name"], &kept["note"]),
        (&json!("mine"), &json!("theirs"))
    );

    let page = browser.page(&path);
    change(json!({"name": "hers"}));
    let met = browser.submit(&path, &page, &[("value:name", "his")]);
    assert_eq!(met.status, 412);
    assert!(
        met.body.contains("class=\"conflict\"") && met.body.contains("hers"),
        "{}",
        met.body
    );
    let saved = browser.submit(&path, &met.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(kept["name"], json!("his"));
}

#[test]
fn a_record_leads_back_to_its_row_in_the_list_that_one_came_from() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let first = browser.page(&format!("{}?_order_by=name&_per_page=1", list("s")));
    let next = link_with(&first, "rel", "next");
    let row = browser.page(&next);
    let opened = link_with(&row, "class", "key");
    assert!(opened.contains("record/1/?_list="), "{opened}");
    let back = |page: &str| link_of(page, "Back to the list");
    let page = browser.page(&opened);
    assert_eq!(back(&page), format!("{next}#row-1"));
    assert!(row.contains("<tr id=\"row-1\""), "{row}");

    // Through what is wrong, what somebody else has written meanwhile, saving, the history, and choosing.
    let wrong = browser.submit(&opened, &page, &[("value:amount", "many")]);
    assert_eq!(back(&wrong.body), format!("{next}#row-1"));
    let theirs = setup.service.data("PATCH", "s", "/models/parts/1");
    theirs.json(&json!({"note": "theirs"})).ok();
    let met = browser.submit(&opened, &page, &[("value:name", "zinc")]);
    assert_eq!(met.status, 412);
    assert_eq!(back(&met.body), format!("{next}#row-1"));
    let saved = browser.submit_ok(&opened, &met.body, &[]);
    assert_eq!(saved, format!("{opened}&saved=1"));
    let page = browser.page(&saved);
    assert_eq!(back(&page), format!("{next}#row-1"));
    let history = browser.page(&link_of(&page, "History"));
    assert!(history.contains(&opened.replace('&', "&amp;")), "{history}");
    let picker = browser.submit(&opened, &page, &[("pick", "maker_id")]);
    let chosen = browser.submit(&opened, &picker.body, &[("picked", "[\"2\"]")]);
    assert_eq!(back(&chosen.body), format!("{next}#row-1"));

    // A record that is deleted leads back to the same page of the list.
    let delete = link_of(&page, "Delete");
    let page = browser.page(&delete);
    let gone = browser.submit_ok(&delete, &page, &[("confirm", "parts")]);
    assert_eq!(gone, format!("{next}&_gone=1"));
    // Nothing in the address of a record leads elsewhere.
    let page = browser.page(&format!(
        "{}?_list=%22%3E%3Cb%3E%26_gone=1%26a=%23x",
        record("s", 2)
    ));
    let back = back(&page);
    assert!(
        back.starts_with(&list("s")) && !back.contains("_gone") && back.ends_with("%23x#row-2"),
        "{back}"
    );
}

#[test]
fn records_are_counted_without_scripts_when_somebody_asks() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        // Where all are shown, nothing is left to count.
        let page = browser.page(&list(engine));
        assert!(
            page.contains("2 records") && !page.contains("data-fragment=\"count\""),
            "{page}"
        );
        let page = browser.page(&format!("{}?_per_page=1", list(engine)));
        assert!(page.contains("one record shown"), "{page}");
        let page = browser.page(&link_of(&page, "Count all"));
        assert!(
            page.contains("2 records") && page.contains("record/2/"),
            "{page}"
        );
        let next = link_with(&page, "rel", "next");
        assert!(!next.contains("_counted"), "{next}");
        let exact = format!("{}?_per_page=1&_counted=exact", list(engine));
        assert!(browser.page(&exact).contains("2 records"));
    }
}
