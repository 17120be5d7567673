//! Databases: connecting, state, disconnecting.

use svc_tests::{
    browser::{form_of, link_of},
    servers::{PostgresServer, Server as _},
};

use super::{HOME, Setup, list, signed_in};

#[test]
fn a_database_is_tested_connected_and_disconnected_in_the_browser() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    assert!(browser.page(HOME).contains("prod/connect/"));
    let form = format!("{HOME}connect/?engine=postgres");
    assert!(browser.page(&form).contains("name=\"host\""));
    // The parts of the address of a server whose password has characters that a URL escapes.
    let url = PostgresServer::shared().database("CREATE TABLE a (id BIGINT PRIMARY KEY)");
    let rest = url.strip_prefix("postgres://").unwrap();
    let (user, rest) = rest.split_once(':').unwrap();
    let (_, rest) = rest.split_once('@').unwrap();
    let (host, database) = rest.split_once('/').unwrap();
    let (host, port) = host.split_once(':').unwrap();
    let fields = |password: &'static str, action: &'static str| {
        let fields = [
            ("name", "new"),
            ("host", host),
            ("port", port),
            ("database", database),
            ("user", user),
            ("password", password),
            ("action", action),
        ];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let send = |password, action| {
        let fields = fields(password, action);
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        browser.post(&form, &fields)
    };
    let wrong = send("wrong", "test");
    assert!(
        wrong.body.contains("role=\"alert\"") && wrong.body.contains("value=\"new\""),
        "{}",
        wrong.body
    );
    // It is said beside the address, and the form offers to keep it all the same.
    for part in ["field-error", "name=\"unchecked\""] {
        assert!(wrong.body.contains(part), "{}", wrong.body);
    }
    // The name is tested too.
    for name in ["s", "Not a name"] {
        let fields = [
            ("name", name),
            ("host", host),
            ("port", port),
            ("user", user),
        ];
        let tested = browser.post(&form, &[&fields[..], &[("action", "test")]].concat());
        assert_eq!(tested.status, 400, "{name}");
        for part in ["id=\"error-unique_name\"", &format!("value=\"{name}\"")] {
            assert!(tested.body.contains(part), "{part}: {}", tested.body);
        }
        assert!(!tested.body.contains("name=\"unchecked\""));
    }
    let passed = send("s3cret/p@ss", "test");
    assert!(
        passed.body.contains("role=\"status\"") && passed.body.contains("PostgreSQL"),
        "{}",
        passed.body
    );
    let refused = send("wrong", "save");
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("name=\"unchecked\""),
        "{}",
        refused.body
    );
    assert!(
        !refused.body.contains("keeps the address"),
        "{}",
        refused.body
    );
    let port = browser.post(&form, &[("port", "many"), ("action", "save")]);
    assert_eq!(port.status, 400);
    assert!(port.body.contains("id=\"error-port\""), "{}", port.body);
    let saved = send("s3cret/p@ss", "save");
    assert_eq!(
        saved.header("location"),
        format!("{HOME}records/new/"),
        "{}",
        saved.body
    );
    assert!(
        browser
            .page(&format!("{HOME}records/new/"))
            .contains("records/new/a/")
    );

    let place = format!("{HOME}resources/new/");
    let state = browser.page(&place);
    assert!(state.contains(host) && !state.contains("s3cret"), "{state}");
    let reloaded = browser.post(&place, &[]);
    assert_eq!(reloaded.header("location"), format!("{place}?reloaded=1"));
    let delete = format!("{place}delete/");
    assert!(
        browser
            .post(&delete, &[("confirm", "old")])
            .body
            .contains("role=\"alert\"")
    );
    let deleted = browser.post(&delete, &[("confirm", "new")]);
    assert_eq!(deleted.header("location"), HOME, "{}", deleted.body);
    assert_eq!(browser.get(&place).status, 404);
}

#[test]
fn who_administers_is_offered_no_files_of_the_machine_and_nothing_else_that_is_refused() {
    let setup = Setup::new();
    let operator = signed_in(&setup.service);
    let form = format!("{HOME}connect/");
    assert!(operator.page(&form).contains("engine=sqlite"));
    // Nothing at such an address can be kept, so that is not offered.
    let refused = operator.post(
        &format!("{form}?engine=sqlite"),
        &[("name", "new"), ("path", "relative.db"), ("action", "save")],
    );
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(
        refused.body.contains("must be absolute"),
        "{}",
        refused.body
    );
    assert!(!refused.body.contains("unchecked"), "{}", refused.body);

    let member = setup.member("mia@example.com", "Administrator");
    for place in [&form, &format!("{form}?engine=sqlite")] {
        let page = member.page(place);
        assert!(!page.contains("engine=sqlite"), "{page}");
        assert!(page.contains("name=\"host\""), "{page}");
    }
    let by_url = format!("{form}?engine=url");
    assert!(member.page(&by_url).contains("sqlite-dir"));
    let fields = [
        ("name", "new"),
        ("url", "sqlite:/etc/x.db"),
        ("action", "save"),
    ];
    let refused = member.post(&by_url, &fields);
    assert_eq!(refused.status, 400);
    assert!(!refused.body.contains("unchecked"), "{}", refused.body);
}

#[test]
fn a_database_that_has_moved_is_changed_and_keeps_its_tokens() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}resources/p/");
    let change = link_of(&browser.page(&place), "Change the connection");
    let page = browser.page(&change);
    assert!(!page.contains("s3cret"), "{page}");
    let action = format!("{change}?engine=postgres");
    let form = form_of(&page, &action).fields;
    let value = |name: &str| {
        let found = form.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    assert_eq!((value("host"), value("user")), ("127.0.0.1", "svc"));
    assert!(!value("database").is_empty() && value("password").is_empty());
    let send = |fields: &[(&str, &str)]| browser.submit(&action, &page, fields);
    let fault = |body: &str, field: &str| {
        assert!(body.contains(&format!("id=\"error-{field}\"")), "{body}");
    };
    // The address is replaced whole, so the old password is not kept in silence, and what is wrong stands where it is entered.
    let tls = ("tls", "if-offered");
    let refused = send(&[("action", "save"), ("password", "wrong"), tls]);
    assert_eq!(refused.status, 400);
    fault(&refused.body, "password");
    let password = ("password", "s3cret/p@ss");
    // Nor is the connection encrypted less than before.
    let refused = send(&[("action", "save"), password]);
    assert_eq!(refused.status, 400);
    fault(&refused.body, "tls");
    let refused = send(&[("action", "test"), password, tls, ("database", "nothing")]);
    fault(&refused.body, "database");
    let refused = send(&[("action", "test"), password, tls, ("port", "1")]);
    fault(&refused.body, "url");
    let passed = send(&[("action", "test"), password, ("tls", "never")]);
    assert!(passed.body.contains("PostgreSQL"), "{}", passed.body);
    let host = ("host", "localhost");
    let saved = send(&[("action", "save"), password, host, ("tls", "never")]);
    assert_eq!(saved.header("location"), format!("{place}?saved=1"));
    assert!(browser.page(&list("p")).contains("record/1/"));
    // Who has opened the form before learns that it was changed.
    let met = send(&[("action", "save"), password, ("database", "other")]);
    assert_eq!(met.status, 400, "{}", met.body);
    assert!(
        met.body.contains("Somebody else has changed"),
        "{}",
        met.body
    );

    let editor = setup.member("eve@example.com", "Editor");
    assert_eq!(editor.get(&change).status, 403);
    assert!(!editor.page(&place).contains("/connection/"));
}
