//! Spans of calls, of their tries and of token refreshes.

use std::sync::{Arc, Mutex};

use http::StatusCode;
use svc_api::{
    auth::{AuthState, MemoryStore},
    wire::TransportErrorKind,
};
use svc_testing::ScriptedTransport;
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{
    Registry,
    layer::{Context, Layer, SubscriberExt},
    registry::LookupSpan,
};

use crate::support::{TestTimer, builder};

/// Writes the names of spans, in those that they are in, and what happens in them.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let path = path(context.span_scope(id));
        let mut text = Text(format!("{path}:"));
        attributes.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn on_event(&self, event: &tracing::Event<'_>, context: Context<'_, S>) {
        let mut text = Text(format!("{}!", path(context.event_scope(event))));
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
}

fn path<'a, S: Subscriber + LookupSpan<'a>>(
    scope: Option<tracing_subscriber::registry::Scope<'a, S>>,
) -> String {
    let spans = scope.into_iter().flat_map(|scope| scope.from_root());
    let names: Vec<_> = spans.map(|span| span.name().to_owned()).collect();
    names.join("/")
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() != "pause" {
            self.0.push_str(&format!(" {}={value:?}", field.name()));
        }
    }
}

/// What a call writes, which runs on this thread alone.
fn lines(call: impl AsyncFnOnce()) -> Vec<String> {
    let lines = Lines::default();
    // As long as there is only one subscriber, a span that another test enters first, on a thread without one, is turned
    // off for all.
    let _second = tracing::Dispatch::new(Registry::default());
    let subscriber = Registry::default().with(lines.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    tracing::subscriber::with_default(subscriber, || runtime.block_on(call()));
    let lines = lines.0.lock().unwrap();
    lines.clone()
}

#[test]
fn a_call_is_a_span_in_which_each_try_is_one() {
    let script = ScriptedTransport::new()
        .fail(TransportErrorKind::Interrupted)
        .answer(StatusCode::OK, "[]");
    let client = builder(&script)
        .timer(TestTimer::default())
        .build()
        .unwrap();
    let lines = lines(async || {
        client.pages().list().await.unwrap();
    });
    assert_eq!(
        lines,
        [
            r#"svc_call: operation="pages.list""#,
            "svc_call/svc_try: number=1",
            "svc_call/svc_try! message=not answered kind=Interrupted error=the connection broke off before the answer was complete",
            "svc_call! message=tries again",
            "svc_call/svc_try: number=2",
            "svc_call/svc_try! message=answered status=200",
        ]
    );
}

#[test]
fn a_refresh_is_a_span_and_no_secret_is_in_any() {
    let tokens = r#"{"access_token":"a-old","refresh_token":"r-old","access_token_expires":"2020-01-01T00:00:00Z"}"#;
    let newer = r#"{"access_token":"a-new","refresh_token":"r-new"}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, newer)
        .answer(StatusCode::OK, "[]");
    let state: AuthState = serde_json::from_str(tokens).unwrap();
    let client = builder(&script)
        .session_store(MemoryStore::holding(state))
        .build()
        .unwrap();
    let lines = lines(async || {
        client.records("shop", "orders").list().await.unwrap();
    });
    assert!(
        lines.iter().any(|line| line == "svc_call/svc_refresh:"),
        "{lines:#?}"
    );
    let is_secret = |line: &String| {
        ["a-old", "r-old", "a-new", "r-new"]
            .iter()
            .any(|it| line.contains(it))
    };
    assert!(!lines.iter().any(is_secret), "{lines:#?}");
}
