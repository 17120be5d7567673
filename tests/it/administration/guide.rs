//! The commands of the chapter about administering over HTTP, against the database that it shows.

use std::fs;

use rusqlite::Connection;
use svc_tests::{Service, book};

#[test]
fn the_commands_about_administration_have_the_described_output() {
    let mut blocks = book::blocks("administering.md");
    let (language, tables) = blocks.remove(0);
    assert_eq!(language, "sql");
    let folder = tempfile::tempdir().unwrap();
    let file = Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(&tables).unwrap();
    let service = Service::start(folder.path(), &["serve"]);
    let url = ("SVC_APP_BASE_URL", service.text("/app_base_url"));
    // The first blocks make the key, beside the store.
    let makes_key = |(_, block): &(String, String)| block.contains("> api-key.txt");
    let first = blocks.iter().position(makes_key).unwrap() + 1;
    let beside_store = ("SVC_DIR", "svc-data");
    let ran = book::run(&blocks[..first], folder.path(), [url, beside_store]);
    assert_eq!(ran, 2);
    let key = fs::read_to_string(folder.path().join("api-key.txt")).unwrap();
    let ran = book::run(
        &blocks[first..],
        folder.path(),
        [url, ("SVC_API_KEY", key.trim())],
    );
    assert!(ran >= 9, "{ran} blocks of commands ran");
    let token = fs::read_to_string(folder.path().join("token.txt")).unwrap();
    let orders = service.root("GET", "/projects/crm/prod/shop/models/orders");
    assert_eq!(orders.authorization(token.trim()).ok()["count"], 2);
}
