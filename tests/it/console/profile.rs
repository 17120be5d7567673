//! One's own account.

use svc_tests::{
    Program,
    browser::{Browser, forms_of},
};

use super::{EMAIL, HOME, PASSWORD, Setup, record, signed_in};

#[test]
fn the_language_and_the_zone_of_the_account_decide_everywhere() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = "/console/profile/";
    let page = browser.page(place);
    assert!(
        page.contains("<html lang=\"en\"") && page.contains("Deutsch"),
        "{page}"
    );
    let saved = browser.submit_ok(
        place,
        &page,
        &[
            ("first_name", "Ann <b>"),
            ("language", "de"),
            ("timezone", "Asia/Kathmandu"),
        ],
    );
    let page = browser.page(&saved);
    assert!(
        page.contains("<html lang=\"de\"") && page.contains("Gespeichert."),
        "{page}"
    );
    assert!(
        page.contains("+05:45 Asia/Kathmandu") && page.contains("Ann &lt;b&gt;"),
        "{page}"
    );
    let call = browser.call("GET", HOME).header("accept-language", "en");
    assert!(call.expect(200).body.contains("<html lang=\"de\""));
    // The history has the zone too.
    let path = record("s", 1);
    let form = browser.page(&path);
    browser.submit_ok(&path, &form, &[("value:name", "x")]);
    assert!(browser.page(&format!("{path}history/")).contains("+05:45"));

    let wrong = browser.submit(
        place,
        &page,
        &[("timezone", "Mars/Olympus"), ("last_name", "kept")],
    );
    assert!(
        wrong.status == 400
            && wrong.body.contains("Mars/Olympus")
            && wrong.body.contains("value=\"kept\""),
        "{}",
        wrong.body
    );
    // Without a language of its own, that of the browser decides again.
    browser.submit_ok(place, &browser.page(place), &[("language", "")]);
    assert!(browser.page(place).contains("<html lang=\"en\""));
}

#[test]
fn what_is_wrong_with_an_own_account_stands_beside_its_fields() {
    /// A page, where its form is sent to, what is entered, and the field that is wrong.
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str);
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let names = "/console/profile/";
    let security = "/console/profile/security/";
    let email = format!("{security}?step=email");
    let code = format!("{security}?step=code");
    let long = "x".repeat(5_000);
    let wrong: [Case<'_>; 8] = [
        (names, names, &[("timezone", "Mars/Olympus")], "timezone"),
        (names, names, &[("first_name", &long)], "first_name"),
        (
            security,
            security,
            &[
                ("action", "password"),
                ("current_password", PASSWORD),
                ("new_password", "short"),
                ("repeated_password", "short"),
            ],
            "new_password",
        ),
        (
            security,
            security,
            &[
                ("action", "password"),
                ("current_password", "wrong"),
                ("new_password", "another horse battery"),
                ("repeated_password", "another horse battery"),
            ],
            "current_password",
        ),
        (
            security,
            security,
            &[("action", "password"), ("repeated_password", "other")],
            "repeated_password",
        ),
        (
            security,
            &email,
            &[("action", "email"), ("new_email", "nobody")],
            "new_email",
        ),
        (
            security,
            &email,
            &[("action", "email"), ("new_email", "new@example.com")],
            "current_password",
        ),
        (
            security,
            &code,
            &[("action", "code"), ("code", "wrong")],
            "code",
        ),
    ];
    for (place, action, fields, field) in wrong {
        let refused = browser.submit(action, &browser.page(place), fields);
        assert!(refused.status.is_client_error(), "{field}");
        let beside = format!("class=\"field-error\" id=\"error-{field}\"");
        assert_eq!(refused.body.matches("class=\"field-error\"").count(), 1);
        assert!(refused.body.contains(&beside), "{field}: {}", refused.body);
        let above = format!("<code>{field}</code>");
        assert!(!refused.body.contains(&above), "{field}: {}", refused.body);
        // Passwords are entered again.
        for typed in [PASSWORD, "another horse battery"] {
            assert!(!refused.body.contains(typed), "{field}: {}", refused.body);
        }
    }
    // Beside the field of the form that was sent, and not of the other one that has the same.
    let fields = [("action", "email"), ("new_email", "new@example.com")];
    let refused = browser.submit(&email, &browser.page(security), &fields);
    let (_, of_email) = refused.body.split_once("name=\"new_email\"").unwrap();
    assert!(of_email.contains("error-current_password"), "{of_email}");
    assert!(of_email.contains("value=\"email\""), "{of_email}");
}

#[test]
fn a_form_that_does_not_say_what_is_to_be_done_is_a_wrong_request() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let refused = browser.post("/console/profile/security/", &[("code", "x")]);
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("does not say what is to be done"),
        "{}",
        refused.body
    );
}

#[test]
fn a_new_password_ends_other_sessions_and_this_browser_goes_on() {
    let setup = Setup::new();
    let mut browser = signed_in(&setup.service);
    let other = signed_in(&setup.service);
    let keys = "/console/profile/keys/";
    let form = browser.page(keys);
    let made = browser.submit(keys, &form, &[("name", "nightly"), ("reach", "all")]);
    assert_eq!(made.status, 200, "{}", made.body);
    let place = "/console/profile/security/";
    let page = browser.page(place);
    assert!(!page.contains("nightly"), "{page}");
    let new = "another horse battery";
    let fields = |now: &'static str, repeated: &'static str| {
        [
            ("action", "password"),
            ("current_password", now),
            ("new_password", new),
            ("repeated_password", repeated),
        ]
    };
    let differs = browser.submit(place, &page, &fields(PASSWORD, "something else"));
    assert_eq!(differs.status, 400);
    let wrong = browser.submit(place, &page, &fields("wrong", new));
    assert!(
        wrong.status.is_client_error() && wrong.body.contains("role=\"alert\""),
        "{}",
        wrong.body
    );
    assert!(!wrong.body.contains(new), "a password is in the page");
    let changed = browser.submit(place, &page, &fields(PASSWORD, new));
    assert_eq!(
        changed.header("location"),
        format!("{place}?done=password"),
        "{}",
        changed.body
    );
    browser.keep(&changed);
    assert!(browser.page(place).contains(EMAIL));
    let done = browser.page(changed.header("location"));
    assert!(done.contains("nightly"), "{done}");
    assert_eq!(other.get(place).status, 303);
    Browser::signed_in(&setup.service, EMAIL, new);
}

#[test]
fn another_address_holds_after_its_code_was_entered() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = "/console/profile/security/";
    let page = browser.page(place);
    let action = format!("{place}?step=email");
    let fields = [
        ("action", "email"),
        ("new_email", "new@example.com"),
        ("current_password", PASSWORD),
    ];
    let sent = browser.submit_ok(&action, &page, &fields);
    assert!(browser.page(&sent).contains(EMAIL));
    let command = ["mail", "list", "--json"];
    let mails = Program::new(setup.folder.path(), &command).run_json();
    let code = mails[0]["code"].as_str();
    let code = code.unwrap_or_else(|| panic!("{mails}")).to_owned();
    let action = format!("{place}?step=code");
    let wrong = browser.submit(&action, &page, &[("action", "code"), ("code", "wrong")]);
    assert_eq!(wrong.status, 400, "{}", wrong.body);
    let done = browser.submit_ok(&action, &page, &[("action", "code"), ("code", &code)]);
    // Every session has ended; signing in with the new address leads back.
    let asked = browser.get(&done);
    assert!(
        asked.header("location").contains("security"),
        "{}",
        asked.header("location")
    );
    let again = Browser::signed_in(&setup.service, "new@example.com", PASSWORD);
    assert!(again.page(&done).contains("new@example.com"));
}

#[test]
fn sessions_are_listed_and_ended_one_by_one_or_all_others() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let others: Vec<Browser> = (0..3).map(|_| signed_in(&setup.service)).collect();
    let place = "/console/profile/sessions/";
    let page = browser.page(place);
    let forms = forms_of(&page);
    let ends = forms.iter().filter(|form| form.action == place);
    assert_eq!(ends.count(), 3, "{page}");
    assert_eq!(page.matches("class=\"up\"").count(), 1, "{page}");
    let ended = browser.submit_ok(place, &page, &[]);
    let page = browser.page(&ended);
    let left = others.iter().filter(|it| it.get(place).status == 200);
    assert_eq!(left.count(), 2);
    // One that has ended by itself meanwhile is no error.
    let gone = "01a21d82-15ff-7795-8f1a-3916fc76bad3";
    let again = browser.post(place, &[("session", gone)]);
    assert_eq!(again.status, 303, "{}", again.body);
    assert!(
        browser
            .page(again.header("location"))
            .contains("has ended.")
    );
    let wrong = browser.post(place, &[("session", "no identifier")]);
    assert!(wrong.status == 303 || wrong.status.is_client_error());
    browser.submit_ok(&format!("{place}?all=1"), &page, &[]);
    assert!(others.iter().all(|it| it.get(place).status == 303));
    browser.page(place);
}

#[test]
fn an_api_key_reaches_what_was_chosen_until_it_is_revoked() {
    let setup = Setup::new();
    setup.run("project add shop");
    let browser = signed_in(&setup.service);
    let place = "/console/profile/keys/";
    let page = browser.page(place);
    let made = browser.submit(
        place,
        &page,
        &[("name", "cron"), ("reach", "some"), ("project", "shop")],
    );
    assert_eq!(made.status, 200, "{}", made.body);
    let key = made.body.split("export SVC_API_KEY=").nth(1).unwrap();
    let key = key.split('\n').next().unwrap().to_owned();
    let call = |path: &str| {
        let call = setup.service.app_anonymous("GET", path);
        call.authorization(&format!("Bearer {key}")).send().status
    };
    assert_eq!(call("/projects/shop/"), 200);
    assert_ne!(call("/projects/main/"), 200);
    let listed = browser.page(place);
    assert!(listed.contains("cron") && !listed.contains(&key));
    let row = listed.split("cron").nth(1).unwrap();
    let revoke = row
        .split('"')
        .find(|part| part.ends_with("/revoke/"))
        .unwrap();
    let question = browser.page(revoke);
    assert_eq!(browser.submit_ok(revoke, &question, &[]), place);
    assert_eq!(call("/projects/shop/"), 401);
    // A form that another account has opened does nothing.
    let forged = browser.submit(place, &page, &[("account", "somebody"), ("name", "forged")]);
    assert_eq!(forged.status, 409);
    assert!(!browser.page(place).contains("forged"));
}
