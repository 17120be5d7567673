//! Stores that are copied to another place: of each kind to each kind.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::SignedDuration;
use svc_data::{Connection, Database, Value};
use svc_model::{Draft, PageSettings};
use svc_store::{
    Actor, ActorKind, Copied, CopyOptions, CopyStep, ErrorKind, HostName, NewApiKey, NewImport,
    NewResource, NewSecretToken, NewStaticToken, NewUser, Node, Rights, RightsRule, SealKey,
    Secret, Store, StoreOptions, StorePlace,
};
use svc_tests::servers::{PostgresServer, Server as _};
use uuid::Uuid;

use crate::postgres::WORDING;
use crate::{Fixture, is_on_server, main_project, prod};

const URL: &str = "postgres://app:hunter2@db/shop";

impl Fixture {
    /// Where its store is.
    fn place(&self) -> StorePlace {
        match &self.url {
            Some(url) => StorePlace::Database(url.clone()),
            None => StorePlace::Folder(self.store.dir().to_owned()),
        }
    }

    fn key(&self) -> SealKey {
        let text = fs::read_to_string(self.store.dir().join("store.key")).unwrap();
        SealKey::parse(&text).unwrap()
    }

    fn options(&self) -> CopyOptions {
        let mut options = CopyOptions::default();
        options.key_file = Some(self.store.dir().join("store.key"));
        options
    }

    /// An empty place of each kind.
    async fn empty_places(&self) -> [StorePlace; 2] {
        let name = Uuid::now_v7().to_string();
        [
            StorePlace::Folder(self.folder.path().join(name)),
            StorePlace::Database(empty_database().await),
        ]
    }

    /// Runs a statement on the store.
    async fn execute(&self, sql: &'static str, values: Vec<Value>) {
        let written = self.database().await;
        let written = written.write::<_, svc_data::Error, _>(move |c| c.execute(sql, &values));
        assert_eq!(written.await.unwrap(), 1);
    }
}

async fn empty_database() -> Secret {
    let make = || PostgresServer::shared().database("");
    Secret::new(tokio::task::spawn_blocking(make).await.unwrap())
}

async fn execute_on_server(url: &Secret, sql: &str) {
    let (url, sql) = (url.expose().to_owned(), sql.to_owned());
    let run = move || PostgresServer::shared().execute(&url, &sql);
    tokio::task::spawn_blocking(run).await.unwrap();
}

async fn copy(from: &StorePlace, to: &StorePlace, options: CopyOptions) -> Copied {
    Store::copy(from, to, options, go_on).await.unwrap()
}

async fn copy_error(from: &StorePlace, to: &StorePlace, options: CopyOptions) -> String {
    let error = Store::copy(from, to, options, go_on).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    error.to_string()
}

fn go_on(_: CopyStep<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

async fn open(place: &StorePlace, dir: &Path, key: SealKey) -> Store {
    let mut options = StoreOptions::default();
    options.seal_key = Some(key);
    options.must_exist = true;
    let dir = match place {
        StorePlace::Database(url) => {
            options.database = Some(url.clone());
            dir
        }
        StorePlace::Folder(dir) => dir,
        _ => unreachable!(),
    };
    Store::open_with(dir, options).await.unwrap()
}

/// All rows of a store by table, in no order, but for what belongs to processes.
async fn contents(place: &StorePlace) -> BTreeMap<String, Vec<String>> {
    let (database, tables) = match place {
        StorePlace::Folder(dir) => (
            Database::open_untouched_sqlite(&dir.join("store.db"))
                .await
                .unwrap(),
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
        ),
        StorePlace::Database(url) => (
            Database::open_untouched_postgres(url.expose(), WORDING)
                .await
                .unwrap(),
            "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'",
        ),
        _ => unreachable!(),
    };
    let read = move |c: &mut dyn Connection| {
        let mut all = BTreeMap::new();
        for table in c.query(tables, &[])? {
            let table: String = table.get("name")?;
            let left_out = [
                "refinery_schema_history",
                "nodes",
                "node_answers",
                "node_questions",
                "store_probe",
            ];
            if left_out.contains(&&*table) {
                continue;
            }
            let mut rows = Vec::new();
            for row in c.query(&format!("SELECT * FROM {table}"), &[])? {
                let values = row.values().iter().map(|value| match value {
                    Value::Bool(truth) => Value::Int(i64::from(*truth)),
                    value => value.clone(),
                });
                rows.push(format!("{:?}", values.collect::<Vec<_>>()));
            }
            rows.sort();
            all.insert(table, rows);
        }
        Ok::<_, svc_data::Error>(all)
    };
    database.read(read).await.unwrap()
}

/// Whether there is nothing of a store, nor of the work on one.
async fn is_empty(place: &StorePlace) -> bool {
    match place {
        StorePlace::Folder(dir) => !dir.exists(),
        _ => contents(place).await.is_empty(),
    }
}

fn import() -> NewImport {
    let actor = Actor::new(ActorKind::ApiKey, Uuid::now_v7(), "ann@example.com");
    NewImport::new(prod(), "shop".into(), "orders", actor)
}

/// Something in most tables, and the secret of an API key.
async fn fill(fixture: &Fixture) -> Secret {
    let (store, project, prod) = (&fixture.store, main_project(), prod());
    let shop = NewResource::new("shop", Secret::new(URL));
    store.resources().create(&prod, shop).await.unwrap();
    let hosts = vec![HostName::parse("api.example.com").unwrap()];
    let token = NewSecretToken::new("shop", "bearer", Secret::new("hunter2"), hosts);
    store.secret_tokens().set(&prod, token).await.unwrap();
    let key = NewApiKey::new("main", "ann@example.com");
    let key = store.api_keys().create(key).await.unwrap();
    let token = NewStaticToken::new(&prod, "shop");
    store.tokens().create(token).await.unwrap();
    let teams = store.teams();
    teams.create(&project, "Sales Ö", "editor").await.unwrap();
    let rule = RightsRule::new(Some("shop".into()), None, Rights::ALL);
    store.rights().set(&project, "Sales Ö", rule).await.unwrap();
    let mut user = NewUser::new("Bob@Example.com", "Sales Ö");
    user.password = Some(Secret::new("correct horse battery"));
    let users = store.users(&prod);
    users.create(user, "http://localhost/api").await.unwrap();
    for draft in [Draft::Off, Draft::On] {
        let page = PageSettings::new();
        store.pages().create(&prod, draft, page).await.unwrap();
    }
    store.imports().begin(import()).await.unwrap();
    key.secret
}

#[tokio::test]
async fn a_copy_has_every_row_and_serves_with_the_same_key() {
    let fixture = Fixture::new().await;
    let secret = fill(&fixture).await;
    let from = fixture.place();
    let node = Node::new(Uuid::now_v7(), "n1", "1", "127.0.0.1:1", fixture.now());
    fixture.store.nodes().beat(&node, Vec::new()).await.unwrap();
    let was = contents(&from).await;
    assert!(was["users"].len() == 1 && was["audit"].len() > 5 && was["mails"].len() < 5);
    for to in fixture.empty_places().await {
        let copied = copy(&from, &to, fixture.options()).await;
        assert_eq!(contents(&to).await, was, "{to}");
        let rows: BTreeMap<String, Vec<String>> = was.clone();
        let counted = copied.tables.iter().map(|table| (&*table.name, table.rows));
        let expected = rows.iter().map(|(name, rows)| (&**name, rows.len() as u64));
        assert_eq!(counted.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert_eq!(copied.running_imports, 1);
        assert_eq!(copied.key.fingerprint.as_ref().unwrap().len(), 16);
        assert!(!copied.key.is_copied);
        let dir = fixture.folder.path().join("beside");
        let store = open(&to, &dir, fixture.key()).await;
        let connected = store.resources().list_connected().await.unwrap();
        assert_eq!(connected[0].url.expose(), URL);
        let identity = store.api_keys().authenticate(secret.expose()).await;
        assert!(identity.unwrap().is_some());
        let other = Node::new(Uuid::now_v7(), "n2", "1", "127.0.0.1:2", fixture.now());
        let nodes = store.nodes().beat(&other, Vec::new()).await.unwrap();
        assert_eq!(nodes.len(), 1, "{nodes:?}");
        // It goes on with lines behind those that it has.
        store
            .pages()
            .create(&prod(), Draft::Off, PageSettings::new())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_store_comes_back_as_it_was() {
    let fixture = Fixture::new().await;
    fill(&fixture).await;
    let from = fixture.place();
    let was = contents(&from).await;
    for there in fixture.empty_places().await {
        copy(&from, &there, fixture.options()).await;
        for back in fixture.empty_places().await {
            let mut options = CopyOptions::default();
            options.key = Some(fixture.key());
            copy(&there, &back, options).await;
            assert_eq!(contents(&back).await, was, "{there} {back}");
        }
    }
}

#[tokio::test]
async fn who_works_on_an_import_stays_behind() {
    let fixture = Fixture::new().await;
    let import = import();
    fs::create_dir_all(fixture.store.dir().join("imports")).unwrap();
    drop(fixture.store.imports().create_file(import.uid).unwrap());
    fixture.store.imports().begin(import).await.unwrap();
    let time = SignedDuration::from_hours(9);
    let claim = async |store: &Store| {
        let claimed = store.imports().claim(Uuid::now_v7(), time, 9).await;
        claimed.unwrap().len()
    };
    assert_eq!(claim(&fixture.store).await, 1);
    assert_eq!(claim(&fixture.store).await, 0);
    for to in fixture.empty_places().await {
        copy(&fixture.place(), &to, fixture.options()).await;
        // The file of the import is there too.
        let dir = fixture.store.dir();
        let copied = open(&to, dir, fixture.key()).await;
        assert_eq!(claim(&copied).await, 1, "{to}");
    }
}

#[tokio::test]
async fn a_place_that_holds_anything_is_refused_and_stays_as_it_is() {
    let fixture = Fixture::new().await;
    let from = fixture.place();
    let refused = async |to: &StorePlace, says: &str| {
        let error = copy_error(&from, to, fixture.options()).await;
        assert!(
            error.contains("not empty") && error.contains(says),
            "{error}"
        );
        assert!(!error.contains("s3cret"), "{error}");
    };
    let other = Fixture::new().await;
    let was = contents(&other.place()).await;
    refused(
        &other.place(),
        if is_on_server() { "a store" } else { "store" },
    )
    .await;
    refused(&from, "").await;
    assert_eq!(contents(&other.place()).await, was);

    let dir = fixture.folder.path().join("notes");
    fs::create_dir(&dir).unwrap();
    for name in ["notes.txt", "store.key", "store.writes.1"] {
        fs::write(dir.join(name), "kept").unwrap();
        refused(&StorePlace::Folder(dir.clone()), name).await;
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), "kept");
        fs::remove_file(dir.join(name)).unwrap();
    }
    for (sql, says) in [
        ("CREATE TABLE notes (a INT)", "the table public.notes"),
        ("CREATE VIEW notes AS SELECT 1", "the view public.notes"),
        ("CREATE SEQUENCE notes", "the sequence public.notes"),
        (
            "CREATE SCHEMA other; CREATE TABLE other.a (a INT); DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = \
             public, other', current_database()); END $$",
            "the table other.a",
        ),
    ] {
        let url = empty_database().await;
        execute_on_server(&url, sql).await;
        refused(&StorePlace::Database(url), says).await;
    }
    // A schema that is not searched is that of others.
    let url = empty_database().await;
    execute_on_server(&url, "CREATE SCHEMA other; CREATE TABLE other.a (a INT)").await;
    copy(&from, &StorePlace::Database(url), fixture.options()).await;
}

#[tokio::test]
async fn another_key_is_refused_and_the_right_one_is_copied_where_that_is_asked_for() {
    let fixture = Fixture::new().await;
    fill(&fixture).await;
    let from = fixture.place();
    for to in fixture.empty_places().await {
        let mut options = CopyOptions::default();
        options.key = Some(SealKey::generate().unwrap());
        let error = copy_error(&from, &to, options).await;
        assert!(error.contains("does not belong to the store"), "{error}");
        let mut options = CopyOptions::default();
        options.key_file = Some(fixture.folder.path().join("no.key"));
        let error = copy_error(&from, &to, options).await;
        assert!(error.contains("no.key"), "{error}");
        assert!(is_empty(&to).await);
        let mut options = fixture.options();
        options.with_key = true;
        match &to {
            StorePlace::Folder(dir) => {
                assert!(copy(&from, &to, options).await.key.is_copied);
                let store = Store::open(dir).await.unwrap();
                let connected = store.resources().list_connected().await.unwrap();
                assert_eq!(connected[0].url.expose(), URL);
            }
            _ => {
                let error = Store::copy(&from, &to, options, go_on).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Invalid);
                assert!(is_empty(&to).await);
            }
        }
    }
    if is_on_server() {
        // Of a store in a database the key need not be known.
        let [folder, other] = fixture.empty_places().await;
        let copied = copy(&from, &folder, CopyOptions::default()).await;
        assert_eq!((copied.key.fingerprint, copied.key.file), (None, None));
        let mut options = CopyOptions::default();
        options.with_key = true;
        let StorePlace::Folder(dir) = &folder else {
            unreachable!()
        };
        let again = StorePlace::Folder(dir.join("again"));
        let error = copy_error(&from, &again, options).await;
        assert!(error.contains("--key-file"), "{error}");
        assert!(is_empty(&again).await && is_empty(&other).await);
    }
}

#[tokio::test]
async fn a_copy_that_ends_early_leaves_nothing_and_can_be_made_again() {
    let fixture = Fixture::new().await;
    fill(&fixture).await;
    let from = fixture.place();
    for to in fixture.empty_places().await {
        for comparing in [false, true] {
            let ended = Store::copy(&from, &to, fixture.options(), move |step| {
                match step.table == "teams" && step.is_comparing == comparing {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            let error = ended.await.unwrap_err();
            assert!(error.to_string().contains("given up"), "{error}");
            assert!(is_empty(&to).await, "{to}");
        }
        copy(&from, &to, fixture.options()).await;
        assert_eq!(contents(&to).await, contents(&from).await);
    }
}

#[tokio::test]
async fn what_a_killed_copy_left_in_a_folder_is_replaced() {
    let fixture = Fixture::new().await;
    let dir = fixture.folder.path().join("killed");
    fs::create_dir(&dir).unwrap();
    for name in [
        "store.db.restoring",
        "store.db.restoring-wal",
        "store.db.restoring-shm",
        "store.lock",
    ] {
        fs::write(dir.join(name), "half").unwrap();
    }
    let to = StorePlace::Folder(dir.clone());
    copy(&fixture.place(), &to, fixture.options()).await;
    let names = fs::read_dir(&dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["store.db", "store.lock"]);
    assert_eq!(contents(&to).await, contents(&fixture.place()).await);
}

#[tokio::test]
async fn a_store_of_another_version_is_refused_as_it_is() {
    let fixture = Fixture::new().await;
    let (from, database) = (fixture.place(), fixture.database().await);
    let known = crate::migrations::MIGRATIONS.last().unwrap().version;
    for version in [known + 1, known - 1] {
        let sql = "UPDATE refinery_schema_history SET version = ?1 WHERE version >= ?2";
        let values = [version, known].map(|number| Value::Int(number.into()));
        let sql = match version < known {
            true => "DELETE FROM refinery_schema_history WHERE version >= ?2 AND version <> ?1",
            false => sql,
        };
        let written = database.write::<_, svc_data::Error, _>(move |c| c.execute(sql, &values));
        assert_eq!(written.await.unwrap(), 1);
        let was = contents(&from).await;
        for to in fixture.empty_places().await {
            let error = copy_error(&from, &to, fixture.options()).await;
            for number in [version, known] {
                assert!(error.contains(&format!(" {number}")), "{error}");
            }
            assert!(is_empty(&to).await);
        }
        assert_eq!(contents(&from).await, was);
        assert_eq!(database.migration().await.unwrap(), Some(version));
    }
    for from in &fixture.empty_places().await {
        let [to, _] = fixture.empty_places().await;
        let error = copy_error(from, &to, CopyOptions::default()).await;
        assert!(error.contains("there is no store in"), "{error}");
        assert!(
            error.contains("--from") && !error.contains("s3cret"),
            "{error}"
        );
        assert!(is_empty(from).await && is_empty(&to).await);
    }
}

#[tokio::test]
async fn what_postgresql_does_not_keep_is_refused_by_table_and_row_and_replaced_in_the_trail() {
    if is_on_server() {
        // Such a store has none.
        return;
    }
    let fixture = Fixture::new().await;
    fill(&fixture).await;
    let from = fixture.place();
    fixture
        .execute(
            "UPDATE audit SET record = ?1 WHERE action = 'resources.create'",
            vec!["a\0b".into()],
        )
        .await;
    let [folder, database] = fixture.empty_places().await;
    assert_eq!(
        copy(&from, &folder, fixture.options()).await.replaced_lines,
        0
    );
    assert_eq!(contents(&folder).await, contents(&from).await);
    assert_eq!(
        copy(&from, &database, fixture.options())
            .await
            .replaced_lines,
        1
    );
    let lines = contents(&database).await;
    assert!(
        lines["audit"]
            .iter()
            .any(|line| line.contains("\"a\u{fffd}b\""))
    );

    fixture
        .execute("UPDATE users SET first_name = ?1", vec!["a\0".into()])
        .await;
    let uid = contents(&from).await["users"][0].clone();
    let uid = uid.split('"').nth(1).unwrap();
    let [_, database] = fixture.empty_places().await;
    let error = copy_error(&from, &database, fixture.options()).await;
    let says = ["the table users", uid, "U+0000"];
    assert!(says.iter().all(|text| error.contains(text)), "{error}");
    assert!(is_empty(&database).await);
    fixture
        .execute("UPDATE users SET first_name = NULL", Vec::new())
        .await;
    // SQLite takes any value in any column.
    for wrong in [Value::Int(1 << 40), "many".into()] {
        fixture
            .execute(
                "UPDATE audit SET status = ?1 WHERE action = 'resources.create'",
                vec![wrong],
            )
            .await;
        let error = copy_error(&from, &database, fixture.options()).await;
        let says = ["the table audit, row uid", "does not fit", "int4"];
        assert!(says.iter().all(|text| error.contains(text)), "{error}");
        assert!(is_empty(&database).await);
    }
}

#[tokio::test]
async fn a_copy_of_a_store_that_is_written_is_that_of_one_moment() {
    let fixture = Fixture::new().await;
    let from = fixture.place();
    let ends = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let (store, ends) = (fixture.store.clone(), Arc::clone(&ends));
            tokio::spawn(async move {
                let mut written = 0_u64;
                while !ends.load(Ordering::Relaxed) {
                    let page = PageSettings::new();
                    store
                        .pages()
                        .create(&prod(), Draft::Off, page)
                        .await
                        .unwrap();
                    written += 1;
                }
                written
            })
        })
        .collect();
    let mut before = 0;
    for to in fixture.empty_places().await {
        let acknowledged = fixture.count("pages").await.unsigned_abs();
        let copied = copy(&from, &to, fixture.options()).await;
        let rows = |name: &str| {
            let table = copied.tables.iter().find(|table| table.name == name);
            table.unwrap().rows
        };
        assert!(
            rows("pages") >= acknowledged && acknowledged >= before,
            "{to}"
        );
        assert_eq!(rows("pages"), rows("page_revisions"));
        let copies = contents(&to).await;
        let lines = copies["audit"].iter();
        let lines = lines.filter(|line| line.contains("pages.create")).count();
        assert_eq!(lines as u64, rows("pages"));
        before = rows("pages");
    }
    ends.store(true, Ordering::Relaxed);
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    assert!(written >= before, "{written} {before}");
}

#[tokio::test]
async fn a_user_who_may_make_no_tables_is_told_what_to_grant() {
    let fixture = Fixture::new().await;
    let url = empty_database().await;
    let role = format!("role_{}", Uuid::now_v7().simple());
    execute_on_server(
        &url,
        &format!(
            "CREATE ROLE {role} LOGIN PASSWORD 'x'; REVOKE CREATE ON SCHEMA public FROM PUBLIC"
        ),
    )
    .await;
    let (_, rest) = url.expose().split_once('@').unwrap();
    let to = StorePlace::Database(Secret::new(format!("postgres://{role}:x@{rest}")));
    let error = copy_error(&fixture.place(), &to, fixture.options()).await;
    assert!(error.contains("GRANT CREATE ON SCHEMA"), "{error}");
}

#[tokio::test]
async fn the_store_has_no_counters_that_a_copy_would_have_to_continue() {
    let fixture = Fixture::new().await;
    let sql = match is_on_server() {
        true => "SELECT count(*) AS n FROM pg_class WHERE relkind = 'S'",
        false => "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sqlite_sequence'",
    };
    let database = fixture.database().await;
    let count = database.read(move |c| c.query_one(sql, &[])?.unwrap().get("n"));
    let count: Result<i64, svc_data::Error> = count.await;
    assert_eq!(count.unwrap(), 0);
}
