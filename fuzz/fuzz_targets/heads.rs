//! Bytes that are no request, or almost one: the connection ends, and the service goes on.
#![no_main]

use std::sync::atomic::{AtomicU32, Ordering};

use libfuzzer_sys::fuzz_target;
use svc_fuzz::service;

static TRIES: AtomicU32 = AtomicU32::new(0);

fuzz_target!(|input: &[u8]| {
    let service = service();
    let _answer = service.send_all(input);
    if TRIES.fetch_add(1, Ordering::Relaxed) % 64 == 0 {
        service.assert_alive();
    }
});
