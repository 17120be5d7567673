//! Calls of functions that end early: by what they raise, at a limit, at the deadline, and by their ids.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_tests::wait_until;

use super::fixture::Functions;

#[test]
fn what_a_function_raises_is_its_answer_and_nothing_of_it_is_kept() {
    let functions = Functions::new(&[]);
    for engine in ["postgres", "mariadb"] {
        let message = "too 'few' \"%s\" left";
        let raised = functions.refused(engine, "raises", &json!({"message": message}));
        assert_eq!(
            raised.json()["non_field_errors"][0],
            message,
            "{engine}: {}",
            raised.body
        );
        assert_eq!(functions.count(engine, "id=99"), 0, "{engine}");
        let add_order = match engine {
            "postgres" => "public.add_order",
            _ => "add_order",
        };
        let taken = functions.refused(engine, add_order, &json!({"id": 60, "number": "A1"}));
        assert_eq!(
            taken.header("x-constraint"),
            "orders_number",
            "{engine}: {}",
            taken.body
        );
        assert_eq!(taken.header("x-constraint-columns"), "number", "{engine}");
        assert!(
            taken.json()["number"].is_array(),
            "{engine}: {}",
            taken.body
        );
        assert_eq!(functions.count(engine, "id=60"), 0, "{engine}");
    }
    let raised = functions.refused("postgres", "raises_code", &json!({}));
    assert!(raised.body.contains("of its own"), "{}", raised.body);
    let domain = functions.refused("postgres", "is_positive", &json!({"n": -1}));
    assert!(!domain.body.contains("internal"), "{}", domain.body);
    let commits = functions.refused("postgres", "commits", &json!({}));
    assert!(commits.body.contains("transaction"), "{}", commits.body);
}

#[test]
fn an_answer_has_limits_and_the_connection_is_usable_behind_it() {
    let functions = Functions::new(&[]);
    assert_eq!(
        functions
            .data("postgres", "numbers", &json!({"most": 10_000}))
            .as_array()
            .unwrap()
            .len(),
        10_000
    );
    for _ in 0..3 {
        for (engine, name, arguments) in [
            ("postgres", "numbers", json!({"most": 10_001})),
            ("postgres", "long", json!({})),
            ("mariadb", "many", json!({})),
        ] {
            let refused = functions.refused(engine, name, &arguments);
            assert!(refused.body.contains("gives more than"), "{}", refused.body);
        }
        assert_eq!(functions.data("postgres", "price", &json!({})), "1.50");
        assert_eq!(functions.data("mariadb", "price", &json!({"p": 1})), "1.00");
    }
}

#[test]
fn a_slow_function_is_ended_by_the_deadline_or_by_its_id() {
    let functions = Functions::new(&["--statement-timeout", "2"]);
    for engine in ["postgres", "mariadb"] {
        let begun = Instant::now();
        functions.call(engine, "sleeps", &json!({})).expect(504);
        assert!(begun.elapsed() < Duration::from_secs(10), "{engine}");
        assert_eq!(functions.count(engine, "id=98"), 0, "{engine}");
    }
    let functions = Functions::new(&["--statement-timeout", "60"]);
    for engine in ["postgres", "mariadb"] {
        let call = functions.call(engine, "sleeps", &json!({"x": 1}));
        call.expect(400);
        let call = functions
            .call(engine, "sleeps", &json!({}))
            .header("x-statement-id", "slow");
        let running = thread::spawn(move || call.send());
        let list = || {
            functions
                .service
                .data("GET", engine, "/statements")
                .expect(200)
                .json()
        };
        wait_until("it is listed", || list()[0]["id"] == "slow");
        let shown = list()[0]["query"].as_str().unwrap().to_owned();
        assert!(shown.starts_with("POST /functions/"), "{shown}");
        functions
            .service
            .data("DELETE", engine, "/statements/slow")
            .expect(204);
        let answer = running.join().unwrap();
        assert_eq!(answer.status, 409, "{engine}: {}", answer.body);
        assert_eq!(functions.count(engine, "id=98"), 0, "{engine}");
    }
}
