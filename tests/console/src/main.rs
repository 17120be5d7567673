//! Runs a command with databases of every engine, which it finds in the variable `DATABASES`:
//! `cargo xtask test console-browser`.
//!
//! Each set of databases is for one way to use the console, so that what became of them can be compared.

mod tables;

use std::{
    env,
    error::Error,
    path::Path,
    process::{Command, ExitCode},
};

use rusqlite::Connection;
use serde_json::{Map, Value, json};
use svc_tests::servers::{MariadbServer, PostgresServer, Server as _};

use self::tables::{Engine, script};

/// The sets: one to look at, and one for each way to use the console.
const SETS: [&str; 4] = ["places", "mouse", "keyboard", "plain"];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let Some(command) = arguments.next() else {
        return Err("run `cargo xtask test console-browser`".into());
    };
    let folder = tempfile::tempdir()?;
    // They end with this value, after the command.
    let postgres = PostgresServer::start();
    let mariadb = MariadbServer::start();
    let mut sets = Map::new();
    for set in SETS {
        let databases = json!({
            "sqlite": sqlite(&folder.path().join(format!("{set}.db")))?,
            "postgres": postgres.database(&script(Engine::Postgres)),
            "mariadb": mariadb.database(&script(Engine::Mariadb)),
        });
        sets.insert(set.to_owned(), databases);
    }
    let status = Command::new(command)
        .args(arguments)
        .env("DATABASES", Value::Object(sets).to_string())
        .status()?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn sqlite(path: &Path) -> Result<String, Box<dyn Error>> {
    Connection::open(path)?.execute_batch(&script(Engine::Sqlite))?;
    Ok(format!("sqlite:{}", path.display()))
}
