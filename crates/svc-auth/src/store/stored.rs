//! The entry of a token store.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::{AuthState, RefreshToken, expiry, place::SessionPlace, state::text};

const SESSION: &str = "session";
const PLACE: &str = "place";
const UNANSWERED: &str = "unanswered_since";
/// The known fields.
#[cfg(not(target_family = "wasm"))]
const OWN: [&str; 7] = [
    "access_token",
    "refresh_token",
    "access_token_expires",
    "refresh_token_expires",
    SESSION,
    PLACE,
    UNANSWERED,
];

/// The tokens of a session, with the name of the session and the place that it belongs to.
///
/// Tokens change at every refresh, but the session stays the same: its name is a hash of the refresh
/// token from signing in. By that name a client recognises its own session in a store that others
/// write to.
///
/// As JSON it is the [`AuthState`] with the fields `session` and `place`. If `session` is missing, the
/// name is made from the present refresh token. The place,
/// `{"api_base_url", "project", "environment"}`, is set when a client signs in or refreshes; tokens
/// without a place belong to each client that reads them. `unanswered_since`, in seconds since 1970,
/// means that the refresh token was sent then without getting a response, so that it may be used up.
/// Further fields are kept.
///
/// ```
/// use svc_auth::{AuthState, StoredTokens};
///
/// let state: AuthState = serde_json::from_str(r#"{"access_token":"a","refresh_token":"r"}"#)?;
/// let stored = StoredTokens::begin(state);
/// let text = serde_json::to_string(&stored)?;
/// assert_eq!(text, r#"{"access_token":"a","refresh_token":"r","session":"af63ef4c86020cd5"}"#);
/// assert_eq!(serde_json::from_str::<StoredTokens>(&text)?, stored);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct StoredTokens {
    state: AuthState,
    session: Box<str>,
    place: Option<SessionPlace>,
    /// In seconds since 1970.
    unanswered_since: Option<u32>,
    /// Fields that other programs have written. In a browser JavaScript keeps them, which takes fewer bytes.
    #[cfg(not(target_family = "wasm"))]
    further: serde_json::Map<String, Value>,
}

impl Serialize for StoredTokens {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = [
            ("access_token", Some(self.state.access_token.expose())),
            ("refresh_token", Some(self.state.refresh_token.expose())),
            (
                "access_token_expires",
                self.state.access_token_expires.as_deref(),
            ),
            (
                "refresh_token_expires",
                self.state.refresh_token_expires.as_deref(),
            ),
            (SESSION, Some(&*self.session)),
        ];
        let mut object = serializer.serialize_map(None)?;
        for (name, text) in texts {
            if let Some(text) = text {
                object.serialize_entry(name, text)?;
            }
        }
        if let Some(place) = &self.place {
            object.serialize_entry(PLACE, place)?;
        }
        if let Some(seconds) = &self.unanswered_since {
            object.serialize_entry(UNANSWERED, seconds)?;
        }
        #[cfg(not(target_family = "wasm"))]
        for (name, value) in &self.further {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

impl TryFrom<Value> for StoredTokens {
    type Error = String;

    fn try_from(mut value: Value) -> Result<Self, String> {
        let session = text(&mut value, SESSION)?;
        let mut stored = Self::begin(AuthState::take_from(&mut value)?);
        if let Some(session) = session {
            stored.session = session.into_boxed_str();
        }
        let mut take = |name| value.get_mut(name).map(Value::take);
        let place = take(PLACE).filter(|place| !place.is_null());
        stored.place = place.map(SessionPlace::read);
        let seconds = take(UNANSWERED).and_then(|seconds| seconds.as_u64());
        stored.unanswered_since = seconds.and_then(|it| u32::try_from(it).ok());
        #[cfg(not(target_family = "wasm"))]
        if let Value::Object(mut further) = value {
            further.retain(|name, _| !OWN.contains(&name.as_str()));
            stored.further = further;
        }
        Ok(stored)
    }
}

impl StoredTokens {
    /// The tokens of a new session.
    pub fn begin(state: AuthState) -> Self {
        Self {
            session: name(&state.refresh_token),
            state,
            place: None,
            unanswered_since: None,
            #[cfg(not(target_family = "wasm"))]
            further: serde_json::Map::new(),
        }
    }

    /// The new tokens of the same session after a refresh.
    #[must_use]
    pub fn renewed(&self, state: AuthState) -> Self {
        Self {
            state,
            unanswered_since: None,
            ..self.clone()
        }
    }

    /// Marks the entry: the refresh token was sent at this time, since 1970, without getting a response.
    pub(crate) fn marked_as_unanswered(mut self, since: Duration) -> Self {
        self.unanswered_since = u32::try_from(since.as_secs()).ok();
        self
    }

    /// When the refresh token was sent without getting a response.
    pub(crate) fn unanswered_since(&self) -> Option<Duration> {
        let seconds = self.unanswered_since?;
        Some(Duration::from_secs(seconds.into()))
    }

    /// Sets the place of the tokens.
    pub(crate) fn at(mut self, place: &SessionPlace) -> Self {
        self.place = Some(place.clone());
        self
    }

    /// Whether a client of this place may use and change the entry. Every client may do so when the
    /// entry names no place.
    pub(crate) fn belongs_to(&self, place: &SessionPlace) -> bool {
        self.place.as_ref().is_none_or(|own| own == place)
    }

    /// Whether both have the same tokens of the same session, whatever their other fields.
    pub(crate) fn has_tokens_of(&self, other: &Self) -> bool {
        self.session == other.session && self.state == other.state
    }

    /// The tokens.
    pub fn state(&self) -> &AuthState {
        &self.state
    }

    /// The name of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Whether these are later tokens of the same session as `other`.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        let expires = |tokens: &Self| {
            let text = tokens.state.access_token_expires.as_deref();
            text.and_then(expiry::parse)
        };
        let is_earlier = match (expires(self), expires(other)) {
            (Some(own), Some(other)) => own < other,
            _ => false,
        };
        self.session == other.session
            && self.state.refresh_token != other.state.refresh_token
            && !is_earlier
    }
}

impl fmt::Debug for StoredTokens {
    /// Leaves out further fields, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredTokens")
            .field("state", &self.state)
            .field("session", &self.session)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// The name of a session, by FNV-1a with 64 bits, which is the same in every process and version. A
/// cryptographic hash is not needed, since the name is stored beside the token itself.
fn name(token: &RefreshToken) -> Box<str> {
    let hash = token
        .expose()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}").into_boxed_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::AccessToken;

    fn place(url: &str, project: &str, environment: &str) -> SessionPlace {
        SessionPlace {
            api_base_url: url.into(),
            project: project.into(),
            environment: environment.into(),
        }
    }

    fn tokens(refresh: &str, expires: Option<&str>) -> AuthState {
        let mut state = AuthState::new(
            AccessToken::new("a").unwrap(),
            RefreshToken::new(refresh).unwrap(),
        );
        state.access_token_expires = expires.map(str::to_owned);
        state
    }

    #[test]
    fn the_name_of_a_session_stays_the_same_when_its_tokens_change() {
        let first = StoredTokens::begin(tokens("r1", None));
        let second = first.renewed(tokens("r2", None));
        assert_eq!(first.session(), second.session());
        assert_ne!(
            first.session(),
            StoredTokens::begin(tokens("r2", None)).session()
        );
        let text = serde_json::to_string(&second).unwrap();
        let read: StoredTokens = serde_json::from_str(&text).unwrap();
        assert_eq!(read, second);
    }

    #[test]
    fn tokens_follow_others_of_their_session_unless_they_expire_earlier() {
        let early = Some("2026-09-15T12:00:00Z");
        let late = Some("2026-09-15T12:15:00Z");
        let first = StoredTokens::begin(tokens("r1", early));
        let second = first.renewed(tokens("r2", late));
        assert!(second.follows(&first));
        assert!(!first.follows(&second));
        assert!(!first.follows(&first));
        assert!(first.renewed(tokens("r2", None)).follows(&first));
        assert!(!StoredTokens::begin(tokens("r2", late)).follows(&first));
    }

    #[test]
    fn tokens_belong_to_their_place_or_without_one_to_every_place() {
        let home = place("https://a.example", "shop", "prod");
        let stored = StoredTokens::begin(tokens("r1", None));
        assert!(stored.belongs_to(&home));
        let stored = stored.at(&home);
        assert_eq!(
            serde_json::to_value(&stored).unwrap()[PLACE],
            json!({"api_base_url": "https://a.example", "project": "shop", "environment": "prod"})
        );
        assert!(stored.belongs_to(&home));
        for other in [
            place("https://b.example", "shop", "prod"),
            place("https://a.example", "crm", "prod"),
            place("https://a.example", "shop", "dev"),
        ] {
            assert!(!stored.belongs_to(&other));
        }
        // A renewed session keeps its place.
        assert!(!stored.renewed(tokens("r2", None)).belongs_to(&place(
            "https://a.example",
            "crm",
            "prod"
        )));
    }

    #[test]
    fn an_entry_with_an_unreadable_place_belongs_to_no_client() {
        let home = place("https://a.example", "shop", "prod");
        for (named, is_home) in [
            (json!(null), true),
            (
                json!({"api_base_url": "https://a.example", "project": "shop", "environment": "prod", "region": 1}),
                true,
            ),
            (
                json!({"api_base_url": "https://a.example", "project": "shop"}),
                false,
            ),
            (
                json!({"api_base_url": "https://a.example", "project": "shop", "environment": 1}),
                false,
            ),
            (json!("https://a.example"), false),
            (json!([]), false),
            (json!({}), false),
        ] {
            let entry = json!({"access_token": "a", "refresh_token": "r", PLACE: named});
            let stored: StoredTokens = serde_json::from_value(entry).unwrap();
            assert_eq!(stored.belongs_to(&home), is_home, "{named}");
        }
    }

    #[test]
    fn the_mark_of_a_refresh_without_a_response_is_removed_with_its_refresh_token() {
        let since = Duration::from_secs(1_789_473_600);
        let stored = StoredTokens::begin(tokens("r1", None)).marked_as_unanswered(since);
        let text = serde_json::to_string(&stored).unwrap();
        let read: StoredTokens = serde_json::from_str(&text).unwrap();
        assert_eq!(read.unanswered_since(), Some(since));
        assert!(read.has_tokens_of(&StoredTokens::begin(tokens("r1", None))));
        let renewed = read.renewed(tokens("r2", None));
        assert_eq!(renewed.unanswered_since(), None);
    }

    #[test]
    fn further_fields_are_kept_by_a_renewal() {
        let entry = json!({"access_token": "a", "refresh_token": "r", "theme": {"dark": true}});
        let stored: StoredTokens = serde_json::from_value(entry).unwrap();
        let renewed = stored.renewed(tokens("r2", Some("soon")));
        let renewed = serde_json::to_value(renewed).unwrap();
        assert_eq!(renewed["theme"], json!({"dark": true}));
        assert_eq!(renewed["refresh_token"], "r2");
        assert_eq!(renewed["access_token_expires"], "soon");
        assert_eq!(renewed["session"], stored.session());
    }

    #[test]
    fn debug_shows_no_token_and_no_value_of_a_further_field() {
        let entry = json!({"access_token": "hidden", "refresh_token": "hidden", "note": "hidden"});
        let stored: StoredTokens = serde_json::from_value(entry).unwrap();
        let shown = format!("{stored:?}");
        assert!(!shown.contains("hidden"), "{shown}");
    }
}
