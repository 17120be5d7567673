//! The history of records, undo, and the audit trail.

use serde_json::json;
use svc_tests::browser::forms_of;

use super::{HOME, Setup, list, record, signed_in};

/// The change of a history that this text is about: its form is the one that stands behind it.
fn undo_fields(page: &str, number: usize) -> Vec<(String, String)> {
    let forms = forms_of(page);
    let mut forms = forms.into_iter().filter(|form| {
        let mut fields = form.fields.iter();
        fields.any(|(name, _)| name == "time")
    });
    forms.nth(number).expect("there is a change").fields
}

fn as_pairs(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    let pairs = fields.iter();
    pairs.map(|(name, value)| (&**name, &**value)).collect()
}

#[test]
fn who_changed_a_record_is_two_clicks_away_and_the_change_can_be_taken_back() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in super::ENGINES {
        let path = record(engine, 1);
        let page = browser.page(&path);
        let saved = browser.submit_ok(
            &path,
            &page,
            &[("value:price", "7.5"), ("value:name", "nut")],
        );
        assert_eq!(saved, format!("{path}?saved=1"));
        // The notice after saving offers to take it back.
        let page = browser.page(&saved);
        let history = format!("{path}history/");
        assert!(page.contains("with-action"), "{page}");
        assert!(page.contains(&format!("href=\"{history}\"")));
        let shown = browser.page(&history);
        for part in [
            "ann@example.com",
            "bolt",
            "nut",
            "12345678901234.5000",
            "<time",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("took back"), "{shown}");
        let undone = browser.submit_ok(&history, &page, &[]);
        assert_eq!(undone, format!("{path}?saved=undone"));
        // It says which change it took back.
        let back = browser.page(&history);
        assert_eq!(back.matches("took back").count(), 1, "{back}");
        assert!(back.contains("href=\"#change1\""), "{back}");
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(
            (&kept["name"], &kept["price"]),
            (&json!("bolt"), &json!("12345678901234.5000"))
        );
        assert_eq!(kept["amount"].to_string(), "9007199254740993");

        // What was changed again meanwhile is not overwritten: both values are shown.
        let shown = browser.page(&history);
        let oldest = undo_fields(&shown, 1);
        let change = setup.service.data("PATCH", engine, "/models/parts/1");
        change.json(&json!({"name": "washer"})).expect(200);
        let met = browser.post(&history, &as_pairs(&oldest));
        assert_eq!(met.status, 412, "{}", met.body);
        assert!(met.body.contains("class=\"conflict\""), "{}", met.body);
        let name = || setup.service.data("GET", engine, "/models/parts/1").ok()["name"].clone();
        assert_eq!(name(), json!("washer"));
        // What has its old values already has nothing to take back.
        let change = setup.service.data("PATCH", engine, "/models/parts/1");
        change.json(&json!({"name": "bolt"})).expect(200);
        let back = browser.post(&history, &as_pairs(&oldest));
        assert_eq!(back.header("location"), format!("{path}?saved=undone"));
        assert_eq!(name(), json!("bolt"));

        // A deleted record comes back with its key and its values.
        let path = record(engine, 2);
        let delete = format!("{path}delete/");
        let page = browser.page(&delete);
        let deleted = browser.submit_ok(&delete, &page, &[("confirm", "parts")]);
        assert_eq!(deleted, format!("{}?_gone=2", list(engine)));
        let history = format!("{path}history/");
        assert!(browser.page(&deleted).contains(&history));
        assert_eq!(browser.get(&path).header("location"), history);
        let shown = browser.page(&history);
        let back = browser.post(&history, &as_pairs(&undo_fields(&shown, 0)));
        assert_eq!(
            back.header("location"),
            format!("{path}?saved=undone"),
            "{}",
            back.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/2").ok();
        assert_eq!(
            (&kept["name"], &kept["note"], &kept["maker_id"]),
            (&json!(""), &json!(null), &json!(2))
        );
    }
    let nothing = format!("{}record/77/", list("s"));
    assert_eq!(browser.get(&nothing).status, 404);
    assert_eq!(browser.get(&format!("{nothing}history/")).status, 404);
}

#[test]
fn the_trail_is_filtered_by_its_address_and_saved_as_it_is_shown() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for name in ["one", "two <b>", "=three"] {
        let body = json!({"name": name});
        setup
            .service
            .data("PATCH", "s", "/models/parts/1")
            .json(&body)
            .ok();
    }
    let path = record("p", 1);
    let page = browser.page(&path);
    browser.submit_ok(&path, &page, &[("value:name", "here")]);

    let trail = format!("{HOME}audit/");
    let all = browser.page(&trail);
    assert!(all.contains("records.update") && all.contains("ann@example.com"));
    // Who did it leads to the account, and what is a closed set is chosen.
    assert!(all.contains("href=\"/console/accounts/"), "{all}");
    for part in [
        "<option value=\"records.update\">Record: changed</option>",
        "<option value=\"records\">Record: all</option>",
        "<select name=\"environment\"",
        "<option value=\"p\">p</option>",
        "<option value=\"static_token\">token</option>",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let unknown = browser.page(&format!("{trail}?action=moons.create&resource=gone"));
    for part in ["moons.create", "gone"] {
        let option = format!("<option value=\"{part}\" selected>{part}</option>");
        assert!(unknown.contains(&option), "{unknown}");
    }
    let of_ann = browser.page(&format!("{trail}?actor=ann&action=records&model=parts"));
    let rows = |page: &str| {
        page.matches("title=\"records.update\">Record: changed<")
            .count()
    };
    assert_eq!(rows(&of_ann), 1, "{of_ann}");
    let of_one = browser.page(&format!("{trail}?resource=s&record=1&since=1h"));
    assert_eq!(rows(&of_one), 3, "{of_one}");
    let wrong = browser.page(&format!("{trail}?since=soon&model=parts"));
    assert!(
        wrong.contains("role=\"alert\"") && wrong.contains("value=\"soon\""),
        "{wrong}"
    );
    let none = browser.page(&format!("{trail}?until=2001-01-01"));
    assert!(none.contains("empty-state"), "{none}");

    // A line has what it did to the record, and leads to it.
    let line = of_ann.split("audit/").find_map(|rest| {
        let (uid, _) = rest.split_once("/\"")?;
        (uid.len() == 36).then_some(uid)
    });
    let line = browser.page(&format!("{trail}{}/", line.expect("a line is linked")));
    assert!(
        line.contains("bolt") && line.contains("here") && line.contains(&format!("{path}history/")),
        "{line}"
    );
    assert_eq!(browser.get(&format!("{trail}nothing/")).status, 404);

    // The file is what the service gives for the same filters.
    let file = browser.get(&format!("{trail}export/?resource=s&action=records.update"));
    assert_eq!(file.status, 200);
    assert!(file.header("content-type").starts_with("text/csv"));
    assert!(file.header("content-disposition").contains("audit.csv"));
    assert_eq!(file.body.lines().count(), 4, "{}", file.body);
    assert!(file.body.starts_with("uid,time,project,"), "{}", file.body);

    // An operator has the trail of all projects too, from the menu.
    assert!(all.contains("href=\"/console/audit/\""));
    let everywhere = browser.page("/console/audit/?project=main&action=records");
    assert_eq!(rows(&everywhere), 4, "{everywhere}");
}

#[test]
fn members_who_do_not_administer_have_no_trail_and_no_tokens() {
    let setup = Setup::new();
    let browser = setup.member("bob@example.com", "Editor");
    let home = browser.page(HOME);
    assert!(!home.contains("prod/audit/") && !home.contains("prod/integrations/"));
    assert!(!home.contains("/console/service/") && !home.contains("/console/audit/"));
    for path in [
        format!("{HOME}audit/"),
        format!("{HOME}audit/export/"),
        format!("{HOME}integrations/"),
        format!("{HOME}integrations/service-tokens/"),
        format!("{HOME}integrations/keys/"),
        format!("{HOME}integrations/secrets/"),
        format!("{HOME}integrations/secrets/s/a/delete/"),
        format!("{HOME}integrations/hosts/"),
        format!("{HOME}integrations/hosts/a/delete/"),
        "/console/audit/".to_owned(),
        "/console/service/".to_owned(),
        "/console/service/databases/".to_owned(),
        "/console/service/metrics/".to_owned(),
        "/console/service/mails/".to_owned(),
        "/console/service/settings/".to_owned(),
        "/console/service/signing-keys/".to_owned(),
    ] {
        let answer = browser.get(&path);
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        assert!(answer.body.contains("role=\"alert\""), "{path}");
    }
    let post = browser.post("/console/service/signing-keys/", &[("now", "1")]);
    assert!(post.body.contains("notice error"), "{}", post.body);
}

#[test]
fn lines_name_people_and_every_action_of_the_book_has_words() {
    let setup = Setup::new();
    let browser = setup.member("mia@example.com", "Administrator");
    setup.run("member set eve@example.com --team Editor --project main");
    let trail = browser.page(&format!("{HOME}audit/"));
    // Who administers the project sees the address of a member in place of its identifier.
    let member = "settings/members/";
    let row = trail
        .split("<tr>")
        .find(|row| row.contains("Member: created") && row.contains("eve@"));
    let row = row.expect("a line about the member");
    assert!(row.contains(member), "{row}");

    let book = include_str!("../../../docs/src/production.md");
    let (_, table) = book
        .split_once("| Group | Actions |")
        .expect("the table of actions");
    let table = table.split("\n\n").next().unwrap();
    let words = |text: &'static str| text.split('`').skip(1).step_by(2);
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let (groups, verbs) = line[2..].split_once(" | ").unwrap();
        for group in words(groups) {
            assert!(trail.contains(&format!("value=\"{group}.")), "{group}");
        }
        if let [group] = words(groups).collect::<Vec<_>>()[..] {
            // Of a function, a line names the record.
            for verb in words(verbs).filter(|verb| *verb != "record") {
                let action = format!("value=\"{group}.{verb}\"");
                assert!(trail.contains(&action), "{action}");
            }
        }
    }
}

#[test]
fn times_among_the_values_are_shown_in_the_zone_of_who_looks() {
    let script = |kind: &str| {
        format!(
            "CREATE TABLE visits (id BIGINT PRIMARY KEY, seen {kind});
             INSERT INTO visits VALUES (1, '2026-07-01 22:30:15')"
        )
    };
    let sqlite = script("DATETIME");
    let setup = Setup::over(&sqlite, &script("TIMESTAMP"), &script("DATETIME"));
    let browser = signed_in(&setup.service);
    let profile = "/console/profile/";
    let form = browser.page(profile);
    browser.submit_ok(profile, &form, &[("timezone", "Asia/Kathmandu")]);
    for engine in super::ENGINES {
        let change = setup.service.data("PATCH", engine, "/models/visits/1");
        let seen = json!({"seen": "2026-01-01T00:00:00Z"});
        change.json(&seen).expect(200);
        let place = format!("{HOME}records/{engine}/visits/");
        let listed = browser.page(&place);
        assert!(listed.contains("2026-01-01 05:45:00+05:45"), "{listed}");
        let query = format!("/projects/main/audit/?resource={engine}&action=records.update");
        let lines = setup.service.app("GET", &query).ok();
        let line = lines["results"][0]["uid"].as_str().expect("a line");
        for path in [
            format!("{place}record/1/history/"),
            format!("{HOME}audit/{line}/"),
        ] {
            // What differs of the two is marked.
            let shown = browser
                .page(&path)
                .replace("<del>", "")
                .replace("</del>", "");
            let shown = shown.replace("<ins>", "").replace("</ins>", "");
            for time in ["2026-07-02 04:15:15+05:45", "2026-01-01 05:45:00+05:45"] {
                assert!(shown.contains(time), "{engine} {path} {time}: {shown}");
            }
        }
    }
}
