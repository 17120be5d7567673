//! The sessions of browsers at a service elsewhere.
//!
//! A browser keeps the refresh token of its session, sealed. The service gives another one for each, so the requests of a browser
//! must not use one of them twice: a session that was asked for lately is in memory, where it refreshes once for all requests that
//! wait, and each request gets the newest token for its browser, whichever it came with.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use http::{HeaderValue, header};
use parking_lot::Mutex;
use svc_api::{
    AccessToken, AuthTarget, TokenProvider as _,
    auth::{
        AuthErrorKind, AuthState, BaseUrl, MemoryStore, RefreshToken, Session, account::Refresh,
    },
    transport::{TokioSpawner, TokioTimer},
    wire::{Operation as _, Transport},
};
use svc_console::{BoxError, OpenSession};
use svc_store::SealKey;
use uuid::Uuid;

/// How many sessions are in memory at most.
const MOST_SESSIONS: usize = 10_000;
/// How long a refresh may take.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(10);
/// How long no refresh is tried after one that failed. Somebody waits for the service to come back.
const COOL_DOWN: Duration = Duration::from_secs(2);
/// When the access token ended of a session that is read from what a browser keeps: it has none.
const LONG_AGO: &str = "1970-01-01T00:00:00Z";

/// The sessions of browsers at a service.
pub(super) struct Sessions {
    key: SealKey,
    /// What the sealed tokens are for: another service is never sent them.
    context: String,
    short_name: String,
    transport: Arc<dyn Transport>,
    app_base_url: BaseUrl,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    sessions: HashMap<Uuid, (Arc<Entry>, u64)>,
    /// Counts the uses, to find the session that was not used for longest.
    uses: u64,
}

/// A session in memory.
struct Entry {
    session: Session,
    newest: Mutex<Kept>,
}

/// What a browser keeps.
#[derive(Clone)]
struct Kept {
    /// Names the session among all.
    id: Uuid,
    /// How often it had another token before.
    turn: u64,
    token: RefreshToken,
}

impl Kept {
    fn write(&self) -> String {
        let Self { id, turn, token } = self;
        format!("{id} {turn} {}", token.expose())
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ' ');
        Some(Self {
            id: parts.next()?.parse().ok()?,
            turn: parts.next()?.parse().ok()?,
            token: RefreshToken::new(parts.next()?).ok()?,
        })
    }

    /// The tokens of the session, as if its access token had ended.
    fn tokens(&self) -> Option<AuthState> {
        let mut tokens = AuthState::new(AccessToken::new("none").ok()?, self.token.clone());
        tokens.access_token_expires = Some(LONG_AGO.to_owned());
        Some(tokens)
    }
}

impl Known {
    fn find(&mut self, id: &Uuid) -> Option<Arc<Entry>> {
        self.uses += 1;
        let (entry, used) = self.sessions.get_mut(id)?;
        *used = self.uses;
        Some(Arc::clone(entry))
    }

    fn add(&mut self, id: Uuid, entry: Arc<Entry>) {
        if self.sessions.len() >= MOST_SESSIONS
            && let Some(oldest) = self.oldest()
        {
            self.sessions.remove(&oldest);
        }
        self.uses += 1;
        self.sessions.insert(id, (entry, self.uses));
    }

    fn oldest(&self) -> Option<Uuid> {
        let sessions = self.sessions.iter();
        let oldest = sessions.min_by_key(|(_, (_, used))| *used);
        oldest.map(|(id, _)| *id)
    }
}

impl Sessions {
    /// Sessions at the service with this application host, sealed with this key.
    pub(super) fn new(key: SealKey, transport: Arc<dyn Transport>, app_base_url: BaseUrl) -> Self {
        let context = format!("session of a browser at {app_base_url}");
        Self {
            short_name: key.short_name(&context),
            context,
            key,
            transport,
            app_base_url,
            known: Mutex::default(),
        }
    }

    /// A short name of key and service.
    pub(super) fn short_name(&self) -> &str {
        &self.short_name
    }

    /// What a browser keeps of a session that begins with these tokens.
    pub(super) fn begin(&self, tokens: AuthState) -> Option<String> {
        let kept = Kept {
            id: Uuid::new_v4(),
            turn: 0,
            token: tokens.refresh_token.clone(),
        };
        let sealed = self.seal(&kept);
        let entry = self.entry(kept.clone(), tokens);
        self.known.lock().add(kept.id, entry);
        sealed
    }

    /// The session that a browser keeps; `None` when it has ended, or was not sealed here.
    pub(super) async fn open(&self, sealed: &str) -> Result<Option<OpenSession>, BoxError> {
        let Some((kept, entry)) = self.find(sealed) else {
            return Ok(None);
        };
        let headers = match entry.session.headers().await {
            Ok(headers) => headers,
            Err(error) if error.kind() == AuthErrorKind::Transient => return Err(error.into()),
            Err(_) => return Ok(None),
        };
        let authorization = headers.and_then(|mut headers| headers.remove(header::AUTHORIZATION));
        Ok(authorization.map(|authorization| {
            let mut open = OpenSession::new(authorization);
            open.kept = entry
                .newer_than(&kept)
                .and_then(|newest| self.seal(&newest));
            open
        }))
    }

    /// The service has refused this header of the session: the next request of the browser refreshes.
    pub(super) fn refused(&self, sealed: &str, authorization: &HeaderValue) {
        if let Some((_, entry)) = self.find(sealed) {
            let operation = Refresh::INFO;
            let target = AuthTarget::new(&operation, None);
            entry.session.rejected(target, authorization);
        }
    }

    fn find(&self, sealed: &str) -> Option<(Kept, Arc<Entry>)> {
        let opened = self.key.open(&self.context, sealed)?;
        let kept = Kept::read(opened.expose())?;
        let mut known = self.known.lock();
        let found = known.find(&kept.id);
        // Another process with this key may have refreshed since.
        let found = found.filter(|entry| entry.newest.lock().turn >= kept.turn);
        let entry = match found {
            Some(entry) => entry,
            None => {
                let entry = self.entry(kept.clone(), kept.tokens()?);
                known.add(kept.id, Arc::clone(&entry));
                entry
            }
        };
        Some((kept, entry))
    }

    fn entry(&self, kept: Kept, tokens: AuthState) -> Arc<Entry> {
        let transport = Arc::clone(&self.transport);
        let session = Session::account_builder(transport, self.app_base_url.clone())
            .store(MemoryStore::holding(tokens))
            .spawner(TokioSpawner)
            .timer(TokioTimer::new())
            .refresh_timeout(REFRESH_TIMEOUT)
            .cool_down(COOL_DOWN)
            .build();
        Arc::new(Entry {
            session,
            newest: Mutex::new(kept),
        })
    }

    fn seal(&self, kept: &Kept) -> Option<String> {
        match self.key.seal(&self.context, &kept.write()) {
            Ok(sealed) => Some(sealed),
            Err(error) => {
                tracing::error!(%error, "a session cannot be sealed");
                None
            }
        }
    }
}

impl Entry {
    /// What a browser keeps from now on that came with this; `None` when it is the newest.
    fn newer_than(&self, kept: &Kept) -> Option<Kept> {
        let mut newest = self.newest.lock();
        if let Some(tokens) = self.session.tokens()
            && tokens.refresh_token != newest.token
        {
            newest.token = tokens.refresh_token;
            newest.turn += 1;
        }
        (newest.turn > kept.turn).then(|| newest.clone())
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("short_name", &self.short_name)
            .finish_non_exhaustive()
    }
}
