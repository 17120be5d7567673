//! The commands of the chapter about records, against the database that it shows.

use rusqlite::Connection;
use svc_tests::{Service, book};

#[test]
fn the_commands_about_records_have_the_described_output() {
    let mut blocks = book::blocks("records.md");
    let (language, tables) = blocks.remove(0);
    assert_eq!(language, "sql");
    let folder = tempfile::tempdir().unwrap();
    let file = Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(&tables).unwrap();
    let arguments = ["serve", "--connect", "shop=sqlite:shop.db"];
    let service = Service::start(folder.path(), &arguments);
    let variables = [
        ("SVC_API_BASE_URL", service.text("/base_url")),
        ("SVC_PROJECT", service.text("/project")),
        ("SVC_API_TOKEN", service.text("/resources/shop/token")),
    ];
    let ran = book::run(&blocks, folder.path(), variables);
    assert!(ran >= 9, "{ran} blocks of commands ran");
}
