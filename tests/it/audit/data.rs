//! Lines of the data host: writes to records.

use super::*;

#[test]
fn every_write_to_a_record_leaves_one_line_and_other_calls_leave_none() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let token = service.text(&format!("/resources/{resource}/token"));
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let about = |line: &Value, action: &str, record: &str| {
            assert_eq!(text(line, "action"), action);
            assert_eq!(text(line, "environment"), "prod");
            assert_eq!(text(line, "actor_kind"), "static_token");
            assert_eq!(text(line, "actor"), &token[..11]);
            assert_eq!(text(line, "resource"), resource);
            assert_eq!(text(line, "model"), "t");
            assert_eq!(text(line, "record"), record, "{line}");
        };

        let create = data("POST", "/models/t").json(&json!({"name": "a", "note": CONTENT}));
        let (made, line) = audited.write("POST /models/t", create, 201);
        let id = made.json()["id"].to_string();
        about(&line, "records.create", &id);
        assert_eq!(line["before"], Value::Null);
        assert_eq!(text(&line, "after"), tag(&made));

        let path = format!("/models/t/{id}");
        let update = data("PATCH", &path).json(&json!({"note": "another"}));
        let (updated, line) = audited.write("PATCH /models/t/{id}", update, 200);
        about(&line, "records.update", &id);
        assert_eq!(text(&line, "before"), tag(&made), "{resource}");
        assert_eq!(text(&line, "after"), tag(&updated));
        assert_ne!(line["before"], line["after"]);
        // With a precondition, other code is used.
        let update = data("PATCH", &path).header("if-match", updated.header("etag"));
        let update = update.json(&json!({"note": "a third"}));
        let (third, line) = audited.write("PATCH /models/t/{id}", update, 200);
        assert_eq!(text(&line, "before"), tag(&updated));
        assert_eq!(text(&line, "after"), tag(&third));
        let nothing = data("PATCH", &path).json(&json!({}));
        let (_, line) = audited.write("PATCH /models/t/{id}", nothing, 200);
        assert_eq!(line["before"], line["after"], "it was accepted");

        let replace = data("PUT", &path).json(&json!({"name": "b"}));
        let (replaced, line) = audited.write("PUT /models/t/{id}", replace, 200);
        about(&line, "records.replace", &id);
        assert_eq!(text(&line, "before"), tag(&third));
        assert_eq!(text(&line, "after"), tag(&replaced));

        // Refused.
        let name = json!({"name": "b", "note": CONTENT});
        audited.quiet("POST /models/t", data("POST", "/models/t").json(&name), 400);
        let stale = data("PATCH", &path)
            .header("if-match", made.header("etag"))
            .json(&json!({"note": "x"}));
        audited.quiet("PATCH /models/t/{id}", stale, 412);
        let missing = || data("PATCH", "/models/t/999999").json(&json!({"note": "x"}));
        audited.quiet("PATCH /models/t/{id}", missing(), 404);
        let foreign = service.data_anonymous("DELETE", resource, &path);
        audited.quiet("DELETE /models/t/{id}", foreign, 401);
        // Read.
        let name = format!("{path}/name");
        for read in ["/models/t", &path, "/model_descriptions", &name] {
            audited.quiet("read", data("GET", read), 200);
        }
        for (operation, body) in [
            ("/models/t/aggregate", json!({"func": "count"})),
            (
                "/models/t/group",
                json!({"x_column": "amount", "y_func": "count"}),
            ),
            ("/sql_get_query", json!({"query": "SELECT 1"})),
            ("/reload", json!({})),
        ] {
            let read = data("POST", operation).json(&body);
            audited.quiet(&format!("POST {operation}"), read, 200);
        }

        let function = "/functions/noted";
        let noted = |name: &str| data("POST", function).json(&json!({ "given": name }));
        let operation = "POST /functions/{function}";
        if resource == "s" {
            audited.quiet(operation, noted(CONTENT), 400);
        } else {
            let params = r#"{"functions": ["noted"]}"#;
            let set = ["resource", "set", resource, "--params", params];
            Program::new(
                audited.folder.path(),
                &[&set[..], &["--project", "main"]].concat(),
            )
            .run_ok();
            let empty = || data("POST", function).send().status;
            wait_until("the function is listed", || empty() == 400);
            let (_, line) = audited.write(operation, noted(CONTENT), 200);
            assert_eq!(text(&line, "action"), "functions.call");
            assert_eq!(text(&line, "record"), "noted");
            assert_eq!(
                (text(&line, "resource"), &line["model"]),
                (resource, &Value::Null)
            );
            // Its name is taken.
            audited.quiet(operation, noted(CONTENT), 400);
        }

        // It changes no data.
        let cancel = data("DELETE", "/statements/none");
        audited.quiet("DELETE /statements/{statement}", cancel, 404);
        audited.quiet("GET /statements", data("GET", "/statements"), 200);

        let bulk = data("POST", "/models/t/bulk_create");
        let records = json!([{"name": "c"}, {"name": "b"}, {"name": "d", "note": CONTENT}]);
        let (answer, found) = audited.call("POST /models/t/bulk_create", bulk.json(&records), 200);
        let answer = answer.json();
        assert_eq!(answer[1]["success"], false, "{answer}");
        let ids = [0, 2].map(|index: usize| answer[index]["record"]["id"].to_string());
        // One line for both, which is found by each.
        let [line] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(text(line, "action"), "records.bulk_create");
        assert_eq!((&line["records"], &line["keys"]), (&json!(2), &json!(ids)));
        for name in ["record", "before", "after"] {
            assert!(line[name].is_null(), "{line}");
        }
        for id in &ids {
            let about = ["--resource", resource, "--model", "t", "--record", id];
            let about = lines(audited.folder.path(), &about);
            assert_eq!(about.len(), 1, "{id}: {about:?}");
            assert_eq!(about[0]["uid"], line["uid"]);
        }
        let bulk = data("POST", "/models/t/bulk_create?_atomic=1").json(&records);
        audited.quiet("POST /models/t/bulk_create", bulk, 200);

        // The rows of an import are lines about the import.
        let file = data("POST", "/models/t/imports").header("content-type", "text/csv");
        let file = file.header("idempotency-key", "rows");
        let file = file.body("name,note\nrow1,x\nrow2,\nrow2,x\n");
        let (begun, line) = audited.write("POST /models/t/imports", file, 202);
        let uid = begun.json()["uid"].as_str().unwrap().to_owned();
        about(&line, "imports.begin", &uid);
        let end = |model: &str, uid: &str| {
            let template = format!("/models/{model}/imports/{{import}}");
            let path = format!("/models/{model}/imports/{uid}");
            let get = format!("GET {template}");
            wait_until("the rows were read", || {
                let import = audited.quiet(&get, data("GET", &path), 200);
                import.json()["state"] == "done"
            });
            let refused = data("GET", &format!("{path}/refused"));
            audited.quiet(&format!("{get}/refused"), refused, 200);
            for change in ["cancel", "resume"] {
                let call = data("POST", &format!("{path}/{change}"));
                // One that has ended stays as it is.
                audited.quiet(&format!("POST {template}/{change}"), call, 200);
            }
        };
        end("t", &uid);
        let rows = lines(audited.folder.path(), &["--request-id", &uid]);
        let [row] = rows.as_slice() else {
            panic!("{rows:?}");
        };
        assert_eq!(text(row, "action"), "records.bulk_create");
        assert_eq!(
            (&row["records"], &row["actor"]),
            (&json!(2), &line["actor"])
        );

        // A create that changes what is there is an update.
        let upsert = |path: &str, body: &Value| data("POST", path).json(body);
        let known = json!({"name": "c", "note": CONTENT});
        let (_, line) = audited.write(
            "POST /models/t",
            upsert("/models/t?_on_conflict=name", &known),
            200,
        );
        about(&line, "records.update", &ids[0]);
        assert_ne!(line["before"], line["after"], "{line}");
        let several =
            json!([{"name": "c", "note": ""}, {"name": "new"}, {"name": "d", "note": ""}]);
        let path_of_bulk = "/models/t/bulk_create?_on_conflict=name";
        let bulk = upsert(path_of_bulk, &several);
        let (_, found) = audited.call("POST /models/t/bulk_create", bulk, 200);
        let [updated, created] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(text(created, "action"), "records.bulk_create");
        assert_eq!(text(updated, "action"), "records.update_all");
        assert_eq!(updated["keys"], json!(ids));
        let created = text(created, "record").to_owned();
        let gone = data("DELETE", &format!("/models/t/{created}"));
        audited.write("DELETE /models/t/{id}", gone, 204);

        // What a filter selects is one line, too.
        let both = format!("/models/t?id__in={},{}", ids[0], ids[1]);
        let change = data("PATCH", &both).json(&json!({"note": CONTENT}));
        let (_, found) = audited.call("PATCH /models/t", change, 200);
        let [line] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(text(line, "action"), "records.update_all");
        assert_eq!((&line["records"], &line["keys"]), (&json!(2), &json!(ids)));
        let refused = data("DELETE", &format!("{both}&_expect=1"));
        audited.quiet("DELETE /models/t", refused, 412);
        let one = data("DELETE", &format!("/models/t?id={}", ids[1]));
        let (_, line) = audited.write("DELETE /models/t", one, 200);
        about(&line, "records.delete_all", &ids[1]);
        assert_eq!(
            (&line["records"], &line["keys"]),
            (&json!(1), &json!([ids[1]]))
        );

        let (_, line) = audited.write("DELETE /models/t/{id}", data("DELETE", &path), 204);
        about(&line, "records.delete", &id);
        assert_eq!(text(&line, "before"), tag(&replaced));
        assert_eq!(line["after"], Value::Null);
        let other = format!("/models/t/{}", ids[0]);
        let was = data("GET", &other).send();
        let other = data("DELETE", &other).header("if-match", "*");
        let (_, line) = audited.write("DELETE /models/t/{id}", other, 204);
        assert_eq!(text(&line, "before"), tag(&was));

        // A composite key is written as in a path, and a changed key with its old value.
        let pair = json!({"a": "x,y", "b": 7, "note": CONTENT});
        let create = data("POST", "/models/pairs").json(&pair);
        let (_, line) = audited.write("POST /models/pairs", create, 201);
        assert_eq!(text(&line, "record"), "x%2Cy,7");
        let update = data("PATCH", "/models/pairs/x%252Cy,7").json(&json!({"b": 8}));
        let (_, changed) = audited.write("PATCH /models/pairs/{id}", update, 200);
        assert_eq!(text(&changed, "record"), "x%2Cy,7");
        assert_eq!(changed["before"], line["after"]);
        let replace = data("PUT", "/models/pairs/x%252Cy,8").json(&pair);
        audited.write("PUT /models/pairs/{id}", replace, 200);
        let bulk = data("POST", "/models/pairs/bulk_create").json(&json!([{"a": "z", "b": 1}]));
        audited.write("POST /models/pairs/bulk_create", bulk, 200);
        let change = data("PATCH", "/models/pairs?a=z").json(&json!({"note": CONTENT}));
        audited.write("PATCH /models/pairs", change, 200);
        audited.write(
            "DELETE /models/pairs",
            data("DELETE", "/models/pairs?a=z"),
            200,
        );
        let delete = data("DELETE", "/models/pairs/x%252Cy,7");
        audited.write("DELETE /models/pairs/{id}", delete, 204);
        for (question, body) in [
            ("aggregate", json!({"func": "count"})),
            ("group", json!({"x_column": "a", "y_func": "count"})),
        ] {
            let path = format!("/models/pairs/{question}");
            audited.quiet(
                &format!("POST {path}"),
                data("POST", &path).json(&body),
                200,
            );
        }

        let file = data("POST", "/models/pairs/imports?_dry_run=1");
        let file = file.header("content-type", "text/csv").body("a\n");
        let (begun, _) = audited.write("POST /models/pairs/imports", file, 202);
        end("pairs", begun.json()["uid"].as_str().unwrap());

        let document = service.data("GET", resource, "/openapi.json").ok();
        let called = audited.called.lock().unwrap().clone();
        let missed: Vec<_> = writing(&document).difference(&called).cloned().collect();
        assert_eq!(missed, Vec::<String>::new(), "not called here");
    }
    let trail = Program::new(
        audited.folder.path(),
        &["audit", "list", "--all", "--format=csv"],
    );
    let trail = trail.run_ok();
    for secret in [CONTENT, "another", "hunter"] {
        assert!(!trail.contains(secret), "{secret}");
    }
    for resource in RESOURCES {
        let token = service.text(&format!("/resources/{resource}/token"));
        assert!(trail.contains(&token[..11]) && !trail.contains(&token[..14]));
    }
}
