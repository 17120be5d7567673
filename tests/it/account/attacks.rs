//! Access tokens that are forged, changed, or sent in a wrong way.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::people::{Home, home};

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn read(part: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

fn signed(header: &Value, claims: &Value, key: &[u8]) -> String {
    let text = format!("{}.{}", part(header), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    let tag = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{text}.{tag}")
}

/// Checks that routes that require a session refuse this header.
fn is_refused(authorization: &str, what: &str) {
    for (method, path) in [
        ("GET", "auth/user"),
        ("POST", "auth/logout"),
        ("GET", "auth/sessions"),
        ("DELETE", "auth/sessions"),
        ("DELETE", "auth/sessions/x"),
        ("POST", "auth/change_password"),
        ("GET", "shop/models/orders"),
        ("POST", "shop/sql_get_query"),
        ("GET", "__svc_app__/models/users"),
    ] {
        let call = home().call(method, path).authorization(authorization);
        let answer = call.send();
        assert_eq!(answer.status, 401, "{what} {path}: {}", answer.body);
        assert_eq!(
            answer.json()["error_code"],
            "not_authenticated",
            "{what} {path}"
        );
        assert!(
            !answer.header("www-authenticate").is_empty(),
            "{what} {path}"
        );
    }
}

#[test]
fn a_token_with_any_change_is_refused() {
    let session = home().member("changed@example.com", "Administrator");
    let parts: Vec<&str> = session.access.split('.').collect();
    let [header, claims, tag] = parts[..] else {
        panic!("{parts:?}");
    };
    let with = |name: &str, value: Value| {
        let mut changed = read(claims);
        changed[name] = value;
        format!("{header}.{}.{tag}", part(&changed))
    };
    let without = |name: &str| {
        let mut changed = read(claims);
        changed.as_object_mut().unwrap().remove(name);
        format!("{header}.{}.{tag}", part(&changed))
    };
    let other = home().member("changed-other@example.com", "Editor");
    let other: Vec<&str> = other.access.split('.').collect();
    for wrong in [
        with("exp", json!(9_999_999_999_i64)),
        with("sub", read(other[1])["sub"].clone()),
        with("project", json!("other")),
        without("exp"),
        without("sid"),
        format!("{header}.{}.{tag}", other[1]),
        format!("{header}.{claims}.{}", other[2]),
        format!("{header}.{claims}."),
        format!("{header}.{claims}"),
        format!(".{claims}.{tag}"),
        format!("{header}..{tag}"),
        "..".to_owned(),
        ".".to_owned(),
        format!("{}.", session.access),
        format!("{}.{tag}", session.access),
        format!("{}A", session.access),
        format!("{}=", session.access),
        format!("{}==", session.access),
        session.access[..session.access.len() - 1].to_owned(),
    ] {
        is_refused(&format!("JWT {wrong}"), &wrong);
    }
    home().user(&session).expect(200);
}

#[test]
fn a_token_with_another_signature_is_refused_whatever_its_header_says() {
    let session = home().member("signed@example.com", "Administrator");
    let parts: Vec<&str> = session.access.split('.').collect();
    let (header, claims) = (read(parts[0]), read(parts[1]));
    let kid = header["kid"].as_str().unwrap().to_owned();
    let alg = |alg: &str| {
        let mut changed = header.clone();
        changed["alg"] = alg.into();
        changed
    };
    // No signature, in every spelling, with and without the one of the genuine token.
    for name in ["none", "None", "NONE", "nOnE", ""] {
        let unsigned = format!("{}.{}.", part(&alg(name)), parts[1]);
        is_refused(&format!("JWT {unsigned}"), name);
        is_refused(&format!("JWT {unsigned}{}", parts[2]), name);
    }
    // Another algorithm, whose key would be a value that callers know.
    for name in [
        "RS256", "ES256", "HS512", "HS256", "hs256", "PS256", "EdDSA",
    ] {
        for key in [
            &b""[..],
            kid.as_bytes(),
            b"secret",
            home().service().text("/base_url").as_bytes(),
        ] {
            is_refused(&format!("JWT {}", signed(&alg(name), &claims, key)), name);
        }
    }
    // Another key: an unknown one, a path, a query, none, or a key in the token itself.
    let mut missing = header.clone();
    missing.as_object_mut().unwrap().remove("kid");
    is_refused(&format!("JWT {}", signed(&missing, &claims, b"")), "no kid");
    let kids = [
        json!(""),
        json!("x"),
        json!("../../../dev/null"),
        json!("' UNION SELECT 'AA' --"),
        json!(7),
        json!(null),
        json!([kid]),
    ];
    for kid in kids {
        let mut changed = header.clone();
        changed["kid"] = kid;
        is_refused(
            &format!("JWT {}", signed(&changed, &claims, b"")),
            &changed.to_string(),
        );
        // Only the header is changed; the signature is the genuine one.
        is_refused(
            &format!("JWT {}.{}.{}", part(&changed), parts[1], parts[2]),
            &changed.to_string(),
        );
    }
    let mut brings = header.clone();
    brings["jwk"] = json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode("secret")});
    brings["jku"] = json!("http://127.0.0.1:1/keys");
    is_refused(
        &format!("JWT {}", signed(&brings, &claims, b"secret")),
        "jwk",
    );
    home().user(&session).expect(200);
}

#[test]
fn the_token_of_another_service_is_refused() {
    let other = Home::new();
    let stranger = other.member("stranger@example.com", "Administrator");
    home().add("stranger@example.com", "Administrator");
    is_refused(&stranger.header(), "another service's token");
    home().refresh(&stranger).expect(401);
    // Not even when it names the key of this one.
    let mine = home().login("stranger@example.com", crate::people::PASSWORD);
    let header = mine.access.split('.').next().unwrap();
    let (_, rest) = stranger.access.split_once('.').unwrap();
    is_refused(&format!("JWT {header}.{rest}"), "with this service's kid");
}

#[test]
fn a_session_is_accepted_only_with_the_scheme_jwt() {
    let session = home().member("scheme@example.com", "Administrator");
    let token = &session.access;
    for value in [
        token.clone(),
        format!("Bearer {token}"),
        format!("Token {token}"),
        format!("Basic {token}"),
        format!("JWT{token}"),
        format!("JWT\t{token}"),
        format!("JWT {token} {token}"),
        format!("JWT {token},"),
        format!("JWT token=\"{token}\""),
        "JWT".to_owned(),
        "JWT ".to_owned(),
    ] {
        is_refused(&value, &value);
    }
    let user = || home().call("GET", "auth/user");
    let twice = user()
        .authorization(&session.header())
        .authorization(&session.header());
    twice.expect(401);
    for query in ["token", "access_token", "jwt", "Authorization"] {
        user().query(&[(query, token)]).expect(401);
    }
    user()
        .header("cookie", &format!("svc_auth={token}; token={token}"))
        .expect(401);
    user()
        .header("x-authorization", &session.header())
        .expect(401);
    for value in [format!("jwt {token}"), format!("JWT   {token}")] {
        user().authorization(&value).expect(200);
    }
}

#[test]
fn static_tokens_and_api_keys_are_not_accepted_as_sessions() {
    let service = home().service();
    for token in [
        service.text("/tools_token"),
        service.text("/resources/shop/token"),
        service.text("/api_key"),
    ] {
        for value in [
            token.to_owned(),
            format!("Bearer {token}"),
            format!("JWT {token}"),
        ] {
            let answer = home()
                .call("GET", "auth/user")
                .authorization(&value)
                .expect(401);
            assert!(
                answer.header("www-authenticate").starts_with("JWT"),
                "{value}"
            );
            home()
                .call("POST", "auth/logout")
                .authorization(&value)
                .expect(401);
        }
    }
}

#[test]
fn a_huge_token_is_refused_as_fast_as_a_small_one() {
    // The quickest of several, since the machine has other work.
    let quickest = |value: &str| {
        let refused = || {
            let begun = Instant::now();
            let call = home().call("GET", "auth/user").authorization(value);
            call.expect(401);
            begun.elapsed()
        };
        (0..5).map(|_| refused()).min().unwrap()
    };
    let small = quickest("JWT a");
    let big = "A".repeat(20_000);
    for value in [
        format!("JWT {big}"),
        format!("JWT {big}.{big}"),
        format!("JWT {}", ".".repeat(20_000)),
    ] {
        let took = quickest(&value);
        assert!(took < 10 * small + Duration::from_millis(200), "{took:?}");
    }
    // A token of one megabyte exceeds the limit of a request head.
    let huge = format!("JWT {}", "A".repeat(1_000_000));
    if let Ok(answer) = home()
        .call("GET", "auth/user")
        .authorization(&huge)
        .try_send()
    {
        assert!(
            matches!(answer.status.as_u16(), 401 | 431),
            "{}",
            answer.status
        );
    }
    home().service().root("GET", "/healthz").expect(200);
}
