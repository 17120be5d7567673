//! Several services over one store in a PostgreSQL database, and one whose store goes away.

mod clocks;
mod imports;
mod rate_limits;

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use svc_tests::{
    Answer, Call, Program, Service,
    servers::{PostgresServer, Server as _},
    wait_until,
};
use tempfile::TempDir;

/// A key of a store, as a key file has it.
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// Services on one store, each with a folder of its own.
struct Cluster {
    folder: TempDir,
    store: String,
    nodes: Vec<Service>,
}

impl Cluster {
    fn start(store: String, nodes: usize, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Connection::open(folder.path().join("shop.db"))
            .and_then(|shop| {
                shop.execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO orders VALUES (1, 'a')")
            })
            .unwrap();
        let mut cluster = Self {
            folder,
            store,
            nodes: Vec::new(),
        };
        for _ in 0..nodes {
            let node = cluster.node(options);
            cluster.nodes.push(node);
        }
        cluster
    }

    fn node(&self, options: &[&str]) -> Service {
        self.node_in(&format!("node{}", self.nodes.len()), options)
    }

    /// Another node, with this folder.
    fn node_in(&self, dir: &str, options: &[&str]) -> Service {
        self.node_with(dir, options, &[])
    }

    /// Another node, with this folder and with these variables of its process.
    fn node_with(&self, dir: &str, options: &[&str], variables: &[(&str, &str)]) -> Service {
        let mut arguments = vec!["serve", "--store", &self.store, "--dir", dir];
        arguments.extend(["--connect", "shop=sqlite:shop.db"]);
        arguments.extend(options);
        let mut all = vec![("SVC_STORE_KEY", KEY)];
        all.extend(variables);
        Service::start_with(self.folder.path(), &arguments, &all)
    }

    /// The database that is connected to all nodes.
    fn shop(&self) -> Connection {
        Connection::open(self.folder.path().join("shop.db")).unwrap()
    }

    /// Runs a command on the store.
    fn run(&self, command: &str) -> Value {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--store", &self.store, "--dir", "admin", "--json"]);
        let program = Program::new(self.folder.path(), &arguments);
        program.env("SVC_STORE_KEY", KEY).run_json()
    }

    /// The credential of an operator.
    fn operator(&self) -> String {
        let add = "account add ann@example.com --operator --password-stdin --dir admin --store";
        let mut add: Vec<&str> = add.split(' ').collect();
        add.push(&self.store);
        let add = Program::new(self.folder.path(), &add).env("SVC_STORE_KEY", KEY);
        add.input("correct horse battery\n").run_ok();
        let sign_in = self.nodes[0].app_anonymous("POST", "/account/auth/login/");
        let ann = json!({"email": "ann@example.com", "password": "correct horse battery"});
        let session = sign_in.json(&ann).ok();
        format!("JWT {}", session["token"]["access_token"].as_str().unwrap())
    }

    fn token(&self) -> String {
        let made = self.run("token add shop --project main");
        made["token"].as_str().unwrap().to_owned()
    }

    /// A token is valid on every node, and dead on every node within a second of being revoked.
    fn expect_a_token_to_hold_until_it_is_revoked(&self) {
        let token = self.token();
        for node in &self.nodes {
            assert_eq!(read(node, &token), 200);
        }
        let listed = self.run("token list --project main");
        let of_shop = listed.as_array().unwrap().iter();
        let uid = of_shop
            .filter(|row| row["resource"] == "shop" && row["revoked"].is_null())
            .map(|row| row["uid"].as_str().unwrap().to_owned())
            .max()
            .unwrap();
        self.run(&format!("token revoke {uid} --project main"));
        let revoked = Instant::now();
        for node in &self.nodes {
            wait_until("the token is dead", || read(node, &token) == 401);
        }
        let took = revoked.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}");
    }
}

/// What a read of a record with this token answers.
fn read(node: &Service, token: &str) -> u16 {
    let call = node.data_anonymous("GET", "shop", "/models/orders/1");
    call.authorization(token).send().status.as_u16()
}

#[test]
fn a_token_is_valid_at_once_and_dead_within_a_second_on_every_node() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 3, &[]);
    for _ in 0..3 {
        cluster.expect_a_token_to_hold_until_it_is_revoked();
    }
}

/// A query that does not end in the time of a test.
const ENDLESS: &str = "SELECT count(*) AS endless FROM n a, n b, n c, n d, n e WHERE a.id + b.id + c.id + d.id + e.id < 0";

#[test]
fn a_statement_is_listed_and_cancelled_by_a_call_to_any_node() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 3, &["--statement-timeout", "100"]);
    let numbers = "CREATE TABLE n (id INTEGER PRIMARY KEY);
        WITH RECURSIVE c (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c WHERE id < 400) INSERT INTO n SELECT id FROM c";
    Connection::open(cluster.folder.path().join("shop.db"))
        .and_then(|shop| shop.execute_batch(numbers))
        .unwrap();
    let (token, other) = (cluster.token(), cluster.token());
    let call = |node: usize, method: &str, path: &str, token: &str| {
        let call = cluster.nodes[node].data_anonymous(method, "shop", path);
        call.authorization(token)
    };
    let listed = |node, token| -> Vec<String> {
        let list = call(node, "GET", "/statements", token).expect(200).json();
        let list = list.as_array().unwrap().iter();
        list.map(|statement| statement["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let [first, second] = [(0, "first"), (1, "second")].map(|(node, id)| {
        let sql = call(node, "POST", "/sql_get_query", &token).header("x-statement-id", id);
        let sql = sql.json(&json!({ "query": ENDLESS }));
        std::thread::spawn(move || sql.send())
    });
    for node in 0..3 {
        wait_until("each node lists both", || listed(node, &token).len() == 2);
        assert!(
            listed(node, &other).is_empty(),
            "they are of another caller"
        );
    }
    call(2, "DELETE", "/statements/first", &other).expect(404);
    call(2, "DELETE", "/statements/first", &token).expect(204);
    let ended = first.join().unwrap();
    assert_eq!(ended.status, 409, "{}", ended.body);
    for node in 0..3 {
        assert_eq!(listed(node, &token), ["second"]);
    }
    call(0, "DELETE", "/statements/second", &token).expect(204);
    assert_eq!(second.join().unwrap().status, 409);
    call(1, "DELETE", "/statements/second", &token).expect(404);
    let mut store = postgres::Client::connect(&cluster.store, postgres::NoTls).unwrap();
    let left = "SELECT count(*) FROM node_questions";
    let left: i64 = store.query_one(left, &[]).unwrap().get(0);
    assert_eq!(left, 0, "no question is left in the store");
}

#[test]
fn a_history_that_is_read_is_listed_and_cancelled_at_another_node() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 2, &[]);
    let token = cluster.token();
    let call = |node: usize, method: &str, path: &str| {
        let call = cluster.nodes[node].data_anonymous(method, "shop", path);
        call.authorization(&token)
    };
    let history = "/models/orders/1/history";
    call(0, "GET", history).expect(200);
    call(1, "GET", "/statements").expect(200);
    let mut store = postgres::Client::connect(&cluster.store, postgres::NoTls).unwrap();
    let mut lock = store.transaction().unwrap();
    lock.batch_execute("LOCK TABLE audit").unwrap();
    let reading = call(0, "GET", history).header("x-statement-id", "reading");
    let reading = std::thread::spawn(move || reading.send());
    wait_until("it is listed", || {
        let list = call(1, "GET", "/statements").ok();
        list[0]["query"] == format!("GET {history}")
    });
    call(1, "DELETE", "/statements/reading").expect(204);
    let ended = reading.join().unwrap();
    assert_eq!(ended.status, 409, "{}", ended.body);
}

#[test]
fn a_reload_reaches_every_node() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 3, &["--structure-check", "0"]);
    let token = cluster.token();
    let field_names = |node: &Service| -> Vec<String> {
        let described = node.data_anonymous("GET", "shop", "/model_descriptions");
        let models = described.authorization(&token).expect(200).json();
        let fields = models[0]["fields"].as_array().unwrap().iter();
        fields
            .map(|field| field["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for node in &cluster.nodes {
        assert_eq!(field_names(node), ["id", "note"]);
    }
    let shop = Connection::open(cluster.folder.path().join("shop.db")).unwrap();
    shop.execute_batch("ALTER TABLE orders ADD COLUMN price REAL")
        .unwrap();
    let reload = cluster.nodes[1].data_anonymous("POST", "shop", "/reload");
    reload.authorization(&token).expect(200);
    for node in &cluster.nodes {
        assert_eq!(field_names(node), ["id", "note", "price"]);
    }
}

#[test]
fn projects_sessions_and_mails_are_searched_and_walked_at_every_node() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 2, &[]);
    let key = cluster.operator();
    let call = |node: usize, method: &str, path: &str| {
        cluster.nodes[node]
            .app_anonymous(method, path)
            .authorization(&key)
    };
    for name in ["first", "second"] {
        let new = json!({"unique_name": name});
        call(0, "POST", "/projects/").json(&new).expect(201);
        let email = format!("{name}@example.com");
        let new = json!({"email": email});
        call(0, "POST", "/accounts/").json(&new).expect(201);
        let sign_in = json!({"email": "ann@example.com", "password": "correct horse battery"});
        let sign_in = cluster.nodes[0]
            .app_anonymous("POST", "/account/auth/login/")
            .json(&sign_in);
        sign_in.expect(200);
    }
    for (path, search) in [
        ("/projects/", "_search=second"),
        ("/mails/", "_search=second@&codes=1"),
        ("/account/sessions/", "address__isnull=false"),
    ] {
        let found = call(1, "GET", &format!("{path}?{search}")).ok();
        assert!(found["count"].as_u64() >= Some(1), "{path}: {found}");
        let all = call(0, "GET", path).ok();
        let mut walked = Vec::new();
        let mut next = Some(format!("{}?_per_page=1", path));
        while let Some(at) = next {
            let page = match at.strip_prefix('/') {
                Some(_) => call(1, "GET", &at).ok(),
                None => Call::new("GET", &at).authorization(&key).ok(),
            };
            walked.push(page["results"][0].clone());
            next = page["next"].as_str().map(str::to_owned);
        }
        assert_eq!(json!(walked), all["results"], "{path}");
    }
}

#[test]
fn of_changes_with_one_entity_tag_at_several_nodes_one_is_made_and_no_setting_is_lost() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 3, &[]);
    let key = cluster.operator();
    let call = |node: usize, method: &str, path: &str| {
        cluster.nodes[node]
            .app_anonymous(method, path)
            .authorization(&key)
    };
    for round in 0..10 {
        let path = "/projects/main/environments/prod/";
        let tag = call(0, "GET", path).expect(200).header("etag").to_owned();
        let changes = [0, 1, 2].map(|node| {
            let name = format!("{round} {node}");
            let change = call(node, "PATCH", path).header("if-match", &tag);
            let change = change.json(&json!({ "name": name }));
            std::thread::spawn(move || change.send().status.as_u16())
        });
        let mut statuses = changes.map(|change| change.join().unwrap());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412, 412]);

        let rule = |rights: &[&str]| json!({"team": "Editor", "rights": rights});
        let path = "/projects/main/rights/";
        let put = |node: usize, rights: &[&str]| call(node, "PUT", path).json(&rule(rights));
        let tag = put(0, &["read"]).send().header("etag").to_owned();
        let changes = [["write"], ["delete"], ["write"]];
        let changes = [0, 1, 2].map(|node| {
            let change = put(node, &changes[node]).header("if-match", &tag);
            std::thread::spawn(move || change.send().status.as_u16())
        });
        let mut statuses = changes.map(|change| change.join().unwrap());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412, 412]);

        // Without a tag each changes only what it names.
        let changes = [
            json!({"password_min_length": 10 + round}),
            json!({"access_token_seconds": 100 + round}),
            json!({"refresh_token_days": 1 + round}),
        ];
        let path = "/projects/main/sign_in/";
        let made = [0, 1, 2].map(|node| {
            let change = call(node, "PATCH", path).json(&changes[node]);
            std::thread::spawn(move || change.send().status.as_u16())
        });
        for made in made {
            assert_eq!(made.join().unwrap(), 200);
        }
        let now = call(1, "GET", path).expect(200).json();
        for change in &changes {
            for (name, value) in change.as_object().unwrap() {
                assert_eq!(&now[name], value, "{now}");
            }
        }
    }
}

#[test]
fn operators_see_the_nodes_that_live() {
    let store = PostgresServer::shared().database("");
    let mut cluster = Cluster::start(store, 3, &[]);
    let key = cluster.operator();
    let nodes = |service: &Service| {
        let shown = service
            .app_anonymous("GET", "/service/")
            .authorization(&key)
            .ok();
        let nodes = shown["nodes"].as_array().unwrap().clone();
        nodes
            .iter()
            .map(|node| node["address"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    wait_until("all know each other", || {
        cluster.nodes.iter().all(|node| nodes(node).len() == 3)
    });
    cluster.nodes.remove(0).kill();
    assert_eq!(cluster.nodes.remove(0).terminate(), Some(0));
    wait_until("only one is left", || nodes(&cluster.nodes[0]).len() == 1);
}

#[test]
fn a_node_that_listens_on_all_addresses_is_known_by_its_machine_and_port() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 1, &["--listen", "0.0.0.0:0"]);
    let key = cluster.operator();
    let node = &cluster.nodes[0];
    let shown = node
        .app_anonymous("GET", "/service/")
        .authorization(&key)
        .ok();
    let shown = &shown["nodes"][0];
    let port = node.text("/base_url").rsplit(':').next().unwrap();
    let expected = format!("{}:{port}", shown["name"].as_str().unwrap());
    assert_eq!(shown["address"], *expected, "{shown}");
}

#[test]
fn another_key_is_refused_by_name_and_none_is_made_for_a_store_that_has_one() {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 1, &[]);
    let list = [
        "project",
        "list",
        "--store",
        &cluster.store,
        "--dir",
        "other",
    ];
    let other = Program::new(cluster.folder.path(), &list);
    let (_, message) = other.run_err();
    assert!(
        message.contains("--key-file") && message.contains("SVC_STORE_KEY"),
        "{message}"
    );
    assert!(!cluster.folder.path().join("other/store.key").exists());
    let wrong = KEY.replace('A', "B");
    let other = Program::new(cluster.folder.path(), &list).env("SVC_STORE_KEY", &wrong);
    let (_, message) = other.run_err();
    assert!(
        message.contains("does not belong to the store"),
        "{message}"
    );
    assert!(!message.contains(&wrong), "{message}");
    let empty = PostgresServer::shared().database("");
    let none = Program::new(
        cluster.folder.path(),
        &["project", "remove", "x", "--store", &empty],
    );
    let (_, message) = none.run_err();
    assert!(
        message.contains("there is no store in the database"),
        "{message}"
    );
    let missing = format!("{}_missing", cluster.store);
    let missing = ["project", "list", "--store", &missing];
    let (_, message) = Program::new(cluster.folder.path(), &missing).run_err();
    let says = [
        "--store names cannot be opened",
        "check the name of the database",
    ];
    assert!(says.iter().all(|text| message.contains(text)), "{message}");
    assert!(!message.contains("s3cret"), "{message}");
}

#[test]
fn reads_go_on_for_a_while_without_the_store_and_writes_are_refused_until_it_is_back() {
    let mut server = PostgresServer::start();
    let store = server.database("");
    let cluster = Cluster::start(store, 1, &["--store-grace", "6"]);
    let token = cluster.token();
    let node = &cluster.nodes[0];
    assert_eq!(read(node, &token), 200);
    assert_eq!(write(node, &token, 2).status, 201);
    // No credential is forgotten for a page.
    let page = node.app("POST", "/projects/main/prod/view_settings/");
    page.json(&json!({"name": "a"})).expect(201);

    server.stop();
    let stopped = Instant::now();
    assert_eq!(read(node, &token), 200);
    let refused = write(node, &token, 3);
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["error_code"]),
        (503, &json!("store_unavailable"))
    );
    assert!(!refused.header("retry-after").is_empty());
    assert!(
        stopped.elapsed() < Duration::from_secs(5),
        "{:?}",
        stopped.elapsed()
    );
    node.root("GET", "/readyz").expect(503);
    node.root("GET", "/healthz").expect(200);
    let pages = node.app("GET", "/projects/main/prod/view_settings/").send();
    assert_eq!(pages.status, 503, "{}", pages.body);
    wait_until("nothing is believed any more", || read(node, &token) == 503);
    assert!(
        stopped.elapsed() > Duration::from_secs(5),
        "{:?}",
        stopped.elapsed()
    );

    server.run();
    wait_until("reads are answered", || read(node, &token) == 200);
    wait_until("writes are taken", || write(node, &token, 4).status == 201);
    let lines = cluster.run("audit list --project main --action=records.create");
    let records = lines.as_array().unwrap().iter();
    let records: Vec<&str> = records.filter_map(|line| line["record"].as_str()).collect();
    assert!(
        records.contains(&"2") && records.contains(&"4"),
        "{records:?}"
    );
}

/// Writes a record.
fn write(node: &Service, token: &str, id: u32) -> Answer {
    let call = node.data_anonymous("POST", "shop", "/models/orders");
    let call = call.authorization(token);
    call.json(&json!({"id": id, "note": "b"})).send()
}

/// That writes and pages are refused for want of the store, and nothing that a caller sees tells more.
#[track_caller]
fn expect_outage(node: &Service, token: &str, id: u32) {
    let refused = write(node, token, id);
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.json()["error_code"], "store_unavailable");
    let ready = node.root("GET", "/readyz").expect(503);
    for shown in [&refused.body, &ready.body] {
        assert!(!shown.contains("postgres"), "{shown}");
    }
    node.data_anonymous("GET", "shop", &format!("/models/orders/{id}"))
        .authorization(token)
        .expect(404);
}

#[test]
fn a_store_whose_password_was_changed_is_away_until_it_fits_again_and_the_log_names_the_remedy() {
    let server = PostgresServer::start();
    let store = server.database(
        "CREATE ROLE app LOGIN PASSWORD 'first-secret'; GRANT ALL ON SCHEMA public TO app",
    );
    let (_, place) = store.split_once('@').unwrap();
    let of_app = format!("postgres://app:first-secret@{place}");
    let cluster = Cluster::start(of_app, 1, &[]);
    let token = cluster.token();
    let node = &cluster.nodes[0];
    assert_eq!(read(node, &token), 200);
    assert_eq!(write(node, &token, 2).status, 201);

    let set =
        |password: &str| server.execute(&store, &format!("ALTER ROLE app PASSWORD '{password}'"));
    set("second-secret");
    server.execute(
        &store,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'",
    );
    // One that was under way may have been written, and its answer says so.
    wait_until("the store is away", || write(node, &token, 3).status == 503);
    expect_outage(node, &token, 13);
    // What was known before is believed for a while.
    assert_eq!(read(node, &token), 200);
    wait_until("the log names the remedy", || {
        node.log().contains("check the user and the password")
    });
    let log = node.log();
    assert!(!log.contains("first-secret"), "{log}");

    set("first-secret");
    wait_until("writes are taken", || write(node, &token, 4).status == 201);
    node.root("GET", "/readyz").expect(200);
}

#[test]
fn a_store_without_space_refuses_writes_and_loses_no_line_when_there_is_space_again() {
    let server = PostgresServer::start();
    let store = server.database("");
    let cluster = Cluster::start(store.clone(), 2, &[]);
    let token = cluster.token();
    assert_eq!(write(&cluster.nodes[0], &token, 2).status, 201);

    // What the server answers when a file cannot grow. Each table by itself: locks of several at once could meet those of a node.
    let no_space = |body: &str| {
        let function = format!(
            "CREATE OR REPLACE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
        );
        server.execute(&store, &function);
    };
    no_space(
        "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';",
    );
    server.execute(
        &store,
        "DO $$ DECLARE name text; BEGIN
           FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
             EXECUTE format('CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON %I EXECUTE FUNCTION no_space()', name);
             COMMIT;
           END LOOP;
         END $$",
    );
    for (node, id) in cluster.nodes.iter().zip([3, 4]) {
        assert_eq!(read(node, &token), 200);
        // The first one is written before its line cannot be, and the answer says so.
        let written = write(node, &token, id);
        assert_eq!(written.status, 503, "{}", written.body);
        assert!(
            written.body.contains("the change was made"),
            "{}",
            written.body
        );
        wait_until("the log says what to do", || {
            node.log().contains("free some space")
        });
    }
    for (node, id) in cluster.nodes.iter().zip([13, 14]) {
        expect_outage(node, &token, id);
    }
    no_space("RETURN NEW;");
    for (node, id) in cluster.nodes.iter().zip([5, 6]) {
        wait_until("writes are taken", || write(node, &token, id).status == 201);
        node.root("GET", "/readyz").expect(200);
    }
    let lines = cluster.run("audit list --project main --action=records.create");
    let records = lines.as_array().unwrap().iter();
    let mut records: Vec<&str> = records.filter_map(|line| line["record"].as_str()).collect();
    records.sort_unstable();
    assert_eq!(records, ["2", "3", "4", "5", "6"]);
}
