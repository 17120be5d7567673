//! The order of changes that are made at the same time, and what a killed service keeps.

use super::*;

#[test]
fn simultaneous_changes_of_a_record_make_one_chain_of_values() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let create = service.data("POST", resource, "/models/t");
        let made = create
            .json(&json!({"name": "start", "note": "0"}))
            .expect(201);
        let path = format!("/models/t/{}", made.json()["id"]);
        thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..15 {
                        let body = json!({"note": format!("{writer} {number}")});
                        // With other code for one of the writers.
                        let (method, path, body) = match writer {
                            0 => ("PATCH", "/models/t?name=start".to_owned(), body),
                            1 => (
                                "PUT",
                                path.clone(),
                                json!({"name": "start", "note": body["note"]}),
                            ),
                            2 => (
                                "POST",
                                "/models/t?_on_conflict=name".to_owned(),
                                json!({"name": "start", "note": body["note"]}),
                            ),
                            _ => ("PATCH", path.clone(), body),
                        };
                        let call = service.data(method, resource, &path);
                        call.json(&body).expect(200);
                    }
                });
            }
        });
        let history = entries(service, resource, &path);
        assert_eq!(history.len(), 61);
        let uids: BTreeSet<String> = history.iter().map(ToString::to_string).collect();
        assert_eq!(uids.len(), 61, "no entry comes twice");
        // Each change begins with the value that another one left.
        let mut chain: HashMap<String, String> = HashMap::new();
        for entry in history
            .iter()
            .filter(|entry| entry["action"] != "records.create")
        {
            let change = &entry["changes"]["note"];
            let other = chain.insert(
                text(change, "old").to_owned(),
                text(change, "new").to_owned(),
            );
            assert_eq!(other, None, "{resource}: two changes of the same value");
        }
        let mut at = "0".to_owned();
        for _ in 0..60 {
            at = chain[&at].clone();
        }
        let record = service.data("GET", resource, &path).expect(200).json();
        assert_eq!(text(&record, "note"), at, "{resource}");
    }
}

#[test]
fn the_order_of_simultaneous_changes_of_single_records_is_that_of_the_database() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let create = service.data("POST", resource, "/models/t");
        let made = create
            .json(&json!({"name": "start", "amount": 0}))
            .expect(201);
        let path = format!("/models/t/{}", made.json()["id"]);
        thread::scope(|scope| {
            for writer in 0..6 {
                let path = &path;
                scope.spawn(move || {
                    for number in 1..=20 {
                        let body = json!({"amount": writer * 100 + number});
                        service
                            .data("PATCH", resource, path)
                            .json(&body)
                            .expect(200);
                    }
                });
            }
        });
        let history = entries(service, resource, &path);
        assert_eq!(history.len(), 121);
        let (create, updates) = history.split_last().unwrap();
        assert_eq!(create["changes"]["amount"]["new"], 0);
        let breaks = updates.windows(2).filter(|pair| {
            pair[0]["changes"]["amount"]["old"] != pair[1]["changes"]["amount"]["new"]
        });
        assert_eq!(breaks.count(), 0, "{resource}");
    }
}

#[test]
fn a_killed_service_keeps_the_history_of_acknowledged_writes() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)";
    let service = service(&folder, script, &[]);
    let (stop, done) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let _end = End(&stop);
        let (service, stop, done) = (&service, &stop, &done);
        for writer in 0..6 {
            scope.spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    number += 1;
                    // Of all lengths: those of one slot of the journal, of several, and of too many.
                    let length = [10, 900, 4_000, 100_000][number % 4];
                    let value = format!("{writer} {number} {}", "x".repeat(length));
                    let call = service
                        .data("POST", "h", "/models/t")
                        .json(&json!({"a": value}));
                    if let Ok(answer) = call.try_send()
                        && answer.status == 201
                    {
                        done.lock()
                            .unwrap()
                            .push((answer.json()["id"].clone(), value));
                    }
                }
            });
        }
        wait_until("a good many writes were acknowledged", || {
            done.lock().unwrap().len() > 200
        });
        service.signal("KILL");
    });
    let service = Service::start(folder.path(), &["serve", "--connect", "h=sqlite:h.db"]);
    let token = ["token", "add", "h", "--project", "main", "--json"];
    let token = Program::new(folder.path(), &token).run_json();
    for (id, value) in done.into_inner().unwrap() {
        let path = format!("/models/t/{id}/history");
        let history = service.data_anonymous("GET", "h", &path);
        let history = history.authorization(text(&token, "token"));
        let history = history.expect(200).json();
        let [entry] = history["results"].as_array().unwrap().as_slice() else {
            panic!("{id}: {history}");
        };
        assert_eq!(entry["outcome"], Value::Null, "{id}");
        let kept = text(&entry["changes"]["a"], "new");
        assert_eq!(kept, &value[..value.len().min(4_096)], "{id}");
    }
}
