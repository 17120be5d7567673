//! One field of a record: the cell of a table, what it refers to, and long values.

use serde_json::json;

use super::{ENGINES, Setup, list, record, signed_in};

#[test]
fn a_cell_is_changed_by_the_form_of_its_record() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let path = record(engine, 1);
        let part = |field: &str| {
            browser.fragment(
                &format!("{path}?_field={field}&_list=amount__gt%3D5"),
                "cell",
            )
        };
        let form = part("name");
        assert!(
            form.contains("value=\"bolt\"") && form.contains("amount__gt=5&amp;name=bolt"),
            "{form}"
        );
        assert!(!form.contains("value:note"), "{form}");
        assert!(part("note").contains("note__ne="));
        let send = |form: &str, value: &str| {
            let mut form = svc_tests::browser::forms_of(form).remove(0);
            let fields = &mut form.fields;
            for (name, known) in fields.iter_mut() {
                if name.starts_with("value:") {
                    value.clone_into(known);
                }
            }
            let pairs: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
                .collect();
            browser
                .call("POST", &form.action)
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin")
                .header("svc-fragment", "cell")
                .body(pairs.join("&"))
                .send()
        };
        let saved = send(&form, "nut <b>");
        assert_eq!(saved.status, 200, "{}", saved.body);
        assert!(
            saved.body.contains("<td") && saved.body.contains("nut &lt;b&gt;"),
            "{}",
            saved.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(
            (&kept["name"], &kept["note"]),
            (&json!("nut <b>"), &json!("a  \nb"))
        );
        // What is refused stands beside it, with what was typed; what is older than the record shows both.
        let wrong = send(&part("amount"), "many");
        assert_eq!(wrong.status, 400);
        assert!(
            wrong.body.contains("field-error") && wrong.body.contains("value=\"many\""),
            "{}",
            wrong.body
        );
        let met = send(&form, "other");
        assert_eq!(met.status, 412, "{}", met.body);
        assert!(met.body.contains("class=\"conflict\""), "{}", met.body);
        let reference = send(&part("maker_id"), "2");
        assert!(
            reference.body.contains("alert(1)&lt;/script&gt;"),
            "{}",
            reference.body
        );
    }
}

#[test]
fn the_record_that_a_field_refers_to_can_be_made_on_the_way() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        for (path, key) in [
            (record(engine, 2), "7"),
            (format!("{}new/", list(engine)), "8"),
        ] {
            let page = browser.page(&path);
            let typed = [("value:name", "typed <"), ("pick", "maker_id")];
            let picker = browser.submit(&path, &page, &typed);
            let found = browser.submit(&path, &picker.body, &[("q", " No such ")]);
            let asked = browser.submit(&path, &found.body, &[("make", "1")]);
            assert_eq!(asked.status, 200, "{}", asked.body);
            assert_eq!(
                svc_tests::browser::faults_of(&asked.body),
                Vec::<String>::new()
            );
            // It is called what was looked for.
            assert!(asked.body.contains("value=\"No such\""), "{}", asked.body);
            let wrong = browser.submit(&path, &asked.body, &[("value:id", "many")]);
            assert_eq!(wrong.status, 400, "{}", wrong.body);
            let back = browser.submit(&path, &wrong.body, &[("back", "1")]);
            assert!(back.body.contains("typed &lt;"), "{}", back.body);
            let chosen = browser.submit(&path, &wrong.body, &[("value:id", key)]);
            assert_eq!(chosen.status, 200, "{}", chosen.body);
            assert!(chosen.body.contains("typed &lt;"), "{}", chosen.body);
            let id = if path.ends_with("new/") { "9" } else { "2" };
            let saved = browser.submit(&path, &chosen.body, &[("value:id", id)]);
            assert_eq!(saved.status, 303, "{}", saved.body);
            let part = format!("/models/parts/{id}");
            let part = setup.service.data("GET", engine, &part).ok();
            assert_eq!(part["maker_id"].to_string(), key);
            let maker = format!("/models/makers/{key}");
            let maker = setup.service.data("GET", engine, &maker).ok();
            assert_eq!(maker["name"], "No such");
        }
    }
}

#[test]
fn a_reference_is_chosen_by_name_or_key_and_nothing_that_was_typed_is_lost() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        for path in [record(engine, 2), format!("{}new/", list(engine))] {
            let page = browser.page(&path);
            let picker = browser.submit(
                &path,
                &page,
                &[
                    ("value:name", "typed <"),
                    ("value:note", "x\r\ny"),
                    ("pick", "maker_id"),
                ],
            );
            assert_eq!(picker.status, 200, "{}", picker.body);
            assert_eq!(
                svc_tests::browser::faults_of(&picker.body),
                Vec::<String>::new()
            );
            assert!(picker.body.contains("M\u{fc}ller"), "{}", picker.body);
            let found = browser.submit(&path, &picker.body, &[("q", "ller")]);
            assert!(
                found.body.contains("M\u{fc}ller") && !found.body.contains("alert"),
                "{}",
                found.body
            );
            let by_key = browser.submit(&path, &found.body, &[("q", "2")]);
            assert!(by_key.body.contains("alert(1)"), "{}", by_key.body);
            let back = browser.submit(&path, &by_key.body, &[("picked", "[\"2\"]")]);
            assert!(
                back.body.contains("typed &lt;") && back.body.contains("value=\"2\""),
                "{}",
                back.body
            );
            let saved = browser.submit(
                &path,
                &back.body,
                &[("value:id", if path.ends_with("new/") { "9" } else { "2" })],
            );
            assert_eq!(saved.status, 303, "{}", saved.body);
        }
        let kept = setup.service.data("GET", engine, "/models/parts/2").ok();
        assert_eq!(
            (&kept["maker_id"], &kept["name"], &kept["note"]),
            (&json!(2), &json!("typed <"), &json!("x\ny"))
        );
        let listed = browser.fragment(
            &format!("{}suggest/?_field=maker_id&q=alert", list(engine)),
            "suggest",
        );
        assert!(
            listed.contains("data-values=\"[&quot;2&quot;]\""),
            "{listed}"
        );
        assert_eq!(
            browser
                .get(&format!("{}suggest/?_field=name&q=a", list(engine)))
                .status,
            404
        );
    }
}

#[test]
fn long_and_binary_values_are_looked_at_saved_and_replaced_by_themselves() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let path = record("p", 1);
    let long = "\u{e9}\n".repeat(60_000);
    let change = json!({ "note": long });
    setup
        .service
        .data("PATCH", "p", "/models/parts/1")
        .json(&change)
        .ok();
    let page = browser.page(&path);
    assert!(
        page.len() < 60_000 && page.contains("value/note/"),
        "{}",
        page.len()
    );
    // Saving another field leaves it.
    browser.submit_ok(&path, &page, &[("value:name", "nut")]);
    let value = format!("{path}value/note/");
    let shown = browser.page(&value);
    assert!(shown.len() < 120_000, "{}", shown.len());
    let file = browser.get(&format!("{value}file/"));
    assert_eq!(file.body, long);
    assert!(file.header("content-disposition").starts_with("attachment"));
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    let replaced = browser.upload(&value, &shown, &[], b"short\r\n");
    assert_eq!(replaced.status, 303, "{}", replaced.body);
    let kept = setup.service.data("GET", "p", "/models/parts/1").ok();
    assert_eq!(
        (&kept["note"], &kept["name"]),
        (&json!("short\r\n"), &json!("nut"))
    );
    // NULL is another thing than a file without anything, and than none.
    let shown = browser.page(&value);
    let none = browser.submit(&value, &shown, &[]);
    assert!(
        none.status == 400 && none.body.contains("Choose a file."),
        "{}",
        none.body
    );
    let null = format!("{value}?set=null");
    browser.submit_ok(&null, &shown, &[]);
    let kept = setup.service.data("GET", "p", "/models/parts/1").ok();
    assert_eq!(kept["note"], json!(null));
    // The entity tag of the page that was opened before is no longer that of the record.
    let late = browser.upload(&value, &shown, &[], b"late");
    assert_eq!(late.status, 400, "{}", late.body);
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
