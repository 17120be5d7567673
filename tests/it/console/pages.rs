//! Pages: the tree, the editor, publishing, revisions, and copies in other environments.

use serde_json::{Value, json};
use svc_tests::{
    Call, Program,
    browser::{Browser, form_of},
};

use super::{EMAIL, HOME, PASSWORD, Setup, signed_in};

const PAGES: &str = "/console/projects/main/prod/pages/";
const NUMBERS: &str = r#"{"z": 1.50, "big":12345678901234567890, "a":  [1e400]}"#;

/// The service with its pages, through the API.
struct Api {
    app: String,
    key: String,
}

impl Api {
    fn new(setup: &Setup) -> Self {
        let arguments = ["key", "add", "--project", "main", "--json"];
        let key = Program::new(setup.folder.path(), &arguments).run_json();
        Self {
            app: setup.service.text("/app_base_url").to_owned(),
            key: key["api_key"].as_str().unwrap().to_owned(),
        }
    }

    fn call(&self, method: &str, environment: &str, below: &str) -> Call {
        let url = format!(
            "{}/projects/main/{environment}/view_settings/{below}",
            self.app
        );
        Call::new(method, &url).authorization(&format!("Bearer {}", self.key))
    }

    fn create(&self, draft: u8, page: &Value) -> String {
        let call = self.call("POST", "prod", &format!("?draft={draft}"));
        let made = call.json(page).expect(201).json();
        made["uid"].as_str().unwrap().to_owned()
    }

    fn patch(&self, uid: &str, change: &Value) {
        let call = self.call("PATCH", "prod", &format!("{uid}/?draft=1"));
        call.json(change).expect(200);
    }

    fn get(&self, uid: &str, draft: u8) -> Value {
        let call = self.call("GET", "prod", &format!("{uid}/?draft={draft}"));
        call.ok()
    }

    fn names(&self, environment: &str, draft: u8) -> Vec<String> {
        let call = self.call("GET", environment, &format!("?draft={draft}"));
        let pages = call.ok();
        let names = pages.as_array().unwrap().iter();
        names
            .map(|page| page["unique_name"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn place(uid: &str) -> String {
    format!("{PAGES}page/{uid}/")
}

fn reader(setup: &Setup) -> Browser {
    setup.run("account add rea@example.com --password-stdin");
    let team = ["--project", "main", "--team", "Read Only"];
    let command = [&["member", "set", "rea@example.com"], &team[..]].concat();
    Program::new(setup.folder.path(), &command).run_ok();
    Browser::signed_in(&setup.service, "rea@example.com", PASSWORD)
}

fn editor(setup: &Setup) -> (Browser, Api) {
    (signed_in(&setup.service), Api::new(setup))
}

#[test]
fn the_form_of_a_new_page_that_is_sent_twice_makes_one_page() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let new = format!("{PAGES}new/");
    let form = browser.page(&new);
    let typed = [("name", "Typed page")];
    // What is refused does not use the form up.
    let wrong = browser.submit(&new, &form, &[("name", ""), ("unique_name", "")]);
    assert_eq!(wrong.status, 400);
    let made = browser.submit_ok(&new, &form, &typed);
    assert_eq!(browser.submit_ok(&new, &form, &typed), made);
    assert_eq!(api.names("prod", 1), ["typed_page"]);
    // The form as it is opened again makes another one.
    assert_ne!(browser.submit_ok(&new, &browser.page(&new), &typed), made);

    // A program has the same, and the first answer to the letter.
    let page = json!({"name": "Once", "params": NUMBERS});
    let create = |layer: u8, page: &Value| {
        let call = api.call("POST", "prod", &format!("?draft={layer}"));
        call.header("idempotency-key", "once").json(page)
    };
    let first = create(1, &page).expect(201);
    let second = create(1, &page).expect(201);
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("etag"), second.header("etag"));
    let uid = first.json()["uid"].as_str().unwrap().to_owned();
    assert_eq!(api.get(&uid, 1)["params"], json!(NUMBERS));
    create(1, &json!({"name": "Other"})).expect(422);
    create(0, &page).expect(422);
}

#[test]
fn a_page_is_found_by_its_name_and_by_its_unique_name() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let page = json!({"name": "Sales & Co", "unique_name": "turnover", "params": "{}"});
    let uid = api.create(1, &page);
    let find = |typed: &str| browser.page(&format!("{HOME}find/?q={typed}"));
    for typed in ["sales", "turn", "%26%20co"] {
        let found = find(typed);
        let link = format!("href=\"{}\"", place(&uid));
        assert!(found.contains(&link), "{typed}: {found}");
        assert!(found.contains("Sales &amp; Co"), "{typed}: {found}");
    }
    assert!(!find("something-else").contains(&uid));
    assert!(!find("").contains(&uid));
}

#[test]
fn a_page_is_made_moved_changed_published_and_deleted_in_the_browser() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    assert!(browser.page(HOME).contains("prod/pages/"));
    assert!(browser.page(PAGES).contains("pages/new/"));
    let new = format!("{PAGES}new/");
    let form = browser.page(&new);
    // Without a name it is not made, and what was typed stays.
    let refused = browser.submit(&new, &form, &[("params", "{\"typed\": 1}")]);
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("f-name") && refused.body.contains("&quot;typed&quot;: 1"));
    let made = browser.submit_ok(&new, &form, &[("name", "Orders <1>")]);
    let page = browser.page(&made);
    assert!(
        page.contains("Orders &lt;1&gt;") && page.contains("never published"),
        "{page}"
    );
    let orders = made.split('?').next().unwrap().to_owned();
    let uid = orders.trim_end_matches('/').rsplit('/').next().unwrap();
    assert_eq!(api.names("prod", 0), Vec::<String>::new());

    // A page below it, which the tree shows in its place.
    let below = format!("{PAGES}new/?parent=orders_1");
    let form = browser.page(&below);
    let made = browser.submit_ok(&new, &form, &[("name", "Returns")]);
    assert!(browser.page(&made).contains("value=\"orders_1\" selected"));
    let tree = browser.page(PAGES);
    assert!(tree.contains("data-depth=\"1\""), "{tree}");
    let returns = made.split('?').next().unwrap();
    let returns_uid = returns.trim_end_matches('/').rsplit('/').next().unwrap();
    // A page cannot be chosen as its own parent, nor one below it.
    let page = browser.page(&orders);
    assert!(!page.contains("value=\"returns\"") && !page.contains("option value=\"orders_1\""));

    // One of the two is published.
    let publish = format!("{PAGES}publish/");
    let one = browser.page(&format!("{publish}?page={uid}"));
    assert!(one.contains("<ins>") && !one.contains("Returns"), "{one}");
    let done = browser.submit_ok(&publish, &one, &[]);
    assert_eq!(done, format!("{orders}?published=1"));
    assert_eq!(api.names("prod", 0), ["orders_1"]);

    // Moved to the top, with a number.
    let form = browser.page(returns);
    browser.submit_ok(returns, &form, &[("parent", ""), ("order", "1.50")]);
    let moved = api.get(returns_uid, 1);
    assert_eq!(
        (&moved["parent"], &moved["order"]),
        (&Value::Null, &json!(1.5))
    );
    let wrong = browser.submit(returns, &browser.page(returns), &[("order", "first")]);
    assert!(wrong.status == 400 && wrong.body.contains("value=\"first\""));
    // A name that another page has is refused beside its field.
    let taken = browser.submit(
        returns,
        &browser.page(returns),
        &[("unique_name", "orders_1")],
    );
    assert!(
        taken.status == 400 && taken.body.contains("e-unique_name"),
        "{}",
        taken.body
    );

    // Deleting the published one is a draft too; the other one is gone at once, after its name was typed.
    let delete = format!("{orders}delete/");
    browser.submit_ok(&delete, &browser.page(&delete), &[]);
    assert_eq!(api.names("prod", 0), ["orders_1"]);
    assert!(browser.page(&orders).contains("deleted in the draft"));
    let delete = format!("{returns}delete/");
    let question = browser.page(&delete);
    assert_eq!(browser.submit(&delete, &question, &[]).status, 200);
    assert_eq!(api.names("prod", 1), ["returns"]);
    browser.submit_ok(&delete, &question, &[("confirm", "returns")]);
    assert_eq!(api.names("prod", 1), Vec::<String>::new());
    let all = browser.page(&publish);
    let done = browser.submit_ok(&publish, &all, &[]);
    assert_eq!(done, format!("{PAGES}?published=1"));
    assert_eq!(api.names("prod", 0), Vec::<String>::new());
    assert_eq!(browser.get(&orders).status, 404);
}

#[test]
fn pages_stay_below_a_page_that_gets_another_unique_name() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let made = |draft, name: &str, parent: &str| {
        let page = json!({"name": name, "unique_name": name, "parent": parent, "params": "{}"});
        api.create(draft, &page)
    };
    let (top, one, two) = (
        made(0, "orders", ""),
        made(0, "open", "orders"),
        made(1, "paid", "orders"),
    );
    let (deep, other) = (made(0, "late", "open"), made(0, "parts", ""));
    let top_place = place(&top);
    let rename = |to: &str| {
        let form = browser.page(&top_place);
        browser.submit_ok(&top_place, &form, &[("unique_name", to)])
    };
    // The page is a draft now, and those below it are too.
    let done = browser.page(&rename("orders2"));
    assert!(done.contains("2 pages below it were changed too"), "{done}");
    for child in [&one, &two] {
        assert_eq!(api.get(child, 1)["parent"], "orders2");
    }
    assert_eq!(api.get(&one, 0)["parent"], "orders");
    assert_eq!(api.get(&deep, 1)["parent"], "open");
    for untouched in [&deep, &other] {
        assert_eq!(api.get(untouched, 1)["draft"], false);
    }
    let tree = browser.page(PAGES);
    assert_eq!(tree.matches("data-depth=\"1\"").count(), 2, "{tree}");
    assert_eq!(tree.matches("data-depth=\"2\"").count(), 1, "{tree}");

    // A revision with another name has the same pages below it.
    let revision = format!("{top_place}revisions/1/");
    let restored = browser.submit_ok(&revision, &browser.page(&revision), &[]);
    assert!(browser.page(&restored).contains("2 pages below it"));
    for child in [&one, &two] {
        assert_eq!(api.get(child, 1)["parent"], "orders");
    }
    // Nothing is said where nothing is below.
    let form = browser.page(&place(&deep));
    let done = browser.submit_ok(&place(&deep), &form, &[("unique_name", "later")]);
    assert!(!browser.page(&done).contains("below it"));
}

#[test]
fn a_page_is_not_put_below_itself() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let top = api.create(0, &json!({"name": "a", "unique_name": "a"}));
    let below = json!({"name": "b", "unique_name": "b", "parent": "a"});
    api.create(0, &below);
    let top_place = place(&top);
    let form = browser.page(&top_place);
    let wrong: [&[(&str, &str)]; 4] = [
        &[("parent", "a")],
        &[("parent", "b")],
        &[("parent", "c"), ("unique_name", "c")],
        &[("parent", "c"), ("unique_name", " c ")],
    ];
    for fields in wrong {
        let refused = browser.submit(&top_place, &form, fields);
        assert_eq!(refused.status, 400, "{fields:?}");
        assert!(
            refused.body.contains("e-parent") && refused.body.contains("cannot be below itself"),
            "{fields:?}: {}",
            refused.body
        );
    }
    let new = format!("{PAGES}new/");
    let fields = [("name", "d"), ("unique_name", "d"), ("parent", "d")];
    let refused = browser.submit(&new, &browser.page(&new), &fields);
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("e-parent"), "{}", refused.body);
    assert_eq!(api.get(&top, 1)["draft"], false);
}

#[test]
fn a_document_keeps_its_bytes_and_a_fault_is_shown_with_its_line() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let stored = format!("\n{NUMBERS}\r\n");
    let uid = api.create(0, &json!({"name": "A", "params": stored, "zoom": 1.50}));
    let place = place(&uid);
    // Nothing is sent where nothing was changed.
    let form = browser.page(&place);
    assert_eq!(
        browser.submit_ok(&place, &form, &[]),
        format!("{place}?saved=0")
    );
    assert_eq!(api.get(&uid, 1)["draft"], false);
    // Another field leaves the document.
    browser.submit_ok(&place, &form, &[("name", "B")]);
    assert_eq!(api.get(&uid, 1)["params"], stored.as_str());

    let form = browser.page(&place);
    let typed = "{\r\n  \"ä\": [1, 2,]\r\n}";
    let wrong = browser.submit(&place, &form, &[("params", typed), ("name", "C")]);
    assert_eq!(wrong.status, 400);
    for part in [
        "Line 2, character 14",
        "<mark>]</mark>",
        "value=\"C\"",
        "data-at=\"15\"",
    ] {
        assert!(wrong.body.contains(part), "{part}: {}", wrong.body);
    }
    let kept = form_of(&wrong.body, &place).fields;
    let kept = kept.iter().find(|(name, _)| name == "params").unwrap();
    assert_eq!(kept.1, typed);

    // Digits and order are those that were typed.
    let changed = NUMBERS.replace("1.50", "1.60");
    browser.submit_ok(&place, &form, &[("params", &changed)]);
    assert_eq!(api.get(&uid, 1)["params"], changed.as_str());

    // What a program has stored on one line is shown on many, and stays on one.
    api.patch(
        &uid,
        &json!({"params": r#"{"z":1.50,"big":12345678901234567890}"#}),
    );
    let form = browser.page(&place);
    let shown = form_of(&form, &place).fields;
    let shown = &shown.iter().find(|(name, _)| name == "params").unwrap().1;
    assert!(shown.contains("{\r\n  \"z\": 1.50,\r\n"), "{shown}");
    browser.submit_ok(&place, &form, &[("params", &shown.replace("1.50", "1.70"))]);
    let params = api.get(&uid, 1)["params"].clone();
    assert_eq!(params, r#"{"z":1.70,"big":12345678901234567890}"#);

    // Laying out does not save.
    let form = browser.page(&place);
    let laid_out = browser.submit(&place, &form, &[("params", "[1,{}]"), ("action", "format")]);
    assert!(
        laid_out.status == 200 && laid_out.body.contains("[\n  1,\n  {}\n]"),
        "{}",
        laid_out.body
    );
    assert_eq!(api.get(&uid, 1)["params"], params);
}

#[test]
fn two_people_who_change_a_page_lose_nothing() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let uid = api.create(0, &json!({"name": "A", "params": "{\"a\":1}"}));
    let place = place(&uid);
    let form = browser.page(&place);
    api.patch(&uid, &json!({"resource": "s", "params": "{\"a\":2}"}));
    // Another field: one more click keeps both.
    let apart = browser.submit(&place, &form, &[("name", "Mine")]);
    assert_eq!(apart.status, 412);
    browser.submit_ok(&place, &apart.body, &[]);
    let page = api.get(&uid, 1);
    assert_eq!(
        (&page["name"], &page["resource"]),
        (&json!("Mine"), &json!("s"))
    );
    assert_eq!(page["params"], "{\"a\":2}");

    // The same document: both are shown beside each other, and mine stays in the form.
    let form = browser.page(&place);
    api.patch(&uid, &json!({"params": "{\"a\":3}"}));
    let same = browser.submit(&place, &form, &[("params", "{\"a\": 4}")]);
    assert_eq!(same.status, 412);
    assert!(
        same.body.contains("<del>") && same.body.contains("{&quot;a&quot;: 4}"),
        "{}",
        same.body
    );
    assert_eq!(api.get(&uid, 1)["params"], "{\"a\":3}");
    browser.submit_ok(&place, &same.body, &[]);
    assert_eq!(api.get(&uid, 1)["params"], "{\"a\":4}");

    // Publishing changes the tag of a page and nothing that it holds.
    let form = browser.page(&place);
    api.call("POST", "prod", "publish/")
        .json(&json!({}))
        .expect(200);
    browser.submit_ok(&place, &form, &[("name", "Later")]);
    // What was typed about a page that was deleted becomes a new one.
    let form = browser.page(&place);
    api.call("DELETE", "prod", &format!("{uid}/?draft=1"))
        .expect(204);
    let gone = browser.submit(&place, &form, &[("name", "Typed")]);
    assert_eq!(gone.status, 409);
    let made = browser.submit_ok(&format!("{PAGES}new/"), &gone.body, &[]);
    assert!(browser.page(&made).contains("value=\"Typed\""));
}

#[test]
fn a_newer_draft_stops_publishing_and_discarding_with_a_choice() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let made = ["A", "B", "C"].map(|name| api.create(0, &json!({"name": name, "v": 1})));
    for uid in &made {
        api.patch(uid, &json!({"v": 2}));
    }
    let publish = format!("{PAGES}publish/");
    let two = format!("{publish}?page={}&page={}", made[0], made[1]);
    let shown = browser.page(&two);
    assert!(shown.contains("One other page has a draft"), "{shown}");
    api.patch(&made[1], &json!({"v": 3}));
    let stopped = browser.submit(&publish, &shown, &[]);
    assert_eq!(stopped.status, 412, "{}", stopped.body);
    assert_eq!(stopped.body.matches("newer than what you saw").count(), 1);
    assert_eq!(api.get(&made[0], 0)["v"], 1, "nothing was published");
    // Leaving it out is one choice, taking it another.
    let without = format!("{publish}?page={}", made[0]);
    assert!(
        stopped.body.contains(&format!("href=\"{without}\"")),
        "{}",
        stopped.body
    );
    browser.submit_ok(&publish, &browser.page(&without), &[]);
    assert_eq!(
        (&api.get(&made[0], 0)["v"], &api.get(&made[1], 0)["v"]),
        (&json!(2), &json!(1))
    );
    let form = form_of(&stopped.body, &publish).fields;
    let kept: Vec<(&str, &str)> = form
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    assert_eq!(browser.post(&publish, &kept).status, 303);
    assert_eq!(
        (&api.get(&made[1], 0)["v"], &api.get(&made[2], 0)["v"]),
        (&json!(3), &json!(1))
    );
    // A form without tags publishes nothing.
    let bare = browser.post(&publish, &[("page", &made[2])]);
    assert_eq!(bare.status, 412);

    let discard = format!("{PAGES}discard/");
    let question = browser.page(&discard);
    api.patch(&made[2], &json!({"v": 9}));
    let confirm = [("confirm", "c")];
    assert_eq!(browser.submit(&discard, &question, &confirm).status, 412);
    let question = browser.page(&discard);
    assert_eq!(
        browser.submit(&discard, &question, &[]).status,
        200,
        "the name is typed in prod"
    );
    browser.submit_ok(&discard, &question, &confirm);
    assert_eq!(api.get(&made[2], 1)["v"], 1);
}

#[test]
fn a_revision_is_compared_with_now_and_restored_as_the_draft() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let uid = api.create(0, &json!({"name": "First", "params": NUMBERS}));
    let place = place(&uid);
    browser.submit_ok(&place, &browser.page(&place), &[("name", "Second")]);
    let revisions = format!("{place}revisions/");
    let listed = browser.page(&revisions);
    assert!(
        listed.contains(EMAIL) && listed.contains("<time"),
        "{listed}"
    );
    let first = format!("{revisions}1/");
    let compared = browser.page(&first);
    assert!(
        compared.contains("<del>") && compared.contains("First"),
        "{compared}"
    );
    api.patch(&uid, &json!({"name": "Third"}));
    assert_eq!(browser.submit(&first, &compared, &[]).status, 412);
    let done = browser.submit_ok(&first, &browser.page(&first), &[]);
    assert_eq!(done, format!("{place}?restored=1"));
    assert!(browser.page(&done).contains("value=\"First\""));
    assert_eq!(api.get(&uid, 1)["params"], NUMBERS);
    for number in ["0", "99", "x", "-1"] {
        assert_eq!(browser.get(&format!("{revisions}{number}/")).status, 404);
    }
}

#[test]
fn pages_are_copied_to_another_environment_after_saying_what_is_lost() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    api.create(0, &json!({"name": "A"}));
    api.create(1, &json!({"name": "B"}));
    setup.run("env add staging --project main");
    assert!(browser.page(PAGES).contains("pages/copy/"));
    let copy = format!("{PAGES}copy/");
    assert!(browser.page(&copy).contains("staging"));
    let chosen = format!("{copy}?to=staging&pages=on");
    let question = browser.page(&chosen);
    assert!(
        question.contains("2 pages of prod are copied to staging"),
        "{question}"
    );
    let done = browser.submit_ok(&copy, &question, &[]);
    assert_eq!(done, "/console/projects/main/staging/pages/?copied=2");
    browser.page(&done);
    assert_eq!(api.names("staging", 1), ["a", "b"]);
    // A form from before the target had pages replaces nothing.
    assert_eq!(
        browser
            .submit(&copy, &question, &[("confirm", "staging")])
            .status,
        200
    );
    let again = browser.page(&chosen);
    assert!(again.contains("staging has 2 pages"), "{again}");
    assert_eq!(browser.submit(&copy, &again, &[]).status, 200);
    browser.submit_ok(&copy, &again, &[("confirm", "staging")]);
    assert_eq!(api.names("staging", 1), ["a", "b"]);
    assert_eq!(browser.get(&format!("{copy}?to=prod&pages=on")).status, 404);
}

#[test]
fn who_may_not_write_reads_pages_and_is_told_so() {
    let setup = Setup::new();
    let (_, api) = editor(&setup);
    let uid = api.create(0, &json!({"name": "A", "params": "{\"shown\":1}"}));
    api.patch(&uid, &json!({"v": 2}));
    let browser = reader(&setup);
    let place = place(&uid);
    let tree = browser.page(PAGES);
    assert!(
        !tree.contains("pages/new/") && !tree.contains("checkbox"),
        "{tree}"
    );
    let page = browser.page(&place);
    assert!(
        page.contains("shown") && !page.contains("textarea"),
        "{page}"
    );
    assert!(!page.contains("delete/") && !page.contains("publish/"));
    browser.page(&format!("{place}changes/"));
    assert!(
        !browser
            .page(&format!("{place}revisions/1/"))
            .contains("restore")
    );
    for below in [
        "new/",
        "publish/",
        "discard/",
        "copy/",
        &format!("page/{uid}/delete/"),
    ] {
        let answer = browser.get(&format!("{PAGES}{below}"));
        assert_eq!(answer.status, 403, "{below}");
        assert!(answer.body.contains("role=\"alert\""), "{below}");
    }
    for below in [
        "new/",
        "publish/",
        &format!("page/{uid}/"),
        &format!("page/{uid}/revisions/1/"),
    ] {
        let answer = browser.post(&format!("{PAGES}{below}"), &[("name", "x"), ("page", &uid)]);
        assert_eq!(answer.status, 403, "{below}");
    }
    assert_eq!(api.get(&uid, 1)["name"], "A");
    assert_eq!(api.get(&uid, 0).get("v"), None);
}

#[test]
fn a_document_of_five_megabytes_is_edited() {
    let setup = Setup::new();
    let (browser, api) = editor(&setup);
    let row = format!("  [{}, \"{}\"],\n", u64::MAX, "x".repeat(480));
    let big = format!("[\n{}  0\n]", row.repeat(10_000));
    assert!(big.len() > 5_000_000);
    let uid = api.create(0, &json!({"name": "Big", "params": big}));
    let place = place(&uid);
    let form = browser.page(&place);
    assert_eq!(
        browser.submit_ok(&place, &form, &[]),
        format!("{place}?saved=0")
    );
    let changed = big.replacen("x", "y", 1);
    browser.submit_ok(&place, &form, &[("params", &changed.replace('\n', "\r\n"))]);
    assert_eq!(api.get(&uid, 1)["params"], changed.as_str());
    let compared = browser.page(&format!("{place}changes/"));
    assert!(compared.len() < 500_000, "{}", compared.len());
}
