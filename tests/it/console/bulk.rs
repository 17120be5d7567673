//! Many records at once: changing, deleting, and records as a file.

mod undo;

use serde_json::json;

use super::{ENGINES, Setup, list, signed_in};

#[test]
fn many_records_are_changed_after_a_preview_and_only_as_many_as_it_said() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let add = |id: u32, name: &str| {
            let record = json!({"id": id, "name": name, "amount": 5});
            let call = setup
                .service
                .data("POST", engine, "/models/parts")
                .json(&record);
            call.expect(201);
        };
        for id in 10..18 {
            add(id, "nut");
        }
        let get = |id: u32| {
            let path = format!("/models/parts/{id}");
            setup.service.data("GET", engine, &path).ok()
        };
        let page = browser.page(&list(engine));
        assert!(page.contains("name=\"_row\" value=\"10\""), "{page}");

        // All but two: one is marked in the list, the other left out in the preview.
        let place = format!("{}change/?name=nut&_which=except&_row=10", list(engine));
        let page = browser.page(&place);
        let nothing = browser.submit(&place, &page, &[("action", "preview")]);
        assert_eq!(nothing.status, 400);
        let preview = browser.submit(
            &place,
            &page,
            &[
                ("value:price", "1.50"),
                ("state:note", "null"),
                ("action", "preview"),
                ("leave", "11"),
            ],
        );
        assert_eq!(preview.status, 200, "{}", preview.body);
        assert!(
            preview.body.contains("name=\"expect\" value=\"6\""),
            "{}",
            preview.body
        );
        assert_eq!(get(12)["price"], json!(null));

        // Values that were not in the preview are shown first.
        let others = [("value:price", "9"), ("action", "run")];
        let others = browser.submit(&place, &preview.body, &others);
        assert_eq!(others.status, 400, "{}", others.body);
        assert_eq!(get(12)["price"], json!(null));

        // So is the number when another record is left out.
        let fewer = [("leave", "12"), ("action", "run")];
        let fewer = browser.submit(&place, &preview.body, &fewer);
        assert_eq!(fewer.status, 400, "{}", fewer.body);
        assert_eq!(get(13)["price"], json!(null));

        // One more fits meanwhile: nothing is changed, and it is said.
        add(18, "nut");
        let met = browser.submit(&place, &preview.body, &[("action", "run")]);
        assert_eq!(met.status, 412, "{}", met.body);
        assert_eq!(get(12)["price"], json!(null));
        let done = browser.submit_ok(&place, &met.body, &[("action", "run")]);
        assert!(done.contains("?name=nut&_changed=7&"), "{done}");
        assert!(browser.page(&done).contains("7 records were changed"));
        assert_eq!(get(12)["price"], json!("1.5000"));
        for id in [10, 11, 1] {
            assert_ne!(get(id)["price"], json!("1.5000"), "{engine} {id}");
        }

        // What the database refuses stands beside its field, with what was typed.
        let page = browser.page(&place);
        let wrong = browser.submit(
            &place,
            &page,
            &[("value:amount", "many"), ("action", "preview")],
        );
        let wrong = browser.submit(&place, &wrong.body, &[("action", "run")]);
        assert_eq!(wrong.status, 400, "{}", wrong.body);
        assert!(wrong.body.contains("field-error") && wrong.body.contains("value=\"many\""));

        // Deleting asks for the name in prod, and says how many.
        let place = format!("{}delete/?_which=only&_row=12&_row=13", list(engine));
        let page = browser.page(&place);
        assert!(page.contains("2 records will be deleted"), "{page}");
        let refused = browser.submit(&place, &page, &[]);
        assert_eq!(refused.status, 400);
        let done = browser.submit_ok(&place, &page, &[("confirm", "parts")]);
        assert!(done.contains("?_deleted=2&"), "{done}");
        setup
            .service
            .data("GET", engine, "/models/parts/12")
            .expect(404);
        assert_eq!(get(14)["id"], json!(14));
        let none = browser.page(&format!("{}delete/?_which=only", list(engine)));
        assert!(!none.contains("name=\"confirm\""), "{none}");

        // A file has all records of the list, of every page.
        let file = browser.get(&format!(
            "{}export/?_order_by=id&_fields=id,name,note&_format=csv",
            list(engine)
        ));
        assert!(
            file.header("content-disposition")
                .starts_with("attachment; filename=\"parts.csv\"")
        );
        assert!(
            file.body
                .starts_with("id,name,note\r\n1,bolt,\"a  \nb\"\r\n2,\"\",\r\n10,nut,"),
            "{}",
            file.body
        );
        let file = browser.get(&format!(
            "{}export/?id=1&_fields=id,amount&_format=ndjson",
            list(engine)
        ));
        assert_eq!(file.body, "{\"id\":1,\"amount\":9007199254740993}\n");
        assert_eq!(
            browser
                .get(&format!("{}export/?nothing=1", list(engine)))
                .status,
            400
        );
    }
}

#[test]
fn a_file_of_many_pages_has_each_record_once() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let connection = rusqlite::Connection::open(setup.folder.path().join("s.db")).unwrap();
    let many = "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 20099) \
                INSERT INTO parts (id, name, note) SELECT i, 'x', CASE i % 1000 WHEN 0 THEN hex(zeroblob(200000)) END FROM n";
    connection.execute_batch(many).unwrap();
    let file = browser.get(&format!(
        "{}export/?name=x&_order_by=-name&_fields=id&_format=csv",
        list("s")
    ));
    let mut ids: Vec<u32> = file
        .body
        .lines()
        .skip(1)
        .map(|line| line.parse().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (100..=20_099).collect::<Vec<_>>());
    let file = browser.get(&format!(
        "{}export/?name=x&_fields=id,note&_format=csv",
        list("s")
    ));
    assert_eq!(file.body.lines().count(), 20_001);
    assert_eq!(file.body.len() / 400_000, 20);
}

#[test]
fn a_preview_says_how_many_refer_to_all_records_or_that_only_some_were_looked_at() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let delete =
            format!("/console/projects/main/prod/records/{engine}/makers/delete/?_which=all");
        // Both are looked at, and a record refers to each.
        let page = browser.page(&delete);
        assert!(page.contains("(2 records)"), "{page}");
        assert!(!page.contains("not looked at"), "{page}");
        for id in 10..18 {
            let record = json!({"id": id, "name": "new"});
            let call = setup.service.data("POST", engine, "/models/makers");
            call.json(&record).expect(201);
        }
        let page = browser.page(&delete);
        assert!(page.contains("the others were not looked at"), "{page}");
        // Nothing refers to these, so nothing is said of what would become of it.
        let page = browser.page(&format!("{delete}&id__in=10,11"));
        assert!(!page.contains("Records of other tables"), "{page}");
    }
}
