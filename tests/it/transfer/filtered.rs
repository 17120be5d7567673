//! Exports of a filtered list, whose index does not have the order of the export.

use std::fs;

use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use super::run;
use crate::shared::serve;

/// The number of records: many pages of an export.
const RECORDS: u32 = 30_000;

/// The status of a record: that of one in two, in a thousand, and of a stretch.
fn status(id: u32) -> &'static str {
    match id {
        id if id % 1_000 == 0 => "rare",
        20_001..=20_500 => "late",
        id if id % 2 == 0 => "paid",
        _ => "new",
    }
}

/// The table, filled by a query that gives the keys as `i`.
fn script(keys: &str) -> String {
    format!(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, status VARCHAR(10) NOT NULL, minute INTEGER NOT NULL);
         INSERT INTO orders SELECT i, CASE WHEN i % 1000 = 0 THEN 'rare' WHEN i BETWEEN 20001 AND 20500 THEN 'late'
           WHEN i % 2 = 0 THEN 'paid' ELSE 'new' END, (i * 7919) % 30011 FROM ({keys}) AS k;
         CREATE INDEX orders_status ON orders (status, minute);"
    )
}

fn engines() -> (TempDir, Service) {
    let folder = tempfile::tempdir().unwrap();
    let keys = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS}) SELECT i FROM n"
    );
    let sqlite = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    sqlite.execute_batch(&script(&keys)).unwrap();
    let keys = format!("SELECT generate_series(1, {RECORDS}) AS i");
    let postgres = PostgresServer::shared().database(&script(&keys));
    let keys = format!("SELECT seq AS i FROM seq_1_to_{RECORDS}");
    let mariadb = MariadbServer::shared().database(&script(&keys));
    let (postgres, mariadb) = (format!("p={postgres}"), format!("m={mariadb}"));
    let service = serve(&folder, &["s=sqlite:s.db", &postgres, &mariadb]);
    (folder, service)
}

#[test]
fn an_export_has_each_record_that_a_filter_selects_once_and_in_order() {
    let (folder, service) = engines();
    for resource in ["s", "p", "m"] {
        for selected in ["paid", "rare", "late", "none"] {
            for first in [1, 20_400] {
                let file = format!("{resource}-{selected}-{first}.csv");
                let (status_is, from) = (format!("status={selected}"), format!("id__gte={first}"));
                let export = [
                    "records", "export", resource, "orders", &file, "--filter", &status_is,
                    "--filter", &from,
                ];
                run(&service, folder.path(), resource, &export).run_ok();
                let text = fs::read_to_string(folder.path().join(&file)).unwrap();
                let exported: Vec<u32> = text
                    .lines()
                    .skip(1)
                    .map(|line| line.split(',').next().unwrap().parse().unwrap())
                    .collect();
                let expected: Vec<u32> = (first..=RECORDS)
                    .rev()
                    .filter(|id| status(*id) == selected)
                    .collect();
                assert!(
                    exported == expected,
                    "{file}: {} of {}",
                    exported.len(),
                    expected.len()
                );
            }
        }
    }
}
