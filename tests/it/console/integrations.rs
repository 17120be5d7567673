//! Tokens, secrets, hosts, API keys, and code for what is on the screen.

use std::process::Command;

use serde_json::Value;
use svc_tests::browser::forms_of;

use super::{ENGINES, HOME, Setup, list, record, signed_in};

/// The text between two others.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start}: {text}"));
    rest.split_once(end).unwrap().0
}

/// A line of code on a page, as somebody pastes it.
fn code(page: &str, start: &str) -> String {
    let rest = between(page, &format!("<code>{start}"), "</code>");
    let code = format!("{start}{rest}");
    code.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Runs a line in a shell, as people do.
fn pasted(line: &str, token: &str) -> Value {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("SVC_API_TOKEN", token)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{line}: {text}"))
}

#[test]
fn the_code_of_a_view_gives_its_records_when_it_is_pasted() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let tokens = format!("{HOME}integrations/");
        let page = browser.page(&tokens);
        let made = browser.submit(
            &tokens,
            &page,
            &[
                ("resource", engine),
                ("rights", "read"),
                ("name", "a <program>"),
            ],
        );
        assert_eq!(made.status, 200, "{}", made.body);
        assert_eq!(made.header("cache-control"), "no-store");
        let token = between(&made.body, "export SVC_API_TOKEN=", "\n").to_owned();

        let view = format!(
            "{}?id__in=1,2&_order_by=-id&_fields=id,name&exclude__name=o%27neil",
            list(engine)
        );
        let snippets = view.replace("/records/", "/snippets/");
        // The link is on the page.
        let shown = browser.page(&view);
        assert!(
            shown.contains(&format!("prod/snippets/{engine}/parts/?")),
            "{shown}"
        );
        let page = browser.page(&snippets);
        let answer = pasted(&code(&page, "curl"), &token);
        let ids: Vec<&Value> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["id"])
            .collect();
        assert_eq!(ids, [2, 1], "{answer}");
        assert!(
            page.contains("use svc_api::") && page.contains("from &quot;svc-js&quot;"),
            "{page}"
        );

        let page = browser.page(&record(engine, 1));
        let snippets = format!("{HOME}snippets/{engine}/parts/record/1/");
        assert!(page.contains(&snippets), "{page}");
        let answer = pasted(&code(&browser.page(&snippets), "curl"), &token);
        assert_eq!(answer["name"], "bolt", "{answer}");
    }
}

#[test]
fn a_token_is_shown_once_listed_and_revoked_after_a_question() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}integrations/");
    let page = browser.page(&place);
    let fields = [
        ("resource", "s"),
        ("name", "warehouse"),
        ("expires", "2099-12-31"),
    ];
    let made = browser.submit(&place, &page, &fields);
    let token = between(&made.body, "export SVC_API_TOKEN=", "\n").to_owned();
    let call = || {
        setup
            .service
            .data_anonymous("GET", "s", "/models/parts")
            .authorization(&token)
    };
    call().expect(200);
    // The same form again makes no second token, and shows no text.
    let again = browser.submit(&place, &page, &fields);
    assert!(
        again.status == 200 && !again.body.contains("export SVC_API_TOKEN="),
        "{}",
        again.body
    );
    let listed = browser.page(&place);
    assert_eq!(listed.matches("warehouse").count(), 1, "{listed}");
    assert!(
        !listed.contains(&token) && listed.contains("2100-01-01"),
        "{listed}"
    );
    let revoke = listed
        .split('"')
        .find(|part| part.ends_with("/revoke/"))
        .unwrap()
        .to_owned();
    let question = browser.page(&revoke);
    assert!(question.contains("warehouse"), "{question}");
    call().expect(200);
    assert_eq!(browser.submit_ok(&revoke, &question, &[]), place);
    call().expect(401);
    assert!(!browser.page(&place).contains("warehouse"));
    assert!(
        browser
            .page(&format!("{place}?revoked=1"))
            .contains("warehouse")
    );
    let page = browser.page(&place);
    let wrong = browser.submit(&place, &page, &[("resource", "nothing"), ("name", "kept")]);
    assert!(
        wrong.status == 404 && wrong.body.contains("value=\"kept\""),
        "{}",
        wrong.body
    );
    assert_eq!(
        browser
            .get(&format!("{place}tokens/nothing/revoke/"))
            .status,
        404
    );

    let place = format!("{HOME}integrations/service-tokens/");
    let page = browser.page(&place);
    let made = browser.submit(&place, &page, &[("name", "robot")]);
    let token = between(&made.body, "Authorization: JWT ", "</code>").to_owned();
    let call = setup
        .service
        .data_anonymous("GET", "s", "/model_descriptions");
    call.authorization(&format!("JWT {token}")).expect(200);
    assert!(browser.page(&place).contains("robot"));
}

#[test]
fn the_last_day_of_a_credential_is_explained_beside_its_field() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for place in [
        format!("{HOME}integrations/"),
        format!("{HOME}integrations/service-tokens/"),
        "/console/profile/keys/".to_owned(),
    ] {
        let page = browser.page(&place);
        for day in ["soon", "2001-01-01", "2030-02-30", "9999-12-31"] {
            let refused = browser.submit(&place, &page, &[("expires", day), ("name", "kept")]);
            assert_eq!(refused.status, 400, "{place} {day}");
            let body = &refused.body;
            let (_, error) = body.split_once("id=\"error-expires\"").unwrap();
            assert!(error.contains("such as 2030-01-31"), "{body}");
            assert!(body.contains("value=\"kept\""), "{body}");
            assert!(!body.contains("RFC 3339") && !body.contains("leave it out"));
        }
        assert!(!browser.page(&place).contains("kept"));
    }
}

#[test]
fn a_token_is_for_tables_that_are_there() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}integrations/");
    let page = browser.page(&place);
    for engine in ENGINES {
        let fields = [("resource", engine), ("models", "nope, parts,Parts2")];
        let refused = browser.submit(&place, &page, &fields);
        assert_eq!(refused.status, 400, "{}", refused.body);
        let (_, error) = refused.body.split_once("id=\"error-models\"").unwrap();
        let error = error.split("</p>").next().unwrap();
        assert!(error.ends_with("nope, Parts2"), "{error}");
        assert!(refused.body.contains("value=\"nope, parts,Parts2\""));
    }
    assert!(!browser.page(&place).contains("nope"));
    let fields = [("resource", "s"), ("models", "makers, parts")];
    let made = browser.submit(&place, &page, &fields);
    assert!(made.body.contains("SVC_API_TOKEN"), "{}", made.body);
}

#[test]
fn secrets_and_hosts_are_set_and_their_values_never_come_back() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}integrations/secrets/");
    let page = browser.page(&place);
    let fields = [
        ("resource", "s"),
        ("name", "token"),
        ("hosts", "api.example.com, b.example.com"),
        ("secret", "swordfish"),
    ];
    let other = |name: &'static str, value: &'static str| {
        let mut wrong = fields;
        for field in wrong.iter_mut().filter(|(known, _)| *known == name) {
            field.1 = value;
        }
        wrong
    };
    for (field, value) in [("hosts", "a:80"), ("hosts", ","), ("name", "a b/c")] {
        let refused = browser.submit(&place, &page, &other(field, value));
        assert_eq!(refused.status, 400, "{value}");
        let beside = format!("id=\"error-{field}\"");
        assert!(refused.body.contains(&beside), "{}", refused.body);
        let above = format!("<code>{field}</code>");
        assert!(!refused.body.contains(&above), "{}", refused.body);
        assert!(!refused.body.contains("swordfish"), "{}", refused.body);
    }
    let set = browser.submit_ok(&place, &page, &fields);
    let listed = browser.page(&set);
    assert!(
        listed.contains("api.example.com, b.example.com"),
        "{listed}"
    );
    assert!(!listed.contains("swordfish"), "{listed}");
    let delete = format!("{place}s/token/delete/");
    let question = browser.page(&delete);
    let refused = browser.submit(&delete, &question, &[]);
    assert!(refused.body.contains("role=\"alert\""));
    assert_eq!(
        browser.submit_ok(&delete, &question, &[("confirm", "token")]),
        place
    );
    assert!(browser.page(&place).contains("empty-state"));

    let place = format!("{HOME}integrations/hosts/");
    let page = browser.page(&place);
    for host in ["no host/", "*", "", "*:80", "a:x"] {
        let wrong = browser.submit(&place, &page, &[("host", host)]);
        assert_eq!(wrong.status, 400, "{host}");
        assert!(
            wrong.body.contains(&format!("value=\"{host}\"")) && wrong.body.contains("error-host"),
            "{}",
            wrong.body
        );
        assert!(!wrong.body.contains("no scheme, port"), "{}", wrong.body);
        assert!(!wrong.body.contains("<code>host</code>"), "{}", wrong.body);
    }
    let wrong = browser.submit(&place, &page, &[("host", "*")]);
    assert!(
        wrong.body.contains("with or without a port"),
        "{}",
        wrong.body
    );
    assert_eq!(
        browser.submit_ok(
            &place,
            &browser.page(&place),
            &[("host", "crm.example:8443")]
        ),
        place
    );
    let listed = browser.page(&place);
    assert!(listed.contains("crm.example:8443"), "{listed}");
    let delete = format!("{place}crm.example%3A8443/delete/");
    assert!(listed.contains(&delete), "{listed}");
    assert_eq!(
        browser.submit_ok(&delete, &browser.page(&delete), &[]),
        place
    );
    assert!(!browser.page(&place).contains("crm.example:8443"));
}

#[test]
fn the_api_keys_of_people_are_listed_and_kept_out_of_the_project() {
    let setup = Setup::new();
    let bob = setup.member("bob@example.com", "Editor");
    let keys = "/console/profile/keys/";
    let page = bob.page(keys);
    let made = bob.submit(keys, &page, &[("name", "laptop")]);
    let key = between(&made.body, "export SVC_API_KEY=", "\n").to_owned();
    let call = || {
        let call = setup.service.app_anonymous("GET", "/projects/main/");
        call.authorization(&format!("Bearer {key}"))
    };
    call().expect(200);
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}integrations/keys/");
    let listed = browser.page(&place);
    assert!(
        listed.contains("bob@example.com") && listed.contains("laptop"),
        "{listed}"
    );
    let row = between(&listed, "laptop", "</tr>");
    let revoke = row
        .split('"')
        .find(|part| part.ends_with("/revoke/"))
        .unwrap()
        .to_owned();
    let question = browser.page(&revoke);
    assert_eq!(forms_of(&question).len(), 2, "{question}");
    assert_eq!(browser.submit_ok(&revoke, &question, &[]), place);
    assert_ne!(call().send().status, 200);
}
