//! Lists, single users, aggregates and groups, which use the code of records.

use std::{collections::HashSet, sync::OnceLock};

use serde_json::{Value, json};
use svc_tests::Call;

use crate::people::{Home, keys, named};

/// A service with 30 users that no test changes: `user01@example.com` to `user30@example.com`, every third an editor.
fn crowd() -> &'static Home {
    static CROWD: OnceLock<Home> = OnceLock::new();
    CROWD.get_or_init(|| {
        let home = Home::new();
        let (editor, reader) = (home.team("Editor"), home.team("Read Only"));
        for number in 1..=30 {
            let body = json!({
                "email": format!("user{number:02}@example.com"),
                "group": if number % 3 == 0 { &editor } else { &reader },
                "first_name": format!("Name {number}"),
                "last_name": if number % 2 == 0 { json!("Even") } else { Value::Null },
            });
            home.tools("POST", "users").json(&body).expect(201);
        }
        home
    })
}

fn emails(page: &Value) -> Vec<&str> {
    let results = page.get("results").unwrap_or(page).as_array().unwrap();
    results
        .iter()
        .map(|user| user["email"].as_str().unwrap())
        .collect()
}

/// The number of users that a query finds.
#[track_caller]
fn count(query: &str) -> u64 {
    let page = crowd().tools("GET", &format!("users?{query}")).ok();
    let count = page["count"].as_u64().unwrap();
    assert_eq!(
        page["results"].as_array().unwrap().len() as u64,
        count.min(25)
    );
    count
}

#[test]
fn a_page_of_users_has_the_envelope_and_the_newest_first() {
    let page = crowd().tools("GET", "users").ok();
    assert_eq!(
        keys(&page),
        [
            "count",
            "has_more",
            "next",
            "num_pages",
            "per_page",
            "previous",
            "results"
        ]
    );
    assert_eq!(
        (
            &page["count"],
            &page["num_pages"],
            &page["per_page"],
            &page["has_more"]
        ),
        (&json!(30), &json!(2), &json!(25), &json!(true))
    );
    assert_eq!(
        emails(&page)[..2],
        ["user30@example.com", "user29@example.com"]
    );
    for user in page["results"].as_array().unwrap() {
        assert_eq!(
            keys(user),
            [
                "date_add",
                "email",
                "first_name",
                "group",
                "last_name",
                "uid"
            ]
        );
        let added: jiff::Timestamp = user["date_add"].as_str().unwrap().parse().unwrap();
        assert!(added <= jiff::Timestamp::now());
    }
}

#[test]
fn following_next_visits_every_user_once() {
    let token = crowd().tools_token();
    for query in [
        "_per_page=7",
        "_per_page=7&_order_by=group",
        "_per_page=7&_order_by=-last_name,first_name",
    ] {
        let mut page = crowd().tools("GET", &format!("users?{query}")).ok();
        let mut seen = HashSet::new();
        loop {
            for email in emails(&page) {
                assert!(seen.insert(email.to_owned()), "{query}: {email} came twice");
            }
            let Some(next) = page["next"].as_str() else {
                break;
            };
            assert!(
                next.starts_with(crowd().service().text("/base_url")),
                "{next}"
            );
            page = Call::new("GET", next).authorization(token).ok();
        }
        assert_eq!(seen.len(), 30, "{query}");
    }
}

#[test]
fn a_page_can_be_requested_by_number_and_all_users_without_pages() {
    let page = crowd().tools("GET", "users?page=2&_order_by=email").ok();
    assert_eq!(emails(&page)[0], "user26@example.com");
    assert_eq!(page["next"], Value::Null);
    assert!(
        page["previous"].as_str().unwrap().contains("_before="),
        "{page}"
    );
    let all = crowd().tools("GET", "users?_no_pagination=1").ok();
    assert_eq!(emails(&all).len(), 30);
    let past = crowd().tools("GET", "users?page=9").ok();
    assert_eq!(emails(&past), [""; 0]);
    assert_eq!(
        crowd().tools("GET", "users?_count=none").ok()["count"],
        Value::Null
    );
    for wrong in [
        "page=0",
        "page=x",
        "_per_page=0",
        "_nothing=1",
        "_after=x",
        "_count=some",
    ] {
        crowd().tools("GET", &format!("users?{wrong}")).expect(400);
    }
}

#[test]
fn users_are_filtered_searched_and_ordered_by_their_fields() {
    let editor = crowd().team("Editor");
    assert_eq!(count(&format!("group={editor}")), 10);
    assert_eq!(count(&format!("exclude__group={editor}")), 20);
    assert_eq!(count("email=user07@example.com"), 1);
    assert_eq!(count("email=USER07@example.com"), 0);
    assert_eq!(count("email__icontains=USER0"), 9);
    assert_eq!(
        count("email__in=user01@example.com,user02@example.com,other"),
        2
    );
    assert_eq!(count("last_name__isnull=true"), 15);
    assert_eq!(count("last_name=Even&first_name__endswith=0"), 3);
    assert_eq!(count("date_add__gt=2001-01-01"), 30);
    assert_eq!(count("date_add__lt=2001-01-01"), 0);
    assert_eq!(count("_search=even"), 15);
    assert_eq!(count("_search=user1"), 10);
    assert_eq!(count("_search=%25"), 0);
    assert_eq!(
        count(
            r#"_filter={"or":[{"field":"email","value":"user01@example.com"},{"field":"last_name","value":"Even"}]}"#
        ),
        16
    );
    assert_eq!(count("_relation=group.groups.uid|name.Editor"), 10);
    let first = |order: &str| {
        let page = crowd()
            .tools("GET", &format!("users?_per_page=1&_order_by={order}"))
            .ok();
        emails(&page)[0].to_owned()
    };
    assert_eq!(first("email"), "user01@example.com");
    assert_eq!(first("-email"), "user30@example.com");
    assert_eq!(first("last_name,-email"), "user29@example.com");
    let page = crowd().tools("GET", "users?_fields=email&_per_page=1").ok();
    assert_eq!(keys(&page["results"][0]), ["email", "uid"]);
    let page = crowd().tools("GET", "users?_per_page=1&tz=%2B02:00").ok();
    assert!(
        page["results"][0]["date_add"]
            .as_str()
            .unwrap()
            .ends_with("+02:00"),
        "{page}"
    );
}

#[test]
fn stored_data_of_users_that_is_not_a_field_cannot_be_requested() {
    for field in [
        "password",
        "email_key",
        "email_confirmed",
        "environment_uid",
        "team_uid",
        "language",
        "rowid",
    ] {
        for query in [
            format!("{field}=x"),
            format!("{field}__istartswith=$argon"),
            format!("exclude__{field}=x"),
            format!("_order_by={field}"),
            format!("_fields={field}"),
            format!(r#"_filter={{"field":"{field}","value":"x"}}"#),
            format!("_relation={field}.groups.uid|name.Editor"),
            format!("_relation=uid.users.{field}|email.user01@example.com"),
        ] {
            let answer = crowd().tools("GET", &format!("users?{query}")).expect(400);
            assert!(!answer.body.contains("argon2id"), "{}", answer.body);
        }
        let aggregate = format!("users/aggregate?_y_func=max&_y_column={field}");
        crowd().tools("GET", &aggregate).expect(400);
        let group = format!("users/group?_x_column={field}&_y_func=count");
        crowd().tools("GET", &group).expect(400);
    }
    for model in [
        "sessions",
        "codes",
        "mails",
        "api_users",
        "teams",
        "accounts",
        "sqlite_master",
        "signing_keys",
    ] {
        crowd().tools("GET", model).expect(404);
        let relation = format!("users?_relation=uid.{model}.uid|uid.x");
        crowd().tools("GET", &relation).expect(400);
    }
}

#[test]
fn one_user_and_the_siblings_are_retrieved() {
    let page = crowd()
        .tools("GET", "users?_order_by=email&_per_page=3")
        .ok();
    let uid = |index: usize| page["results"][index]["uid"].as_str().unwrap();
    let answer = crowd()
        .tools("GET", &format!("users/{}", uid(1)))
        .expect(200);
    assert_eq!(answer.json(), page["results"][1]);
    let known = crowd()
        .tools("GET", &format!("users/{}", uid(1)))
        .header("if-none-match", answer.header("etag"));
    assert_eq!(known.expect(304).body, "");
    let siblings = crowd()
        .tools(
            "GET",
            &format!("users/{}/get_siblings?_order_by=email", uid(1)),
        )
        .ok();
    assert_eq!(
        siblings,
        json!({"prev": {"uid": uid(0)}, "next": {"uid": uid(2)}})
    );
    for none in [
        "01900000-0000-7000-8000-000000000000",
        "x",
        "1",
        "%27%20OR%201=1",
    ] {
        let answer = crowd().tools("GET", &format!("users/{none}")).send();
        assert!(
            matches!(answer.status.as_u16(), 400 | 404),
            "{none}: {}",
            answer.status
        );
    }
    crowd()
        .tools("HEAD", &format!("users/{}", uid(1)))
        .expect(200);
}

#[test]
fn users_are_counted_by_team() {
    let (editor, reader) = (crowd().team("Editor"), crowd().team("Read Only"));
    let expected = |one: Value, two: Value| {
        let mut groups = [(editor.clone(), one), (reader.clone(), two)];
        groups.sort_by(|a, b| a.0.cmp(&b.0));
        let groups = groups.map(|(group, count)| json!({"group": group, "y_func": count}));
        Value::from(groups.to_vec())
    };
    let by_get = crowd()
        .tools("GET", "users/group?_x_column=group&_y_func=count")
        .ok();
    assert_eq!(by_get, expected(json!(10), json!(20)));
    let body = json!({"x_column": "group", "y_func": "count"});
    let even = crowd()
        .tools("POST", "users/group?last_name=Even")
        .json(&body)
        .ok();
    assert_eq!(even, expected(json!(5), json!(10)));
    let body = json!({"func": "count_distinct", "column": "group"});
    assert_eq!(
        crowd().tools("POST", "users/aggregate").json(&body).ok(),
        json!({"y_func": 2})
    );
    let newest = crowd()
        .tools("GET", "users/aggregate?_y_func=max&_y_column=email")
        .ok();
    assert_eq!(newest, json!({"y_func": "user30@example.com"}));
    assert_eq!(
        named(
            &crowd()
                .tools("POST", "users/aggregate")
                .json(&json!({}))
                .expect(400)
        ),
        ["func"]
    );
}

#[test]
fn users_are_available_as_ndjson_and_csv_too() {
    let lines = crowd()
        .tools("GET", "users?_order_by=email")
        .header("accept", "application/x-ndjson")
        .expect(200);
    assert_eq!(lines.header("x-total-count"), "30");
    assert!(lines.header("link").contains("rel=\"next\""));
    let rows: Vec<Value> = lines
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (rows.len(), &rows[0]["email"]),
        (25, &json!("user01@example.com"))
    );
    let csv = crowd()
        .tools("GET", "users?_order_by=email&_fields=email,last_name")
        .header("accept", "text/csv");
    let csv = csv.expect(200).body;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("uid,email,last_name"));
    assert!(lines.next().unwrap().ends_with(",user01@example.com,"));
    assert!(lines.next().unwrap().ends_with(",user02@example.com,Even"));
}
