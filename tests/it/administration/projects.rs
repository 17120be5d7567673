//! Projects and what they consist of.

use serde_json::json;

use super::{call, member, operator, send};
use crate::people::Home;

#[test]
fn a_project_with_a_database_a_team_and_a_colleague_is_made_over_http() {
    let home = Home::new();
    let operator = operator(&home);
    let project = json!({"unique_name": "crm", "name": "Customers"});
    let made = send(&home, &operator, "POST", "/projects/", &project)
        .expect(201)
        .json();
    assert_eq!(
        (&made["is_owner"], &made["user"]["uid"]),
        (&json!(true), &made["owner"]["uid"])
    );
    let taken = send(&home, &operator, "POST", "/projects/", &project).expect(400);
    assert!(taken.json()["unique_name"].is_array());

    // A database is tested, and connected with its first token.
    let database = home.path().join("shop.db");
    let url = format!("sqlite:{}", database.display());
    let test = send(
        &home,
        &operator,
        "POST",
        "/projects/crm/prod/resources/test/",
        &json!({"url": url}),
    );
    let outcome = test.ok();
    assert_eq!(
        (&outcome["ok"], &outcome["models"]),
        (&json!(true), &json!(3))
    );
    let resource = json!({"unique_name": "shop", "url": url});
    let resource = send(
        &home,
        &operator,
        "POST",
        "/projects/crm/prod/resources/",
        &resource,
    );
    let resource = resource.expect(201).json();
    let token = resource["token"].as_str().unwrap();
    assert_eq!(resource["url_hint"], json!(url));
    let records = home
        .service()
        .root("GET", "/projects/crm/prod/shop/models/orders");
    assert_eq!(records.authorization(token).ok()["count"], 3);
    let status = call(
        &home,
        &operator,
        "GET",
        "/projects/crm/prod/resources/shop/status/",
    );
    assert_eq!(status.ok()["state"], "up");

    // A team that sees one model, and a colleague in it.
    let team = send(
        &home,
        &operator,
        "POST",
        "/projects/crm/teams/",
        &json!({"name": "Support"}),
    );
    let team = team.expect(201).json();
    assert_eq!(team["permissions_group"], "read_only");
    for (rule, status) in [
        (json!({"team": "Support", "rights": []}), 201),
        (
            json!({"team": team["uid"], "resource": "shop", "model": "orders", "rights": ["read"]}),
            201,
        ),
        (
            json!({"team": "Support", "resource": "shop", "model": "orders", "rights": ["read"]}),
            200,
        ),
        (
            json!({"team": "Support", "model": "orders", "rights": ["read"]}),
            400,
        ),
        (json!({"team": "Nobody", "rights": ["read"]}), 400),
        (json!({"team": "Support", "rights": ["fly"]}), 400),
    ] {
        send(&home, &operator, "PUT", "/projects/crm/rights/", &rule).expect(status);
    }
    let colleague = member(&home, "bob@example.com", "Read Only");
    let add = json!({"email": "bob@example.com", "team": "Support"});
    let add = send(&home, &operator, "POST", "/projects/crm/members/", &add)
        .expect(201)
        .json();
    assert_eq!(add["team"]["name"], "Support");
    let read = |model: &str| {
        let path = format!("/projects/crm/prod/shop/models/{model}");
        home.service()
            .root("GET", &path)
            .authorization(&colleague)
            .send()
            .status
            .as_u16()
    };
    assert_eq!((read("orders"), read("customers")), (200, 403));
    // The team has a member now.
    let path = format!("/projects/crm/teams/{}/", team["uid"].as_str().unwrap());
    call(&home, &operator, "DELETE", &path).expect(400);

    // Deleting the project needs its name.
    call(&home, &operator, "DELETE", "/projects/crm/").expect(400);
    call(&home, &operator, "DELETE", "/projects/crm/?confirm=crm").expect(204);
    call(&home, &operator, "GET", "/projects/crm/").expect(404);
}

#[test]
fn a_project_is_changed_also_when_its_first_environment_was_deleted() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    let project = "/projects/main/";
    let staging = json!({"unique_name": "staging"});
    send(
        &home,
        &admin,
        "POST",
        "/projects/main/environments/",
        &staging,
    )
    .expect(201);
    let first = json!({"default_environment": "staging"});
    let changed = send(&home, &admin, "PATCH", project, &first).ok();
    assert_eq!(changed["default_environment"], "staging");
    let path = "/projects/main/environments/staging/";
    call(&home, &admin, "DELETE", path).expect(204);
    assert_eq!(
        call(&home, &admin, "GET", project).ok()["default_environment"],
        "prod"
    );
    let sign_in = json!({"sign_up": true});
    send(&home, &admin, "PATCH", "/projects/main/sign_in/", &sign_in).expect(200);
    send(&home, &admin, "PATCH", project, &json!({"name": "Main"})).expect(200);
    let unknown = send(&home, &admin, "PATCH", project, &first).expect(400);
    assert!(unknown.json()["default_environment"].is_array());
}

#[test]
fn the_team_of_those_who_register_stays_until_they_come_into_another_one() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    let teams = call(&home, &admin, "GET", "/projects/main/teams/").ok();
    let teams = teams["results"].as_array().unwrap();
    let read_only = teams
        .iter()
        .find(|team| team["name"] == "Read Only")
        .unwrap();
    let path = format!(
        "/projects/main/teams/{}/",
        read_only["uid"].as_str().unwrap()
    );
    let set = |sign_in| send(&home, &admin, "PATCH", "/projects/main/sign_in/", &sign_in).ok();
    set(json!({"sign_up": true}));
    let refused = call(&home, &admin, "DELETE", &path).expect(400);
    assert!(refused.body.contains("sign_up_team"), "{}", refused.body);
    let editor = json!({"permissions_group": "editor"});
    let refused = send(&home, &admin, "PATCH", &path, &editor).expect(400);
    assert!(refused.json()["permissions_group"].is_array());
    let register = |email: &str| {
        let person = json!({"email": email, "password": "correct horse"});
        home.service()
            .root("POST", "/projects/main/prod/auth/register")
            .json(&person)
            .send()
    };
    assert_eq!(register("ada@example.com").status, 201);
    set(json!({"sign_up": false}));
    // Users are moved before their team is deleted.
    call(&home, &admin, "DELETE", &path).expect(400);
    set(json!({"sign_up": true, "sign_up_team": "editor"}));
    send(&home, &admin, "PATCH", &path, &json!({"name": "Readers"})).expect(200);
    send(&home, &admin, "PATCH", &path, &editor).expect(200);
    // There is no other team without rights to write.
    let path = "/projects/main/sign_in/";
    let read_only = json!({"sign_up_team": "read_only"});
    let refused = send(&home, &admin, "PATCH", path, &read_only).expect(400);
    assert!(
        refused.json()["sign_up_team"].is_array(),
        "{}",
        refused.body
    );
    assert_eq!(register("bob@example.com").status, 201);
}

#[test]
fn lists_are_filtered_ordered_and_walked_as_those_of_records() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    for name in ["staging", "test", "dev"] {
        let body = json!({"unique_name": name});
        send(&home, &admin, "POST", "/projects/main/environments/", &body).expect(201);
    }
    let names = |query: &str| {
        let list = call(
            &home,
            &admin,
            "GET",
            &format!("/projects/main/environments/{query}"),
        )
        .ok();
        let names = list["results"].as_array().unwrap().iter();
        names
            .map(|row| row["unique_name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["dev", "test", "staging", "prod"]);
    assert_eq!(names("?_order_by=unique_name&_per_page=2"), ["dev", "prod"]);
    assert_eq!(names("?unique_name__contains=st"), ["test", "staging"]);
    let first = call(
        &home,
        &admin,
        "GET",
        "/projects/main/environments/?_per_page=3",
    )
    .ok();
    let next = first["next"].as_str().unwrap();
    let next = svc_tests::Call::new("GET", next).authorization(&admin).ok();
    assert_eq!(next["results"][0]["unique_name"], "prod");
    let unknown = call(&home, &admin, "GET", "/projects/main/environments/?nane=x");
    unknown.expect(400);
    let csv = call(
        &home,
        &admin,
        "GET",
        "/projects/main/audit/?since=1h&action=environments.create",
    );
    let csv = csv.header("accept", "text/csv").expect(200);
    assert_eq!(csv.body.lines().count(), 4, "{}", csv.body);
    let made = |times: &str| {
        let path = format!("/projects/main/audit/?action=environments.create&{times}");
        call(&home, &admin, "GET", &path).ok()["count"].clone()
    };
    assert_eq!(made("until=0s"), 3);
    assert_eq!(made("since=1h&until=0s"), 3);
    assert_eq!(made("until=1h"), 0);
    assert_eq!(made("since=0s"), 0);
}

#[test]
fn nothing_of_another_project_is_reached_by_its_identifier() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    home.run(&["project", "add", "other"]);
    home.run(&[
        "resource",
        "add",
        "shop",
        "sqlite:shop.db",
        "--project",
        "other",
    ]);
    let operator = operator(&home);
    let uid = |path: &str| {
        let list = call(&home, &operator, "GET", path).ok();
        list["results"][0]["uid"].as_str().unwrap().to_owned()
    };
    let (team, token) = (
        uid("/projects/other/teams/"),
        uid("/projects/other/prod/tokens/"),
    );
    for (method, path) in [
        ("GET", format!("/projects/main/teams/{team}/")),
        ("DELETE", format!("/projects/main/teams/{team}/")),
        ("DELETE", format!("/projects/main/prod/tokens/{token}/")),
        (
            "DELETE",
            format!("/projects/main/prod/tokens/{}/", "x".repeat(1000)),
        ),
    ] {
        call(&home, &admin, method, &path).expect(404);
    }
    let path = format!("/projects/main/teams/{team}/");
    send(&home, &admin, "PATCH", &path, &json!({"name": "Mine"})).expect(404);
    assert_eq!(uid("/projects/other/prod/tokens/"), token);
}

#[test]
fn a_resource_keeps_its_tokens_and_no_answer_has_its_password() {
    let home = Home::new();
    let operator = operator(&home);
    let unreachable = "postgres://app:hidden-password@127.0.0.1:1/shop";
    let body = json!({"unique_name": "crm", "url": unreachable});
    let refused = send(
        &home,
        &operator,
        "POST",
        "/projects/main/prod/resources/",
        &body,
    )
    .expect(400);
    assert!(refused.json()["url"].is_array() && !refused.body.contains("hidden-password"));
    let body = json!({"unique_name": "crm", "url": unreachable, "unchecked": true});
    let made = send(
        &home,
        &operator,
        "POST",
        "/projects/main/prod/resources/",
        &body,
    )
    .expect(201);
    assert!(!made.body.contains("hidden-password"));
    assert_eq!(made.json()["url_hint"], "postgres://app@127.0.0.1:1/shop");
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let url = format!("sqlite:{}", home.path().join("shop.db").display());
    let path = "/projects/main/prod/resources/crm/";
    send(
        &home,
        &operator,
        "PATCH",
        path,
        &json!({"url": url, "name": "CRM"}),
    )
    .expect(200);
    let records = home
        .service()
        .root("GET", "/projects/main/prod/crm/models/orders");
    records.authorization(&token).expect(200);
    let listed = call(&home, &operator, "GET", "/projects/main/prod/resources/").expect(200);
    let trail = call(&home, &operator, "GET", "/audit/").expect(200);
    assert!(!listed.body.contains("hidden-password") && !trail.body.contains("hidden-password"));
    assert!(!home.service().log().contains("hidden-password"));
    // An administrator who is no operator connects no file of the machine.
    let admin = member(&home, "admin@example.com", "Administrator");
    let body = json!({"unique_name": "files", "url": url});
    send(
        &home,
        &admin,
        "POST",
        "/projects/main/prod/resources/",
        &body,
    )
    .expect(400);
    send(
        &home,
        &admin,
        "POST",
        "/projects/main/prod/resources/test/",
        &json!({"url": url}),
    )
    .expect(400);
    call(&home, &operator, "DELETE", path).expect(204);
}

#[test]
fn changes_can_be_made_conditional_on_an_entity_tag() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    let team = send(
        &home,
        &admin,
        "POST",
        "/projects/main/teams/",
        &json!({"name": "Support"}),
    );
    let path = format!(
        "/projects/main/teams/{}/",
        team.expect(201).json()["uid"].as_str().unwrap()
    );
    let tag = call(&home, &admin, "GET", &path)
        .expect(200)
        .header("etag")
        .to_owned();
    let change = |name: &str| {
        let call = send(&home, &admin, "PATCH", &path, &json!({"name": name}));
        call.header("if-match", &tag).send().status.as_u16()
    };
    assert_eq!((change("Help"), change("Desk")), (200, 412));
    let admins = call(
        &home,
        &admin,
        "GET",
        "/projects/main/teams/?super_group=true",
    )
    .ok();
    let admins = format!(
        "/projects/main/teams/{}/",
        admins["results"][0]["uid"].as_str().unwrap()
    );
    call(&home, &admin, "DELETE", &admins).expect(400);
}

#[test]
fn an_administrator_sets_the_labels_of_a_database_that_an_operator_connected() {
    let home = Home::new();
    let ada = member(&home, "ada@example.com", "Administrator");
    let path = "/projects/main/prod/resources/shop/";
    let label = |field: &str| {
        let params = json!({"params": {"labels": {"orders": [field]}}});
        send(&home, &ada, "PATCH", path, &params)
    };
    let refused = label("none").expect(400).json();
    assert!(refused["params.labels.orders"].is_array(), "{refused}");
    label("id").expect(200);
}

#[test]
fn a_copy_of_an_environment_is_changed_under_its_entity_tag() {
    let home = Home::new();
    let operator = operator(&home);
    let of = "/projects/main/environments/";
    send(
        &home,
        &operator,
        "POST",
        of,
        &json!({"unique_name": "stage"}),
    )
    .expect(201);
    let to = json!({"to": "stage"});
    let copied = send(&home, &operator, "POST", &format!("{of}prod/copy/"), &to).expect(200);
    let change = || {
        let change = json!({"color": "orange"});
        let call = send(&home, &operator, "PATCH", &format!("{of}stage/"), &change);
        call.header("if-match", copied.header("etag"))
    };
    change().expect(200);
    change().expect(412);
}
