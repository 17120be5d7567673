//! Taking back a change of many records.

mod references;

use serde_json::{Value, json};
use svc_tests::browser::{Browser, forms_of, link_of};

use super::super::{ENGINES, HOME, Setup, list, signed_in};

/// The address of the form that takes a change of many records back.
fn find_undo(page: &str) -> Option<String> {
    let mut forms = forms_of(page).into_iter();
    let form = forms.find(|form| form.action.contains("/undo/?"));
    form.map(|form| form.action)
}

#[track_caller]
fn undo_of(page: &str) -> String {
    find_undo(page).unwrap_or_else(|| panic!("what was done can be taken back: {page}"))
}

/// Changes the records that the query names; returns the page that says so.
fn change(browser: &Browser, place: &str, query: &str, values: &[(&str, &str)]) -> String {
    let place = format!("{place}change/?{query}");
    let page = browser.page(&place);
    let values = [values, &[("action", "preview")]].concat();
    let preview = browser.submit(&place, &page, &values);
    assert_eq!(preview.status, 200, "{}", preview.body);
    browser.page(&browser.submit_ok(&place, &preview.body, &[("action", "run")]))
}

/// Deletes them.
fn delete(browser: &Browser, place: &str, query: &str, model: &str) -> String {
    let place = format!("{place}delete/?{query}");
    let page = browser.page(&place);
    browser.page(&browser.submit_ok(&place, &page, &[("confirm", model)]))
}

/// The page of the newest line of the audit trail about an action on a resource.
fn newest_line(setup: &Setup, browser: &Browser, engine: &str, action: &str) -> (String, String) {
    let query = format!("/projects/main/audit/?resource={engine}&action={action}&_per_page=1");
    let lines = setup.service.app("GET", &query).ok();
    let uid = lines["results"][0]["uid"].as_str().expect("a line");
    let page = browser.page(&format!("{HOME}audit/{uid}/"));
    (uid.to_owned(), page)
}

#[test]
fn a_change_of_many_records_is_taken_back_but_for_those_that_were_changed_since() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let data = |method: &str, path: &str| setup.service.data(method, engine, path);
        // The first and the last have the new values already.
        for id in [19, 25] {
            let record = json!({"id": id, "name": "gear", "amount": 7, "price": "2.5"});
            data("POST", "/models/parts").json(&record).expect(201);
        }
        for id in 20..25 {
            let record = json!({"id": id, "name": "gear", "amount": id});
            data("POST", "/models/parts").json(&record).expect(201);
        }
        let get = |id: u32| data("GET", &format!("/models/parts/{id}")).ok();
        let before: Vec<_> = (19..26).map(get).collect();

        let values = [("value:amount", "7"), ("value:price", "2.5")];
        let listed = change(&browser, &list(engine), "name=gear&_which=all", &values);
        assert_eq!(get(22)["amount"], json!(7));
        let undo = undo_of(&listed);
        assert!(undo.contains("name=gear"), "{undo}");

        // The line of the audit trail leads to what it would do, with who did it.
        let (uid, line) = newest_line(&setup, &browser, engine, "records.update_all");
        let from_line = link_of(&line, "Undo");
        assert!(
            from_line.ends_with(&format!("undo/?_line={uid}")),
            "{from_line}"
        );
        assert!(undo.contains(&format!("_line={uid}")), "{undo}");
        let asked = browser.page(&from_line);
        for part in [
            "5 records can be put back",
            "2 records had the new values before",
            "2.5000",
            ">20<",
            "ann@example.com",
        ] {
            assert!(asked.contains(part), "{part}: {asked}");
        }

        // Two were changed meanwhile, one back to what it was, and one is gone.
        let changes = json!({"amount": 8, "note": "mine"});
        data("PATCH", "/models/parts/21").json(&changes).expect(200);
        let back = json!({"amount": 22, "price": null});
        data("PATCH", "/models/parts/22").json(&back).expect(200);
        data("DELETE", "/models/parts/23").expect(204);
        // A second time, nothing is left to do to the others.
        for _ in 0..2 {
            let told = browser.submit(&undo, &listed, &[]);
            assert_eq!(told.status, 409, "{}", told.body);
            for part in [
                "5 records are again as they were",
                "2 records were changed or deleted since",
                "record/21/history/",
                "record/23/history/",
            ] {
                assert!(told.body.contains(part), "{engine} {part}: {}", told.body);
            }
            for id in [19, 20, 22, 24, 25] {
                assert_eq!(get(id), before[id as usize - 19], "{engine} {id}");
            }
            assert_eq!(get(21)["amount"], json!(8));
        }

        // One record is found as several are.
        let listed = change(
            &browser,
            &list(engine),
            "_which=only&_row=20",
            &[("value:amount", "1")],
        );
        assert_eq!(get(20)["amount"], json!(1));
        let (_, line) = newest_line(&setup, &browser, engine, "records.update_all");
        assert!(
            line.contains(">20<") && link_of(&line, "Undo").contains("_line="),
            "{line}"
        );
        browser.submit_ok(&undo_of(&listed), &listed, &[]);
        assert_eq!(get(20), before[1], "{engine}");

        // Where every record had the new values, there is nothing to take back.
        let listed = change(
            &browser,
            &list(engine),
            "_which=only&_row=20",
            &[("value:amount", "20")],
        );
        assert_eq!(find_undo(&listed), None);
        // A line that nobody wrote, and what names no line.
        let undo = |query: &str| browser.get(&format!("{}undo/{query}", list(engine)));
        let nothing = undo("?_line=0190163d-8694-739b-aea5-966c26f8ad90");
        assert!(
            nothing.body.contains("cannot be undone"),
            "{}",
            nothing.body
        );
        assert_eq!(undo("?_line=mine").status, 400);
        assert_eq!(undo("").status, 404);
    }
}

#[test]
fn deleted_records_are_made_again_with_their_keys_and_once() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let data = |method: &str, path: &str| setup.service.data(method, engine, path);
        for id in 20..25 {
            let record = json!({"id": id, "name": "gear", "note": format!("n{id}")});
            data("POST", "/models/parts").json(&record).expect(201);
        }
        let get = |id: u32| data("GET", &format!("/models/parts/{id}")).ok();
        let before: Vec<_> = (20..25).map(get).collect();
        let listed = delete(&browser, &list(engine), "name=gear&_which=all", "parts");
        data("GET", "/models/parts/20").expect(404);
        let undo = undo_of(&listed);

        // A second time they are found as they were, and not made again.
        for _ in 0..2 {
            let again = browser.submit_ok(&undo, &listed, &[]);
            let shown = browser.page(&again);
            assert!(
                shown.contains("5 records are again as they were"),
                "{shown}"
            );
            for id in 20..25 {
                assert_eq!(get(id), before[id as usize - 20], "{engine} {id}");
            }
            let all = data("GET", "/models/parts?name=gear").ok();
            assert_eq!(all["count"], json!(5), "{engine}");
        }

        // One that was changed since stays as it is, and the page says why.
        let changed = data("PATCH", "/models/parts/21").json(&json!({"note": "mine"}));
        changed.expect(200);
        let told = browser.submit(&undo, &listed, &[]);
        assert_eq!(told.status, 409, "{}", told.body);
        for part in [
            "4 records are again as they were",
            "One record is not as it was",
        ] {
            assert!(told.body.contains(part), "{engine} {part}: {}", told.body);
        }
        assert_eq!(get(21)["note"], json!("mine"), "{engine}");
    }
}

#[test]
fn a_change_is_not_called_taken_back_where_the_database_makes_something_else_of_it() {
    let others = "CREATE TABLE t (id BIGINT PRIMARY KEY)";
    let postgres = "CREATE TABLE given (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT);
        INSERT INTO given (name) VALUES ('a'), ('b'), ('c');
        CREATE TABLE loud (id BIGINT PRIMARY KEY, name TEXT);
        INSERT INTO loud VALUES (1, 'a'), (2, 'b'), (3, 'e');
        CREATE FUNCTION upper_name() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$;
        CREATE TRIGGER upper_name BEFORE INSERT OR UPDATE ON loud FOR EACH ROW EXECUTE FUNCTION upper_name();
        CREATE TABLE stamped (id BIGINT PRIMARY KEY, name TEXT, number BIGINT);
        INSERT INTO stamped VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0);
        CREATE SEQUENCE numbers;
        CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.number := nextval('numbers'); RETURN NEW; END $$;
        CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON stamped FOR EACH ROW EXECUTE FUNCTION stamp();";
    let setup = Setup::over(others, postgres, others);
    let browser = signed_in(&setup.service);
    let place = |model: &str| format!("{HOME}records/p/{model}/");
    let count = |model: &str| {
        setup
            .service
            .data("GET", "p", &format!("/models/{model}"))
            .ok()["count"]
            .clone()
    };

    // Records that would get other keys are not made again.
    let listed = delete(
        &browser,
        &place("given"),
        "_which=only&_row=1&_row=2",
        "given",
    );
    assert!(listed.contains("2 records were deleted"), "{listed}");
    assert_eq!(find_undo(&listed), None, "{listed}");
    let (_, line) = newest_line(&setup, &browser, "p", "records.delete_all");
    let asked = browser.page(&link_of(&line, "Undo"));
    assert!(asked.contains("cannot be undone"), "{asked}");
    assert_eq!(find_undo(&asked), None);
    let history = browser.page(&format!("{}record/1/history/", place("given")));
    assert!(
        history.contains("the database would give the record another key"),
        "{history}"
    );
    // Nor where the form is sent all the same.
    let told = browser.post(&link_of(&line, "Undo"), &[]);
    assert_eq!(told.status, 409, "{}", told.body);
    assert!(
        told.body.contains("2 records are not as they were")
            && told
                .body
                .contains("the database would give the record another key"),
        "{}",
        told.body
    );
    assert_eq!(count("given"), json!(1));

    // A trigger has the last word.
    let listed = change(
        &browser,
        &place("loud"),
        "_which=only&_row=1&_row=2",
        &[("value:name", "c")],
    );
    let told = browser.submit(&undo_of(&listed), &listed, &[]);
    assert_eq!(told.status, 409, "{}", told.body);
    for part in [
        "2 records are not as they were",
        "made something else of the old values",
    ] {
        assert!(told.body.contains(part), "{part}: {}", told.body);
    }
    let names: Vec<Value> = ["1", "2"]
        .map(|id| {
            setup
                .service
                .data("GET", "p", &format!("/models/loud/{id}"))
                .ok()["name"]
                .clone()
        })
        .into();
    assert_eq!(names, [json!("A"), json!("B")]);
    let one = format!("{}record/3/", place("loud"));
    let page = browser.page(&one);
    let saved = browser.page(&browser.submit_ok(&one, &page, &[("value:name", "d")]));
    let history = format!("{one}history/");
    let again = browser.page(&browser.submit_ok(&history, &saved, &[]));
    assert!(
        again.contains("The database made something else of the old values"),
        "{again}"
    );

    // What it writes itself is named beside what is back.
    let name = |id: u32| {
        let path = format!("/models/stamped/{id}");
        setup.service.data("GET", "p", &path).ok()["name"].clone()
    };
    let changed = [("value:name", "x")];
    let listed = change(&browser, &place("stamped"), "_which=all", &changed);
    let back = browser.page(&browser.submit_ok(&undo_of(&listed), &listed, &[]));
    let said = "3 records have their old values again, but the database itself gave values to these fields: number";
    assert!(back.contains(said), "{back}");
    assert_eq!((name(1), name(3)), (json!("a"), json!("c")));
    let listed = delete(&browser, &place("stamped"), "_which=all", "stamped");
    let back = browser.page(&browser.submit_ok(&undo_of(&listed), &listed, &[]));
    assert!(back.contains(said), "{back}");
    assert_eq!((name(1), name(3)), (json!("a"), json!("c")));
    let one = format!("{}record/1/", place("stamped"));
    let page = browser.page(&one);
    let saved = browser.page(&browser.submit_ok(&one, &page, &changed));
    let history = format!("{one}history/");
    let back = browser.page(&browser.submit_ok(&history, &saved, &[]));
    assert!(
        back.contains("One record has its old values again, but")
            && back.contains("fields: number"),
        "{back}"
    );
    assert_eq!(name(1), json!("a"));
    // Nobody can have a page name what is no field.
    let page = browser.page(&format!("{}?_undone=1&_except=mine", place("stamped")));
    assert!(page.contains("One record is again as it was") && !page.contains("mine"));
}

#[test]
fn a_record_that_one_call_changed_twice_is_back_as_it_was_before_the_first_time() {
    let script = "CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, note TEXT);
        INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x');";
    let setup = Setup::over(script, script, script);
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let twice = json!([
            {"id": 1, "name": "one"}, {"id": 2, "name": "two"},
            {"id": 1, "name": "three", "note": "y"}, {"id": 2, "note": "z"}, {"id": 2, "note": "x"},
        ]);
        let call = setup
            .service
            .data("POST", engine, "/models/t/bulk_create?_on_conflict=id");
        call.json(&twice).expect(200);
        let (_, line) = newest_line(&setup, &browser, engine, "records.update_all");
        let path = link_of(&line, "Undo");
        let asked = browser.page(&path);
        assert!(asked.contains("2 records can be put back"), "{asked}");
        let back = browser.page(&browser.submit_ok(&undo_of(&asked), &asked, &[]));
        assert!(back.contains("2 records are again as they were"), "{back}");
        let all = setup
            .service
            .data("GET", engine, "/models/t?_order_by=id")
            .ok();
        assert_eq!(
            all["results"],
            json!([{"id": 1, "name": "a", "note": "x"}, {"id": 2, "name": "b", "note": "x"}]),
            "{engine}"
        );
    }
}

#[test]
fn what_cannot_be_put_back_says_why() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let data = |method: &str, path: &str| setup.service.data(method, engine, path);
        let long = "x".repeat(5_000);
        for (id, note) in [(20, long.as_str()), (21, "short")] {
            let record = json!({"id": id, "name": "gear", "note": note});
            data("POST", "/models/parts").json(&record).expect(201);
        }
        let listed = change(
            &browser,
            &list(engine),
            "name=gear&_which=all",
            &[("value:note", "new")],
        );
        let (uid, line) = newest_line(&setup, &browser, engine, "records.update_all");
        let asked = browser.page(&link_of(&line, "Undo"));
        assert!(
            asked.contains("One record can be put back")
                && asked.contains("One record cannot be put back: Too long to be undone"),
            "{asked}"
        );
        let told = browser.submit(&undo_of(&listed), &listed, &[]);
        assert_eq!(told.status, 409, "{}", told.body);
        assert!(
            told.body.contains("One record is again as it was")
                && told.body.contains("Too long to be undone"),
            "{}",
            told.body
        );
        let get = |id: u32| data("GET", &format!("/models/parts/{id}")).ok()["note"].clone();
        assert_eq!((get(20), get(21)), (json!("new"), json!("short")));

        // Another table's place has nothing of the line.
        let other = format!("{HOME}records/{engine}/makers/undo/?_line={uid}");
        let other = browser.page(&other);
        assert!(
            other.contains("cannot be undone") && find_undo(&other).is_none(),
            "{other}"
        );
    }
}

#[test]
fn a_database_that_is_locked_ends_it_until_somebody_goes_on() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let connection = rusqlite::Connection::open(setup.folder.path().join("s.db")).unwrap();
    let many = "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 219) \
                INSERT INTO parts (id, name, amount) SELECT i, 'x', i FROM n";
    connection.execute_batch(many).unwrap();
    let changed = [("value:amount", "7")];
    let listed = change(&browser, &list("s"), "name=x&_which=all", &changed);
    let undo = undo_of(&listed);
    let locked = |listed: &str, undo: &str| {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let told = browser.submit(undo, listed, &[]);
        connection.execute_batch("COMMIT").unwrap();
        assert_eq!(told.status, 409, "{}", told.body);
        assert!(
            told.body.contains("Not all records were reached yet"),
            "{}",
            told.body
        );
        told.body
    };
    let told = locked(&listed, &undo);
    // One was changed since.
    connection
        .execute_batch("UPDATE parts SET amount = 8 WHERE id = 100")
        .unwrap();
    let told = browser.submit(&undo_of(&told), &told, &[]);
    assert_eq!(told.status, 409, "{}", told.body);
    for part in [
        "119 records are again as they were",
        "One record was changed or deleted since",
        "record/100/history/",
    ] {
        assert!(told.body.contains(part), "{part}: {}", told.body);
    }

    let listed = delete(&browser, &list("s"), "name=x&_which=all", "parts");
    let told = locked(&listed, &undo_of(&listed));
    let back = browser.page(&browser.submit_ok(&undo_of(&told), &told, &[]));
    assert!(
        back.contains("120 records are again as they were"),
        "{back}"
    );
    let count = "SELECT count(*) FROM parts WHERE name = 'x' AND (amount = id OR id = 100)";
    let count: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 120);
}

#[test]
fn what_was_not_reached_goes_on_where_it_was_ended() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let connection = rusqlite::Connection::open(setup.folder.path().join("s.db")).unwrap();
    let many = "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 249) \
                INSERT INTO parts (id, name, amount) SELECT i, 'x', i FROM n";
    connection.execute_batch(many).unwrap();
    let listed = change(
        &browser,
        &list("s"),
        "name=x&_which=all",
        &[("value:amount", "7")],
    );
    let undo = undo_of(&listed);
    let (uid, _) = newest_line(&setup, &browser, "s", "records.update_all");
    let page =
        format!("/projects/main/prod/resources/s/models/parts/history/?line={uid}&_per_page=100");
    let first = setup.service.app("GET", &page).ok();
    let next = first["next"].as_str().expect("a next page");
    let (_, after) = next.split_once("_after=").expect("a cursor");
    let after = after
        .split('&')
        .next()
        .expect("a cursor")
        .replace("%7E", "~");

    let account = forms_of(&listed)
        .into_iter()
        .find(|form| form.action == undo);
    let mut fields = account.expect("a form").fields;
    fields.push(("after".to_owned(), after));
    fields.push(("back".to_owned(), "99".to_owned()));
    fields.push(("left".to_owned(), "1".to_owned()));
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let told = browser.post(&undo, &fields);
    assert_eq!(told.status, 409, "{}", told.body);
    assert!(
        told.body.contains("149 records are again as they were")
            && told
                .body
                .contains("One record that was reached before is not as it was"),
        "{}",
        told.body
    );
    let mut rest: Vec<String> = first["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["record"].as_str().unwrap().to_owned())
        .collect();
    rest.sort_unstable();
    let mut statement = connection
        .prepare("SELECT id FROM parts WHERE name = 'x' AND amount = 7")
        .unwrap();
    let left = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    let mut left: Vec<String> = left.map(|id| id.unwrap().to_string()).collect();
    left.sort_unstable();
    assert_eq!(left, rest);
}
