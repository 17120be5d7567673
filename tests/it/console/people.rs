//! Users, teams, and the settings of a project.

use serde_json::json;
use svc_tests::{
    Answer, Call,
    browser::{Browser, forms_of},
};

use super::{HOME, PASSWORD, Setup, signed_in};

mod rights;

const USER: &str = "bob@example.com";
const USER_PASSWORD: &str = "a rather long word 7";

fn at(place: &str) -> String {
    format!("{HOME}{place}")
}

/// Makes a team that may do nothing yet; gives its place in the rights.
fn team(browser: &Browser, name: &str, begins: &str) -> String {
    let place = at("teams/new/");
    let page = browser.page(&place);
    browser.submit_ok(&place, &page, &[("name", name), ("begins", begins)])
}

fn last(address: &str) -> &str {
    let path = address.split('?').next().unwrap();
    path.trim_end_matches('/').rsplit('/').next().unwrap()
}

/// Makes a user who can sign in at once; gives the user's place.
fn user(browser: &Browser, email: &str, team: &str) -> String {
    let place = at("users/new/");
    let page = browser.page(&place);
    let fields = [
        ("email", email),
        ("team", team),
        ("password", USER_PASSWORD),
    ];
    let made = browser.submit_ok(&place, &page, &fields);
    made.split('?').next().unwrap().to_owned()
}

fn login(setup: &Setup, email: &str) -> Answer {
    let base = setup.service.text("/base_url");
    let call = Call::new("POST", &format!("{base}/projects/main/prod/auth/login"));
    call.json(&json!({"email": email, "password": USER_PASSWORD}))
        .send()
}

/// The credential of a user who has signed in.
fn session(setup: &Setup, email: &str) -> String {
    let answer = login(setup, email);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let token = &answer.json()["token"]["access_token"];
    format!("JWT {}", token.as_str().unwrap())
}

#[test]
fn users_are_found_changed_signed_out_suspended_and_deleted() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Guests", "nothing");
    let place = user(&browser, USER, last(&rights));
    let found = browser.page(&at(&format!("users/?_search=bob&team={}", last(&rights))));
    assert!(found.contains(USER), "{found}");
    let none = browser.page(&at("users/?_search=nobody"));
    assert!(
        none.contains("empty-state") && !none.contains(USER),
        "{none}"
    );
    let page = browser.page(&place);
    browser.submit_ok(&place, &page, &[("first_name", "Bob")]);
    assert!(browser.page(&place).contains("value=\"Bob\""));

    // What is wrong stands beside its field, with what was typed.
    let form = at("users/new/");
    let page = browser.page(&form);
    let fields = [("email", USER), ("first_name", "typed")];
    let taken = browser.submit(&form, &page, &fields);
    assert_eq!(taken.status, 400);
    assert!(
        taken.body.contains("field-error") && taken.body.contains("value=\"typed\""),
        "{}",
        taken.body
    );

    session(&setup, USER);
    session(&setup, USER);
    let sessions = format!("{place}sessions/");
    let page = browser.page(&sessions);
    let form = forms_of(&page);
    assert_eq!(form.iter().filter(|it| it.action == sessions).count(), 2);
    let ask = format!("{place}sign-out/");
    let page = browser.page(&ask);
    assert!(page.contains("2 sessions"), "{page}");
    browser.submit_ok(&ask, &page, &[]);
    assert!(browser.page(&sessions).contains("empty-state"));

    let ask = format!("{place}suspend/");
    let page = browser.page(&ask);
    assert_eq!(login(&setup, USER).status, 200);
    browser.submit_ok(&ask, &page, &[]);
    assert_eq!(login(&setup, USER).status, 401);
    // The list says how it stands with each.
    let invite = at("users/new/");
    let page = browser.page(&invite);
    let fields = [("email", "iris@example.com"), ("team", last(&rights))];
    let invited = browser.submit_ok(&invite, &page, &fields);
    assert!(browser.page(&invited).contains("svc mail list --dir "));
    let listed = browser.page(&at("users/"));
    let standing = |email: &str| {
        let (_, row) = listed.split_once(email).expect("a row");
        row.split("</tr>").next().unwrap().to_owned()
    };
    assert!(standing(USER).contains("suspended"), "{listed}");
    assert!(standing("iris@").contains("no password yet"), "{listed}");
    let invited = invited.split('?').next().unwrap();
    let ask = format!("{invited}delete/");
    browser.submit_ok(
        &ask,
        &browser.page(&ask),
        &[("confirm", "iris@example.com")],
    );
    let page = browser.page(&place);
    assert!(!page.contains("/as/"), "{page}");
    // Who can sign in nowhere sees nothing.
    let seen = at(&format!("as/{}/", last(&place)));
    for seen in [seen.clone(), format!("{seen}records/s/parts/")] {
        let refused = browser.get(&seen);
        assert_eq!(refused.status, 403, "{}", refused.body);
        assert!(
            refused.body.contains("This user is suspended"),
            "{}",
            refused.body
        );
    }
    let resumed = browser.post(&place, &[("action", "resume")]);
    assert_eq!(resumed.status, 303, "{}", resumed.body);
    assert_eq!(login(&setup, USER).status, 200);
    browser.page(&seen);

    // A team with people stays, and says so.
    let delete = at(&format!("teams/{}/delete/", last(&rights)));
    let page = browser.page(&delete);
    assert!(
        page.contains("disabled") && page.contains("One user"),
        "{page}"
    );
    assert_eq!(browser.post(&delete, &[]).status, 200);

    let ask = format!("{place}delete/");
    let page = browser.page(&ask);
    let refused = browser.submit(&ask, &page, &[]);
    assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    let gone = browser.submit_ok(&ask, &page, &[("confirm", USER)]);
    assert_eq!(gone, at("users/"));
    assert_eq!(browser.get(&place).status, 404);
    let page = browser.page(&delete);
    let refused = browser.submit(&delete, &page, &[]);
    assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    let gone = browser.submit_ok(&delete, &page, &[("confirm", "Guests")]);
    assert_eq!(gone, at("teams/"));
}

#[test]
fn the_settings_of_a_project_and_its_environments_are_changed_by_forms() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = at("settings/");
    let page = browser.page(&place);
    let fields = [("name", "Main shop"), ("color", "#1b8a4b")];
    browser.submit_ok(&place, &page, &fields);
    let page = browser.page(&place);
    assert!(
        page.contains("fill=\"#1b8a4b\"") && page.contains("Main shop"),
        "{page}"
    );

    let new = at("settings/environments/new/");
    let page = browser.page(&new);
    let wrong = browser.submit(&new, &page, &[("unique_name", "audit")]);
    assert!(wrong.body.contains("field-error"), "{}", wrong.body);
    browser.submit_ok(&new, &page, &[("unique_name", "staging")]);
    // An environment is copied where its pages are.
    let listed = browser.page(&at("settings/environments/"));
    let copy = at("pages/copy/");
    assert!(listed.contains(&format!("href=\"{copy}\"")), "{listed}");
    let page = browser.page(&copy);
    assert!(page.contains("value=\"staging\""), "{page}");
    let delete = at("settings/environments/staging/delete/");
    let page = browser.page(&delete);
    let refused = browser.submit(&delete, &page, &[("confirm", "prod")]);
    assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    browser.submit_ok(&delete, &page, &[("confirm", "staging")]);
    assert_eq!(browser.get(&delete).status, 404);
    let stays = browser.page(&at("settings/environments/prod/delete/"));
    assert!(stays.contains("disabled"), "{stays}");

    let place = at("settings/sign-in/");
    let page = browser.page(&place);
    let fields = [
        ("sign_up", "1"),
        ("email_domains", "example.com, example.org"),
        ("password_min_length", "many"),
    ];
    let wrong = browser.submit(&place, &page, &fields);
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.body.contains("field-error") && wrong.body.contains("example.org"),
        "{}",
        wrong.body
    );
    let fields = [&fields[..2], &[("password_min_length", "12")]].concat();
    browser.submit_ok(&place, &page, &fields);
    let kept = setup.service.app("GET", "/projects/main/sign_in/").ok();
    assert_eq!(
        (&kept["sign_up"], &kept["password_min_length"]),
        (&json!(true), &json!(12)),
        "{kept}"
    );
    assert_eq!(kept["email_domains"], json!(["example.com", "example.org"]));

    let new = "/console/projects/new/";
    let page = browser.page(new);
    let home = browser.submit_ok(new, &page, &[("unique_name", "second")]);
    assert_eq!(home, "/console/projects/second/prod/");
    let delete = format!("{home}settings/delete/");
    let page = browser.page(&delete);
    browser.submit_ok(&delete, &page, &[("confirm", "second")]);
    assert_eq!(browser.get(&home).status, 404);
}

#[test]
fn who_only_reads_gets_no_controls_and_a_sentence_where_they_are() {
    let setup = Setup::new();
    setup.run("account add carla@example.com --password-stdin");
    let operator = signed_in(&setup.service);
    let place = at("settings/members/");
    let page = operator.page(&place);
    let fields = [("email", "carla@example.com"), ("team", "Read Only")];
    operator.submit_ok(&place, &page, &fields);
    let rights = team(&operator, "Guests", "nothing");
    let reader = Browser::signed_in(&setup.service, "carla@example.com", PASSWORD);
    for (browser, may_invite) in [(&operator, true), (&reader, false)] {
        let empty = browser.page(&at("users/"));
        assert!(empty.contains("No user can sign in"), "{empty}");
        assert_eq!(
            empty.contains("Invite the first one"),
            may_invite,
            "{empty}"
        );
    }
    let person = user(&operator, USER, last(&rights));

    let (team, person) = (last(&rights), last(&person));
    for place in [
        "users/".to_owned(),
        "teams/".to_owned(),
        format!("users/{person}/"),
        format!("teams/{team}/"),
    ] {
        let page = reader.page(&at(&place));
        assert!(!page.contains("/new/"), "{page}");
        assert!(
            !page.contains("/delete/") && !page.contains("settings/"),
            "{page}"
        );
        let forms = forms_of(&page);
        assert_eq!(forms.len(), 1, "{forms:?}");
        assert!(!page.contains("no password yet"), "{page}");
    }
    for place in [
        "users/new/".to_owned(),
        "teams/new/".to_owned(),
        "rights/".to_owned(),
        format!("rights/{team}/"),
        format!("rights/{team}/rule/"),
        format!("users/{person}/delete/"),
        format!("users/{person}/suspend/"),
        format!("users/{person}/sessions/"),
        format!("teams/{team}/delete/"),
        "settings/".to_owned(),
        "settings/members/".to_owned(),
        "settings/sign-in/".to_owned(),
        "settings/delete/".to_owned(),
        format!("as/{person}/"),
        "connect/".to_owned(),
        "resources/s/delete/".to_owned(),
        "records/s/parts/new/".to_owned(),
        "records/s/parts/record/1/delete/".to_owned(),
    ] {
        for answer in [reader.get(&at(&place)), reader.post(&at(&place), &[])] {
            assert_eq!(answer.status, 403, "{place}: {}", answer.body);
            assert!(answer.body.contains("role=\"alert\""), "{place}");
        }
    }
    // Why is said in the language of who looks.
    let seen = reader.call("GET", &at(&format!("as/{person}/")));
    let seen = seen.header("accept-language", "de").expect(403).body;
    assert!(seen.contains("nur Administratoren"), "{seen}");
    assert!(!seen.contains("requires an administrator"), "{seen}");
    for place in [format!("users/{person}/"), format!("teams/{team}/")] {
        let fields = [("name", "mine"), ("first_name", "mine")];
        assert_eq!(reader.post(&at(&place), &fields).status, 403, "{place}");
    }
    for place in ["/console/accounts/", "/console/projects/new/"] {
        assert_eq!(reader.get(place).status, 403);
    }
    let page = reader.page(HOME);
    assert!(
        !page.contains("/accounts/") && !page.contains("/settings/"),
        "{page}"
    );
}

#[test]
fn a_team_leads_to_its_members_and_stays_while_it_has_some() {
    let setup = Setup::new();
    setup.run("account add carla@example.com --password-stdin");
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Guests", "nothing");
    let place = at(&format!("teams/{}/", last(&rights)));
    let members = at(&format!("settings/members/?team={}", last(&rights)));
    let page = browser.page(&place);
    assert!(page.contains(&format!("href=\"{members}\"")), "{page}");
    // Its rule about everything says all, so no default rights are offered.
    assert!(!page.contains("permissions_group"), "{page}");

    // The form of the members has the team chosen.
    let page = browser.page(&members);
    let fields = [("email", "carla@example.com")];
    let added = browser.submit_ok(&at("settings/members/"), &page, &fields);
    let (_, uid) = added.split_once("?added=").unwrap();
    let page = browser.page(&added);
    assert!(page.contains("is a member now"), "{page}");
    // An address that somebody has made up says nothing.
    let made_up = added.replace(uid, "nobody@example.com");
    assert!(!browser.page(&made_up).contains("is a member now"));
    assert!(browser.page(&members).contains("carla@example.com"));
    let nobody = browser.page(&at("settings/members/?_search=nobody%40example.com"));
    assert!(nobody.contains("No member fits."), "{nobody}");
    let delete = format!("{place}delete/");
    let page = browser.page(&delete);
    assert!(
        page.contains("disabled") && page.contains("One member") && page.contains(&members),
        "{page}"
    );
    assert_eq!(browser.post(&delete, &[]).status, 200);
    assert_eq!(browser.get(&place).status, 200);

    // In the environment that people depend on, who is removed is typed.
    let remove = at(&format!("settings/members/{uid}/delete/"));
    let page = browser.page(&remove);
    let refused = browser.submit(&remove, &page, &[]);
    assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    assert!(browser.page(&members).contains("carla@example.com"));
    let to = browser.submit_ok(&remove, &page, &[("confirm", "carla@example.com")]);
    assert_eq!(to, at("settings/members/"));
    assert!(!browser.page(&members).contains("carla@example.com"));
}

#[test]
fn a_team_stays_while_service_tokens_act_for_it_in_any_environment() {
    let setup = Setup::new();
    setup.run("env add staging --project main");
    let browser = signed_in(&setup.service);
    let rights = team(&browser, "Robots", "nothing");
    let place = at(&format!("teams/{}/", last(&rights)));
    let tokens = "/console/projects/main/staging/integrations/service-tokens/";
    let page = browser.page(tokens);
    let made = browser.submit(tokens, &page, &[("team", last(&rights))]);
    assert_eq!(made.status, 200, "{}", made.body);
    let delete = format!("{place}delete/");
    let page = browser.page(&delete);
    assert!(
        page.contains("disabled") && page.contains("One service token of the environment"),
        "{page}"
    );
    assert!(page.contains(&format!("href=\"{tokens}\"")), "{page}");
    let path = format!("/projects/main/teams/{}/", last(&rights));
    let refused = setup.service.app("DELETE", &path).expect(400).body;
    assert!(refused.contains("revoke them first"), "{refused}");
    // Revoked, they leave the team free.
    let listed = browser.page(tokens);
    let revoke = listed.split('"').find(|part| part.ends_with("/revoke/"));
    let revoke = revoke.unwrap().to_owned();
    browser.submit_ok(&revoke, &browser.page(&revoke), &[]);
    let confirmed = [("confirm", "Robots")];
    browser.submit_ok(&delete, &browser.page(&delete), &confirmed);
    assert_eq!(browser.get(&place).status, 404);
}

#[test]
fn the_last_operator_stays_and_the_page_says_so() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let new = "/console/accounts/new/";
    let page = browser.page(new);
    let made = browser.submit_ok(new, &page, &[("email", "dora@example.com")]);
    assert!(browser.page(&made).contains("dora@example.com"));
    let listed = browser.page("/console/accounts/?_search=ann");
    assert!(!listed.contains("dora@"), "{listed}");
    let (_, rest) = listed.split_once("/console/accounts/0").unwrap();
    let own = format!("/console/accounts/0{}/", &rest[..35]);
    let page = browser.page(&own);
    let fields: Vec<(&str, &str)> = vec![("account", last(&own))];
    let refused = browser.post(&own, &fields);
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("last operator"), "{}", refused.body);
    assert!(page.contains("last one cannot be"), "{page}");
    let suspend = format!("{own}suspend/");
    let refused = browser.submit(&suspend, &browser.page(&suspend), &[]);
    assert!(refused.body.contains("last operator"), "{}", refused.body);

    let dora = made.split('?').next().unwrap().to_owned();
    let page = browser.page(&dora);
    browser.submit_ok(&dora, &page, &[("is_operator", "1")]);
    let delete = format!("{dora}delete/");
    let page = browser.page(&delete);
    let gone = browser.submit_ok(&delete, &page, &[("confirm", "dora@example.com")]);
    assert_eq!(gone, "/console/accounts/");
}
