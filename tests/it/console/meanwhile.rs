//! Forms of the administration that two people have open at the same time.

use svc_tests::browser::{Browser, Fields, form_of};

use super::{HOME, Setup, signed_in};

/// The fields of the form at a place, as it is opened now.
fn fields(browser: &Browser, place: &str) -> Fields {
    form_of(&browser.page(place), place).fields
}

/// What a field holds; `None` of a box that is not checked.
fn value(fields: &Fields, name: &str) -> Option<String> {
    let mut fields = fields.iter();
    let found = fields.find(|(known, _)| known == name);
    found.map(|(_, value)| value.clone())
}

/// Sends the form of a page without one of its fields, as a browser does whose box is not checked any more.
fn submit_without(browser: &Browser, place: &str, page: &str, name: &str) {
    let fields = form_of(page, place).fields;
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .filter(|(known, _)| known != name)
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let answer = browser.post(place, &fields);
    assert_eq!(answer.status, 303, "{}", answer.body);
}

/// The unique ID of the team with this name, as the form of a user offers it.
fn team(page: &str, name: &str) -> String {
    let (before, _) = page.split_once(&format!(">{name}</option>")).unwrap();
    let (_, value) = before.rsplit_once("value=\"").unwrap();
    value.split('"').next().unwrap().to_owned()
}

/// Makes something by a form; gives the place of what was made.
fn made(browser: &Browser, form: &str, filled: &[(&str, &str)]) -> String {
    let to = browser.submit_ok(form, &browser.page(form), filled);
    to.split('?').next().unwrap().to_owned()
}

fn user(browser: &Browser) -> String {
    let form = format!("{HOME}users/new/");
    let filled = [
        ("email", "bob@example.com"),
        ("password", "a rather long word 7"),
    ];
    made(browser, &form, &filled)
}

#[test]
fn what_somebody_else_changes_while_a_form_is_open_stays_when_another_field_is_saved() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let user = user(&browser);
    let editors = team(&browser.page(&user), "Editor");
    let account = "/console/accounts/new/";
    let account = made(&browser, account, &[("email", "dora@example.com")]);
    let new = format!("{HOME}teams/new/");
    let guests = made(&browser, &new, &[("name", "Guests"), ("begins", "nothing")]);
    let guests = guests.replace("/rights/", "/teams/");
    let (project, sign_in) = (
        format!("{HOME}settings/"),
        format!("{HOME}settings/sign-in/"),
    );
    let environment = format!("{HOME}settings/environments/prod/");
    for (place, theirs, mine) in [
        (&account, ("is_operator", "1"), ("first_name", "Dora")),
        (&user, ("group", &*editors), ("first_name", "Bob")),
        (&project, ("domain", "shop.example.com"), ("name", "Shop")),
        (
            &sign_in,
            ("email_domains", "example.com, example.org"),
            ("password_min_length", "13"),
        ),
        (&sign_in, ("sign_up", "1"), ("refresh_token_days", "11")),
        (&environment, ("color", "#1b8a4b"), ("name", "Live shop")),
        (
            &"/console/profile/".to_owned(),
            ("timezone", "Asia/Kathmandu"),
            ("last_name", "Smith"),
        ),
    ] {
        let opened = browser.page(place);
        browser.submit_ok(place, &opened, &[theirs]);
        browser.submit_ok(place, &opened, &[mine]);
        let now = fields(&browser, place);
        for (name, expected) in [theirs, mine] {
            let kept = value(&now, name);
            assert_eq!(kept.as_deref(), Some(expected), "{place}: {name}");
        }
    }
    // The rights of an operator that were removed are not given back.
    let opened = browser.page(&account);
    submit_without(&browser, &account, &opened, "is_operator");
    browser.submit_ok(&account, &opened, &[("last_name", "Doe")]);
    let now = fields(&browser, &account);
    assert_eq!(value(&now, "is_operator"), None);
    assert_eq!(value(&now, "last_name").as_deref(), Some("Doe"));
    // A form in which nothing was changed changes nothing.
    let opened = browser.page(&guests);
    browser.submit_ok(&guests, &opened, &[("name", "Visitors")]);
    browser.submit_ok(&guests, &opened, &[]);
    let kept = value(&fields(&browser, &guests), "name");
    assert_eq!(kept.as_deref(), Some("Visitors"));
}

#[test]
fn a_field_that_two_people_change_at_once_comes_back_with_what_it_is_now() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}settings/");
    let opened = browser.page(&place);
    let theirs = [("name", "Theirs & <b>"), ("domain", "theirs.example.com")];
    browser.submit_ok(&place, &opened, &theirs);
    let mine = [("name", "Mine"), ("color", "#1b8a4b")];
    let refused = browser.submit(&place, &opened, &mine);
    assert_eq!(refused.status, 412, "{}", refused.body);
    assert!(
        refused.body.contains("Nothing was saved")
            && refused.body.contains("<bdi>Theirs &amp; &lt;b&gt;</bdi>")
            && refused.body.matches("class=\"conflict\"").count() == 1,
        "{}",
        refused.body
    );
    let now = fields(&browser, &place);
    assert_eq!(value(&now, "name").as_deref(), Some("Theirs & <b>"));
    assert_ne!(value(&now, "color").as_deref(), Some("#1b8a4b"));
    // What was typed is in the form, and beside it what only they have changed.
    let back = form_of(&refused.body, &place).fields;
    let held = |name| value(&back, name);
    assert_eq!(held("name").as_deref(), Some("Mine"));
    assert_eq!(held("color").as_deref(), Some("#1b8a4b"));
    assert_eq!(held("domain").as_deref(), Some("theirs.example.com"));
    // To save it again is a decision.
    browser.submit_ok(&place, &refused.body, &[]);
    let now = fields(&browser, &place);
    assert_eq!(value(&now, "name").as_deref(), Some("Mine"));
    assert_eq!(value(&now, "color").as_deref(), Some("#1b8a4b"));
    assert_eq!(value(&now, "domain").as_deref(), Some("theirs.example.com"));

    // A choice says what it is now as people call it.
    let user = user(&browser);
    let opened = browser.page(&user);
    let before = value(&form_of(&opened, &user).fields, "group").unwrap();
    let others: Vec<String> = ["Editor", "Read Only", "Administrator"]
        .into_iter()
        .filter(|name| opened.contains(&format!(">{name}</option>")))
        .map(|name| team(&opened, name))
        .filter(|uid| *uid != before)
        .collect();
    browser.submit_ok(&user, &opened, &[("group", &others[0])]);
    let refused = browser.submit(&user, &opened, &[("group", &others[1])]);
    assert_eq!(refused.status, 412, "{}", refused.body);
    let (_, said) = refused.body.split_once("id=\"conflict-group\"").unwrap();
    let said = said.split("</p>").next().unwrap();
    assert!(
        said.contains("<bdi>") && !said.contains(&others[0]),
        "{said}"
    );
    // A profile has it in its own fields too.
    let place = "/console/profile/";
    let opened = browser.page(place);
    browser.submit_ok(place, &opened, &[("timezone", "Europe/Berlin")]);
    let refused = browser.submit(place, &opened, &[("timezone", "Asia/Kathmandu")]);
    assert_eq!(refused.status, 412, "{}", refused.body);
    let (_, said) = refused.body.split_once("id=\"conflict-timezone\"").unwrap();
    assert!(said.contains("<bdi>Europe/Berlin</bdi>"), "{said}");
}
