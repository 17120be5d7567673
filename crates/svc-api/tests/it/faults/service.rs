//! A service whose tokens are numbered, and each of whose refresh tokens works once.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use svc_api::{
    Client, Error, Record,
    auth::{AuthState, MemoryStore},
    wire::BoxFuture,
};

use super::server::{Connection, Server, answer};

/// What the service does. Its tokens are numbered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Service(Arc<Mutex<State>>);

#[derive(Debug, Default)]
pub(crate) struct State {
    newest: u64,
    /// Access tokens up to this one are refused.
    revoked: Option<u64>,
    /// Whether calls are refused whatever their token.
    pub(crate) refuses: bool,
    /// Whether a refresh token that is used up gets the same answer again.
    pub(crate) has_grace: bool,
    /// What comes instead of the next answers to refreshes, after which the connection ends.
    pub(crate) lost: Vec<String>,
}

impl Service {
    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap());
    }

    pub(crate) async fn start(&self) -> Server {
        let service = self.clone();
        Server::start(move |connection| service.clone().serve(connection)).await
    }

    async fn serve(self, mut connection: Connection) -> Option<()> {
        loop {
            let request = connection.request().await?;
            let (answer, is_last) = match request.name.as_str() {
                "refresh" => self.refresh(&request.body),
                id => (self.record(id, &request.authorization), false),
            };
            connection.write(answer).await?;
            if is_last {
                return None;
            }
        }
    }

    /// Ends the newest access token, but not the session.
    pub(crate) fn revoke(&self) {
        self.set(|state| state.revoked = Some(state.newest));
    }

    fn record(&self, id: &str, authorization: &str) -> String {
        let state = self.0.lock().unwrap();
        let is_newest = authorization == format!("JWT a{}", state.newest);
        match is_newest && !state.refuses && state.revoked < Some(state.newest) {
            true => answer("200 OK", &format!(r#"{{"id":{id}}}"#)),
            false => answer("401 Unauthorized", "{}"),
        }
    }

    /// The answer, and whether the connection ends after it.
    fn refresh(&self, body: &str) -> (String, bool) {
        let mut state = self.0.lock().unwrap();
        let is_token = |number: u64| body.contains(&format!("\"r{number}\""));
        if is_token(state.newest) {
            state.newest += 1;
        } else if !(state.has_grace && is_token(state.newest - 1)) {
            return (answer("401 Unauthorized", "{}"), false);
        }
        let newest = state.newest;
        match state.lost.pop() {
            Some(lost) => (lost, true),
            None => (answer("200 OK", &tokens(newest, "")), false),
        }
    }
}

fn tokens(number: u64, further: &str) -> String {
    format!(r#"{{"access_token":"a{number}","refresh_token":"r{number}"{further}}}"#)
}

/// A client with the first tokens, which have expired or whose expiry is not known, and its clock.
pub(crate) fn client(server: &Server, has_expired: bool) -> (Client, Arc<AtomicU64>) {
    let further = match has_expired {
        true => r#","access_token_expires":"2026-01-01T00:00:00Z""#,
        false => "",
    };
    let tokens: AuthState = serde_json::from_str(&tokens(0, further)).unwrap();
    let now = Arc::new(AtomicU64::new(1_789_473_600));
    let clock = Arc::clone(&now);
    let client = server
        .builder()
        .session_store(MemoryStore::holding(tokens))
        .clock(move || Duration::from_secs(clock.load(Ordering::SeqCst)))
        .build()
        .unwrap();
    (client, now)
}

pub(crate) fn call(client: &Client, id: u32) -> BoxFuture<'static, Result<Record, Error>> {
    client.records("shop", "orders").get(id).into_future()
}
