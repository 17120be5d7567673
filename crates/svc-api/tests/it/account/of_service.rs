//! Accounts of the service, who sign in at the application host and open both hosts.

use super::*;

#[tokio::test]
async fn an_account_signs_in_renews_its_session_and_opens_both_hosts() {
    let signed_in = format!(r#"{{"token":{STATE_1},"user":{USER}}}"#);
    let empty = r#"{"count":0,"next":null,"previous":null,"results":[]}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, signed_in)
        .answer(StatusCode::OK, empty)
        .answer(StatusCode::UNAUTHORIZED, "{}")
        .answer(StatusCode::OK, STATE_2)
        .answer(StatusCode::OK, empty)
        .answer(StatusCode::OK, USER)
        .answer(StatusCode::NO_CONTENT, "");
    let client = builder(&script).signs_in_accounts().build().unwrap();
    let account = client.account();
    let password = "correct horse";
    let signed_in = account.login_via_email_password("ann@example.com", password);
    assert_eq!(signed_in.await.unwrap().user.uid.as_str(), "7f");
    client.administration().members().list().await.unwrap();
    // The access token has ended, and another one is bought with the refresh token.
    client.records("shop", "orders").list().await.unwrap();
    assert!(account.is_authenticated().await.unwrap().authenticated);
    account.logout().revoke().await.unwrap();
    assert!(!account.is_authenticated().await.unwrap().authenticated);

    let requests = script.requests();
    let sent = requests.iter().map(|request| {
        let authorization = request.headers.get(header::AUTHORIZATION);
        let authorization = authorization.map_or("", |header| header.to_str().unwrap());
        format!("{} {} {authorization}", request.method, request.uri)
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [
            "POST https://app.example.com/api/account/auth/login/ ",
            "GET https://app.example.com/api/projects/demo/members/ JWT a1",
            "GET https://data.example.com/projects/demo/prod/shop/models/orders JWT a1",
            "POST https://app.example.com/api/account/auth/refresh/ ",
            "GET https://data.example.com/projects/demo/prod/shop/models/orders JWT a2",
            "GET https://app.example.com/api/account/auth/user/ JWT a2",
            "POST https://app.example.com/api/account/auth/logout/ JWT a2",
        ]
    );
}

#[tokio::test]
async fn a_service_token_opens_no_administration() {
    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, "{}");
    let client = builder(&script).signs_in_accounts().build().unwrap();
    let token = ServiceToken::new("svcs_secret").unwrap();
    client.account().load_service_token(token);
    client.administration().members().list().await.unwrap_err();
    let request = script.requests().pop().unwrap();
    assert!(!request.headers.contains_key(header::AUTHORIZATION));
}

#[tokio::test]
async fn the_session_of_a_user_is_not_sent_to_the_application_host() {
    let script = ScriptedTransport::new()
        .answer(
            StatusCode::OK,
            format!(r#"{{"token":{STATE_1},"user":{USER}}}"#),
        )
        .answer(StatusCode::UNAUTHORIZED, "{}");
    let client = client(&script);
    let account = client.account();
    account
        .login_via_email_password("ann@example.com", "correct horse")
        .await
        .unwrap();
    client.administration().members().list().await.unwrap_err();
    let request = script.requests().pop().unwrap();
    assert!(!request.headers.contains_key(header::AUTHORIZATION));
}
