//! Who sends a request, for the limits of rates: whatever the route, and before anything is done for it.

use http::HeaderMap;

use crate::{
    auth::{
        credentials::{identify, identify_session, presented},
        identity::Identity,
        rate_limit::Bearer,
    },
    state::Shared,
};

/// Who sends a request with these headers.
pub(crate) async fn bearer(state: &Shared, headers: &HeaderMap) -> Bearer {
    let text = match presented(headers, "") {
        Ok(None) => return Bearer::Nobody,
        Ok(Some((_, text))) => text,
        Err(_) => return Bearer::Wrong,
    };
    // An access token has dots in it; the store's own tokens have none.
    let found = match text.contains('.') {
        true => identify_session(state, text).await,
        false => identify(state, text).await,
    };
    match found {
        Ok(Some(identity)) => match identity {
            Identity::ApiKey(key) => Bearer::Known(key.uid()),
            Identity::StaticToken(token) => Bearer::Known(token.uid()),
            Identity::ServiceToken(token) => Bearer::Known(token.uid()),
            Identity::Session(session) => Bearer::Known(session.session_uid),
            Identity::AccountSession(session) => Bearer::Known(session.session_uid),
            Identity::Program(_) => Bearer::NotLimited,
        },
        Ok(None) => Bearer::Wrong,
        Err(_) => Bearer::NotLimited,
    }
}
