//! Declared models: lists over tables of our own, one scope at a time.

use svc_data::{Database, DeclaredField, DeclaredModel, Migration, Resource, UpdateOptions};
use svc_model::{Filter, ListQuery, Lookup, OrderBy, RecordView, Relation, sql::SqlQuery};

const FIELD: DeclaredField = DeclaredField {
    name: "",
    db_type: "VARCHAR(254)",
    nullable: false,
    editable: true,
    required: true,
    related: None,
};
const PEOPLE: &[DeclaredField] = &[
    DeclaredField {
        name: "uid",
        db_type: "UUID",
        editable: false,
        required: false,
        ..FIELD
    },
    DeclaredField {
        name: "email",
        ..FIELD
    },
    DeclaredField {
        name: "group",
        db_type: "UUID",
        related: Some("groups"),
        ..FIELD
    },
    DeclaredField {
        name: "date_add",
        db_type: "DATETIME",
        ..FIELD
    },
];
const GROUPS: &[DeclaredField] = &[
    DeclaredField {
        name: "uid",
        db_type: "UUID",
        ..FIELD
    },
    DeclaredField {
        name: "name",
        ..FIELD
    },
];

async fn people(database: &Database, place: &str) -> Resource {
    let models = vec![
        DeclaredModel {
            name: "people",
            table: "people_of_places",
            fields: PEOPLE,
            scope: Some(("place", place.to_owned())),
        },
        DeclaredModel {
            name: "groups",
            table: "bands",
            fields: GROUPS,
            scope: Some(("place", place.to_owned())),
        },
    ];
    database.resource("tools", models).await.unwrap()
}

async fn fixture(folder: &std::path::Path) -> Database {
    let migrations = [Migration {
        version: 1,
        name: "people",
        sql: "CREATE TABLE bands (uid TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, place TEXT NOT NULL);
              CREATE TABLE people (uid TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL, band TEXT NOT NULL,
                                   date_add TEXT NOT NULL, place TEXT NOT NULL, secret TEXT);
              CREATE VIEW people_of_places AS
                  SELECT uid, email, band AS \"group\", date_add, place FROM people;
              INSERT INTO bands VALUES
                  ('00000000-0000-4000-8000-00000000000a', 'Readers', 'here'),
                  ('00000000-0000-4000-8000-00000000000b', 'Writers', 'there');
              INSERT INTO people VALUES
                  ('00000000-0000-4000-8000-000000000001', 'ann@example.com',
                   '00000000-0000-4000-8000-00000000000a', '2026-01-01T00:00:00.000000Z', 'here', 's1'),
                  ('00000000-0000-4000-8000-000000000002', 'bob@example.com',
                   '00000000-0000-4000-8000-00000000000a', '2026-02-01T12:30:00.250000Z', 'here', 's2'),
                  ('00000000-0000-4000-8000-000000000003', 'eve@example.com',
                   '00000000-0000-4000-8000-00000000000b', '2026-03-01T00:00:00.000000Z', 'there', 's3');",
    }];
    Database::open_sqlite(&folder.join("store.db"), &migrations)
        .await
        .unwrap()
}

async fn emails(resource: &Resource, query: ListQuery) -> String {
    let model = resource.find_model("people").await.unwrap();
    let query = query
        .fields(["email"])
        .order_by(OrderBy::ascending("email"));
    let page = resource.list(&model, &query).await.unwrap();
    let json: Vec<serde_json::Value> = serde_json::from_slice(&page.results).unwrap();
    let emails = json
        .iter()
        .map(|row| row["email"].as_str().unwrap().chars().take(3));
    let emails: Vec<String> = emails.map(Iterator::collect).collect();
    format!("{} of {:?}", emails.join(" "), page.count.unwrap())
}

#[tokio::test]
async fn a_list_has_the_rows_of_its_scope_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let database = fixture(folder.path()).await;
    let here = people(&database, "here").await;
    let there = people(&database, "there").await;
    assert_eq!(emails(&here, ListQuery::new()).await, "ann bob of 2");
    assert_eq!(emails(&there, ListQuery::new()).await, "eve of 1");
    let any = Filter::or([
        Filter::field("email", Lookup::Icontains, "EVE"),
        Filter::field("date_add", Lookup::Gt, "2026-01-15T00:00:00Z"),
    ]);
    assert_eq!(
        emails(&here, ListQuery::new().filter_tree(any)).await,
        "bob of 1"
    );
    assert_eq!(
        emails(&here, ListQuery::new().search("example")).await,
        "ann bob of 2"
    );
    let writers: Relation = "group.groups.uid|name.Writers".parse().unwrap();
    assert_eq!(
        emails(&here, ListQuery::new().relation(writers)).await,
        " of 0"
    );
}

#[tokio::test]
async fn a_record_of_another_scope_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let database = fixture(folder.path()).await;
    let here = people(&database, "here").await;
    let model = here.find_model("people").await.unwrap();
    let get = |uid: &'static str| {
        let (here, model) = (&here, &model);
        async move { here.retrieve(model, uid, &RecordView::default()).await }
    };
    let bob = get("00000000-0000-4000-8000-000000000002").await.unwrap();
    assert_eq!(
        bob.body,
        r#"{"uid":"00000000-0000-4000-8000-000000000002","email":"bob@example.com","group":"00000000-0000-4000-8000-00000000000a","date_add":"2026-02-01T12:30:00.250000Z"}"#
    );
    let eve = get("00000000-0000-4000-8000-000000000003")
        .await
        .unwrap_err();
    assert_eq!(eve.kind(), svc_data::ErrorKind::NotFound);
}

#[tokio::test]
async fn what_is_not_declared_is_no_field_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let database = fixture(folder.path()).await;
    let here = people(&database, "here").await;
    let model = here.find_model("people").await.unwrap();
    for field in ["place", "secret"] {
        let query = ListQuery::new().filter(field, Lookup::Exact, "x");
        assert!(here.list(&model, &query).await.is_err(), "{field}");
    }
    assert!(here.find_model("bands").await.is_err());
    let body = serde_json::from_str(r#"{"email":"x@example.com"}"#).unwrap();
    let view = RecordView::default();
    assert!(here.create(&model, &body, &view).await.is_err());
    let uid = "00000000-0000-4000-8000-000000000001";
    assert!(
        here.update(&model, uid, &body, &UpdateOptions::default())
            .await
            .is_err()
    );
    assert!(here.delete(&model, uid, None).await.is_err());
    assert!(
        here.sql(&SqlQuery::new("select secret from people"))
            .await
            .is_err()
    );
    assert_eq!(emails(&here, ListQuery::new()).await, "ann bob of 2");
}
