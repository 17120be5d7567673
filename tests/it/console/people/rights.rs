//! What teams may do, and the rules that say so.

use serde_json::json;
use svc_tests::browser::{form_of, forms_of, links_of};

use super::{
    super::{ENGINES, HOME, Setup, list, record, signed_in},
    USER, at, last, session, team, user,
};

#[test]
fn a_colleague_sees_the_allowed_table_and_nothing_else_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Guests", "nothing");
    // In each database one of the two tables is allowed.
    for engine in ENGINES {
        let place = format!("{rights}?resource={engine}");
        let page = browser.page(&place);
        let saved = browser.submit_ok(&place, &page, &[("set:model:parts", "read")]);
        let page = browser.page(&saved);
        assert!(page.contains("role=\"status\""), "{page}");
        assert!(page.contains("except for"), "{page}");
    }
    let person = user(&browser, USER, last(&rights));
    let page = browser.page(&person);
    assert!(
        page.contains("except for") && page.contains("Guests"),
        "{page}"
    );

    let credential = session(&setup, USER);
    for engine in ENGINES {
        let call = |method, path| {
            let call = setup.service.data_anonymous(method, engine, path);
            call.authorization(&credential)
        };
        call("GET", "/models/parts").expect(200);
        call("GET", "/models/makers").expect(403);
        let body = json!({"name": "x"});
        call("PATCH", "/models/parts/1").json(&body).expect(403);
        call("DELETE", "/models/parts/1").expect(403);

        // The console shows the same, and offers nothing that changes.
        let seen = format!("{HOME}as/{}/", last(&person));
        let home = browser.page(&seen);
        assert!(home.contains(&format!("{seen}records/{engine}/parts/")));
        assert!(!home.contains(&format!("records/{engine}/makers/")));
        assert!(!home.contains("connect/") && home.contains(USER), "{home}");
        let records = browser.page(&format!("{seen}records/{engine}/parts/"));
        assert!(records.contains("class=\"seen-as\""), "{records}");
        // What is offered inside is there.
        for page in [
            &home,
            &records,
            &browser.page(&format!("{seen}records/{engine}/parts/record/1/")),
        ] {
            let (_, main) = page.split_once("<main").unwrap();
            for link in links_of(main) {
                let inside = link.starts_with(&seen) && !link.contains("format=");
                assert!(!inside || browser.get(&link).status == 200, "{link}");
            }
            assert!(!page.contains("You may not change records"), "{page}");
        }
        let found = browser.page(&format!("{seen}find/?q=a"));
        assert!(
            found.contains(&format!("{seen}records/{engine}/parts/")) && !found.contains("makers"),
            "{found}"
        );
        let found = browser.page(&format!("{seen}find/?q=data"));
        assert!(found.contains("Nothing fits"), "{found}");
        assert!(
            records.contains(&format!("href=\"{}\"", list(engine))),
            "{records}"
        );
        assert!(!records.contains("parts/new/"), "{records}");
        let one = format!("{seen}records/{engine}/parts/record/1/");
        let page = browser.page(&one);
        assert!(!page.contains("button class=\"primary\""), "{page}");
        assert!(!page.contains("/delete/"), "{page}");
        let forms = forms_of(&page);
        assert!(forms.iter().all(|form| form.action != one), "{forms:?}");
        let fields: Vec<_> = forms
            .into_iter()
            .flat_map(|form| form.fields)
            .filter(|(name, _)| name.starts_with("value:") || name.starts_with("state:"))
            .collect();
        assert!(fields.is_empty(), "{fields:?}");
        let page = browser.page(&record(engine, 1));
        let form = form_of(&page, &record(engine, 1));
        let mut sent: Vec<(&str, &str)> = form
            .fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        sent.push(("value:name", "forged"));
        let refused = browser.post(&one, &sent);
        assert_eq!(refused.status, 403, "{}", refused.body);
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(kept["name"], json!("bolt"));
        assert_ne!(
            browser
                .get(&format!("{seen}records/{engine}/makers/"))
                .status,
            200
        );
    }
    // Both are named by the audit trail.
    let audit = setup.service.app("GET", "/projects/main/audit/");
    let audit = audit.query(&[("action", "users.act_as")]).ok();
    let line = &audit["results"][0];
    assert_eq!(line["record"], json!(last(&person)), "{audit}");
    assert!(line["actor"].is_string(), "{audit}");
}

#[test]
fn the_matrix_says_where_a_right_comes_from_and_a_rule_can_be_removed() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Readers & <b>", "read_only");
    let place = format!("{rights}rule/?resource=s&model=parts");
    let page = browser.page(&place);
    assert!(page.contains("Readers &amp; &lt;b&gt;"), "{page}");
    let fields = [("right", "write"), ("where", "here")];
    let saved = browser.submit_ok(&place, &page, &fields);
    let page = browser.page(&saved);
    assert!(page.contains("in prod"), "{page}");
    let matrix = browser.page(&at("rights/?resource=s"));
    assert!(
        matrix.contains("class=\"own\"") && matrix.contains("class=\"inherited\""),
        "{matrix}"
    );
    let found = browser.page(&at("rights/?resource=s&_search=mak"));
    assert!(
        found.contains("model=makers") && !found.contains("model=parts"),
        "{found}"
    );

    let forms = forms_of(&page);
    let mut fields = forms.iter().map(|form| form.fields.clone());
    let removal = fields.find(|fields| fields.iter().any(|(name, _)| name == "remove"));
    let removal = removal.expect("the rule can be removed");
    let removal: Vec<(&str, &str)> = removal
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    assert_eq!(browser.post(&place, &removal).status, 303);
    let matrix = browser.page(&at("rights/?resource=s"));
    assert!(!matrix.contains("class=\"own\""), "{matrix}");
    assert_eq!(browser.get(&at("rights/?resource=none")).status, 404);
}

#[test]
fn a_rule_is_about_a_table_that_is_there() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Readers", "read_only");
    for engine in ENGINES {
        let place = format!("{rights}rule/?resource={engine}&model=nope");
        assert_eq!(browser.get(&place).status, 404, "{engine}");
        let fields = [("right", "write"), ("where", "all")];
        assert_eq!(browser.post(&place, &fields).status, 404, "{engine}");
    }
    // What is left of a table that is gone can be removed.
    let path = setup.folder.path().join("s.db");
    let database = rusqlite::Connection::open(path).unwrap();
    let place = format!("{rights}rule/?resource=s&model=parts");
    let page = browser.page(&place);
    browser.submit_ok(&place, &page, &[("right", "write"), ("where", "all")]);
    database.execute_batch("DROP TABLE parts").unwrap();
    let reloaded = browser.post(&at("resources/s/"), &[]);
    assert_eq!(reloaded.status, 303, "{}", reloaded.body);
    let page = browser.page(&place);
    let forms = forms_of(&page);
    let mut forms = forms.iter().map(|form| &form.fields);
    let removal = forms.find(|fields| fields.iter().any(|(name, _)| name == "remove"));
    let removal: Vec<(&str, &str)> = removal
        .unwrap()
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let removed = browser.post(&place, &removal);
    assert_eq!(removed.status, 303, "{}", removed.body);
    browser.page(removed.header("location"));
}

#[test]
fn a_rule_that_is_made_one_for_all_environments_counts_here_too_and_one_for_here_says_what_holds_elsewhere()
 {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Movers", "nothing");
    let place = format!("{rights}rule/?resource=s&model=parts");
    let save = |fields: &[(&str, &str)]| {
        let page = browser.page(&place);
        browser.page(&browser.submit_ok(&place, &page, fields))
    };
    save(&[("right", "read"), ("where", "here")]);
    let all = save(&[("right", "write"), ("where", "all")]);
    assert!(all.contains("may: write"), "{all}");
    assert!(
        all.contains("name=\"where\" value=\"all\" checked"),
        "{all}"
    );
    let here = save(&[("right", "delete"), ("where", "here")]);
    assert!(here.contains("may: delete"), "{here}");
    assert!(
        here.contains("the rule for all of them still holds: write"),
        "{here}"
    );
}
