//! Finding a place by typing.

use std::time::Instant;

use rusqlite::Connection;
use svc_tests::{Service, browser::Browser};

use super::{EMAIL, HOME, PASSWORD, Setup, record, signed_in};

#[test]
fn models_and_records_are_found_on_every_engine_and_nothing_else() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let find = |typed: &str| browser.page(&format!("{HOME}find/?q={typed}"));
    let found = find("part");
    for engine in super::ENGINES {
        let list = super::list(engine);
        assert!(found.contains(&format!("href=\"{list}\"")), "{found}");
    }
    assert!(!found.contains("/makers/"), "{found}");
    let found = find("parts%201");
    for engine in super::ENGINES {
        let record = record(engine, 1);
        assert!(found.contains(&format!("href=\"{record}\"")), "{found}");
    }
    assert!(found.contains("bolt"), "{found}");
    // A key that no record has, and one of another kind.
    for nothing in ["parts%2099", "parts%20%2F..%2F", "%3Cscript%3E"] {
        let found = find(nothing);
        assert!(
            !found.contains("/record/") && found.contains("empty-state"),
            "{found}"
        );
    }
    let fragment = browser.fragment(&format!("{HOME}find/?q=makers"), "results");
    assert!(
        fragment.contains("id=\"found\"")
            && !fragment.contains("<html")
            && fragment.contains("/makers/"),
        "{fragment}"
    );
    assert!(browser.page("/console/find/?q=main").contains(HOME));
}

#[test]
fn each_of_many_projects_is_found_and_listed() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let add = |name: &str| {
        let command = ["project", "add", name];
        svc_tests::Program::new(setup.folder.path(), &command).run_ok();
    };
    for number in 0..55 {
        add(&format!("project-{number:02}"));
    }
    let found = browser.page("/console/find/?q=project-54");
    assert!(found.contains("/projects/project-54/"), "{found}");
    let first = browser.page("/console/projects/");
    assert!(first.contains("/projects/project-00/"), "{first}");
    assert!(!first.contains("/projects/project-54/"), "{first}");
    let (_, next) = first
        .split_once("rel=\"next\" href=\"")
        .expect("a next page");
    let next = next.split('"').next().unwrap().replace("&amp;", "&");
    let second = browser.page(&next);
    assert!(second.contains("/projects/project-54/"), "{second}");
    assert!(!second.contains("/projects/project-00/"), "{second}");
}

#[test]
fn who_may_not_see_a_model_does_not_find_it() {
    let setup = Setup::new();
    let run = |command: &[&str], input: &str| {
        let program = svc_tests::Program::new(setup.folder.path(), command);
        program.input(input).run_ok()
    };
    let password = format!("{PASSWORD}\n");
    run(
        &["account", "add", "bo@example.com", "--password-stdin"],
        &password,
    );
    let team = ["--team", "Read Only", "--project", "main"];
    run(
        &[&["member", "set", "bo@example.com"], &team[..]].concat(),
        "",
    );
    let hidden = ["--rights", "none", "--resource", "s", "--model", "makers"];
    let command = ["rights", "set", "Read Only", "--project", "main"];
    run(&[&command[..], &hidden[..]].concat(), "");
    let browser = Browser::signed_in(&setup.service, "bo@example.com", PASSWORD);
    let found = browser.page(&format!("{HOME}find/?q=makers"));
    assert!(!found.contains("records/s/makers/"), "{found}");
    assert!(found.contains("records/p/makers/"), "{found}");
    let found = browser.page(&format!("{HOME}find/?q=makers%201"));
    assert!(!found.contains("records/s/makers/"), "{found}");
    assert!(found.contains("records/p/makers/record/1/"), "{found}");
}

#[test]
fn two_thousand_models_are_searched_and_few_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("s.db")).unwrap();
    let tables: Vec<String> = (0..2_000)
        .map(|n| {
            format!(
                "CREATE TABLE table_{n} (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT);"
            )
        })
        .collect();
    connection
        .execute_batch(&format!("BEGIN; {} COMMIT;", tables.concat()))
        .unwrap();
    let service = Service::start(folder.path(), &["serve", "--connect=s=sqlite:s.db"]);
    let account = ["account", "add", EMAIL, "--operator", "--password-stdin"];
    let program = svc_tests::Program::new(folder.path(), &account);
    program.input(&format!("{PASSWORD}\n")).run_ok();
    let browser = signed_in(&service);
    let find = |typed: &str| browser.fragment(&format!("{HOME}find/?q={typed}"), "results");
    find("table");
    let begun = Instant::now();
    let found = find("table_19");
    println!("found after {:?}", begun.elapsed());
    assert!(
        found.contains("/table_19/") && found.len() < 4_000,
        "{found}"
    );
    assert_eq!(found.matches("<li>").count(), 8);
    let found = find("table_1999");
    assert_eq!(found.matches("<li>").count(), 1, "{found}");
}
