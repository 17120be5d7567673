//! Rules about time: deadlines, cancelled calls, and calls at the same time.

use std::{
    sync::{Mutex, PoisonError, mpsc},
    time::{Duration, Instant},
};

use futures_channel::mpsc::unbounded;
use futures_util::{
    StreamExt,
    future::{Either, join, select},
};
use http::Request;

use super::{
    Checked, answered, ensure, failed, get, of_kind,
    server::{SOON, Server},
    shown,
    wait::{PATIENCE, within},
    whole,
};
use svc_model::wire::{Body, Deadline, Transport, TransportErrorKind};

const DEADLINE: Duration = Duration::from_millis(300);

/// For the head of a response that a busy machine does not bring within [`DEADLINE`].
const LONG_DEADLINE: Duration = Duration::from_secs(2);

pub(super) async fn deadline_holds_for_the_head(transport: &dyn Transport) -> Checked {
    for is_silent in [true, false] {
        let server = Server::start(move |connection, _| {
            if is_silent {
                connection.client_hangs_up();
                return Ok(());
            }
            connection.drip("HTTP/1.1 200 OK\r\nx-slow: ")
        })?;
        let request = get_within(&server, DEADLINE)?;
        let started = Instant::now();
        let error = failed(transport.send(request).await)?;
        in_time(started, DEADLINE)?;
        of_kind(&error, &[TransportErrorKind::Timeout])?;
    }
    Ok(())
}

pub(super) async fn deadline_holds_for_the_body(transport: &dyn Transport) -> Checked {
    for is_silent in [true, false] {
        let server = Server::start(move |connection, _| {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\nfive.";
            if !is_silent {
                return connection.drip(head);
            }
            connection.write(head)?;
            connection.client_hangs_up();
            Ok(())
        })?;
        let (mut deadline, mut started) = (DEADLINE, Instant::now());
        let mut response = transport.send(get_within(&server, deadline)?).await;
        if matches!(&response, Err(error) if error.kind() == TransportErrorKind::Timeout) {
            (deadline, started) = (LONG_DEADLINE, Instant::now());
            response = transport.send(get_within(&server, deadline)?).await;
        }
        let response = response.map_err(|error| format!("the call failed: {}", shown(&error)))?;
        let Err(error) = response.into_body().collect(usize::MAX).await else {
            return Err("the body ended without an error".to_owned());
        };
        in_time(started, deadline)?;
        of_kind(&error, &[TransportErrorKind::Timeout])?;
    }
    Ok(())
}

fn get_within(server: &Server, deadline: Duration) -> Result<Request<Body>, String> {
    let mut request = get(server.url("/"))?;
    request.extensions_mut().insert(Deadline(deadline));
    Ok(request)
}

fn in_time(started: Instant, deadline: Duration) -> Checked {
    let taken = started.elapsed();
    ensure((deadline..deadline + SOON).contains(&taken), || {
        format!("the call ended after {taken:?}, with a deadline of {deadline:?}")
    })
}

pub(super) async fn dropped_call_hangs_up(transport: &dyn Transport) -> Checked {
    let (seen, mut arrived) = unbounded();
    let (ended, mut hung_up) = unbounded();
    let server = Server::start(move |connection, _| {
        let _ = seen.unbounded_send(());
        let _ = ended.unbounded_send(connection.client_hangs_up());
        Ok(())
    })?;
    let call = transport.send(get(server.url("/"))?);
    if let Either::Left((result, _)) = select(call, arrived.next()).await {
        return Err(match result {
            Ok(response) => format!("the call had an answer, {}", response.status()),
            Err(error) => format!("the call failed: {error}"),
        });
    }
    // The call was dropped at this point.
    hangs_up(hung_up.next()).await
}

pub(super) async fn dropped_body_hangs_up(transport: &dyn Transport) -> Checked {
    let (ended, mut hung_up) = unbounded();
    let server = Server::start(move |connection, _| {
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nmore is to come")?;
        let _ = ended.unbounded_send(connection.client_hangs_up());
        Ok(())
    })?;
    let response = answered(transport, get(server.url("/"))?).await?;
    drop(response);
    hangs_up(hung_up.next()).await
}

async fn hangs_up(hung_up: impl Future<Output = Option<bool>>) -> Checked {
    let seen = within(PATIENCE * 2, hung_up).await.flatten();
    ensure(seen == Some(true), || {
        format!("the connection was still open {PATIENCE:?} later")
    })
}

pub(super) async fn calls_run_side_by_side(transport: &dyn Transport) -> Checked {
    let (answer, answered_other) = mpsc::channel::<()>();
    let answered_other = Mutex::new(answered_other);
    let server = Server::start(move |connection, request| {
        if request.target == "/second" {
            connection.answer("200 OK", b"second")?;
            let _ = answer.send(());
            return Ok(());
        }
        let other = answered_other
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match other.recv_timeout(PATIENCE) {
            Ok(()) => connection.answer("200 OK", b"first"),
            Err(_) => connection.answer("500 Alone", b"the second call never came"),
        }
    })?;
    let call = async |target: &str| -> Result<_, String> {
        let response = answered(transport, get(server.url(target))?).await?;
        whole(response.into_body()).await
    };
    let (first, second) = join(call("/first"), call("/second")).await;
    let (first, second) = (first?, second?);
    ensure(first == "first" && second == "second", || {
        format!("the answers were {first:?} and {second:?}")
    })
}
