//! The HTTP proxy: a request to another service, with secrets that the caller does not know (wire contract, section 8).
//!
//! Its way: who asks, and for which resource ([`caller`], [`call`]) -> what the resource may send and reach ([`rules`]) ->
//! values in place of names ([`template`], [`target`], [`headers`], [`content`]) -> the address that is connected to
//! ([`address`]), hop by hop ([`outbound`]) -> the answer, passed on as it comes ([`passing`]), and its lines
//! ([`audit`]).

mod address;
mod audit;
mod call;
mod caller;
mod content;
mod headers;
mod outbound;
mod pairs;
mod passing;
mod rules;
pub(crate) mod shared;
mod target;
mod template;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, Method, header, request::Parts};
use http_body::Body as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use svc_model::{
    Invalid, Scope,
    proxy::{Send, X_SVC_PROXY},
    wire::{Body as WireBody, ReceivedRequest},
};
use svc_store::{OpenSecret, ProxyRules};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use url::form_urlencoded;

use self::{
    audit::{Audit, End, Trail},
    call::{Call, Destination},
    caller::Caller,
    headers::Refused,
    outbound::Outgoing,
    passing::Passing,
    target::Target,
    template::Names,
};
use crate::{
    api::routes::Routes,
    http::{
        ApiError, ApiResult,
        body::read_object,
        request::{RequestId, check_draft},
        response::ResponseKind,
        trace::{TRACEPARENT, Trace},
    },
    state::Shared,
};

/// How the proxy is named to other services.
const USER_AGENT: &str = concat!("svc/", env!("CARGO_PKG_VERSION"));

pub(crate) fn routes() -> Routes {
    Routes::new().on::<Send, _>(send)
}

async fn send(State(state): State<Shared>, request: Request) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let caller = caller::identified(&state, &parts.headers).await?;
    let mut audit = Audit::begin(RequestId::of(&parts), caller.who());
    let sent = Box::pin(exchange(&state, &parts, body, &caller, &mut audit)).await;
    let answer = match sent {
        Ok(sent) => return Ok(passed(sent, state.config.proxy_response_limit, audit)),
        Err(failure) => failure.into_response(),
    };
    audit.status = Some(answer.status());
    audit.end = End::Failed;
    if answer.status().is_client_error() {
        // It was refused, the address that its host has too.
        if let Some(trail) = audit.trail.take() {
            trail.cancel();
        }
    }
    Ok(answer)
}

/// What came back.
struct Sent {
    answer: http::Response<WireBody>,
    secrets: Vec<String>,
    until: Instant,
    permit: OwnedSemaphorePermit,
}

async fn exchange(
    state: &Shared,
    parts: &Parts,
    body: Body,
    caller: &Caller,
    audit: &mut Audit,
) -> ApiResult<Sent> {
    let object = read_object(&parts.headers, body, &state.config).await?;
    let mut body = ReceivedRequest::of_body(object);
    let destination = call::destination(&mut body)?;
    let Destination {
        environment,
        resource,
        ..
    } = &destination;
    let scope = Scope::new(caller.project(&destination)?, environment);
    audit.project = scope.project.to_string();
    audit.environment = scope.environment.to_string();
    audit.resource = resource
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    caller.check(&destination)?;
    check_draft(parts)?;
    let proxy = &state.proxy;
    let key = (scope, destination.resource);
    let rules = rules::get(&proxy.rules, &state.store, key).await?;
    let call = Call::parse(body)?;
    audit.method = call.method.clone();
    let written = call.url.clone();
    let mut outgoing = outgoing(call, &rules, state.config.body_limit)?;
    if let Some(trace) = parts.extensions.get::<Trace>()
        && let Some(header) = trace.to_header()
    {
        // A caller may name another one for the other service.
        outgoing.headers.entry(TRACEPARENT).or_insert(header);
    }
    audit.host = outgoing.target.host().to_owned();
    let permit = Arc::clone(&proxy.permits)
        .try_acquire_owned()
        .map_err(|_| ApiError::Throttled { retry_after: 1 })?;
    let until = Instant::now() + state.config.proxy_timeout;
    let store = state.store_for(caller.actor(), parts);
    let trail = Trail::new(state, store, &outgoing.target, &written);
    audit.begin_trail(trail).await?;
    let answer = outgoing
        .send(&proxy.outbound, &rules.allow_hosts, until)
        .await?;
    let limit = state.config.proxy_response_limit;
    if answer.body().size_hint().lower() > limit {
        return Err(ApiError::BadGateway(format!(
            "the other service's answer is larger than the limit of {limit} bytes"
        )));
    }
    Ok(Sent {
        answer,
        secrets: outgoing.secrets,
        until,
        permit,
    })
}

/// The request that a caller describes, with values in place of names.
fn outgoing(call: Call, rules: &ProxyRules, limit: usize) -> ApiResult<Outgoing> {
    let Call {
        method,
        url,
        query_params,
        headers,
        body_type,
        body,
        secret_tokens,
        context,
    } = call;
    if let Some(unknown) = secret_tokens
        .iter()
        .find(|name| !rules.secrets.iter().any(|secret| secret.name == **name))
    {
        let unknown = template::shortened(unknown);
        let message = format!("the resource has no secret token {unknown:?}");
        return Err(Invalid::field("secret_tokens", message).into());
    }
    let mut names = Names::new(&context, &rules.secrets, &secret_tokens, limit);

    let url = target::expand(&mut names, &url).map_err(|error| error.of("url", limit))?;
    let mut target = Target::parse(&url.text).map_err(|what| Invalid::field("url", what))?;
    let mut query = Vec::with_capacity(query_params.len());
    for (name, value) in query_params {
        let mut expand = |text: &str| {
            let expanded = names.verbatim(text);
            expanded.map_err(|error| error.of("query_params", limit))
        };
        query.push((expand(&name)?.text, expand(&value)?.text));
    }
    target.add_query(&query);

    let headers = headers::of_request(&mut names, &headers).map_err(|refused| match refused {
        Refused::Invalid(invalid) => invalid.into(),
        Refused::TooLarge => ApiError::PayloadTooLarge { limit },
    })?;
    let content = content::write(&mut names, body_type, body.as_deref());
    let content = content.map_err(|error| error.of("body", limit))?;

    // Where the request goes is known now, and which secrets are in it.
    let mut secrets = Vec::new();
    for secret in names.used() {
        check_host(secret, &target)?;
        secrets.extend(spellings(secret.value.expose()));
    }
    let mut map = headers.map;
    if let Some(media_type) = content.media_type
        && (content.is_fixed || !map.contains_key(header::CONTENT_TYPE))
    {
        map.insert(header::CONTENT_TYPE, media_type);
    }
    map.entry(header::ACCEPT)
        .or_insert(HeaderValue::from_static("*/*"));
    map.entry(header::USER_AGENT)
        .or_insert(HeaderValue::from_static(USER_AGENT));
    if content.bytes.is_empty() && matches!(method, Method::POST | Method::PUT | Method::PATCH) {
        map.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    Ok(Outgoing {
        method,
        target,
        headers: map,
        secret_headers: headers.secret,
        body: content.bytes,
        secret_body: content.secret,
        secrets,
    })
}

/// Refuses a host that a secret was not set for.
fn check_host(secret: &OpenSecret, target: &Target) -> ApiResult<()> {
    let bound = secret.hosts.iter();
    match bound.clone().any(|host| host.as_str() == target.host()) {
        true => Ok(()),
        false => Err(Invalid::field(
            "url",
            format!(
                "the secret token {:?} may not be sent to this host",
                secret.name
            ),
        )
        .into()),
    }
}

/// A secret as it is, and in the forms that it can have in a URL.
fn spellings(secret: &str) -> [String; 3] {
    [
        secret.to_owned(),
        utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
        form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
    ]
}

/// The other service's answer as this one gives it.
fn passed(sent: Sent, limit: u64, mut audit: Audit) -> Response {
    let Sent {
        answer,
        secrets,
        until,
        permit,
    } = sent;
    let (mut head, body) = answer.into_parts();
    headers::strip_answer(&mut head.headers, &secrets);
    head.headers
        .insert(X_SVC_PROXY, HeaderValue::from_static("upstream"));
    audit.status = Some(head.status);
    let body = Body::new(Passing::new(body, limit, until, audit, permit));
    let mut response = Response::new(body);
    *response.status_mut() = head.status;
    *response.headers_mut() = head.headers;
    response.extensions_mut().insert(ResponseKind::Relayed);
    response
}
