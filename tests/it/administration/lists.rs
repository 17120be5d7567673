//! Lists of the administration beside those of what projects consist of.

use serde_json::{Value, json};

use super::{call, member, operator, send, sign_in};
use crate::people::{Home, PASSWORD};

#[test]
fn sessions_are_listed_as_records_are() {
    let home = Home::new();
    let ann = member(&home, "ann@sessions.example", "Administrator");
    let second = sign_in(&home, "ann@sessions.example");
    let uid = home.add("bob@sessions.example", "Editor");
    for _ in 0..3 {
        home.login("bob@sessions.example", PASSWORD);
    }
    let of_bob = format!("/projects/main/prod/users/{uid}/sessions/");
    for (path, count) in [("/account/sessions/", 2), (&*of_bob, 3)] {
        let list = |query: &str| call(&home, &second, "GET", &format!("{path}{query}")).ok();
        let all = list("");
        assert_eq!(all["count"], count, "{path}");
        let rows = all["results"].as_array().unwrap();
        let times = |rows: &[Value]| -> Vec<String> {
            let times = rows.iter().map(|row| row["date_add"].as_str().unwrap());
            times.map(str::to_owned).collect()
        };
        let mut sorted = times(rows);
        sorted.sort_by(|one, other| other.cmp(one));
        assert_eq!(times(rows), sorted, "the newest first");
        let currents = rows.iter().filter(|row| row["current"] == true).count();
        assert_eq!(currents, usize::from(path == "/account/sessions/"));
        assert!(rows.iter().all(|row| row["expires"].is_string()), "{all}");
        // By filters, order and search; page by page by a cursor.
        let one = rows[0]["uid"].as_str().unwrap();
        assert_eq!(list(&format!("?uid={one}"))["results"], json!([rows[0]]));
        let oldest = list("?_order_by=date_add&_per_page=1");
        assert_eq!(oldest["results"][0], rows[rows.len() - 1]);
        let next = oldest["next"].as_str().unwrap();
        assert!(next.contains("_after="), "{next}");
        let next = svc_tests::Call::new("GET", next)
            .authorization(&second)
            .ok();
        assert_eq!(next["results"][0], rows[rows.len() - 2]);
        assert_eq!(list("?_search=nothing has this")["count"], 0);
        assert_eq!(list("?address__isnull=true")["count"], 0);
        call(&home, &second, "GET", &format!("{path}?nane=x")).expect(400);
        let csv = call(&home, &second, "GET", path).header("accept", "text/csv");
        let csv = csv.expect(200).body;
        assert!(csv.lines().next().unwrap().ends_with(",current"), "{csv}");
        assert_eq!(csv.lines().count(), rows.len() + 1);
    }
    let nobody = "/projects/main/prod/users/00000000-0000-0000-0000-000000000000/sessions/";
    call(&home, &ann, "GET", nobody).expect(404);
    home.run(&["env", "add", "stage", "--project", "main"]);
    let elsewhere = of_bob.replace("/prod/", "/stage/");
    call(&home, &ann, "GET", &elsewhere).expect(404);
    // Nor is one of them ended by the path of another environment.
    let sessions = call(&home, &ann, "GET", &of_bob).ok();
    let session = sessions["results"][0]["uid"].as_str().unwrap();
    call(&home, &ann, "DELETE", &format!("{elsewhere}{session}/")).expect(404);
    assert_eq!(call(&home, &ann, "GET", &of_bob).ok()["count"], 3);
    call(&home, &ann, "DELETE", &format!("{of_bob}{session}/")).expect(204);
    assert_eq!(call(&home, &ann, "GET", &of_bob).ok()["count"], 2);
}

#[test]
fn mails_are_listed_as_records_are() {
    let home = Home::new();
    let operator = operator(&home);
    for name in ["ann", "bob", "eve"] {
        let body = json!({"email": format!("{name}@mails.example"), "team": "Editor"});
        send(
            &home,
            &operator,
            "POST",
            "/projects/main/prod/users/",
            &body,
        )
        .expect(201);
    }
    let list = |query: &str| call(&home, &operator, "GET", &format!("/mails/{query}")).ok();
    let recipients = |query: &str| -> Vec<String> {
        let rows = list(query);
        let rows = rows["results"].as_array().unwrap().iter();
        rows.map(|row| row["recipient"].as_str().unwrap().to_owned())
            .collect()
    };
    let newest = ["eve", "bob", "ann"].map(|name| format!("{name}@mails.example"));
    assert_eq!(recipients("?kind=invitation"), newest);
    assert_eq!(recipients("?recipient__istartswith=BOB"), newest[1..2]);
    assert_eq!(recipients("?_search=ann@"), newest[2..]);
    assert_eq!(
        recipients("?_search=invited to main&_order_by=recipient")[0],
        newest[2]
    );
    let page = list("?kind=invitation&_per_page=2&codes=1");
    let first = &page["results"][0];
    assert_eq!(first["subject"], "You are invited to main");
    assert_eq!(
        (&first["project"], &first["environment"]),
        (&json!("main"), &json!("prod"))
    );
    let (code, link) = (
        first["code"].as_str().unwrap(),
        first["link"].as_str().unwrap(),
    );
    assert!(link.contains(code));
    let next = page["next"].as_str().unwrap();
    assert!(
        next.contains("_after=") && next.contains("codes=1"),
        "{next}"
    );
    let next = svc_tests::Call::new("GET", next)
        .authorization(&operator)
        .ok();
    assert_eq!(next["results"][0]["recipient"], newest[2]);
    assert!(next["results"][0]["code"].is_string());
    // Codes only when they are asked for, in no other way.
    let hidden = call(&home, &operator, "GET", "/mails/").expect(200);
    assert!(!hidden.body.contains(code));
    assert_eq!(hidden.header("cache-control"), "no-store");
    for wrong in ["?codes=2", "?_fields=content", "?content=x", "?code=x"] {
        call(&home, &operator, "GET", &format!("/mails/{wrong}")).expect(400);
    }
}

#[test]
fn entries_are_the_same_alone_and_in_lists() {
    let home = Home::new();
    let ann = member(&home, "ann@same.example", "Administrator");
    let items = "/projects/main/prod/items/";
    // Some of them have a time whose last digit is a zero.
    let mut made: Vec<Value> = (0..30)
        .map(|at| {
            let item = json!({"kind": "chart", "name": format!("{at:02}"), "value": {}});
            send(&home, &ann, "POST", items, &item).expect(201).json()
        })
        .collect();
    let listed = call(
        &home,
        &ann,
        "GET",
        &format!("{items}?_order_by=name&_per_page=100"),
    )
    .ok();
    assert_eq!(listed["results"], Value::from(made.clone()));
    let last = made.pop().expect("an item");
    let path = format!("{items}{}/", last["uid"].as_str().expect("a uid"));
    assert_eq!(call(&home, &ann, "GET", &path).ok(), last);
}
