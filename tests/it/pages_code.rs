//! Pages as code, drafts and copies of environments from the command line, and the guide in the book, step by step.

mod guide;

use std::{fs, path::PathBuf, process::Output};

use serde_json::{Value, json};
use svc_tests::{Call, Program, Service};
use tempfile::TempDir;

use crate::shared::pages_service;

/// A service, and a folder to work in.
struct Workshop {
    service: Service,
    key: String,
    folder: TempDir,
}

impl Workshop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, key) = pages_service(&folder);
        Self {
            service,
            key,
            folder,
        }
    }

    fn variables(&self) -> [(&str, &str); 4] {
        [
            ("SVC_API_BASE_URL", self.service.text("/base_url")),
            ("SVC_APP_BASE_URL", self.service.text("/app_base_url")),
            ("SVC_PROJECT", "main"),
            ("SVC_API_KEY", &self.key),
        ]
    }

    /// `svc pages ...` in the folder.
    fn pages(&self, arguments: &[&str]) -> Program {
        let arguments = [&["pages"], arguments].concat();
        let program = Program::new(self.folder.path(), &arguments);
        let set = |program: Program, (name, value)| program.env(name, value);
        self.variables().into_iter().fold(program, set)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.pages(&[arguments, &["--json"]].concat()).run_json()
    }

    /// The standard output and error of a command that ended with exit status 1.
    fn refused(&self, arguments: &[&str]) -> (String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self.pages(arguments).run();
        assert_eq!(
            status.code(),
            Some(1),
            "{}",
            String::from_utf8_lossy(&stderr)
        );
        (
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        )
    }

    fn call(&self, method: &str, below: &str) -> Call {
        let path = format!("/projects/main/prod/view_settings/{below}");
        let call = self.service.app_anonymous(method, &path);
        call.authorization(&format!("Bearer {}", self.key))
    }

    fn create(&self, settings: &Value) -> String {
        let made = self.call("POST", "").json(settings).expect(201);
        made.json()["uid"].as_str().unwrap().to_owned()
    }

    fn get(&self, uid: &str) -> Value {
        self.call("GET", &format!("{uid}/")).ok()
    }

    fn patch(&self, uid: &str, change: &Value) {
        self.call("PATCH", &format!("{uid}/"))
            .json(change)
            .expect(200);
    }

    fn list(&self) -> String {
        self.call("GET", "").expect(200).body
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("pages").join(name)
    }

    fn read(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.file(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn write(&self, name: &str, content: &Value) {
        let text = serde_json::to_string_pretty(content).unwrap();
        fs::write(self.file(name), text).unwrap();
    }

    /// Changes a property in a file.
    fn edit(&self, name: &str, property: &str, value: Value) {
        let mut content = self.read(name);
        content[property] = value;
        self.write(name, &content);
    }

    /// The files of the folder.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("pages")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

#[test]
fn a_push_directly_after_a_pull_changes_nothing() {
    let workshop = Workshop::new();
    let settings = r#"{"name":"Orders","params":" {\"b\": [1.50, 9007199254740993], \"a\":\"\\u00e4\"} ","zoom":1.50,
        "deep":{"b":[1, 2],"a":null},"big":123456789012345678901234567890,"text":"\u0041 \u0000 \ud83d\ude00","nothing":null}"#;
    for _ in 0..2 {
        let call = workshop.call("POST", "");
        call.header("content-type", "application/json")
            .body(settings)
            .expect(201);
    }
    for params in ["\"text\"", "null", "[]", "7"] {
        workshop.create(&json!({"name": params, "params": params}));
    }
    let before = workshop.list();
    let pulled = workshop.json(&["pull", "pages"]);
    assert_eq!(pulled["written"].as_array().unwrap().len(), 6);
    let file = fs::read_to_string(workshop.file("orders.json")).unwrap();
    for part in [
        "\n  \"zoom\": 1.50,",
        "\n  \"big\": 123456789012345678901234567890,",
        "\n      1.50,\n      9007199254740993\n",
    ] {
        assert!(file.contains(part), "{part:?} in {file}");
    }
    let nothing = json!({"added": [], "changed": [], "deleted": [], "conflicts": [], "behind": [], "published": []});
    assert_eq!(workshop.json(&["diff", "pages"]), nothing);
    assert_eq!(workshop.json(&["push", "pages", "--delete"]), nothing);
    assert_eq!(workshop.list(), before);
    assert_eq!(
        workshop.pages(&["pull", "pages"]).run_ok(),
        "nothing to pull\n"
    );

    // Another formatting of a file is not a change, and neither is another order of the properties in params.
    let mut content = workshop.read("orders.json");
    content["params"] = serde_json::from_str(r#"{"a":"ä","b":[1.50,9007199254740993]}"#).unwrap();
    let text = file.replace("\n", "").replace("  ", " ");
    fs::write(workshop.file("orders.json"), text).unwrap();
    assert_eq!(workshop.json(&["push", "pages"]), nothing);
    assert_eq!(workshop.list(), before);
}

#[test]
fn a_push_creates_changes_and_deletes_pages_like_the_folder() {
    let workshop = Workshop::new();
    let changed =
        workshop.create(&json!({"name": "Changed", "params": "{\"a\":1}", "zoom": 1, "old": true}));
    let deleted = workshop.create(&json!({"name": "Deleted"}));
    workshop.json(&["pull", "pages"]);
    workshop.edit("changed.json", "params", json!({"a": 2}));
    let mut content = workshop.read("changed.json");
    content.as_object_mut().unwrap().remove("old");
    workshop.write("changed.json", &content);
    fs::remove_file(workshop.file("deleted.json")).unwrap();
    workshop.write(
        "added.json",
        &json!({"name": "New", "params": [1], "more": {}}),
    );

    let shown = workshop.pages(&["diff", "pages"]).run_ok();
    for part in [
        "added added.json\nchanged changed.json\ndeleted deleted.json\n",
        "--- service/changed.json\n+++ folder/changed.json\n",
        "-    \"a\": 1\n+    \"a\": 2\n",
        "\n-  \"old\": true",
        "\n+  \"old\": null",
        "--- /dev/null\n+++ folder/added.json\n",
        "--- service/deleted.json\n+++ /dev/null\n",
    ] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    let pushed = workshop.json(&["push", "pages"]);
    assert_eq!(pushed["added"], json!(["added.json"]));
    assert_eq!(
        (&pushed["changed"], &pushed["deleted"]),
        (&json!(["changed.json"]), &json!([]))
    );
    let page = workshop.get(&changed);
    assert_eq!(
        (&page["params"], &page["old"], &page["zoom"]),
        (&json!("{\"a\":2}"), &Value::Null, &json!(1))
    );
    workshop.get(&deleted);
    let list: Value = serde_json::from_str(&workshop.list()).unwrap();
    assert_eq!(
        (&list[2]["unique_name"], &list[2]["params"]),
        (&json!("added"), &json!("[1]"))
    );

    let pushed = workshop.json(&["push", "pages", "--delete"]);
    assert_eq!(pushed["deleted"], json!(["deleted.json"]));
    workshop.call("GET", &format!("{deleted}/")).expect(404);
    assert_eq!(
        workshop.pages(&["push", "pages", "--delete"]).run_ok(),
        "nothing to push\n"
    );
    assert_eq!(
        workshop.pages(&["pull", "pages"]).run_ok(),
        "nothing to pull\n"
    );
}

#[test]
fn changes_on_both_sides_are_shown_and_nothing_is_overwritten() {
    let workshop = Workshop::new();
    let both = workshop.create(&json!({"name": "Both", "v": 0}));
    let here = workshop.create(&json!({"name": "Here", "v": 0}));
    let there = workshop.create(&json!({"name": "There", "v": 0}));
    workshop.json(&["pull", "pages"]);
    workshop.edit("both.json", "v", json!(1));
    workshop.edit("here.json", "v", json!(1));
    workshop.patch(&both, &json!({"v": 2}));
    workshop.patch(&there, &json!({"v": 2}));

    let (shown, error) = workshop.refused(&["push", "pages"]);
    assert!(
        shown.contains("conflict both.json: changed here and on the service"),
        "{shown}"
    );
    assert!(shown.contains("behind there.json"), "{shown}");
    assert!(
        error.contains("nothing was pushed; --force overwrites"),
        "{error}"
    );
    assert_eq!(workshop.get(&both)["v"], 2);
    assert_eq!(workshop.get(&here)["v"], 0, "nothing was pushed");
    workshop.refused(&["diff", "pages"]);

    let (shown, _) = workshop.refused(&["pull", "pages"]);
    assert!(
        shown.contains("written there.json") && shown.contains("kept here.json"),
        "{shown}"
    );
    assert_eq!(workshop.read("both.json")["v"], 1);
    assert_eq!(workshop.read("there.json")["v"], 2);

    let pushed = workshop.json(&["push", "pages", "--force"]);
    assert_eq!(pushed["changed"], json!(["both.json", "here.json"]));
    assert_eq!(workshop.get(&both)["v"], 1);
    assert_eq!(workshop.get(&there)["v"], 2);

    // The other way round.
    workshop.edit("both.json", "v", json!(3));
    workshop.patch(&both, &json!({"v": 4}));
    workshop.json(&["pull", "pages", "--force"]);
    assert_eq!(workshop.read("both.json")["v"], 4);
    assert_eq!(
        workshop.pages(&["push", "pages"]).run_ok(),
        "nothing to push\n"
    );

    // Deleted on one side and changed on the other.
    fs::remove_file(workshop.file("here.json")).unwrap();
    workshop.patch(&here, &json!({"v": 5}));
    workshop.edit("there.json", "v", json!(6));
    workshop.call("DELETE", &format!("{there}/")).expect(204);
    let (shown, _) = workshop.refused(&["push", "pages", "--delete"]);
    assert!(
        shown.contains("here.json: deleted here, changed on the service"),
        "{shown}"
    );
    assert!(
        shown.contains("there.json: changed here, deleted on the service"),
        "{shown}"
    );
    workshop.get(&here);
    let pushed = workshop.json(&["push", "pages", "--delete", "--force"]);
    assert_eq!(
        (&pushed["added"], &pushed["deleted"]),
        (&json!(["there.json"]), &json!(["here.json"]))
    );
    assert_eq!(
        workshop.pages(&["push", "pages"]).run_ok(),
        "nothing to push\n"
    );
}

#[test]
fn a_folder_without_sync_state_is_compared_by_names() {
    let workshop = Workshop::new();
    workshop.create(&json!({"name": "Same", "v": 1}));
    let other = workshop.create(&json!({"name": "Other", "v": 1}));
    workshop.json(&["pull", "pages"]);
    // As in another person's clone, or after a push that was killed before it could write its state.
    fs::remove_file(workshop.file(".svc-pages.json")).unwrap();
    assert_eq!(
        workshop.pages(&["push", "pages"]).run_ok(),
        "nothing to push\n"
    );
    workshop.edit("other.json", "v", json!(2));
    let pushed = workshop.json(&["push", "pages"]);
    assert_eq!(
        pushed["changed"],
        json!(["other.json"]),
        "the first push noted what is the same"
    );
    fs::remove_file(workshop.file(".svc-pages.json")).unwrap();
    workshop.edit("other.json", "v", json!(3));
    let (shown, _) = workshop.refused(&["push", "pages"]);
    assert!(shown.contains("different pages of this name"), "{shown}");
    assert_eq!(workshop.get(&other)["v"], 2);
}

#[test]
fn a_push_that_was_interrupted_is_repeated() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.folder.path().join("pages")).unwrap();
    for number in 0..5 {
        workshop.write(&format!("p{number}.json"), &json!({"v": number}));
    }
    // The last page is refused, after others were created.
    workshop.write("p9.json", &json!({"name": 7}));
    let (_, error) = workshop.refused(&["push", "pages"]);
    assert!(
        error.contains("p9.json") && error.contains("name"),
        "{error}"
    );
    workshop.write("p9.json", &json!({"name": "Nine"}));
    // Also killed before the state was written.
    fs::remove_file(workshop.file(".svc-pages.json")).unwrap();
    let pushed = workshop.json(&["push", "pages"]);
    assert_eq!(pushed["added"], json!(["p9.json"]));
    let list: Value = serde_json::from_str(&workshop.list()).unwrap();
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|page| &page["unique_name"])
        .collect();
    assert_eq!(names, ["p0", "p1", "p2", "p3", "p4", "p9"]);
}

#[test]
fn a_push_writes_drafts_and_publishes_them_together() {
    let workshop = Workshop::new();
    let a = workshop.create(&json!({"name": "A", "v": 0}));
    let b = workshop.create(&json!({"name": "B", "v": 0}));
    let other = workshop.create(&json!({"name": "Other", "v": 0}));
    workshop.json(&["pull", "pages"]);
    workshop.edit("a.json", "v", json!(1));
    fs::remove_file(workshop.file("b.json")).unwrap();
    workshop.write("c.json", &json!({"v": 1}));
    // Somebody else's draft is not published.
    workshop
        .call("PATCH", &format!("{other}/?draft=1"))
        .json(&json!({"v": 9}))
        .expect(200);

    let pushed = workshop.json(&["push", "pages", "--draft", "--delete"]);
    assert_eq!(pushed["changed"], json!(["a.json"]));
    assert_eq!(
        (workshop.get(&a)["v"].clone(), workshop.get(&b)["v"].clone()),
        (json!(0), json!(0))
    );
    assert_eq!(workshop.call("GET", &format!("{a}/?draft=1")).ok()["v"], 1);

    let pushed = workshop.json(&["push", "pages", "--publish", "--delete"]);
    assert_eq!(pushed["published"].as_array().unwrap().len(), 3, "{pushed}");
    assert_eq!(workshop.get(&a)["v"], 1);
    workshop.call("GET", &format!("{b}/")).expect(404);
    assert_eq!(workshop.get(&other)["v"], 0);
    let again = workshop.json(&["push", "pages", "--publish", "--delete"]);
    assert_eq!(again["published"], json!([]));
}

#[test]
fn pages_that_exchange_names_are_pushed_in_an_order_that_works() {
    let workshop = Workshop::new();
    let names: Vec<_> = ["a", "b", "c"]
        .map(|name| workshop.create(&json!({"unique_name": name})))
        .into();
    workshop.json(&["pull", "pages"]);
    workshop.edit("a.json", "unique_name", json!("b"));
    workshop.edit("b.json", "unique_name", json!("c"));
    workshop.edit("c.json", "unique_name", json!("d"));
    workshop.json(&["push", "pages"]);
    let now: Vec<_> = names
        .iter()
        .map(|uid| workshop.get(uid)["unique_name"].clone())
        .collect();
    assert_eq!(now, ["b", "c", "d"]);
    // A cycle of names has no such order; the service reports the name that is in use.
    workshop.edit("a.json", "unique_name", json!("c"));
    workshop.edit("b.json", "unique_name", json!("b"));
    let (_, error) = workshop.refused(&["push", "pages"]);
    assert!(error.contains("unique_name"), "{error}");
}

#[test]
fn no_name_of_a_page_leads_outside_of_the_folder_or_overwrites_another_file() {
    let workshop = Workshop::new();
    let names = [
        "../../outside",
        "orders",
        "Orders",
        ".svc-pages",
        "con",
        "a/b",
        "x\u{0}y",
        "..",
        "größe",
    ];
    // A text of PostgreSQL cannot hold the character U+0000.
    let fits = |name: &&str| !svc_tests::stores_are_on_server() || !name.contains('\0');
    let names: Vec<&str> = names.into_iter().filter(fits).collect();
    for name in &names {
        workshop.create(&json!({"unique_name": name, "marker": name}));
    }
    workshop.create(&json!({"unique_name": "l".repeat(255)}));
    let before = workshop.list();
    workshop.json(&["pull", "pages"]);
    let files = workshop.files();
    assert_eq!(files.len(), names.len() + 1, "{files:?}");
    let folded: std::collections::HashSet<_> =
        files.iter().map(|file| file.to_lowercase()).collect();
    assert_eq!(folded.len(), files.len(), "{files:?}");
    let outside = fs::read_dir(workshop.folder.path()).unwrap();
    let outside: Vec<_> = outside.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !outside
            .iter()
            .any(|name| name.to_string_lossy().contains("outside")),
        "{outside:?}"
    );
    assert_eq!(
        workshop.pages(&["push", "pages", "--delete"]).run_ok(),
        "nothing to push\n"
    );
    assert_eq!(workshop.list(), before);
    assert_eq!(workshop.read("orders~2.json")["marker"], "orders");
}

#[test]
fn a_renamed_page_gets_another_file() {
    let workshop = Workshop::new();
    let uid = workshop.create(&json!({"unique_name": "old"}));
    workshop.json(&["pull", "pages"]);
    workshop.patch(&uid, &json!({"unique_name": "new"}));
    assert_eq!(
        workshop.json(&["pull", "pages"])["written"],
        json!(["new.json"])
    );
    assert_eq!(workshop.files(), ["new.json"]);
    workshop.call("DELETE", &format!("{uid}/")).expect(204);
    assert_eq!(
        workshop.json(&["pull", "pages"])["removed"],
        json!(["new.json"])
    );
    assert!(workshop.files().is_empty());
}

#[test]
fn an_invalid_file_stops_a_push_before_it_begins() {
    let workshop = Workshop::new();
    let (code, error) = workshop.pages(&["push", "pages"]).run_err();
    assert!(
        code == 2 && error.contains("svc pages pull makes it"),
        "{error}"
    );
    fs::create_dir(workshop.folder.path().join("pages")).unwrap();
    workshop.write("a.json", &json!({"v": 1}));
    fs::write(workshop.file("b.json"), "{").unwrap();
    let (_, error) = workshop.refused(&["push", "pages"]);
    assert!(error.contains("b.json must hold a JSON object"), "{error}");
    assert_eq!(workshop.list(), "[]");
}

#[test]
fn drafts_are_published_discarded_and_restored_from_the_command_line() {
    let workshop = Workshop::new();
    let page = workshop.json(&["create", "--name", "Orders", "--draft"]);
    let uid = page["uid"].as_str().unwrap();
    assert_eq!(workshop.list(), "[]");
    let shown = workshop.pages(&["publish", uid]).run_ok();
    assert_eq!(shown, format!("page {uid} published\n"));
    workshop.json(&["update", uid, "--name", "Sales", "--draft"]);
    assert_eq!(
        workshop.json(&["publish", "--all"]),
        json!({"published": [uid]})
    );
    workshop.json(&["update", uid, "--name", "Purchases", "--draft"]);
    assert_eq!(
        workshop.json(&["discard", uid]),
        json!({"discarded": [uid]})
    );
    assert_eq!(workshop.json(&["get", uid, "--draft"])["name"], "Sales");

    let revisions = workshop.json(&["revisions", uid]);
    assert_eq!(revisions[0]["number"], 6);
    let restored = workshop.json(&["restore", uid, "1"]);
    assert_eq!(
        (&restored["name"], &restored["draft"]),
        (&json!("Orders"), &json!(true))
    );
    assert_eq!(workshop.get(uid)["name"], "Sales");
    let (code, _) = workshop.pages(&["publish"]).run_err();
    assert_eq!(code, 2, "all is said in so many words");
    let (code, _) = workshop.pages(&["publish", uid, "--all"]).run_err();
    assert_eq!(code, 2);
}

#[test]
fn an_environment_is_copied_with_its_drafts_and_pushed_to_from_one_folder() {
    let workshop = Workshop::new();
    let svc = |arguments: &[&str]| {
        Program::new(
            workshop.folder.path(),
            &[arguments, &["--project", "main", "--json"]].concat(),
        )
    };
    let a = workshop.create(&json!({"name": "A", "v": 1}));
    workshop
        .call("PATCH", &format!("{a}/?draft=1"))
        .json(&json!({"v": 2}))
        .expect(200);
    svc(&["env", "add", "staging"]).run_ok();
    let copied = svc(&["env", "copy", "prod", "staging"]).run_json();
    assert_eq!(copied, json!({"from": "prod", "to": "staging", "pages": 1}));
    let list = |draft: u8| {
        let path = format!("/projects/main/staging/view_settings/?draft={draft}");
        let call = workshop.service.app_anonymous("GET", &path);
        call.authorization(&format!("Bearer {}", workshop.key)).ok()
    };
    assert_eq!((&list(0)[0]["v"], &list(1)[0]["v"]), (&json!(1), &json!(2)));
    assert_ne!(list(0)[0]["uid"], json!(a));
    let (_, error) = svc(&["env", "copy", "prod", "staging"]).run_err();
    assert!(error.contains("--replace"), "{error}");
    svc(&["env", "copy", "prod", "staging", "--replace"]).run_ok();
    let (_, error) = svc(&["env", "copy", "prod", "nowhere"]).run_err();
    assert!(error.contains("svc env list"), "{error}");

    // One folder for both: each environment has its own state.
    workshop.json(&["pull", "pages"]);
    workshop.json(&["pull", "pages", "--env", "staging"]);
    workshop.edit("a.json", "v", json!(3));
    workshop.json(&["push", "pages", "--env", "staging"]);
    assert_eq!(list(0)[0]["v"], 3);
    assert_eq!(workshop.get(&a)["v"], 1);
    assert_eq!(
        workshop.json(&["push", "pages"])["changed"],
        json!(["a.json"])
    );
    assert_eq!(workshop.get(&a)["v"], 3);
}
