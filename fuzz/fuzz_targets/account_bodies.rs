//! Bodies of account calls, with and without a session: what is wrong is refused, and refused as what it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use svc_fuzz::{Credential, service};

/// The calls that take a body (wire contract, section 9).
const CALLS: [&str; 9] = [
    "login",
    "refresh",
    "register",
    "reset_password",
    "reset_password_complete",
    "change_email_complete",
    "accept_invitation",
    "change_password",
    "change_email",
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else {
        return;
    };
    let call = CALLS[usize::from(*choice) % CALLS.len()];
    let credential = match call {
        "change_password" | "change_email" => Credential::Session,
        _ => Credential::Anonymous,
    };
    let path = format!("/projects/main/prod/auth/{call}");
    let service = service();
    let request = service.request(credential, "POST", &path, "", body);
    let answer = service.send(&request).expect("the service answers");
    let is_object =
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(body).is_ok();
    assert!(
        is_object || answer.status >= 400,
        "{call} took a body that is not an object: {answer:?}"
    );
});
