//! Tests of the wire format of the operations.

use bytes::Bytes;
use http::Response;
use svc_model::{
    ListQuery, Scope,
    wire::{Host, Operation},
};

use super::*;
use crate::{AuthState, RefreshToken};

fn scope() -> Scope {
    Scope::new("demo", "prod")
}

/// `METHOD path body credential idempotent` of a call.
fn shape<O: Operation>(operation: &O) -> String {
    let info = O::INFO;
    assert_eq!(info.host, Host::Data);
    let request = operation.to_request("https://data.test").unwrap();
    let body = request.body().as_bytes().unwrap();
    let path = request.uri().path_and_query().unwrap();
    let path = path.as_str().strip_prefix("/projects/demo/prod/auth/");
    format!(
        "{} {} {} {} {:?} {}",
        info.name,
        request.method(),
        path.unwrap(),
        std::str::from_utf8(body).unwrap(),
        info.credential,
        info.idempotent
    )
}

fn answer<O: Operation>(body: &'static str) -> O::Response {
    O::parse_response(Response::new(Bytes::from_static(body.as_bytes()))).unwrap()
}

#[test]
fn sessions_begin_are_renewed_and_end() {
    assert_eq!(
        shape(&Login::new(scope(), "a@b.c", "pw")),
        r#"account.login POST login {"email":"a@b.c","password":"pw"} Anonymous false"#
    );
    assert_eq!(
        shape(&Refresh::new(scope(), RefreshToken::new("r1").unwrap())),
        r#"account.refresh POST refresh {"refresh_token":"r1"} Anonymous false"#
    );
    assert_eq!(
        shape(&GetUser::new(scope())),
        "account.user GET user  Session true"
    );
    assert_eq!(
        shape(&Logout::new(scope())),
        "account.logout POST logout  Session false"
    );
    let list = ListSessions::new(scope(), ListQuery::new().per_page(10));
    assert_eq!(
        shape(&list),
        "account.sessions GET sessions?_per_page=10  Session true"
    );
    assert_eq!(
        shape(&EndSession::new(scope(), "s1")),
        "account.end_session DELETE sessions/s1  Session true"
    );
    assert_eq!(
        shape(&EndOtherSessions::new(scope())),
        "account.end_other_sessions DELETE sessions  Session true"
    );
}

#[test]
fn accounts_are_created() {
    let mut register = Register::new(scope(), "a@b.c", "pw");
    assert_eq!(
        shape(&register),
        r#"account.register POST register {"email":"a@b.c","password":"pw"} Anonymous false"#
    );
    register.first_name = Some("Ann".into());
    register.timezone = Some("Europe/Berlin".into());
    assert!(shape(&register).contains(r#""first_name":"Ann","timezone":"Europe/Berlin"}"#));
    assert_eq!(
        shape(&AcceptInvitation::new(scope(), "c0de", "pw")),
        r#"account.accept_invitation POST accept_invitation {"code":"c0de","password":"pw"} Anonymous false"#
    );
}

#[test]
fn passwords_and_addresses_are_changed() {
    assert_eq!(
        shape(&ChangePassword::new(scope(), "new", Some("old".into()))),
        r#"account.change_password POST change_password {"new_password":"new","current_password":"old"} Session false"#
    );
    assert_eq!(
        shape(&ChangePassword::new(scope(), "new", None)),
        r#"account.change_password POST change_password {"new_password":"new"} Session false"#
    );
    assert_eq!(
        shape(&ResetPassword::new(scope(), "a@b.c")),
        r#"account.reset_password POST reset_password {"email":"a@b.c"} Anonymous false"#
    );
    assert_eq!(
        shape(&ResetPasswordComplete::new(scope(), "c0de", "new")),
        r#"account.reset_password_complete POST reset_password_complete {"code":"c0de","new_password":"new"} Anonymous false"#
    );
    assert_eq!(
        shape(&ChangeEmail::new(scope(), "x@y.z", Some("pw".into()))),
        r#"account.change_email POST change_email {"new_email":"x@y.z","current_password":"pw"} Session false"#
    );
    assert_eq!(
        shape(&ChangeEmailComplete::new(scope(), "c0de")),
        r#"account.change_email_complete POST change_email_complete {"code":"c0de"} Anonymous false"#
    );
}

#[test]
fn responses_are_read() {
    let signed_in = answer::<Login>(
        r#"{"token":{"access_token":"a","refresh_token":"r"},"user":{"uid":"7f"}}"#,
    );
    assert_eq!(signed_in.token.access_token.expose(), "a");
    assert_eq!(signed_in.user.uid, "7f");
    let state: AuthState = answer::<Refresh>(r#"{"access_token":"a2","refresh_token":"r2"}"#);
    assert_eq!(state.refresh_token.expose(), "r2");
    let changed = answer::<ChangePassword>(
        r#"{"result":true,"new_state":{"access_token":"a3","refresh_token":"r3"}}"#,
    );
    assert!(changed.result && changed.new_state.is_some());
    assert_eq!(
        answer::<ResetPasswordComplete>(r#"{"result":false}"#).new_state,
        None
    );
    assert!(!answer::<Register>(r#"{"result":false}"#).result);
    assert!(answer::<ResetPassword>(r#"{"result":true}"#).result);
    assert_eq!(
        answer::<ChangeEmail>(r#"{"result":true,"sent_confirmation_to":"x@y.z"}"#)
            .sent_confirmation_to
            .as_deref(),
        Some("x@y.z")
    );
    let moved =
        answer::<ChangeEmailComplete>(r#"{"result":true,"old_email":"a@b.c","new_email":"x@y.z"}"#);
    assert_eq!(moved.new_email.as_deref(), Some("x@y.z"));
    let page = answer::<ListSessions>(
        r#"{"count":1,"next":null,"previous":null,"results":[{"uid":"s1","date_add":"2026-01-01T00:00:00Z",
            "last_use":"2026-01-02T00:00:00Z","user_agent":"curl/8","address":"127.0.0.1","current":true}]}"#,
    );
    assert_eq!(
        (page.results[0].uid.as_str(), page.results[0].current),
        ("s1", true)
    );
    // The body is ignored, whatever it is.
    answer::<Logout>("<html>");
}

#[test]
fn debug_shows_no_secret() {
    let shown = format!(
        "{:?} {:?} {:?} {:?}",
        Login::new(scope(), "a@b.c", "hidden"),
        ResetPasswordComplete::new(scope(), "hidden", "hidden"),
        Refresh::new(scope(), RefreshToken::new("hidden").unwrap()),
        ChangeEmail::new(scope(), "x@y.z", Some("hidden".into())),
    );
    assert!(!shown.contains("hidden"), "{shown}");
}
