//! The records that refer to a record, and what becomes of them.

use serde_json::{Value, json};
use svc_tests::servers::{MariadbServer, PostgresServer, Server as _};

use super::{
    faults::serve,
    fixture::{ENGINES, Engines},
};

const TABLES: &str = "
    CREATE TABLE a (id INT NOT NULL PRIMARY KEY, code VARCHAR(9) NOT NULL UNIQUE, x INT, y INT, UNIQUE (x, y));
    CREATE TABLE b (id INT NOT NULL PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id) ON DELETE CASCADE);
    CREATE TABLE c (id INT NOT NULL PRIMARY KEY, a_code VARCHAR(9), FOREIGN KEY (a_code) REFERENCES a (code) ON DELETE SET NULL);
    CREATE TABLE d (id INT NOT NULL PRIMARY KEY, x INT, y INT, FOREIGN KEY (x, y) REFERENCES a (x, y) ON DELETE RESTRICT);
    CREATE TABLE e (id INT NOT NULL PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id));
    INSERT INTO a VALUES (1, 'one', 1, 1);
    INSERT INTO a VALUES (2, 'two', NULL, 2);
    INSERT INTO c VALUES (1, 'one');
    INSERT INTO c VALUES (2, 'one');
    INSERT INTO d VALUES (1, 1, 1);
    INSERT INTO d VALUES (2, NULL, 2);";

#[test]
fn records_that_refer_to_one_are_counted_with_their_rule() {
    let mut script = TABLES.to_owned();
    for id in 0..1200 {
        script += &format!("INSERT INTO b VALUES ({id}, 1);");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("references.db");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(&format!("BEGIN; {script} COMMIT;"))
        .unwrap();
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("postgres={}", PostgresServer::shared().database(&script)),
        format!("mariadb={}", MariadbServer::shared().database(&script)),
    ];
    let (_store, service) = serve(&resources, &[]);
    let reference = |model: &str, rule: &str, count: u64, more: bool| json!({"relation": model, "model": model, "rule": rule, "count": count, "more": more});
    for engine in ENGINES {
        let get = |id: u8| -> Value {
            let path = format!("/models/a/{id}/references");
            service.data("GET", engine, &path).expect(200).json()
        };
        assert_eq!(
            get(1),
            json!([
                reference("b", "cascade", 1001, true),
                reference("c", "set_null", 2, false),
                reference("d", "restrict", 1, false),
                reference("e", "restrict", 0, false),
            ]),
            "{engine}"
        );
        assert_eq!(
            get(2),
            json!([
                reference("b", "cascade", 0, false),
                reference("c", "set_null", 0, false),
                reference("d", "restrict", 0, false),
                reference("e", "restrict", 0, false),
            ]),
            "{engine}"
        );
        let nothing = service.data("GET", engine, "/models/b/1/references");
        assert_eq!(nothing.expect(200).json(), json!([]), "{engine}");
        service
            .data("GET", engine, "/models/a/3/references")
            .expect(404);
        service
            .data("GET", engine, "/models/a/1/references?x=1")
            .expect(400);
    }
    let engines = Engines::shared();
    engines.read("/models/customers/5/references");
    engines.read("/models/orders/7/references");
}
