//! Which forms are taken: by what the browser says about them, else by their token. What was typed is not lost.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use svc_tests::{
    Answer,
    browser::{Browser, Fields, form_of, forms_of},
};

use super::{EMAIL, HOME, PASSWORD, Setup, list, record, signed_in};

const PROFILE: &str = "/console/profile/";

/// Sends a form as a browser does that says nothing about where it comes from.
fn post_silently(browser: &Browser, path: &str, fields: &[(String, String)]) -> Answer {
    let encoded =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let pairs = fields.iter();
    let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    let body: Vec<String> = pairs.collect();
    browser
        .call("POST", path)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body.join("&"))
        .send()
}

/// The form of a page with another value in one of its fields.
fn typed(page: &str, action: &str, field: &str, value: &str) -> Fields {
    let mut fields = form_of(page, action).fields;
    for (name, known) in &mut fields {
        if name == field {
            value.clone_into(known);
        }
    }
    fields
}

fn without_token(fields: &Fields) -> Fields {
    let fields = fields.iter().filter(|(name, _)| name != "_token");
    fields.cloned().collect()
}

#[test]
fn a_form_of_a_browser_that_says_nothing_is_taken_with_the_token_of_its_session() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let first_name = || {
        let fields = form_of(&browser.page(PROFILE), PROFILE).fields;
        let found = fields.into_iter().find(|(name, _)| name == "first_name");
        found.unwrap().1
    };
    let fields = typed(&browser.page(PROFILE), PROFILE, "first_name", "Ann");
    assert_eq!(post_silently(&browser, PROFILE, &fields).status, 303);
    assert_eq!(first_name(), "Ann");

    // Without it, and with that of an earlier session, the form comes back as it was filled in.
    let fields = typed(&browser.page(PROFILE), PROFILE, "first_name", "B <b>");
    let stale = typed(
        &signed_in(&setup.service).page(PROFILE),
        PROFILE,
        "first_name",
        "B <b>",
    );
    for fields in [without_token(&fields), stale] {
        let back = post_silently(&browser, PROFILE, &fields);
        assert_eq!(back.status, 403, "{}", back.body);
        assert_eq!(first_name(), "Ann");
        assert!(
            back.body.contains("B &lt;b&gt;") && !back.body.contains("B <b>"),
            "{}",
            back.body
        );
        let again = form_of(&back.body, PROFILE).fields;
        assert_eq!(without_token(&again), without_token(&fields));
        assert_eq!(post_silently(&browser, PROFILE, &again).status, 303);
        assert_eq!(first_name(), "B <b>");
        let fields = typed(&browser.page(PROFILE), PROFILE, "first_name", "Ann");
        assert_eq!(post_silently(&browser, PROFILE, &fields).status, 303);
    }
    // Signing in has it too, for a browser with a cookie of an earlier session.
    let mut fields = form_of(&browser.page("/console/sign-in/"), "/console/sign-in/").fields;
    for (name, value) in &mut fields {
        match &**name {
            "email" => EMAIL.clone_into(value),
            "password" => PASSWORD.clone_into(value),
            _ => {}
        }
    }
    let sign_in = "/console/sign-in/";
    let signed_in_again = post_silently(&browser, sign_in, &fields);
    assert_eq!(signed_in_again.status, 303);
    let mut browser = browser;
    browser.keep(&signed_in_again);
    let refused = post_silently(&browser, sign_in, &without_token(&fields));
    assert!(
        refused.status == 403 && !refused.body.contains(PASSWORD),
        "{}",
        refused.body
    );
    // A form with a file has it before the file.
    let import = format!("{}import/?step=read", list("s"));
    let page = browser.page(&import);
    let token = form_of(&page, &import).fields;
    let (_, token) = token
        .into_iter()
        .find(|(name, _)| name == "_token")
        .unwrap();
    let upload = |token: &str| {
        let part = |head: &str, body: &str| {
            format!("--x\r\nContent-Disposition: form-data; name={head}\r\n\r\n{body}\r\n")
        };
        let token = part("\"_token\"", token);
        let file = part("\"file\"; filename=\"f\"", "id,name\n7,seven\n");
        let call = browser.call("POST", &import);
        let call = call.header("content-type", "multipart/form-data; boundary=x");
        call.body(format!("{token}{file}--x--\r\n")).send()
    };
    assert_eq!(upload(&token).status, 200);
    assert_eq!(upload("0000").status, 403);
}

#[test]
fn a_secret_is_not_shown_with_a_form_that_comes_back() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}integrations/secrets/");
    let mut fields = form_of(&browser.page(&place), &place).fields;
    for (name, value) in &mut fields {
        match &**name {
            "hosts" => "api.example.com".clone_into(value),
            "secret" => "swordfish".clone_into(value),
            _ => {}
        }
    }
    let back = post_silently(&browser, &place, &without_token(&fields));
    assert_eq!(back.status, 403, "{}", back.body);
    assert!(back.body.contains("api.example.com"), "{}", back.body);
    assert!(!back.body.contains("swordfish"), "{}", back.body);
}

#[test]
fn every_form_has_the_token() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let parts = list("s");
    let places = [
        "projects/new/",
        "profile/",
        "profile/security/",
        "profile/sessions/",
        "profile/keys/",
        "accounts/",
        "accounts/new/",
        "service/",
        "service/signing-keys/",
        "sign-in/",
        "forgotten/",
    ];
    let places = places.map(|place| format!("/console/{place}"));
    let inside = [
        "",
        "connect/",
        "connect/?engine=postgres",
        "resources/s/",
        "resources/s/delete/",
        "sql/s/",
        "charts/model/s/parts/",
        "dashboard/",
        "pages/new/",
        "pages/copy/",
        "users/new/",
        "teams/",
        "teams/new/",
        "rights/",
        "settings/",
        "settings/environments/",
        "settings/members/",
        "settings/sign-in/",
        "settings/delete/",
        "integrations/",
        "integrations/secrets/",
        "integrations/hosts/",
        "integrations/service-tokens/",
    ];
    let inside = inside.map(|place| format!("{HOME}{place}"));
    let of_records = [
        "",
        "new/",
        "import/",
        "change/?_which=all",
        "delete/?_which=all",
        "views/new/",
    ];
    let of_records = of_records.map(|place| format!("{parts}{place}"));
    let of_record = ["", "delete/", "history/", "value/note/"];
    let of_record = of_record.map(|place| format!("{}{place}", record("s", 1)));
    let mut forms = 0;
    for place in places
        .iter()
        .chain(&inside)
        .chain(&of_records)
        .chain(&of_record)
    {
        let page = browser.get(place);
        assert!(page.status != 404, "{place}");
        for form in forms_of(&page.body) {
            forms += 1;
            let has_token = form
                .fields
                .iter()
                .any(|(name, value)| name == "_token" && value.len() == 32);
            assert!(has_token, "{place}: {form:?}");
        }
    }
    assert!(forms > 60, "{forms}");
}

#[test]
fn a_form_of_another_site_does_nothing_and_shows_what_it_had() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let fields = [("first_name", "<i>typed"), ("current_password", "hush")];
    let refused = browser.post_from(PROFILE, &fields, "http://evil.example");
    assert_eq!(refused.status, 403);
    assert!(
        refused.body.contains("&lt;i&gt;typed") && !refused.body.contains("hush"),
        "{}",
        refused.body
    );
    // Not with a button: nobody is to send what somebody else has filled in.
    assert!(forms_of(&refused.body).is_empty());
}

#[test]
fn a_form_that_another_account_has_opened_is_sent_after_signing_in_as_that_one() {
    let setup = Setup::new();
    let bob = setup.member("bob@example.com", "Administrator");
    let path = record("s", 1);
    let fields = typed(&bob.page(&path), &path, "value:name", "typed by bob");
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    // Ann has signed in meanwhile, in the same browser.
    let ann = signed_in(&setup.service);
    let refused = ann.post(&path, &fields);
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("Somebody else"), "{}", refused.body);
    let credentials = [("email", "bob@example.com"), ("password", PASSWORD)];
    let back = ann.submit("/console/sign-in/", &refused.body, &credentials);
    assert_eq!(back.status, 200, "{}", back.body);
    let mut bob = Browser::new(&setup.service);
    bob.keep(&back);
    let again = form_of(&back.body, &path).fields;
    assert_eq!(post_silently(&bob, &path, &again).status, 303);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(kept["name"], "typed by bob");
}

/// The first line and the rest of the answer to an address as it is written: other clients leave out `%2e%2e`.
fn answer_as_is(browser: &Browser, path: &str) -> String {
    let host = browser.origin().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n",
        browser.cookie
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn an_address_with_a_part_that_names_nothing_leads_nowhere() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let places = [
        "users/%2e%2e/",
        "users/%2E%2e/sessions/",
        "users/%2e/",
        "teams/%2e%2e/",
        "teams/%2e%2e/delete/",
        "settings/members/%2e%2e/",
        "pages/page/%2e%2e/",
        "pages/page/%2e%2e/delete/",
        "rights/%2e%2e/",
        "rights/%2e%2e/rule/",
        "as/%2e%2e/",
        "resources/%2e%2e/",
        "records/%2e%2e/parts/",
        "records/s/%2e%2e/",
        "records/s/parts/record/%2e%2e/",
        "integrations/tokens/%2e%2e/revoke/",
    ];
    let places = places.iter().map(|place| format!("{HOME}{place}"));
    let others = [
        "/console/accounts/%2e%2e/",
        "/console/projects/%2e%2e/prod/",
    ];
    for place in places.chain(others.map(str::to_owned)) {
        let answer = answer_as_is(&browser, &place);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{place}: {answer}");
        assert!(!answer.contains("must name something"), "{place}: {answer}");
    }
}
