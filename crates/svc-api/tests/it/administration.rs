//! The request of each call of the administration.

use http::{StatusCode, header};
use serde_json::{Value, json};
use svc_api::{
    Lookup,
    model::administration::{
        account, account_keys, accounts, environments, items, keys, projects, resources, rights,
        secrets, service_tokens, sign_in, teams, tokens, users,
    },
};
use svc_testing::ScriptedTransport;

use crate::support::client;

/// A script that refuses this many calls.
fn refusing(calls: usize) -> ScriptedTransport {
    (0..calls).fold(ScriptedTransport::new(), |script, _| {
        script.answer(StatusCode::FORBIDDEN, "{}")
    })
}

#[tokio::test]
async fn each_call_has_the_method_and_path_that_are_declared() {
    let script = refusing(100);
    let administration = client(&script).administration();
    macro_rules! send {
        ($( $group:ident().$call:ident($($argument:expr),*) => $request:literal, )*) => {
            [$({
                administration.$group().$call($($argument),*).send().await.unwrap_err();
                $request
            }),*]
        };
    }
    let expected = send! {
        account().get() => "GET /api/account/",
        account().update(account::AccountPatch::new()) => "PATCH /api/account/",
        account_keys().list() => "GET /api/account/api_keys/",
        account_keys().create(account_keys::NewApiKey::new()) => "POST /api/account/api_keys/",
        account_keys().delete("u1") => "DELETE /api/account/api_keys/u1/",
        account_sessions().list() => "GET /api/account/sessions/",
        account_sessions().delete("u1") => "DELETE /api/account/sessions/u1/",
        accounts().list() => "GET /api/accounts/",
        accounts().create(accounts::NewAccount::new("a@example.com")) => "POST /api/accounts/",
        accounts().get("u1") => "GET /api/accounts/u1/",
        accounts().update("u1", accounts::AccountPatch::new()) => "PATCH /api/accounts/u1/",
        accounts().delete("u1") => "DELETE /api/accounts/u1/",
        allowed_hosts().list() => "GET /api/projects/demo/allowed_hosts/",
        allowed_hosts().create("intern:8080") => "POST /api/projects/demo/allowed_hosts/",
        allowed_hosts().delete("intern:8080") => "DELETE /api/projects/demo/allowed_hosts/intern%3A8080/",
        audit().list() => "GET /api/audit/",
        audit().list_of_project() => "GET /api/projects/demo/audit/",
        environments().list() => "GET /api/projects/demo/environments/",
        environments().create(environments::NewEnvironment::new("n1")) => "POST /api/projects/demo/environments/",
        environments().get("n1") => "GET /api/projects/demo/environments/n1/",
        environments().update("n1", environments::EnvironmentPatch::new()) => "PATCH /api/projects/demo/environments/n1/",
        environments().delete("n1") => "DELETE /api/projects/demo/environments/n1/",
        environments().copy("n1", "n2") => "POST /api/projects/demo/environments/n1/copy/",
        history().get("shop", "orders", 7) => "GET /api/projects/demo/prod/resources/shop/models/orders/7/history/",
        items().list() => "GET /api/projects/demo/prod/items/",
        items().create(items::NewItem::new("view", "Paid", json!({}))) => "POST /api/projects/demo/prod/items/",
        items().get("u1") => "GET /api/projects/demo/prod/items/u1/",
        items().update("u1", items::ItemPatch::new()) => "PATCH /api/projects/demo/prod/items/u1/",
        items().delete("u1") => "DELETE /api/projects/demo/prod/items/u1/",
        mails().list() => "GET /api/mails/",
        keys().list() => "GET /api/api_keys/",
        keys().create(keys::NewKey::new("demo")) => "POST /api/api_keys/",
        keys().delete("u1") => "DELETE /api/api_keys/u1/",
        members().list() => "GET /api/projects/demo/members/",
        members().create("bob@example.com", "Editor") => "POST /api/projects/demo/members/",
        members().get("u1") => "GET /api/projects/demo/members/u1/",
        members().update("u1", "Editor") => "PATCH /api/projects/demo/members/u1/",
        members().delete("u1") => "DELETE /api/projects/demo/members/u1/",
        project_keys().list() => "GET /api/projects/demo/api_keys/",
        project_keys().delete("u1") => "DELETE /api/projects/demo/api_keys/u1/",
        projects().create(projects::NewProject::new("shop")) => "POST /api/projects/",
        projects().update(projects::ProjectPatch::new()) => "PATCH /api/projects/demo/",
        projects().delete() => "DELETE /api/projects/demo/",
        resources().list() => "GET /api/projects/demo/prod/resources/",
        resources().create(resources::NewResource::new("shop", "sqlite:shop.db")) => "POST /api/projects/demo/prod/resources/",
        resources().get("n1") => "GET /api/projects/demo/prod/resources/n1/",
        resources().update("n1", resources::ResourcePatch::new()) => "PATCH /api/projects/demo/prod/resources/n1/",
        resources().delete("n1") => "DELETE /api/projects/demo/prod/resources/n1/",
        resources().test("sqlite:shop.db") => "POST /api/projects/demo/prod/resources/test/",
        resources().status("n1") => "GET /api/projects/demo/prod/resources/n1/status/",
        rights().list() => "GET /api/projects/demo/rights/",
        rights().set(rights::NewRule::new("Editor", ["read"])) => "PUT /api/projects/demo/rights/",
        rights().delete("u1") => "DELETE /api/projects/demo/rights/u1/",
        secrets().list() => "GET /api/projects/demo/prod/secrets/",
        secrets().set(secrets::NewSecret::new("crm", "key", "crm.example.com", "secret")) => "PUT /api/projects/demo/prod/secrets/",
        secrets().delete("shop", "n1") => "DELETE /api/projects/demo/prod/secrets/shop/n1/",
        service().get() => "GET /api/service/",
        service().metrics() => "GET /api/service/metrics/",
        service_tokens().list() => "GET /api/projects/demo/prod/service_tokens/",
        service_tokens().create(service_tokens::NewServiceToken::new("Editor")) => "POST /api/projects/demo/prod/service_tokens/",
        service_tokens().delete("u1") => "DELETE /api/projects/demo/prod/service_tokens/u1/",
        sign_in().get() => "GET /api/projects/demo/sign_in/",
        sign_in().update(sign_in::SignInPatch::new()) => "PATCH /api/projects/demo/sign_in/",
        signing_keys().rotate() => "POST /api/signing_keys/rotate/",
        teams().list() => "GET /api/projects/demo/teams/",
        teams().create("n1") => "POST /api/projects/demo/teams/",
        teams().get("u1") => "GET /api/projects/demo/teams/u1/",
        teams().update("u1", teams::TeamPatch::new()) => "PATCH /api/projects/demo/teams/u1/",
        teams().delete("u1") => "DELETE /api/projects/demo/teams/u1/",
        tokens().list() => "GET /api/projects/demo/prod/tokens/",
        tokens().create(tokens::NewToken::new("shop")) => "POST /api/projects/demo/prod/tokens/",
        tokens().delete("u1") => "DELETE /api/projects/demo/prod/tokens/u1/",
        users().list() => "GET /api/projects/demo/prod/users/",
        users().get("u1") => "GET /api/projects/demo/prod/users/u1/",
        users().list_sessions("u1") => "GET /api/projects/demo/prod/users/u1/sessions/",
        users().delete_session("u1", "s1") => "DELETE /api/projects/demo/prod/users/u1/sessions/s1/",
        users().create(users::NewUser::new("a@example.com", "Editor")) => "POST /api/projects/demo/prod/users/",
        users().suspend("u1") => "POST /api/projects/demo/prod/users/u1/suspend/",
        users().resume("u1") => "POST /api/projects/demo/prod/users/u1/resume/",
        users().invite("u1") => "POST /api/projects/demo/prod/users/u1/invite/",
    };
    let requests = script.requests();
    let sent = requests.iter();
    let sent = sent.map(|request| format!("{} {}", request.method, request.uri.path()));
    assert_eq!(sent.collect::<Vec<_>>(), expected);
    for request in &requests {
        let operation = request.operation().unwrap();
        assert_eq!(request.method, operation.method);
        assert!(operation.level.is_some(), "{}", operation.name);
    }
}

#[tokio::test]
async fn settings_of_calls_are_sent() {
    let script = refusing(10);
    let administration = client(&script).administration();
    let members = administration.members();
    let add = members.create("bob@example.com", "Editor");
    add.idempotency_key("first").await.unwrap_err();
    let list = members
        .list()
        .filter("email", Lookup::Iendswith, "@example.com");
    list.order_by("-date_add").per_page(100).await.unwrap_err();
    members
        .update("u1", "Editor")
        .if_match("\"1\"")
        .await
        .unwrap_err();
    administration
        .tokens()
        .list()
        .revoked(true)
        .await
        .unwrap_err();
    administration
        .audit()
        .list_of_project()
        .since("7d")
        .await
        .unwrap_err();
    administration
        .projects()
        .delete()
        .confirm("demo")
        .await
        .unwrap_err();
    let copy = administration.environments().copy("prod", "staging");
    copy.settings(false).replace(true).await.unwrap_err();
    administration
        .mails()
        .list()
        .codes(true)
        .per_page(5)
        .await
        .unwrap_err();
    let suspend = administration.users().suspend("u1");
    suspend.idempotency_key("once").await.unwrap_err();
    let delete = administration.rights().delete("r1");
    delete.if_match("\"2\"").await.unwrap_err();

    let requests = script.requests();
    let query = |index: usize| requests[index].uri.query();
    let body = |index: usize| serde_json::from_slice::<Value>(&requests[index].body).unwrap();
    assert_eq!(
        body(0),
        json!({"email": "bob@example.com", "team": "Editor"})
    );
    assert_eq!(requests[0].headers["idempotency-key"], "first");
    assert_eq!(
        query(1),
        Some("email__iendswith=%40example.com&_order_by=-date_add&_per_page=100")
    );
    assert_eq!(requests[2].headers[header::IF_MATCH], "\"1\"");
    assert_eq!(query(3), Some("revoked=1"));
    assert_eq!(query(4), Some("since=7d"));
    assert_eq!(query(5), Some("confirm=demo"));
    assert_eq!(
        body(6),
        json!({"to": "staging", "settings": false, "replace": true})
    );
    assert_eq!(query(7), Some("_per_page=5&codes=1"));
    assert_eq!(requests[8].headers["idempotency-key"], "once");
    assert_eq!(requests[9].headers[header::IF_MATCH], "\"2\"");
}

#[tokio::test]
async fn short_lists_are_streams_too() {
    let page = |uid: &str, next: &str| {
        let session = json!({
            "uid": uid, "date_add": "", "last_use": "", "user_agent": null, "address": null, "current": false,
        });
        json!({"count": 2, "next": next, "previous": null, "results": [session]}).to_string()
    };
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            page("s1", "https://app.example.com/api/account/sessions/?page=2"),
        )
        .answer(StatusCode::OK, page("s2", ""));
    let mut sessions = client(&script)
        .administration()
        .account_sessions()
        .list()
        .by_item();
    assert_eq!(sessions.try_next().await.unwrap().unwrap().uid, "s1");
    assert_eq!(sessions.try_next().await.unwrap().unwrap().uid, "s2");
    assert_eq!(script.requests()[1].uri.query(), Some("page=2"));
}
