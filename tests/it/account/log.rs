//! No secret of an account is in the log, or on the disk.

use serde_json::{Value, json};
use svc_tests::wait_until;

use crate::people::{Home, PASSWORD, Session, UNTHROTTLED};

/// Runs every flow, and returns all of its secrets.
fn secrets(home: &Home) -> Vec<String> {
    let mut secrets = vec![PASSWORD.to_owned()];
    let mut secret = |text: &str| {
        secrets.push(text.to_owned());
        text.to_owned()
    };
    let mut seen = Vec::new();
    let mut tokens = |session: Session| {
        seen.extend([session.access.clone(), session.refresh.clone()]);
        // The signature alone is secret: header and claims are easy to guess.
        seen.push(session.access.rsplit('.').next().unwrap().to_owned());
        session
    };
    let of = |state: &Value| Session::of(&state["new_state"]);

    let body = json!({"email": "new@example.com", "password": secret("registered-password")});
    home.auth("register", &body).expect(201);
    home.auth("register", &body).expect(201);
    let mails = home.mails("new@example.com");
    let confirm = json!({"code": secret(mails[0]["code"].as_str().unwrap())});
    home.auth("change_email_complete", &confirm).expect(200);
    let session = tokens(Session::of(&home.auth("login", &body).ok()["token"]));
    let session = tokens(Session::of(&home.refresh(&session).ok()));
    let records = home.call("GET", "shop/models/orders?_per_page=1");
    records.authorization(&session.header()).expect(200);

    let body = json!({
        "new_password": secret("changed-password"), "current_password": secret("registered-password"),
    });
    let session = tokens(of(&home.auth_as(&session, "change_password", &body).ok()));
    let body = json!({"new_email": "newer@example.com", "current_password": "changed-password"});
    home.auth_as(&session, "change_email", &body).expect(200);
    let body = json!({"code": secret(&home.code("newer@example.com"))});
    home.auth("change_email_complete", &body).expect(200);

    let code = secret(&home.reset_code("newer@example.com"));
    let body = json!({"code": code, "new_password": secret("reset-password-9")});
    let session = tokens(of(&home.auth("reset_password_complete", &body).ok()));
    home.user(&session).expect(200);

    let body = json!({"email": "guest@example.com", "group": home.team("Editor")});
    home.tools("POST", "users").json(&body).expect(201);
    let body = json!({
        "code": secret(&home.code("guest@example.com")), "password": secret("invited-password"),
    });
    tokens(of(&home.auth("accept_invitation", &body).ok()));

    // Refused values are secret too: they may differ from the correct one by a single character.
    for (name, body, status) in [
        (
            "login",
            json!({"email": "newer@example.com", "password": secret("wrong-password-1")}),
            401,
        ),
        (
            "login",
            json!({"email": 7, "password": secret("wrong-password-2")}),
            400,
        ),
        (
            "login",
            json!({"email": "a", "passwort": secret("wrong-password-3")}),
            400,
        ),
        (
            "refresh",
            json!({"refresh_token": secret("svcr_wrong-refresh-token")}),
            401,
        ),
        (
            "reset_password_complete",
            json!({"code": secret("svcc_wrong-code"), "new_password": secret("short-1")}),
            400,
        ),
        (
            &format!("login?password={}", secret("query-password")),
            json!({}),
            400,
        ),
    ] {
        home.auth(name, &body).expect(status);
    }
    let broken = format!("{{\"password\": \"{}\", }}", secret("broken-password"));
    home.call("POST", "auth/login").body(broken).expect(400);
    let form = home.call("POST", "auth/reset_password_complete/form");
    let fields = [
        ("code", secret("svcc_wrong-code-of-a-form")),
        ("new_password", secret("password-of-a-form")),
    ];
    form.form(&fields.each_ref().map(|(name, value)| (*name, &**value)))
        .expect(400);
    let strange = home
        .call("GET", "auth/user")
        .authorization(&format!("JWT {}", secret("strange.access.token")));
    strange.expect(401);
    home.call("POST", "auth/logout")
        .authorization(&session.header())
        .expect(204);
    secrets.extend(seen);
    secrets.push(home.tools_token().to_owned());
    secrets
}

#[test]
fn no_secret_of_an_account_is_in_the_log() {
    for level in ["debug", "trace"] {
        let home = Home::with_variables(UNTHROTTLED, &[("SVC_LOG", level)]);
        let secrets = secrets(&home);
        wait_until("the last request is logged", || {
            home.service().log().contains("auth/logout")
        });
        let log = home.service().log();
        assert!(log.contains("auth/reset_password_complete"), "{log}");
        for secret in &secrets {
            assert!(
                !log.contains(secret.as_str()),
                "{level}: {secret} is in the log"
            );
        }
    }
}

#[test]
fn no_secret_of_an_account_is_on_the_disk() {
    let home = Home::new();
    let secrets = secrets(&home);
    // Waiting mails are encrypted, including their codes.
    let body = json!({"email": "guest@example.com"});
    home.auth("reset_password", &body).expect(200);
    let secrets = [secrets, vec![home.code("guest@example.com")]].concat();
    let files = home.files();
    assert!(
        files.iter().any(|(_, bytes)| bytes.len() > 4096),
        "the store has files"
    );
    for (file, bytes) in files {
        for secret in &secrets {
            let mut windows = bytes.windows(secret.len());
            assert!(
                !windows.any(|window| window == secret.as_bytes()),
                "{secret} is in {file}"
            );
        }
    }
}
