//! Requests to every route with every credential: whatever is sent, the answer is no fault of the service.
//!
//! A case is text: `CREDENTIAL METHOD TARGET`, header lines, an empty line, a body. The corpus has one for each route.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use svc_fuzz::{Credential, service};

fuzz_target!(|input: &[u8]| -> Corpus { attempt(input).map_or(Corpus::Reject, |()| Corpus::Keep) });

fn attempt(input: &[u8]) -> Option<()> {
    let (head, body) = match input.windows(2).position(|two| two == b"\n\n") {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (input, &[][..]),
    };
    let mut lines = std::str::from_utf8(head).ok()?.lines();
    let mut words = lines.next()?.splitn(3, ' ');
    let credential = Credential::of_letter(words.next()?)?;
    let (method, target) = (words.next()?, words.next()?);
    let is_target = target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic());
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    // The proxy would call addresses that the fuzzer makes up.
    let is_proxy = credential != Credential::Anonymous && target.contains("proxy");
    if !is_target || !is_method || is_proxy {
        return None;
    }
    let mut headers = String::new();
    for line in lines.take(20) {
        let (name, _) = line.split_once(':')?;
        if ["content-length", "transfer-encoding", "host", "connection"]
            .contains(&name.to_ascii_lowercase().as_str())
        {
            return None;
        }
        headers.push_str(line);
        headers.push_str("\r\n");
    }
    let service = service();
    let answer = service.send(&service.request(credential, method, target, &headers, body))?;
    assert!(
        answer.header("x-request-id").is_some() || answer.status == 400 || answer.status == 431,
        "{answer:?}"
    );
    Some(())
}
