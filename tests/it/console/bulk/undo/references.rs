//! Deleted records that refer to each other.

use serde_json::json;
use svc_tests::{Answer, browser::Browser};

use super::{
    super::super::{HOME, Setup, signed_in},
    delete, newest_line, undo_of,
};

/// Takes back what the page says was done, and goes on as often as that took too long. Records that were refused before those that
/// they refer to were reached have another try then, from the beginning.
fn submit_to_the_end(browser: &Browser, page: &str) -> Answer {
    const TRIES: usize = 5;
    let mut told = browser.submit(&undo_of(page), page, &[]);
    for _ in 0..TRIES {
        if !told.body.contains(">Go on<") {
            break;
        }
        while told.body.contains(">Go on<") {
            told = browser.submit(&undo_of(&told.body), &told.body, &[]);
        }
        told = browser.submit(&undo_of(page), page, &[]);
    }
    told
}

#[test]
fn records_that_refer_to_each_other_are_made_again_whatever_their_order() {
    let tree = |last: &str| {
        format!(
            "CREATE TABLE tree (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES tree (id)); {last};"
        )
    };
    let sqlite = tree(
        "INSERT INTO tree SELECT value, CASE WHEN value < 130 THEN value + 1 END FROM (
         WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 130)
         SELECT value FROM n ORDER BY value DESC)",
    );
    let postgres = tree(
        "INSERT INTO tree SELECT n, CASE WHEN n < 130 THEN n + 1 END FROM generate_series(1, 130) AS n",
    );
    let setup = Setup::over(&sqlite, &postgres, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    let browser = signed_in(&setup.service);
    for engine in ["s", "p"] {
        let place = format!("{HOME}records/{engine}/tree/");
        let listed = delete(&browser, &place, "_which=all", "tree");
        assert!(listed.contains("130 records were deleted"), "{listed}");
        let back = submit_to_the_end(&browser, &listed);
        assert_eq!(back.status, 303, "{}", back.body);
        let back = browser.page(back.header("location"));
        assert!(
            back.contains("130 records are again as they were"),
            "{back}"
        );
        let one = setup.service.data("GET", engine, "/models/tree/1").ok();
        assert_eq!(one, json!({"id": 1, "parent_id": 2}), "{engine}");

        // One that another cannot be without stays away with it, and both are named.
        let listed = delete(&browser, &place, "_which=all", "tree");
        let other = setup.service.data("POST", engine, "/models/tree");
        other
            .json(&json!({"id": 130, "parent_id": 130}))
            .expect(201);
        let told = submit_to_the_end(&browser, &listed);
        assert_eq!(told.status, 409, "{}", told.body);
        assert!(
            told.body.contains("129 records are again as they were")
                && told.body.contains("One record is not as it was")
                && told.body.contains("record/130/history/"),
            "{engine}: {}",
            told.body
        );
    }
}

#[test]
fn what_takes_too_long_goes_on_behind_what_was_reached() {
    // The first record that is made again takes longer than one call may, once.
    let slow = "CREATE TABLE tree (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES tree (id));
        INSERT INTO tree SELECT n, CASE WHEN n < 60 THEN n + 1 END FROM generate_series(1, 60) AS n;
        CREATE SEQUENCE calls;
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('calls') = 1 THEN PERFORM pg_sleep(10.5); END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER wait BEFORE INSERT ON tree FOR EACH ROW EXECUTE FUNCTION wait()";
    let other = "CREATE TABLE t (id BIGINT PRIMARY KEY)";
    let setup = Setup::over(other, slow, other);
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}records/p/tree/");
    let listed = delete(&browser, &place, "_which=all", "tree");
    let (uid, _) = newest_line(&setup, &browser, "p", "records.delete_all");

    // None of the first page can be made without those of the next one, which was not reached.
    let told = browser.submit(&undo_of(&listed), &listed, &[]);
    assert_eq!(told.status, 409, "{}", told.body);
    assert!(
        told.body.contains("Not all records were reached yet")
            && told.body.contains("50 records are not as they were"),
        "{}",
        told.body
    );
    let told = browser.submit(&undo_of(&told.body), &told.body, &[]);
    assert_eq!(told.status, 409, "{}", told.body);
    assert!(
        told.body.contains("10 records are again as they were")
            && told
                .body
                .contains("50 records that were reached before are not as they were"),
        "{}",
        told.body
    );

    // Another time, what they refer to is there.
    let asked = browser.page(&format!("{place}undo/?_line={uid}"));
    let back = submit_to_the_end(&browser, &asked);
    assert_eq!(back.status, 303, "{}", back.body);
    let back = browser.page(back.header("location"));
    assert!(back.contains("60 records are again as they were"), "{back}");
}
