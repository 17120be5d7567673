//! The diagram of the relations of a database.

use rusqlite::Connection;
use svc_tests::{Program, Service, browser::Browser, wait_until};

use super::{EMAIL, ENGINES, HOME, PASSWORD, Setup, signed_in};

fn diagram(engine: &str) -> String {
    format!("{HOME}resources/{engine}/diagram/")
}

/// A service over an SQLite database that this script makes, and a browser of its operator.
fn serving(script: &str) -> (tempfile::TempDir, Service, Browser) {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("s.db")).unwrap();
    let script = format!("BEGIN; {script} COMMIT;");
    connection.execute_batch(&script).unwrap();
    let service = Service::start(folder.path(), &["serve", "--connect=s=sqlite:s.db"]);
    let account = ["account", "add", EMAIL, "--operator", "--password-stdin"];
    let program = Program::new(folder.path(), &account);
    program.input(&format!("{PASSWORD}\n")).run_ok();
    let browser = signed_in(&service);
    (folder, service, browser)
}

#[test]
fn models_and_their_references_are_drawn_and_listed_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let state = browser.page(&format!("{HOME}resources/{engine}/"));
        let list = browser.page(&format!("{HOME}records/{engine}/"));
        for page in [state, list] {
            assert!(page.contains(&diagram(engine)), "{page}");
        }
        let page = browser.page(&diagram(engine));
        assert_eq!(page.matches("<path class=\"way\"").count(), 1, "{page}");
        for part in [
            &format!("href=\"{HOME}records/{engine}/parts/\"")[..],
            "\u{2068}parts\u{2069} \u{2068}maker_id\u{2069} → \u{2068}makers\u{2069}",
            "<bdi>maker_id</bdi> → ",
            "tabindex=\"0\" role=\"region\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("style="), "{page}");
        let around = browser.page(&format!("{}?model=makers&steps=2", diagram(engine)));
        for part in ["box chosen", "Fields of makers", "<bdi>parts</bdi>"] {
            assert!(around.contains(part), "{part}: {around}");
        }
    }
    assert_eq!(browser.get(&diagram("nowhere")).status, 404);
    assert_eq!(browser.post(&diagram("s"), &[]).status, 405);
}

/// A browser of a member who only reads.
fn member(setup: &Setup) -> Browser {
    let run = |command: &[&str], input: &str| {
        let program = Program::new(setup.folder.path(), command);
        program.input(input).run_ok()
    };
    let password = format!("{PASSWORD}\n");
    let add = ["account", "add", "bo@example.com", "--password-stdin"];
    run(&add, &password);
    let team = ["--team", "Read Only", "--project", "main"];
    run(
        &[&["member", "set", "bo@example.com"], &team[..]].concat(),
        "",
    );
    Browser::signed_in(&setup.service, "bo@example.com", PASSWORD)
}

#[test]
fn who_may_not_see_a_model_does_not_see_its_name_in_the_diagram() {
    let setup = Setup::new();
    let browser = member(&setup);
    assert!(browser.page(&diagram("s")).contains("makers"));
    let hidden = ["--rights", "none", "--resource", "s", "--model", "makers"];
    let command = ["rights", "set", "Read Only", "--project", "main"];
    Program::new(setup.folder.path(), &[&command[..], &hidden].concat()).run_ok();
    for query in ["", "?model=makers", "?model=parts"] {
        let path = format!("{}{query}", diagram("s"));
        // The service learns of it in a moment.
        wait_until("the rule holds", || {
            !browser.page(&path).contains("records/s/makers/")
        });
        let page = browser.page(&path).replace("value=\"makers\"", "");
        assert!(!page.contains("makers"), "{page}");
    }
}

#[test]
fn awkward_names_cycles_and_keys_of_several_fields_are_drawn() {
    let long = "l".repeat(200);
    let script = format!(
        r#"CREATE TABLE "<b>it's</b>" ("a" INTEGER, "b" INTEGER, parent INTEGER REFERENCES "other ""one"""(id),
             PRIMARY KEY (a, b));
           CREATE TABLE "other ""one""" (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, self INTEGER REFERENCES "other ""one"""(id),
             first INTEGER REFERENCES "שלום"(id), second INTEGER REFERENCES "שלום"(id),
             FOREIGN KEY (a, b) REFERENCES "<b>it's</b>"(a, b));
           CREATE TABLE "שלום" (id INTEGER PRIMARY KEY);
           CREATE TABLE {long} (id INTEGER PRIMARY KEY, by_{long} INTEGER REFERENCES "שלום"(id));
           CREATE TABLE alone (id INTEGER PRIMARY KEY);"#
    );
    let (_folder, _service, browser) = serving(&script);
    let page = browser.page(&diagram("s"));
    // Two that form a cycle, one to itself, two to the same model, and one of the long name.
    assert_eq!(page.matches("<path class=\"way\"").count(), 6, "{page}");
    assert!(!page.contains("<b>it") && !page.contains("NaN"), "{page}");
    let cut = format!("{}…", "l".repeat(22));
    for part in ["&lt;b&gt;it's&lt;/b&gt;", "a, b", &long, &cut] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("diagram/?model=alone&amp;steps=1"), "{page}");
    for model in ["%3Cb%3Eit's%3C%2Fb%3E", "other%20%22one%22", &long] {
        let around = browser.page(&format!("{}?model={model}", diagram("s")));
        assert!(around.contains("box chosen"), "{around}");
    }
}

#[test]
fn of_two_thousand_models_one_chooses_which_to_see() {
    let tables: Vec<String> = (0..2_000)
        .map(|n| {
            let center = "hub INTEGER REFERENCES table_0(id)";
            format!("CREATE TABLE table_{n} (id INTEGER PRIMARY KEY, a TEXT, b TEXT, {center});")
        })
        .collect();
    let (_folder, _service, browser) = serving(&tables.concat());
    let first = browser.page(&diagram("s"));
    assert!(!first.contains("<path class=\"way\""), "{first}");
    assert!(first.contains("?model=table_0&amp;steps=1"), "{first}");
    let around = |query: &str| browser.page(&format!("{}?{query}", diagram("s")));
    let hub = around("model=table_0");
    assert_eq!(hub.matches("<g class=\"box").count(), 60, "{hub}");
    assert!(hub.contains("1,940"), "{hub}");
    let leaf = around("model=table_1999&steps=1");
    assert_eq!(leaf.matches("<g class=\"box").count(), 2, "{leaf}");
    let both = around("model=table_1999&steps=2");
    assert_eq!(both.matches("<g class=\"box").count(), 60, "{both}");
    let found = around("model=TABLE_199");
    assert_eq!(found.matches("?model=table_199").count(), 11, "{found}");
    assert!(around("model=nothing").contains("empty-state"));
    for page in [first, hub, leaf, both, found] {
        println!("{} bytes", page.len());
        assert!(page.len() < 200_000);
    }
}
