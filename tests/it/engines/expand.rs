//! Related records in one answer (`_expand`), compared with joins done by hand.

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Map, Value, json};
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use super::{
    faults::serve,
    fixture::{ENGINES, Engines},
};

const TABLES: &str = "
    CREATE TABLE nations (code VARCHAR(4) NOT NULL PRIMARY KEY, name VARCHAR(20));
    CREATE TABLE people (id INT NOT NULL PRIMARY KEY, nation VARCHAR(4), boss_id INT, born DATE,
        FOREIGN KEY (nation) REFERENCES nations (code), FOREIGN KEY (boss_id) REFERENCES people (id));
    CREATE TABLE trips (person_id INT NOT NULL, number INT NOT NULL, price DECIMAL(8,2), PRIMARY KEY (person_id, number),
        FOREIGN KEY (person_id) REFERENCES people (id));
    CREATE TABLE nights (id INT NOT NULL PRIMARY KEY, person_id INT, trip INT,
        FOREIGN KEY (person_id, trip) REFERENCES trips (person_id, number));";

/// Nations, people with their nation and boss, trips of people, and nights of trips.
#[derive(Clone, Debug)]
struct Data {
    nations: usize,
    people: Vec<(Option<usize>, Option<usize>)>,
    trips: Vec<(usize, i32)>,
    nights: Vec<Option<usize>>,
}

fn data() -> impl Strategy<Value = Data> {
    let person = (prop::option::of(0..4_usize), prop::option::of(0..9_usize));
    (
        1..4_usize,
        prop::collection::vec(person, 1..9),
        prop::collection::vec((0..9_usize, 0..900), 0..12),
        prop::collection::vec(prop::option::of(0..12_usize), 0..12),
    )
        .prop_map(|(nations, people, trips, nights)| Data {
            nations,
            people,
            trips,
            nights,
        })
}

impl Data {
    fn script(&self) -> String {
        let mut sql = "DELETE FROM nights; DELETE FROM trips; UPDATE people SET boss_id = NULL; DELETE FROM people;
            DELETE FROM nations;"
            .to_owned();
        let or_null = |text: Option<String>| text.unwrap_or_else(|| "NULL".to_owned());
        for nation in 0..self.nations {
            sql += &format!("INSERT INTO nations VALUES ('n{nation}', 'Nation {nation}');");
        }
        for (id, (nation, boss)) in self.people.iter().enumerate() {
            let nation = nation.map(|nation| format!("'n{}'", nation % self.nations));
            let boss = boss.filter(|boss| *boss < id).map(|boss| boss.to_string());
            let (nation, boss) = (or_null(nation), or_null(boss));
            sql += &format!(
                "INSERT INTO people VALUES ({id}, {nation}, {boss}, '2000-01-0{}');",
                id + 1
            );
        }
        let mut trips = Vec::new();
        for (number, (person, price)) in self.trips.iter().enumerate() {
            let person = person % self.people.len();
            sql += &format!("INSERT INTO trips VALUES ({person}, {number}, {price}.50);");
            trips.push((person, number));
        }
        for (id, trip) in self.nights.iter().enumerate() {
            let trip = trip.and_then(|trip| trips.get(trip));
            let (person, number) = match trip {
                Some((person, number)) => (person.to_string(), number.to_string()),
                None => ("NULL".to_owned(), "NULL".to_owned()),
            };
            sql += &format!("INSERT INTO nights VALUES ({id}, {person}, {number});");
        }
        sql
    }
}

/// A relation: where it begins, its name, its fields there, where it leads, the fields there, and whether it is an array.
type Relation = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
    bool,
);

const RELATIONS: [Relation; 9] = [
    ("people", "nation", &["nation"], "nations", &["code"], false),
    ("people", "boss_id", &["boss_id"], "people", &["id"], false),
    ("people", "people", &["id"], "people", &["boss_id"], true),
    ("people", "trips", &["id"], "trips", &["person_id"], true),
    ("nations", "people", &["code"], "people", &["nation"], true),
    (
        "trips",
        "person_id",
        &["person_id"],
        "people",
        &["id"],
        false,
    ),
    (
        "trips",
        "nights",
        &["person_id", "number"],
        "nights",
        &["person_id", "trip"],
        true,
    ),
    (
        "nights",
        "person_trip",
        &["person_id", "trip"],
        "trips",
        &["person_id", "number"],
        false,
    ),
    ("people", "boss", &["boss_id"], "people", &["id"], false),
];

/// The tables as lists show them.
struct Lists(Map<String, Value>);

impl Lists {
    fn read(service: &Service, engine: &str) -> Self {
        let tables = ["nations", "people", "trips", "nights"];
        let list = |table: &str| {
            let order = if table == "trips" {
                "person_id,number"
            } else {
                ""
            };
            let order = if order.is_empty() {
                String::new()
            } else {
                format!("&_order_by={order}")
            };
            let order = match table {
                "nations" => "&_order_by=code".to_owned(),
                "people" | "nights" => "&_order_by=id".to_owned(),
                _ => order,
            };
            let path = format!("/models/{table}?_no_pagination=1{order}");
            (
                table.to_owned(),
                service.data("GET", engine, &path).expect(200).json(),
            )
        };
        Self(tables.into_iter().map(list).collect())
    }

    fn of(&self, table: &str) -> &[Value] {
        self.0[table].as_array().expect("records")
    }

    /// A record with what belongs to it, joined by hand.
    fn expanded(&self, table: &str, record: &Value, path: &[usize]) -> Value {
        let mut record = record.clone();
        let Some((first, rest)) = path.split_first() else {
            return record;
        };
        let (_, name, local, there, related, is_many) = RELATIONS[*first];
        assert_eq!(RELATIONS[*first].0, table);
        let key: Vec<&Value> = local.iter().map(|field| &record[*field]).collect();
        let belongs = |other: &&Value| {
            let other: Vec<&Value> = related.iter().map(|field| &other[*field]).collect();
            other == key && !key.contains(&&Value::Null)
        };
        let found = self.of(there).iter().filter(belongs);
        let found = found.map(|other| self.expanded(there, other, rest));
        let found: Vec<Value> = found.collect();
        let found = match is_many {
            true => Value::Array(found),
            false => found.into_iter().next().unwrap_or(Value::Null),
        };
        record["_expand"] = json!({ name: found });
        record
    }
}

/// Paths of relations: three levels at most.
fn paths() -> Vec<Vec<usize>> {
    let mut paths: Vec<Vec<usize>> = (0..RELATIONS.len()).map(|first| vec![first]).collect();
    let mut begin = 0;
    for _ in 1..3 {
        let end = paths.len();
        for place in begin..end {
            let last = RELATIONS[*paths[place].last().unwrap()].3;
            for (next, relation) in RELATIONS.iter().enumerate() {
                if relation.0 == last {
                    let longer = [&paths[place][..], &[next]].concat();
                    paths.push(longer);
                }
            }
        }
        begin = end;
    }
    paths
}

/// Databases with the tables, one in each engine.
struct Databases {
    service: Service,
    urls: [(&'static str, String); 3],
    _folders: [tempfile::TempDir; 2],
}

impl Databases {
    fn new(tables: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("expand.db");
        rusqlite::Connection::open(&file)
            .unwrap()
            .execute_batch(tables)
            .unwrap();
        let urls = [
            ("sqlite", format!("sqlite:{}", file.display())),
            ("postgres", PostgresServer::shared().database(tables)),
            ("mariadb", MariadbServer::shared().database(tables)),
        ];
        let resources = urls
            .each_ref()
            .map(|(engine, url)| format!("{engine}={url}"));
        let (store, service) = serve(&resources, &[]);
        Self {
            service,
            urls,
            _folders: [folder, store],
        }
    }

    fn run(&self, script: &str) {
        for (engine, url) in &self.urls {
            match *engine {
                "sqlite" => {
                    let file = url.strip_prefix("sqlite:").unwrap();
                    let script = format!("BEGIN; {script} COMMIT;");
                    rusqlite::Connection::open(file)
                        .unwrap()
                        .execute_batch(&script)
                        .unwrap();
                }
                "postgres" => PostgresServer::shared().execute(url, script),
                _ => MariadbServer::shared().execute(url, script),
            }
        }
    }
}

#[test]
fn related_records_are_those_that_a_join_finds() {
    let databases = Databases::new(TABLES);
    let paths = paths();
    let chosen = prop::collection::vec(prop::sample::select(paths), 6);
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(12)
    });
    runner
        .run(&(data(), chosen), |(data, chosen)| {
            databases.run(&data.script());
            for engine in ENGINES {
                let lists = Lists::read(&databases.service, engine);
                for path in &chosen {
                    let table = RELATIONS[path[0]].0;
                    let names: Vec<&str> = path.iter().map(|place| RELATIONS[*place].1).collect();
                    let names = names.join(".");
                    let expected: Vec<Value> = lists
                        .of(table)
                        .iter()
                        .map(|record| lists.expanded(table, record, path))
                        .collect();
                    let order = match table {
                        "nations" => "code",
                        "trips" => "person_id,number",
                        _ => "id",
                    };
                    let url = format!(
                        "/models/{table}?_no_pagination=1&_order_by={order}&_expand={names}"
                    );
                    let answer = databases
                        .service
                        .data("GET", engine, &url)
                        .expect(200)
                        .json();
                    prop_assert_eq!(&answer, &Value::Array(expected), "{} {}", engine, url);
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn one_record_and_several_paths_with_fields_come_alike_from_every_engine() {
    let engines = Engines::shared();
    let order = engines.read(
        "/models/orders/7?_fields=status&_expand=customer_id(name,email),order_lines(amount)",
    );
    assert_eq!(
        order["_expand"]["customer_id"],
        json!({"id": 36, "name": engines.read("/models/customers/36")["name"], "email": "36@example.com"})
    );
    assert_eq!(
        order["_expand"]["order_lines"],
        json!([{"order_id": 7, "number": 1, "amount": engines.read("/models/order_lines/7,1")["amount"]}])
    );
    assert_eq!(
        order.as_object().map(Map::len),
        Some(3),
        "id, status, _expand: {order}"
    );
    engines.read("/models/orders?_expand=customer_id&_fields=total&_per_page=100&tz=%2B02:00");
    engines.read("/models/customers?_expand=orders.order_lines,orders(total).customer_id(seen)&_per_page=100&tz=Europe/Berlin");
    engines.read("/models/customers?_expand=orders(placed)&_fields=name&_per_page=3&_last=1");
    let nothing = engines.read("/models/customers?id=0&_expand=orders");
    assert_eq!(nothing["results"], json!([]));
}

#[test]
fn what_cannot_be_expanded_is_refused_with_the_name() {
    let engines = Engines::shared();
    for (path, named) in [
        ("/models/orders?_expand=", "a name is missing"),
        ("/models/orders?_expand=%20customer_id", "double quotes"),
        ("/models/orders?_expand=nothing", "\\\"nothing\\\""),
        ("/models/orders?_expand=status", "\\\"status\\\""),
        (
            "/models/orders?_expand=customer_id.nothing",
            "\\\"nothing\\\"",
        ),
        (
            "/models/orders?_expand=customer_id(nothing)",
            "\\\"nothing\\\"",
        ),
        (
            "/models/orders?_expand=customer_id.orders.customer_id.orders",
            "at most 3",
        ),
        ("/models/orders?_expand=a,b,c,d,e,f,g,h,i,j,k", "at most 10"),
        ("/models/orders/7?_expand=nothing", "\\\"nothing\\\""),
    ] {
        let (status, body) = engines.alike("GET", path, None);
        assert_eq!(status, 400, "{path}: {body}");
        let text = body["_expand"].to_string();
        assert!(text.contains(named), "{path}: {body}");
    }
    for (method, path) in [
        ("POST", "/models/orders?_expand=customer_id"),
        ("PATCH", "/models/orders/7?_expand=customer_id"),
        ("POST", "/models/orders/bulk_create?_expand=customer_id"),
        ("GET", "/models/orders/7/get_siblings?_expand=customer_id"),
        (
            "GET",
            "/models/orders/aggregate?_y_func=count&_expand=customer_id",
        ),
    ] {
        let body = if path.contains("bulk") {
            json!([])
        } else {
            json!({})
        };
        let body = (method != "GET").then_some(&body);
        let (status, body) = engines.alike(method, path, body);
        assert_eq!(status, 400, "{method} {path}: {body}");
    }
    for engine in ENGINES {
        let list = || {
            engines.service.data(
                "GET",
                engine,
                "/models/orders?_expand=customer_id&_per_page=2",
            )
        };
        list().header("accept", "text/csv").expect(400);
        let lines = list().header("accept", "application/x-ndjson").expect(200);
        let first: Value = serde_json::from_str(lines.body.lines().next().unwrap()).unwrap();
        assert!(
            first["_expand"]["customer_id"]["name"].is_string(),
            "{first}"
        );
    }
}

#[test]
fn an_array_ends_after_a_hundred_records_and_names_its_path() {
    let databases = Databases::new(
        "CREATE TABLE a (id INT NOT NULL PRIMARY KEY);
         CREATE TABLE b (id INT NOT NULL PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id));
         CREATE TABLE c (id INT NOT NULL PRIMARY KEY, b_id INT, FOREIGN KEY (b_id) REFERENCES b (id));",
    );
    let mut script =
        "INSERT INTO a VALUES (1); INSERT INTO a VALUES (2); INSERT INTO a VALUES (3);".to_owned();
    for id in 0..250 {
        // The first has 100, the second 150.
        script += &format!(
            "INSERT INTO b VALUES ({id}, {});",
            if id < 100 { 1 } else { 2 }
        );
    }
    for id in 0..101 {
        script += &format!("INSERT INTO c VALUES ({id}, 249);");
    }
    databases.run(&script);
    for engine in ENGINES {
        let get = |path: &str| {
            databases
                .service
                .data("GET", engine, path)
                .expect(200)
                .json()
        };
        let list = get("/models/a?_order_by=id&_expand=b.c");
        let expand = |place: usize| &list["results"][place]["_expand"];
        let ids = |place: usize| -> Vec<i64> {
            let records = expand(place)["b"].as_array().expect("an array");
            records
                .iter()
                .map(|record| record["id"].as_i64().unwrap())
                .collect()
        };
        assert_eq!(ids(0), (0..100).collect::<Vec<_>>(), "{engine}");
        assert!(expand(0).get("_more").is_none(), "{engine}");
        assert_eq!(ids(1), (100..200).collect::<Vec<_>>(), "{engine}");
        assert_eq!(expand(1)["_more"], json!(["b"]), "{engine}");
        assert_eq!(expand(2), &json!({"b": []}), "{engine}");
        let one = get("/models/b/249?_expand=a_id,c");
        assert_eq!(one["_expand"]["_more"], json!(["c"]), "{engine}");
        assert_eq!(
            one["_expand"]["c"].as_array().map(Vec::len),
            Some(100),
            "{engine}"
        );
        assert_eq!(one["_expand"]["a_id"], json!({"id": 2}), "{engine}");
    }
}

#[test]
fn each_relation_of_a_path_is_one_query_whatever_the_number_of_records() {
    let server = MariadbServer::start();
    let url = server.database(
        "CREATE TABLE a (id INT NOT NULL PRIMARY KEY);
         CREATE TABLE b (id INT NOT NULL PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id));
         CREATE TABLE c (id INT NOT NULL PRIMARY KEY, b_id INT, FOREIGN KEY (b_id) REFERENCES b (id));
         INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n;
         INSERT INTO b SELECT id * 2, id FROM a; INSERT INTO b SELECT id * 2 + 1, id FROM a;
         INSERT INTO c SELECT id, id FROM b;",
    );
    let (_folder, service) = serve(&[format!("m={url}")], &["--structure-check", "3600"]);
    let run = || {
        server.number(
            "SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS
             WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'",
        )
    };
    let statements = |query: &str| {
        let before = run();
        let list = service.data("GET", "m", &format!("/models/{query}"));
        let list = list.expect(200).json();
        let records = list["results"].as_array().map_or(0, Vec::len);
        (records, run() - before)
    };
    statements("a?_per_page=1&_count=none");
    for per_page in [1, 20, 900] {
        let page = format!("_count=none&_per_page={per_page}");
        for (query, queries) in [
            (format!("b?{page}&_expand=a_id"), 2),
            (format!("a?{page}&_expand=b.c"), 3),
            (format!("b?{page}&_expand=a_id.b.c,c.b_id,a_id.b.a_id"), 7),
        ] {
            assert_eq!(statements(&query), (per_page, queries), "{query}");
        }
    }
}

#[test]
fn texts_that_look_like_numbers_are_texts_and_arrays_are_in_the_order_of_the_key() {
    let mut tables = "CREATE TABLE releases (version VARCHAR(9) NOT NULL PRIMARY KEY);
         CREATE TABLE installs (id VARCHAR(9) PRIMARY KEY, version VARCHAR(9), FOREIGN KEY (version) REFERENCES releases (version));
         INSERT INTO releases VALUES ('1.1'); INSERT INTO releases VALUES ('1.10'); INSERT INTO releases VALUES ('10.0.0.1');
         INSERT INTO releases VALUES ('10.0.0.10');".to_owned();
    for (number, version) in ["1.1", "1.10", "10.0.0.1", "10.0.0.10"].iter().enumerate() {
        tables += &format!("INSERT INTO installs VALUES ('z{number}', '{version}');");
    }
    // Inserted from the last key to the first.
    for number in (100..250).rev() {
        tables += &format!("INSERT INTO installs VALUES ('i{number}', '1.10');");
    }
    let databases = Databases::new(&tables);
    for engine in ENGINES {
        let get = |path: &str| {
            databases
                .service
                .data("GET", engine, path)
                .expect(200)
                .json()
        };
        let installs = get("/models/installs?id__startswith=z&_no_pagination=1&_expand=version");
        for install in installs.as_array().expect("an array") {
            assert_eq!(
                install["_expand"]["version"]["version"], install["version"],
                "{engine}"
            );
        }
        let releases = get("/models/releases?_order_by=version&_expand=installs(id)");
        let ids = |place: usize| -> Vec<String> {
            let found = releases["results"][place]["_expand"]["installs"].as_array();
            let found = found.expect("an array").iter();
            found
                .map(|it| it["id"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(ids(0), ["z0"], "{engine}");
        let first: Vec<String> = (100..200).map(|number| format!("i{number}")).collect();
        assert_eq!(ids(1), first, "{engine}");
        assert_eq!(
            (ids(2), ids(3)),
            (vec!["z2".to_owned()], vec!["z3".to_owned()]),
            "{engine}"
        );
    }
}

#[test]
fn keys_that_the_database_treats_as_equal_belong_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nocase.db");
    let rows = "INSERT INTO a VALUES ('Ab'); INSERT INTO a VALUES ('x'); INSERT INTO b VALUES (1, 'aB'), (2, 'Ab'), (3, 'x');";
    let sqlite = "CREATE TABLE a (code TEXT COLLATE NOCASE PRIMARY KEY);
        CREATE TABLE b (id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE REFERENCES a (code));";
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(&format!("{sqlite}{rows}"))
        .unwrap();
    let mariadb = "CREATE TABLE a (code VARCHAR(5) COLLATE utf8mb4_general_ci PRIMARY KEY);
        CREATE TABLE b (id INT PRIMARY KEY, code VARCHAR(5) COLLATE utf8mb4_general_ci, FOREIGN KEY (code) REFERENCES a (code));";
    let mariadb = MariadbServer::shared().database(&format!("{mariadb}{rows}"));
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("mariadb={mariadb}"),
    ];
    let (_folder, service) = serve(&resources, &[]);
    for engine in ["sqlite", "mariadb"] {
        let get = |path: &str| service.data("GET", engine, path).expect(200).json();
        let list = get("/models/b?_order_by=id&_expand=code");
        let codes: Vec<&Value> = (0..3)
            .map(|place| &list["results"][place]["_expand"]["code"]["code"])
            .collect();
        assert_eq!(codes, ["Ab", "Ab", "x"], "{engine}");
        let list = get("/models/a?_order_by=code&_expand=b(id)");
        assert_eq!(
            list["results"][0]["_expand"]["b"],
            json!([{"id": 1}, {"id": 2}]),
            "{engine}"
        );
        assert_eq!(
            list["results"][1]["_expand"]["b"],
            json!([{"id": 3}]),
            "{engine}"
        );
    }
}
