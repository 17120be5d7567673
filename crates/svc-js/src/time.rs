//! The clock, the timers and the event loop of JavaScript.

use std::time::Duration;

use gloo_timers::future::TimeoutFuture;
use svc_model::wire::{BoxFuture, Spawner, Timer};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;

use crate::local_future::local;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn monotonic_milliseconds() -> f64;
}

/// The time since 1970, by `Date.now()`.
pub(crate) fn since_1970() -> Duration {
    milliseconds(js_sys::Date::now())
}

/// A timer that uses `setTimeout` and `performance.now()`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsTimer;

impl Timer for JsTimer {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // JavaScript waits at most 2^31 - 1 ms; with a longer time it does not wait at all.
        const LONGEST: u32 = i32::MAX as u32;
        let milliseconds =
            u32::try_from(duration.as_millis()).map_or(LONGEST, |it| it.min(LONGEST));
        local(TimeoutFuture::new(milliseconds))
    }

    fn now(&self) -> Duration {
        milliseconds(monotonic_milliseconds())
    }
}

fn milliseconds(count: f64) -> Duration {
    Duration::try_from_secs_f64(count / 1e3).unwrap_or_default()
}

/// A spawner for tasks that must continue when a call is aborted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventLoop;

impl Spawner for EventLoop {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        spawn_local(task);
    }
}
