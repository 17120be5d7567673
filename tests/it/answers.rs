//! Caching headers of responses, and suggestions for small mistakes.

use crate::{people::home, shared::demo};

#[test]
fn responses_are_not_cached_by_others_and_a_record_is_revalidated_by_its_tag() {
    let record = demo().data("GET", "shop", "/models/orders/1").expect(200);
    assert_eq!(record.header("cache-control"), "private, no-cache");
    let etag = record.header("etag").to_owned();
    let again = demo().data("GET", "shop", "/models/orders/1");
    let again = again.header("if-none-match", &etag).expect(304);
    assert_eq!(again.header("cache-control"), "private, no-cache");
    let list = demo().data("GET", "shop", "/models/orders?_per_page=1");
    assert_eq!(list.expect(200).header("cache-control"), "no-store");
    let definition = demo().data("GET", "shop", "/openapi.json").expect(200);
    assert_eq!(definition.header("cache-control"), "private, no-cache");
    for call in [
        demo().data("GET", "shop", "/models/orders?_per_page=1"),
        demo().data("GET", "shop", "/models/orders/1"),
        demo().data("GET", "shop", "/models/none"),
        demo().data_anonymous("GET", "shop", "/models/orders"),
        demo().app("GET", "/projects/demo/prod/view_settings/"),
        demo().app_anonymous("GET", "/openapi.json"),
        demo().root("GET", "/healthz"),
        demo().root("GET", "/nothing/here"),
    ] {
        let answer = call.send();
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(!answer.header("cache-control").is_empty());
    }
}

#[test]
fn the_root_describes_the_service_to_browsers_and_programs() {
    let answer = demo().root("GET", "/").expect(200);
    let body = answer.json();
    assert_eq!(body["service"], "svc");
    for link in ["application_definition", "health"] {
        let url = body[link].as_str().unwrap();
        svc_tests::Call::new("GET", url).expect(200);
    }
    let page = demo()
        .root("GET", "/")
        .header("accept", "text/html,*/*;q=0.8");
    let page = page.expect(200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'")
    );
    assert_eq!(page.header("vary"), "accept");
    assert!(page.body.contains("<h1>svc</h1>") && page.body.contains("/api/openapi.json"));
    let host = demo().root("GET", "/").header("accept", "text/html");
    let page = host.header("x-forwarded-host", "<script>").expect(200);
    assert!(!page.body.contains("<script>"));
}

#[test]
fn a_misspelt_name_is_answered_with_the_correct_one() {
    for (path, status, meant) in [
        ("/models/Orders", 404, "did you mean \"orders\"?"),
        ("/models/order/1", 404, "did you mean \"orders\"?"),
        (
            "/models/orders?Status=paid",
            400,
            "did you mean \"status\"?",
        ),
        (
            "/models/orders?statsu__in=paid",
            400,
            "did you mean \"status__in\"?",
        ),
        (
            "/models/orders?_order_by=-totl",
            400,
            "did you mean \"total\"?",
        ),
        ("/models/orders?id=eq.5", 400, "did you mean id=5?"),
        ("/models/orders?id=gte.5", 400, "did you mean id__gte=5?"),
    ] {
        let answer = demo().data("GET", "shop", path).expect(status);
        let body = answer.body.replace("\\\"", "\"");
        assert!(body.contains(meant), "{path}: {body}");
    }
}

#[test]
fn a_model_that_may_not_be_read_is_not_suggested() {
    let home = crate::people::Home::new();
    let session = home.member("ann@example.com", "Editor");
    let asked = || {
        let call = home.call("GET", "shop/models/Orders");
        let answer = call.authorization(&session.header()).send();
        (answer.status.as_u16(), answer.body)
    };
    assert!(asked().1.contains("did you mean"));
    home.run(&[
        "rights",
        "set",
        "Editor",
        "--rights",
        "none",
        "--resource",
        "shop",
        "--model",
        "orders",
        "--project",
        "main",
    ]);
    svc_tests::wait_until("the rights are in force", || {
        !asked().1.contains("did you mean")
    });
    assert_eq!(asked().0, 404);
}

#[test]
fn an_access_token_with_the_wrong_scheme_is_answered_with_the_correct_one() {
    let session = home().member("other-scheme@example.com", "Editor");
    for authorization in [format!("Bearer {}", session.access), session.access.clone()] {
        let call = home().call("GET", "shop/models/orders");
        let answer = call.authorization(&authorization).expect(401);
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(
            detail.contains("Authorization: JWT <access token>"),
            "{detail}"
        );
    }
}

#[cfg(unix)]
#[test]
fn one_warning_is_logged_when_others_may_read_the_folder_of_the_store() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = |mode: u32| {
        fs::set_permissions(&store, fs::Permissions::from_mode(mode)).unwrap();
        let service = svc_tests::Service::start(folder.path(), &["serve", "--dir", "store"]);
        service.root("GET", "/healthz").expect(200);
        service.log()
    };
    fs::create_dir(&store).unwrap();
    let warning = "other users of this machine may read the folder of the store";
    let open = log(0o755);
    assert_eq!(open.matches(warning).count(), 1, "{open}");
    let closed = log(0o700);
    assert!(!closed.contains("other users"), "{closed}");
}
