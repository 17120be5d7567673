//! `svc generate`: types of the models of connected resources.

use std::{fs, path::Path};

use serde_json::json;
use svc_tests::{
    Program, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use crate::shared::{demo, serve};

/// A command for the resources of a service, without a credential.
fn generate(service: &Service, folder: &Path, arguments: &[&str]) -> Program {
    let arguments = [&["generate"], arguments].concat();
    Program::new(folder, &arguments)
        .env("SVC_API_BASE_URL", service.text("/base_url"))
        .env("SVC_APP_BASE_URL", service.text("/app_base_url"))
        .env("SVC_PROJECT", "main")
}

fn with_token(service: &Service, resource: &str, folder: &Path, arguments: &[&str]) -> Program {
    let token = service.text(&format!("/resources/{resource}/token"));
    generate(service, folder, arguments).env("SVC_API_TOKEN", token)
}

/// A service with SQLite databases that have these tables.
fn databases(folder: &TempDir, tables: &[(&str, &str)]) -> Service {
    let connect = tables.iter().map(|(name, sql)| {
        let file = folder.path().join(format!("{name}.db"));
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(sql).unwrap();
        format!("{name}=sqlite:{}", file.display())
    });
    let connect: Vec<String> = connect.collect();
    let connect: Vec<&str> = connect.iter().map(String::as_str).collect();
    serve(folder, &connect)
}

#[test]
fn the_types_in_the_examples_are_those_of_the_demo() {
    let folder = tempfile::tempdir().unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (language, file) in [
        ("rust", "crates/svc-api/examples/typed_records/models.rs"),
        ("typescript", "crates/svc-js/tests/shop.ts"),
    ] {
        let file = project.join(file).display().to_string();
        let arguments = [language, "--resource", "shop", "--out", &file, "--check"];
        with_token(demo(), "shop", folder.path(), &arguments)
            .env("SVC_PROJECT", demo().text("/project"))
            .run_ok();
    }
}

#[test]
fn a_file_is_out_of_date_once_the_structure_is_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let service = databases(
        &folder,
        &[("shop", "CREATE TABLE orders (id INTEGER PRIMARY KEY)")],
    );
    let file = folder.path().join("shop.ts");
    let text = || fs::read_to_string(&file).unwrap();
    let arguments = ["typescript", "--resource", "shop", "--out", "shop.ts"];
    let write = || {
        let arguments = [&arguments[..], &["--json"]].concat();
        with_token(&service, "shop", folder.path(), &arguments).run_json()
    };
    let check = || {
        let arguments = [&arguments[..], &["--check"]].concat();
        with_token(&service, "shop", folder.path(), &arguments)
    };

    let (status, message) = check().run_err();
    assert_eq!(status, 1);
    assert!(message.contains("shop.ts is not there"), "{message}");
    assert!(!file.exists(), "a check writes nothing");
    assert_eq!(
        write(),
        json!({"file": "shop.ts", "models": 1, "written": true})
    );
    check().run_ok();
    let first = text();
    assert_eq!(
        write(),
        json!({"file": "shop.ts", "models": 1, "written": false})
    );
    let printed = with_token(&service, "shop", folder.path(), &arguments[..3]).run_ok();
    assert_eq!(printed, first);

    rusqlite::Connection::open(folder.path().join("shop.db"))
        .and_then(|shop| shop.execute_batch("ALTER TABLE orders ADD COLUMN note TEXT"))
        .unwrap();
    service.data("POST", "shop", "/reload").ok();
    let (status, message) = check().run_err();
    assert_eq!(status, 1);
    assert!(message.contains("shop.ts is out of date"), "{message}");
    assert_eq!(text(), first);
    assert_eq!(write()["written"], true);
    assert!(text().contains("  note: string | null;\n"), "{}", text());
    check().run_ok();
}

#[test]
fn an_api_key_gives_the_types_of_every_resource() {
    let folder = tempfile::tempdir().unwrap();
    let orders = "CREATE TABLE orders (id INTEGER PRIMARY KEY)";
    let items =
        "CREATE TABLE orders (id INTEGER PRIMARY KEY); CREATE TABLE items (id INTEGER PRIMARY KEY)";
    let service = databases(&folder, &[("old-shop", orders), ("shop", items)]);
    let key = service.text("/api_key").to_owned();
    let types = |arguments: &[&str]| {
        let program = generate(&service, folder.path(), arguments);
        let program = program.env("SVC_API_KEY", &key);
        // It opens one of them.
        let token = service.text("/resources/shop/token");
        program.env("SVC_API_TOKEN", token).run_ok()
    };
    let all = types(&["typescript"]);
    for expected in [
        "  \"old-shop\": {\n    orders: OldShopOrders;\n  };\n",
        "  shop: {\n    items: Items;\n    orders: ShopOrders;\n  };\n",
        "export interface OldShopOrders {\n  id: number;\n}\n",
    ] {
        assert!(all.contains(expected), "{expected}: {all}");
    }
    let named = ["typescript", "--resource", "shop", "--resource", "old-shop"];
    assert_eq!(types(&named), all);
    let one = types(&["rust", "--resource", "old-shop"]);
    assert!(one.contains("pub mod old_shop {"), "{one}");
    assert!(!one.contains("items"), "{one}");
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let service = databases(
        &folder,
        &[("shop", "CREATE TABLE orders (id INTEGER PRIMARY KEY)")],
    );
    let (status, message) = generate(&service, folder.path(), &["rust"]).run_err();
    assert_eq!(status, 2);
    assert!(
        message.contains("--resource") && message.contains("SVC_API_KEY"),
        "{message}"
    );
    let named = ["rust", "--resource", "shop"];
    let (status, message) = generate(&service, folder.path(), &named).run_err();
    assert_eq!(status, 2);
    assert!(message.contains("SVC_API_TOKEN"), "{message}");
    for (status, expected, arguments) in [
        (2, "--out", &["rust", "--resource", "shop", "--check"][..]),
        (2, "cobol", &["cobol", "--resource", "shop"]),
        (
            1,
            "a credential of this project",
            &["rust", "--resource", "gone"],
        ),
        (
            1,
            "cannot write no/models.rs",
            &["rust", "--resource", "shop", "--out", "no/models.rs"],
        ),
    ] {
        let (is, message) = with_token(&service, "shop", folder.path(), arguments).run_err();
        assert_eq!(is, status, "{message}");
        assert!(message.contains(expected), "{message}");
    }
    let key = service.text("/api_key").to_owned();
    let gone = generate(&service, folder.path(), &["rust", "--resource", "gone"]);
    let (status, message) = gone.env("SVC_API_KEY", &key).run_err();
    assert_eq!(status, 1);
    assert!(message.contains("svc resource list"), "{message}");
}

#[test]
fn the_types_of_servers_are_those_of_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let postgres = PostgresServer::shared().database(
        "CREATE TABLE t (id bigserial PRIMARY KEY, small int NOT NULL, price numeric(8,2) NOT NULL, ratio float8 NOT NULL,
             tags text[], extra jsonb, ok boolean NOT NULL, at timestamptz NOT NULL DEFAULT now(), parent bigint REFERENCES t)",
    );
    let mariadb = MariadbServer::shared().database(
        "CREATE TABLE t (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, small int NOT NULL, price decimal(8,2) NOT NULL,
             ok boolean NOT NULL, parent bigint unsigned, FOREIGN KEY (parent) REFERENCES t(id))",
    );
    let service = serve(
        &folder,
        &[&format!("pg={postgres}"), &format!("my={mariadb}")],
    );
    let types = |language: &str, resource: &str| {
        let arguments = [language, "--resource", resource];
        with_token(&service, resource, folder.path(), &arguments).run_ok()
    };
    for (resource, language, expected) in [
        (
            "pg",
            "typescript",
            "export interface T {\n  id: number | bigint;\n  small: number;\n  price: string;\n  ratio: number | null;\n  \
             tags: Json[] | null;\n  extra: Json;\n  ok: boolean;\n  at: string;\n  parent: number | bigint | null;\n}\n",
        ),
        (
            "pg",
            "typescript",
            "export interface TCreate {\n  id?: number | bigint;\n  small: number;\n  price: string;\n  ratio: number;\n",
        ),
        (
            "pg",
            "rust",
            "        pub ratio: Option<f64>,\n        pub tags: Option<Vec<serde_json::Value>>,\n        pub extra: serde_json::Value,\n",
        ),
        (
            "my",
            "rust",
            "        pub id: u64,\n        pub small: i64,\n        pub price: String,\n        pub ok: bool,\n        pub parent: Option<u64>,\n",
        ),
    ] {
        let types = types(language, resource);
        assert!(types.contains(expected), "{resource} {language}: {types}");
    }
}
