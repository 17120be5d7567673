//! The records before and after one (wire contract, section 4).

use serde_json::{Value, json};

use crate::shared::serve;

#[test]
fn siblings_follow_the_order_and_the_filters_of_the_query() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, place INTEGER, kind TEXT);
             INSERT INTO t VALUES(1, 5, 'a'), (2, NULL, 'b'), (3, 5, 'b'), (4, 1, 'a'), (5, NULL, 'a');
             CREATE TABLE parts(a TEXT, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;
             INSERT INTO parts VALUES('x,y', 1), ('x', 2), ('z', 0);
             CREATE TABLE keyless(word TEXT);
             INSERT INTO keyless VALUES('one'), ('two'), ('two'), ('zero');
             CREATE VIEW looking AS SELECT word FROM keyless;",
        )
        .unwrap();
    let service = serve(&folder, &["s=sqlite:s.db"]);
    let siblings = |path: &str| service.data("GET", "s", &format!("/models/{path}")).ok();
    let pair = |prev: Option<i64>, next: Option<i64>| -> Value {
        let key = |id: Option<i64>| id.map(|id| json!({ "id": id }));
        json!({"prev": key(prev), "next": key(next)})
    };

    // The default order is the primary key, descending.
    assert_eq!(siblings("t/3/get_siblings"), pair(Some(4), Some(2)));
    assert_eq!(siblings("t/5/get_siblings"), pair(None, Some(4)));
    assert_eq!(siblings("t/1/get_siblings"), pair(Some(2), None));
    // NULL first, ties by the key: 2, 5, 4, 1, 3.
    for (id, prev, next) in [
        (2, None, Some(5)),
        (5, Some(2), Some(4)),
        (4, Some(5), Some(1)),
        (1, Some(4), Some(3)),
        (3, Some(1), None),
    ] {
        let path = format!("t/{id}/get_siblings?_order_by=place");
        assert_eq!(siblings(&path), pair(prev, next), "{id}");
        // And in reverse order.
        let path = format!("t/{id}/get_siblings?_order_by=-place");
        assert_eq!(siblings(&path), pair(next, prev), "{id}");
    }
    // A record that the filters leave out still has a position.
    let path = "t/3/get_siblings?kind=a&_order_by=id";
    assert_eq!(siblings(path), pair(Some(1), Some(4)));

    assert_eq!(
        siblings("parts/x,2/get_siblings?_order_by=a"),
        json!({"prev": null, "next": {"a": "x,y", "b": 1}})
    );
    let path = "keyless/two/get_siblings?_order_by=word";
    assert_eq!(
        siblings(path),
        json!({"prev": {"word": "one"}, "next": {"word": "two"}})
    );
    // In a view the two records are indistinguishable, so each is a neighbour of the other.
    let path = "looking/two/get_siblings?_order_by=word";
    assert_eq!(
        siblings(path),
        json!({"prev": {"word": "two"}, "next": {"word": "two"}})
    );

    for (path, status) in [
        ("t/99/get_siblings", 404),
        ("t/1/get_siblings?_per_page=2", 400),
        ("t/1/get_siblings?page=2", 400),
        ("t/1/get_siblings?knd=a", 400),
    ] {
        let call = service.data("GET", "s", &format!("/models/{path}"));
        call.expect(status);
    }
}
