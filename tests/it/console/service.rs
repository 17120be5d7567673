//! The service, as those see it who operate it.

use svc_tests::{Program, browser::Browser};

use super::{Setup, list, signed_in};

#[test]
fn operators_see_nodes_databases_mails_and_settings() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let overview = browser.page("/console/service/");
    assert!(overview.contains(env!("CARGO_PKG_VERSION")), "{overview}");
    assert!(overview.contains("<time datetime="), "{overview}");

    // The states come by themselves with a script, and by a link without one.
    let place = "/console/service/databases/";
    let page = browser.page(place);
    assert!(
        page.contains("data-fragment=\"states\"") && page.contains("states=1"),
        "{page}"
    );
    let states = browser.fragment(place, "states");
    assert_eq!(states.matches("class=\"up\"").count(), 3, "{states}");
    assert!(
        !states.contains("data-fragment") && !states.contains("<html"),
        "{states}"
    );
    let whole = browser.page(&format!("{place}?states=1"));
    assert_eq!(whole.matches("class=\"up\"").count(), 3, "{whole}");

    // The lines come with time; what is now is there at once.
    let figures = browser.page("/console/service/metrics/");
    assert_eq!(figures.matches("big-number").count(), 6, "{figures}");
    let address = setup.service.text("/base_url").replace("http://", "");
    for part in ["empty-state", &address, "<time datetime="] {
        assert!(figures.contains(part), "{part}: {figures}");
    }
    browser.page("/console/service/metrics/?hours=24");

    let settings = browser.page("/console/service/settings/");
    assert!(
        settings.contains("audit-values") && settings.contains("body-limit"),
        "{settings}"
    );

    assert!(
        browser
            .page("/console/service/mails/")
            .contains("empty-state")
    );
    setup.run("account add eve@example.com");
    let mails = browser.page("/console/service/mails/");
    assert!(
        mails.contains("eve@example.com") && !mails.contains("svcc_"),
        "{mails}"
    );
    // The command that shows their links is whole.
    let (_, command) = mails.split_once("svc mail list ").expect("a command");
    let mut command = command.split('<').next().unwrap().to_owned();
    // Except for the address of a database, whose password is not shown.
    if let Some(store) = svc_tests::store_url(setup.folder.path()) {
        command = command.replace("--store URL", &format!("--store {store}"));
    }
    let command: Vec<&str> = ["mail", "list"]
        .into_iter()
        .chain(command.split(' '))
        .collect();
    let elsewhere = tempfile::tempdir().unwrap();
    let listed = Program::new(elsewhere.path(), &command).run_ok();
    assert!(listed.contains("eve@example.com"), "{listed}");
}

#[test]
fn the_signing_key_is_rotated_after_a_question_and_everybody_goes_on() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = "/console/service/signing-keys/";
    let question = browser.page(place);
    for now in [&[][..], &[("now", "1")]] {
        let done = browser.submit(place, &question, now);
        assert_eq!(done.status, 200, "{}", done.body);
        assert!(done.body.contains("role=\"status\""), "{}", done.body);
        browser.page("/console/service/");
    }
    let lines = browser.page("/console/audit/?action=signing_keys");
    assert_eq!(
        lines.matches("Signing key: rotated</span>").count(),
        2,
        "{lines}"
    );
}

#[test]
fn a_page_says_where_its_time_went_and_signing_in_does_not() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let page = browser.get(&format!("{}?name=bolt", list("s")));
    let timing = page.header("server-timing");
    assert!(timing.starts_with("total;dur="), "{timing}");
    assert!(timing.contains(", api;dur=") && timing.contains(" calls\""));
    assert!(timing.contains("desc=\"GET /projects/main/prod/s/models/parts"));
    assert!(!timing.contains("bolt"), "{timing}");
    // How long a password was looked at is never told, even to somebody who is signed in.
    let typed = [
        ("email", "eve@example.com"),
        ("password", "wrong"),
        ("next", ""),
    ];
    for browser in [browser, Browser::new(&setup.service)] {
        let refused = browser.post("/console/sign-in/", &typed);
        assert!(refused.headers.get("server-timing").is_none());
    }
}
