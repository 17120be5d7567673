//! Access tokens: only the one that the service made opens a session, and no change of it.
#![no_main]

use arbitrary::Arbitrary;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use svc_fuzz::{Credential, service};

/// How a token is made that must not be accepted.
#[derive(Arbitrary, Debug)]
enum Forgery<'a> {
    /// Any text.
    Text(&'a str),
    /// The real token with some bytes changed.
    Edits(Vec<(u16, u8)>),
    /// A head and claims of one's own before the real signature, or none.
    Claims {
        head: &'a [u8],
        claims: &'a [u8],
        signed: bool,
    },
    /// The real token with another head.
    Head(&'a [u8]),
}

fuzz_target!(|forgery: Forgery<'_>| {
    let service = service();
    let real = service.access_token();
    let mut parts = real.split('.');
    let (_, claims, signature) = (
        parts.next(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let token = match forgery {
        Forgery::Text(text) => text.to_owned(),
        Forgery::Edits(edits) => {
            let mut bytes = real.as_bytes().to_vec();
            for (place, byte) in edits {
                let place = usize::from(place) % bytes.len();
                bytes[place] = byte;
            }
            match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return,
            }
        }
        Forgery::Claims {
            head,
            claims,
            signed,
        } => format!(
            "{}.{}.{}",
            URL_SAFE_NO_PAD.encode(head),
            URL_SAFE_NO_PAD.encode(claims),
            if signed { signature } else { "" }
        ),
        Forgery::Head(head) => format!("{}.{claims}.{signature}", URL_SAFE_NO_PAD.encode(head)),
    };
    if token == real || token.trim() == real || token.bytes().any(|byte| byte.is_ascii_control()) {
        return;
    }
    let header = format!("Authorization: JWT {token}\r\n");
    let request = service.request(
        Credential::Anonymous,
        "GET",
        "/projects/main/prod/auth/user",
        &header,
        b"",
    );
    if let Some(answer) = service.send(&request) {
        assert!(
            answer.status >= 400,
            "a forged token was accepted: {token:?}"
        );
    }
});
