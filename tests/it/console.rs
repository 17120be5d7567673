//! The console, as a browser without scripts uses it: links and forms over HTTP.

mod audit;
mod bulk;
mod cells;
mod charts;
mod columns;
mod diagram;
mod edits;
mod elsewhere;
mod filters;
mod find;
mod forms;
mod imports;
mod integrations;
mod meanwhile;
mod pages;
mod people;
mod profile;
mod records;
mod resources;
mod service;
mod sign_in;
mod slow;
mod sql;
mod sql_text;
mod values;
mod views;

use rusqlite::Connection;
use svc_tests::{
    Program, Service,
    browser::Browser,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "correct horse battery";
const HOME: &str = "/console/projects/main/prod/";

/// A browser in which the operator has signed in.
fn signed_in(service: &Service) -> Browser {
    Browser::signed_in(service, EMAIL, PASSWORD)
}

/// A service over the same two tables in each engine, and an operator.
struct Setup {
    folder: TempDir,
    service: Service,
}

const ENGINES: [&str; 3] = ["s", "p", "m"];

impl Setup {
    fn new() -> Self {
        let script = |serial: &str, text: &str| {
            format!(
                "CREATE TABLE makers (id {serial} PRIMARY KEY, name VARCHAR(40) NOT NULL);\
                 CREATE TABLE parts (id {serial} PRIMARY KEY, maker_id BIGINT REFERENCES makers (id), \
                 name VARCHAR(80), note {text}, price NUMERIC(20,4), amount BIGINT NOT NULL DEFAULT 3, \
                 FOREIGN KEY (maker_id) REFERENCES makers (id));\
                 INSERT INTO makers (id, name) VALUES (1, 'Müller & Söhne'), (2, '<script>alert(1)</script>');\
                 INSERT INTO parts (id, maker_id, name, note, price, amount) VALUES \
                 (1, 1, 'bolt', 'a  \nb', 12345678901234.5000, 9007199254740993), (2, 2, '', NULL, NULL, 1);"
            )
        };
        Self::over(
            &script("INTEGER", "TEXT"),
            &script("BIGINT", "TEXT"),
            &script("BIGINT", "TEXT"),
        )
    }

    /// A service over what these scripts make in each engine.
    fn over(sqlite: &str, postgres: &str, mariadb: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Connection::open(folder.path().join("s.db"))
            .unwrap()
            .execute_batch(sqlite)
            .unwrap();
        let postgres = PostgresServer::shared().database(postgres);
        let mariadb = MariadbServer::shared().database(mariadb);
        Self::start(
            folder,
            &[
                "--connect=s=sqlite:s.db".to_owned(),
                format!("--connect=p={postgres}"),
                format!("--connect=m={mariadb}"),
            ],
        )
    }

    /// A service over what this script makes in a file, which is the database `s`.
    fn over_file(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = Connection::open(folder.path().join("s.db")).unwrap();
        file.execute_batch(script).unwrap();
        Self::start(folder, &["--connect=s=sqlite:s.db".to_owned()])
    }

    fn start(folder: TempDir, connects: &[String]) -> Self {
        let mut all = vec!["serve"];
        all.extend(connects.iter().map(String::as_str));
        let service = Service::start(folder.path(), &all);
        let setup = Self { folder, service };
        setup.run("account add ann@example.com --operator --password-stdin");
        setup
    }

    /// A browser in which somebody has signed in who belongs to a team of the project.
    fn member(&self, email: &str, team: &str) -> Browser {
        self.run(&format!("account add {email} --password-stdin"));
        self.run(&format!("member set {email} --team {team} --project main"));
        Browser::signed_in(&self.service, email, PASSWORD)
    }

    fn run(&self, command: &str) {
        let command: Vec<&str> = command.split(' ').collect();
        let program = Program::new(self.folder.path(), &command);
        program.input(&format!("{PASSWORD}\n")).run_ok();
    }
}

fn list(engine: &str) -> String {
    format!("/console/projects/main/prod/records/{engine}/parts/")
}

fn record(engine: &str, id: u32) -> String {
    format!("{}record/{id}/", list(engine))
}
