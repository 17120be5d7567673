//! Changes that do not go through at once, or cannot: what was typed stays, and the reason is said.

use std::fs;

use serde_json::json;
use svc_tests::{
    Answer,
    browser::{Browser, faults_of, form_of, forms_of},
};

use super::{EMAIL, ENGINES, PASSWORD, Setup, list, record, signed_in};

/// Sends a form as the module that changes a cell in its place does.
fn send_part(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Answer {
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    browser
        .call("POST", path)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .header("svc-fragment", "cell")
        .body(pairs.collect::<Vec<_>>().join("&"))
        .send()
}

/// The form of a cell with another value in it.
fn send_cell(browser: &Browser, path: &str, form: &str, value: &str) -> Answer {
    let mut fields = form_of(form, path).fields;
    for (name, known) in &mut fields {
        if name.starts_with("value:") {
            value.clone_into(known);
        }
    }
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    send_part(browser, path, &fields)
}

#[test]
fn what_was_typed_stays_in_the_form_while_the_database_is_away_and_is_sent_by_one_button() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let (path, new) = (record("s", 1), format!("{}new/", list("s")));
    let (page, new_page) = (browser.page(&path), browser.page(&new));
    let cell = browser.fragment(&format!("{path}?_field=note"), "cell");
    let (file, elsewhere) = (
        setup.folder.path().join("s.db"),
        setup.folder.path().join("t.db"),
    );
    fs::rename(&file, &elsewhere).unwrap();

    let away = browser.submit(&path, &page, &[("value:name", "typed <b>")]);
    assert_eq!(away.status, 503, "{}", away.body);
    assert_eq!(faults_of(&away.body), Vec::<String>::new());
    assert!(away.body.contains("role=\"alert\""), "{}", away.body);
    assert!(
        away.body
            .contains("name=\"value:name\" value=\"typed &lt;b&gt;\""),
        "{}",
        away.body
    );
    // Again, with what came back.
    let away = browser.submit(&path, &away.body, &[]);
    assert_eq!(away.status, 503, "{}", away.body);
    let away_new = browser.submit(
        &new,
        &new_page,
        &[("value:name", "made"), ("state:name", "text")],
    );
    assert_eq!(away_new.status, 503, "{}", away_new.body);
    assert!(
        away_new.body.contains("value=\"made\""),
        "{}",
        away_new.body
    );
    let away_cell = send_cell(&browser, &path, &cell, "in a cell");
    assert_eq!(away_cell.status, 503, "{}", away_cell.body);
    assert!(
        away_cell.body.contains("role=\"alert\"") && away_cell.body.contains("in a cell"),
        "{}",
        away_cell.body
    );

    fs::rename(&elsewhere, &file).unwrap();
    let saved = browser.submit(&path, &away.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let made = browser.submit(&new, &away_new.body, &[]);
    assert_eq!(made.status, 303, "{}", made.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(
        (&kept["name"], &kept["note"]),
        (&json!("typed <b>"), &json!("a  \nb"))
    );
}

#[test]
fn a_cell_is_saved_after_signing_in_beside_it() {
    let setup = Setup::new();
    let mut browser = signed_in(&setup.service);
    let path = record("s", 1);
    let cell = browser.fragment(&format!("{path}?_field=name"), "cell");
    browser.cookie.clear();
    let ended = send_cell(&browser, &path, &cell, "kept");
    assert_eq!(ended.status, 401, "{}", ended.body);
    let form = form_of(&ended.body, "/console/sign-in/");
    assert!(
        form.fields.iter().any(|(name, _)| name == "password"),
        "{}",
        ended.body
    );
    let wrong = send_part(
        &browser,
        &form.action,
        &[("email", EMAIL), ("password", "wrong")],
    );
    assert_eq!(wrong.status, 401, "{}", wrong.body);
    assert!(
        forms_of(&wrong.body).len() == 1 && wrong.body.contains(EMAIL),
        "{}",
        wrong.body
    );
    let right = send_part(
        &browser,
        &form.action,
        &[("email", EMAIL), ("password", PASSWORD)],
    );
    assert_eq!(right.status, 200, "{}", right.body);
    assert_eq!(right.body, "");
    browser.keep(&right);
    let saved = send_cell(&browser, &path, &cell, "kept");
    assert_eq!(saved.status, 200, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(kept["name"], json!("kept"));
}

#[test]
fn of_two_changes_of_one_field_all_three_values_are_shown_and_either_is_taken() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let path = record(engine, 1);
        let page = browser.page(&path);
        let cell = browser.fragment(&format!("{path}?_field=name"), "cell");
        let change = json!({"name": "hers"});
        setup
            .service
            .data("PATCH", engine, "/models/parts/1")
            .json(&change)
            .ok();
        let changed = [("value:name", "his"), ("value:amount", "8")];
        let met = browser.submit(&path, &page, &changed);
        let met_cell = send_cell(&browser, &path, &cell, "his");
        for met in [&met, &met_cell] {
            assert_eq!(met.status, 412, "{}", met.body);
            let (_, conflict) = met
                .body
                .split_once("class=\"conflict\"")
                .expect("there is a conflict");
            for value in ["<bdi>bolt</bdi>", "<bdi>hers</bdi>", "<bdi>his</bdi>"] {
                assert!(conflict.contains(value), "{value}: {conflict}");
            }
        }
        // Theirs is taken, and the other field is still written.
        let saved = browser.submit(&path, &met.body, &[("take:name", "theirs")]);
        assert_eq!(saved.status, 303, "{}", saved.body);
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(
            (&kept["name"], &kept["amount"]),
            (&json!("hers"), &json!(8))
        );
    }
}

#[test]
fn what_was_saved_in_a_cell_or_deleted_is_taken_back_by_the_button_beside_the_notice() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let path = record(engine, 1);
        let history = format!("{path}history/");
        let cell = browser.fragment(&format!("{path}?_field=price"), "cell");
        let saved = send_cell(&browser, &path, &cell, "7.5");
        assert_eq!(saved.status, 200, "{}", saved.body);
        let undo = form_of(&saved.body, &history).fields;
        let undo: Vec<(&str, &str)> = undo
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let undone = browser.post(&history, &undo);
        assert_eq!(undone.header("location"), format!("{path}?saved=undone"));
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(kept["price"], json!("12345678901234.5000"));
        // It was changed meanwhile: both values are shown, and nothing is written.
        let change = |price: &str| {
            let call = setup.service.data("PATCH", engine, "/models/parts/1");
            call.json(&json!({"price": price})).expect(200);
        };
        change("8");
        assert_eq!(browser.post(&history, &undo).status, 412);
        change("12345678901234.5000");
        // What was not changed leaves nothing to take back.
        let cell = browser.fragment(&format!("{path}?_field=price"), "cell");
        let same = send_cell(&browser, &path, &cell, "12345678901234.5000");
        assert!(forms_of(&same.body).is_empty(), "{}", same.body);

        let path = record(engine, 2);
        let delete = format!("{path}delete/");
        let page = browser.page(&delete);
        let gone = browser.submit_ok(&delete, &page, &[("confirm", "parts")]);
        let notice = browser.page(&gone);
        let back = browser.submit_ok(&format!("{path}history/"), &notice, &[]);
        assert_eq!(back, format!("{path}?saved=undone"));
        let kept = setup.service.data("GET", engine, "/models/parts/2").ok();
        assert_eq!((&kept["name"], &kept["note"]), (&json!(""), &json!(null)));
    }
}

#[test]
fn lines_of_a_text_end_as_they_did_also_where_it_is_changed() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let path = record(engine, 1);
        let data = |method: &str| setup.service.data(method, engine, "/models/parts/1");
        for end in ["\n", "\r\n", "\r"] {
            let note = format!("a{end}b{end}");
            data("PATCH")
                .json(&json!({ "note": note, "name": "bolt" }))
                .expect(200);
            let page = browser.page(&path);
            // Another field alone leaves it as it is.
            browser.submit_ok(&path, &page, &[("value:name", "nut")]);
            assert_eq!(data("GET").ok()["note"], json!(note), "{engine}");
            let page = browser.page(&path);
            let longer = format!("{note}c");
            browser.submit_ok(&path, &page, &[("value:note", &longer)]);
            assert_eq!(data("GET").ok()["note"], json!(longer), "{engine}");

            // Who else has changed another field is in nobody's way.
            let page = browser.page(&path);
            data("PATCH").json(&json!({ "name": "cog" })).expect(200);
            let met = browser.submit(&path, &page, &[("value:note", &note)]);
            assert_eq!(met.status, 412, "{}", met.body);
            assert!(
                !met.body.contains("class=\"conflict\""),
                "{engine}: {}",
                met.body
            );
        }
    }
}

#[test]
fn what_cannot_be_changed_says_why_and_what_binary_data_is_required_can_be_entered() {
    let script = |serial: &str, blob: &str| {
        format!(
            "CREATE TABLE sums (id {serial} PRIMARY KEY, a INT NOT NULL, twice INT GENERATED ALWAYS AS (a * 2) STORED);\
             INSERT INTO sums (id, a) VALUES (1, 4);\
             CREATE VIEW seen AS SELECT max(id) AS id FROM sums;\
             CREATE TABLE notes (message VARCHAR(80), more VARCHAR(80));\
             INSERT INTO notes VALUES ('twin', 'a'), ('twin', 'b'), ('lone', 'c'), ('', 'd');\
             CREATE TABLE blobs (id {serial} PRIMARY KEY, raw {blob} NOT NULL, more {blob});"
        )
    };
    let setup = Setup::over(
        &script("INTEGER", "BLOB"),
        &script("BIGINT", "BYTEA"),
        &script("BIGINT", "BLOB"),
    );
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let place = |rest: &str| format!("/console/projects/main/prod/records/{engine}/{rest}");
        let cell =
            |path: &str, field: &str| browser.fragment(&format!("{path}?_field={field}"), "cell");
        let computed = "The database sets this value, so it cannot be changed.";
        let sums = place("sums/record/1/");
        assert_eq!(browser.page(&sums).matches(computed).count(), 1);
        let open = cell(&sums, "twice");
        assert!(
            open.contains(computed) && !open.contains("class=\"primary\""),
            "{open}"
        );
        let view = place("seen/record/1/");
        for shown in [browser.page(&view), cell(&view, "id")] {
            assert!(shown.contains("This is a view"), "{shown}");
        }
        // Without a key, what cannot be told apart cannot be changed, and what can be found has no way to it.
        let (twin, lone) = (
            browser.page(&place("notes/record/twin/")),
            browser.page(&place("notes/record/lone/")),
        );
        for shown in [&browser.page(&place("notes/")), &twin, &lone] {
            assert!(shown.contains("has no primary key"), "{shown}");
        }
        let has =
            |page: &str, what: &str| page.contains(&format!("{}{what}", place("notes/record/")));
        assert!(
            !has(&twin, "twin/delete/") && has(&lone, "lone/delete/"),
            "{twin}"
        );
        assert!(
            !twin.contains("value:more") && lone.contains("value:more"),
            "{twin}"
        );
        assert!(
            !has(&browser.page(&place("notes/")), "/"),
            "the empty text is no address"
        );

        let new = place("blobs/new/");
        let page = browser.page(&new);
        let wrong = browser.submit(
            &new,
            &page,
            &[
                ("value:id", "1"),
                ("state:id", "text"),
                ("value:raw", "xyz"),
            ],
        );
        assert_eq!(wrong.status, 400, "{}", wrong.body);
        assert!(
            wrong.body.contains("field-error") && wrong.body.contains("xyz"),
            "{}",
            wrong.body
        );
        let made = browser.submit(&new, &wrong.body, &[("value:raw", "00ff")]);
        assert_eq!(made.status, 303, "{}", made.body);
        let kept = setup.service.data("GET", engine, "/models/blobs/1").ok();
        assert_eq!(
            (&kept["raw"], &kept["more"]),
            (&json!("00ff"), &json!(null))
        );
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn what_was_typed_stays_in_the_form_where_the_record_was_deleted_meanwhile() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let path = record(engine, 2);
        let page = browser.page(&path);
        let delete = setup.service.data("DELETE", engine, "/models/parts/2");
        delete.expect(204);
        let gone = browser.submit(&path, &page, &[("value:name", "typed")]);
        assert_eq!(gone.status, 404, "{}", gone.body);
        assert_eq!(faults_of(&gone.body), Vec::<String>::new());
        assert!(
            gone.body.contains("value=\"typed\"") && gone.body.contains("not there any more"),
            "{}",
            gone.body
        );
    }
}
