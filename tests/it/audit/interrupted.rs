//! Lines of writes that are interrupted or made at the same time.

use super::*;

#[test]
fn a_killed_service_has_a_line_for_every_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("k.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        .unwrap();
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let service = serve(&folder, &["k=sqlite:k.db"]);
        let made = |arguments: &[&str], name: &str| {
            let all = [arguments, &["--project", "main", "--json"]].concat();
            let made = Program::new(folder.path(), &all).run_json();
            made[name].as_str().unwrap().to_owned()
        };
        let token = made(&["token", "add", "k"], "token");
        let key = format!("Bearer {}", made(&["key", "add"], "api_key"));
        let (stop, done) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            let _end = End(&stop);
            let (service, stop, done, token, key) = (&service, &stop, &done, &token, &key);
            for writer in 0..8 {
                scope.spawn(move || {
                    let mut number = 0;
                    while !stop.load(Ordering::Relaxed) {
                        number += 1;
                        let id = format!("{round}-{writer}-{number}");
                        let call = match writer {
                            0 => service
                                .app_anonymous("POST", "/projects/main/prod/view_settings/")
                                .authorization(key)
                                .json(&json!({"name": "p"})),
                            1 => service
                                .data_anonymous("PATCH", "k", "/models/t/1")
                                .authorization(token)
                                .json(&json!({"a": id})),
                            _ => service
                                .data_anonymous("POST", "k", "/models/t")
                                .authorization(token)
                                .json(&json!({"a": id})),
                        };
                        let answer = call.header("x-request-id", &id).try_send();
                        if answer.is_ok_and(|answer| answer.status.is_success()) {
                            done.lock().unwrap().push(id);
                        }
                    }
                });
            }
            wait_until("a good many writes were acknowledged", || {
                done.lock().unwrap().len() > 300
            });
            service.signal("KILL");
        });
        acknowledged.extend(done.into_inner().unwrap());
    }
    let mut counts: HashMap<String, u32> = HashMap::new();
    for line in lines(folder.path(), &["--all"]) {
        if let Some(id) = line["request_id"].as_str() {
            *counts.entry(id.to_owned()).or_default() += 1;
            let is_acknowledged = acknowledged.iter().any(|known| known == id);
            assert!(!is_acknowledged || line["outcome"].is_null(), "{line}");
        }
    }
    for id in &acknowledged {
        assert_eq!(counts.get(id), Some(&1), "{id}");
    }

    // A write that was not acknowledged has a line after the next start of a service.
    let service = serve(&folder, &["k=sqlite:k.db"]);
    let told: BTreeSet<String> = lines(folder.path(), &["--all"])
        .iter()
        .filter_map(|line| Some(line["request_id"].as_str()?.to_owned()))
        .collect();
    let database = Connection::open(folder.path().join("k.db")).unwrap();
    let mut records = database.prepare("SELECT a FROM t").unwrap();
    let written = records
        .query_map([], |row| row.get::<_, String>(0))
        .unwrap();
    for id in written {
        let id = id.unwrap();
        assert!(told.contains(&id), "{id} was written and has no line");
    }
    drop(service);
}

#[test]
fn a_write_leaves_a_line_even_if_its_caller_does_not_wait_for_the_response() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("k.db");
    let database = Connection::open(database).unwrap();
    database
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        .unwrap();
    let service = serve(&folder, &["k=sqlite:k.db"]);
    let address = service
        .text("/base_url")
        .strip_prefix("http://")
        .unwrap()
        .to_owned();
    let token = service.text("/resources/k/token");
    // On a busy machine all callers may leave before the service has read a request: then more are sent.
    let written = || -> usize {
        let count = database.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
        usize::try_from(count.unwrap()).unwrap()
    };
    let (mut number, until) = (0_u64, Instant::now() + Duration::from_secs(60));
    while number < 200 || (written() == 0 && Instant::now() < until) {
        number += 1;
        let mut stream = TcpStream::connect(&address).unwrap();
        let body = r#"{"a":"x"}"#;
        let request = format!(
            "POST /projects/main/prod/k/models/t HTTP/1.1\r\nhost: {address}\r\nauthorization: {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        // Some leave at once, some while the record is being written.
        thread::sleep(Duration::from_micros(
            number % 20 * 100 * number.div_ceil(200),
        ));
        drop(stream);
    }
    service.data("GET", "k", "/models/t").expect(200);
    let told = || lines(folder.path(), &["--all", "--action=records.create"]).len();
    wait_until("every write has its line", || {
        written() > 0 && told() == written()
    });
    // And no further line appears later.
    thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(told(), written());
}

#[test]
fn lines_of_simultaneous_changes_are_in_the_order_of_the_changes() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let create = service.data("POST", resource, "/models/t");
        let made = create.json(&json!({"name": "start"})).expect(201);
        let path = format!("/models/t/{}", made.json()["id"]);
        thread::scope(|scope| {
            for writer in 0..6 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..15 {
                        let body = json!({"note": format!("{writer} {number}")});
                        let call = service.data("PATCH", resource, path);
                        call.json(&body).expect(200);
                    }
                });
            }
        });
        let found = lines(
            audited.folder.path(),
            &["--all", "--resource", resource, "--action=records.update"],
        );
        assert_eq!(found.len(), 90);
        // Each change begins with the state that another one left, so that all of them form one chain.
        let mut next: BTreeMap<&str, &str> = BTreeMap::new();
        for line in &found {
            let before = next.insert(text(line, "before"), text(line, "after"));
            assert_eq!(before, None, "{resource}: two changes of the same state");
        }
        let (start, end) = (
            tag(&made),
            tag(&service.data("GET", resource, &path).expect(200)),
        );
        let mut at = start.as_str();
        for _ in 0..90 {
            at = next[at];
        }
        assert_eq!(at, end, "{resource}");
    }
}
