//! A span of OpenTelemetry for each request, sent to a collector by OTLP over HTTP.
//!
//! Where to, and how, is said by OpenTelemetry's own variables: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`,
//! `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*` and their like.

use std::{
    env,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use opentelemetry::{
    InstrumentationScope, KeyValue, SpanId, TraceFlags, TraceId,
    trace::{SpanContext, SpanKind, Status, TraceState},
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfig, BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor as _},
};
use svc_model::wire::{Body, Transport as _};
use svc_transport::HyperTransport;
use tokio::runtime::Handle;

use crate::{Error, http::trace::Trace};

/// The variables that say where to. Without one nothing is sent.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];
/// How long a collector may take for its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer of a collector that is read, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;
/// How long the last spans may take when the service stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a request was, at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) trace: Trace,
    pub(crate) method: &'static str,
    pub(crate) route: Option<&'a str>,
    pub(crate) status: StatusCode,
    pub(crate) request_id: &'a str,
    pub(crate) begun: SystemTime,
}

/// Where spans go. They wait in a queue of a fixed length, and are dropped when it is full.
#[derive(Debug)]
pub(crate) struct Spans {
    processor: BatchSpanProcessor,
    scope: InstrumentationScope,
}

impl Spans {
    /// What the variables say; `None` when they name no collector.
    ///
    /// # Errors
    /// When what they say cannot work.
    pub(crate) fn from_env(node: &str) -> Result<Option<Self>, Error> {
        if ENDPOINTS.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(None);
        }
        Self::open(None, node).map(Some)
    }

    /// Sends to this address, or to that of the variables.
    fn open(endpoint: Option<String>, node: &str) -> Result<Self, Error> {
        let wrong = |error: &dyn std::fmt::Display| {
            Error::config(format!(
                "spans cannot be sent ({error}); correct the variables OTEL_EXPORTER_OTLP_*, or unset them"
            ))
        };
        let transport = HyperTransport::builder()
            .deadline(PATIENCE)
            .build()
            .map_err(|error| wrong(&error))?;
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client {
                transport,
                runtime: Handle::current(),
            });
        if let Some(endpoint) = endpoint {
            exporter = exporter.with_endpoint(endpoint);
        }
        let exporter = exporter.build().map_err(|error| wrong(&error))?;
        let mut processor = BatchSpanProcessor::new(exporter, BatchConfig::default());
        let mut resource = Resource::builder()
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new("service.instance.id", node.to_owned()));
        if env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("svc");
        }
        processor.set_resource(&resource.build());
        Ok(Self {
            processor,
            scope: InstrumentationScope::builder("svc-server").build(),
        })
    }

    /// A request was answered. It is recorded unless its caller says that the trace is not.
    pub(crate) fn record(&self, answered: Answered<'_>) {
        let Answered {
            trace,
            method,
            route,
            status,
            request_id,
            begun,
        } = answered;
        if !trace.is_sampled() {
            return;
        }
        let mut attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
            KeyValue::new("svc.request_id", request_id.to_owned()),
        ];
        let name = match route {
            Some(route) => {
                attributes.push(KeyValue::new("http.route", route.to_owned()));
                format!("{method} {route}")
            }
            None => method.to_owned(),
        };
        let (id, span, parent) = trace.identifiers();
        self.processor.on_end(SpanData {
            span_context: SpanContext::new(
                TraceId::from(id),
                SpanId::from(span),
                TraceFlags::SAMPLED,
                false,
                TraceState::NONE,
            ),
            parent_span_id: parent.map_or(SpanId::INVALID, SpanId::from),
            parent_span_is_remote: parent.is_some(),
            span_kind: SpanKind::Server,
            name: name.into(),
            start_time: begun,
            end_time: SystemTime::now(),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: match status.is_server_error() {
                true => Status::error(""),
                false => Status::Unset,
            },
            instrumentation_scope: self.scope.clone(),
        });
    }

    /// Sends what waits, for a short time.
    pub(crate) fn end(&self) {
        if let Err(error) = self.processor.shutdown_with_timeout(FAREWELL) {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

/// Sends spans over the transport of the client crates. The processor waits on a thread of its own, the runtime does the
/// work.
#[derive(Debug)]
struct Client {
    transport: HyperTransport,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let transport = self.transport.clone();
        let sent = self.runtime.spawn(async move {
            let answer = transport.send(request.map(Body::from)).await?;
            let (head, body) = answer.into_parts();
            let bytes = body.collect(LONGEST_ANSWER).await?;
            Ok::<_, HttpError>(Response::from_parts(head, bytes))
        });
        let answer = sent.await?;
        if let Err(error) = &answer {
            tracing::warn!(%error, "spans were not sent, and are lost");
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, extract::State, routing::post};
    use http::{HeaderMap, header};
    use tokio::sync::mpsc;

    use super::*;
    use crate::http::trace::TRACEPARENT;

    /// A collector: what it is sent.
    async fn collector() -> (String, mpsc::UnboundedReceiver<(HeaderMap, Bytes)>) {
        let (sent, received) = mpsc::unbounded_channel();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let take = |State(sent): State<mpsc::UnboundedSender<_>>,
                    headers: HeaderMap,
                    body: Bytes| async move {
            sent.send((headers, body)).unwrap();
        };
        let collector = Router::new()
            .route("/v1/traces", post(take))
            .with_state(sent);
        tokio::spawn(async move { axum::serve(listener, collector).await });
        (url, received)
    }

    fn answered(trace: Trace) -> Answered<'static> {
        Answered {
            trace,
            method: "GET",
            route: Some("/api/projects/{project}/"),
            status: StatusCode::INTERNAL_SERVER_ERROR,
            request_id: "request-1",
            begun: SystemTime::now(),
        }
    }

    fn trace(flags: &str) -> Trace {
        let mut headers = HeaderMap::new();
        let value = format!("00-{:032x}-{:016x}-{flags}", 0x1122, 0x3344);
        headers.insert(TRACEPARENT, value.parse().unwrap());
        Trace::of(&headers).unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_collector_is_sent_each_request_whose_trace_is_recorded() {
        let (url, mut received) = collector().await;
        let spans = Spans::open(Some(url), "node-1").unwrap();
        spans.record(answered(trace("00")));
        let (begun, recorded) = (Trace::begin(), trace("01"));
        spans.record(answered(begun));
        spans.record(answered(recorded));
        tokio::task::spawn_blocking(move || spans.end())
            .await
            .unwrap();
        let (headers, body) = received.recv().await.unwrap();
        assert_eq!(headers[header::CONTENT_TYPE], "application/x-protobuf");
        // Texts and identifiers are in the message as they are.
        let count = |part: &[u8]| {
            body.windows(part.len())
                .filter(|found| *found == part)
                .count()
        };
        assert_eq!(count(b"GET /api/projects/{project}/"), 2);
        for text in [
            "service.instance.id",
            "node-1",
            "svc.request_id",
            "request-1",
        ] {
            assert!(count(text.as_bytes()) > 0, "{text}");
        }
        for trace in [begun, recorded] {
            let (id, span, _) = trace.identifiers();
            assert_eq!(count(&id.to_be_bytes()), 1);
            assert_eq!(count(&span.to_be_bytes()), 1);
        }
        assert_eq!(count(&0x3344_u64.to_be_bytes()), 1, "the caller's part");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_address_that_is_none_is_refused_and_one_that_is_silent_holds_nothing_up() {
        let error = Spans::open(Some("nowhere at all".to_owned()), "").unwrap_err();
        assert!(error.to_string().contains("OTEL_EXPORTER_OTLP_"), "{error}");
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/traces", silent.local_addr().unwrap());
        let spans = Spans::open(Some(url), "").unwrap();
        spans.record(answered(Trace::begin()));
        let begun = std::time::Instant::now();
        tokio::task::spawn_blocking(move || spans.end())
            .await
            .unwrap();
        assert!(begun.elapsed() < 2 * FAREWELL, "{:?}", begun.elapsed());
    }
}
