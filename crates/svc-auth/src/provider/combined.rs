//! Fixed credentials with a session, or another provider, behind them.

use http::HeaderValue;
use svc_model::wire::BoxFuture;

use super::{AuthError, AuthTarget, StaticProvider, TokenProvider};

/// A [`StaticProvider`], and another provider for the operations for which it has no credential. Made by
/// [`StaticProvider::or`].
#[derive(Clone, Debug)]
pub struct CombinedProvider<P> {
    fixed: StaticProvider,
    other: P,
}

impl StaticProvider {
    /// Asks another provider, such as a [`Session`](crate::Session), for the operations for which this one has no
    /// credential: a client's own key or token takes priority over its user's session (specification, section 5, "User
    /// sessions", rule 7).
    ///
    /// ```
    /// use svc_auth::{ApiKey, AuthTarget, StaticProvider, TokenProvider};
    /// # fn provider(session: svc_auth::Session) -> Result<impl TokenProvider, svc_auth::TokenError> {
    /// let provider = StaticProvider::new().api_key(ApiKey::new("svck_1")?).or(session);
    /// # Ok(provider)
    /// # }
    /// ```
    pub fn or<P: TokenProvider>(self, other: P) -> CombinedProvider<P> {
        CombinedProvider { fixed: self, other }
    }
}

impl<P: TokenProvider> TokenProvider for CombinedProvider<P> {
    fn authorization<'a>(
        &'a self,
        target: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        match self.fixed.header(target) {
            Some(_) => self.fixed.authorization(target),
            None => self.other.authorization(target),
        }
    }

    fn rejected(&self, target: AuthTarget<'_>, refused: &HeaderValue) {
        // A fixed credential stays what it is.
        if self.fixed.header(target).is_none() {
            self.other.rejected(target, refused);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Future, ready},
        pin::pin,
        sync::{Arc, Mutex},
        task::{Context, Poll, Waker},
    };

    use svc_model::{projects, records, wire::Operation};

    use super::*;
    use crate::ApiKey;

    #[derive(Clone, Debug, Default)]
    struct Other(Arc<Mutex<Vec<HeaderValue>>>);

    impl TokenProvider for Other {
        fn authorization<'a>(
            &'a self,
            _: AuthTarget<'a>,
        ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
            Box::pin(ready(Ok(Some(HeaderValue::from_static("JWT other")))))
        }

        fn rejected(&self, _: AuthTarget<'_>, refused: &HeaderValue) {
            self.0.lock().unwrap().push(refused.clone());
        }
    }

    #[test]
    fn the_other_provider_is_asked_where_there_is_no_fixed_credential() {
        let other = Other::default();
        let key = ApiKey::new("key").unwrap();
        let provider = StaticProvider::new().api_key(key).or(other.clone());
        let (key, list) = (projects::List::INFO, <records::List as Operation>::INFO);
        let targets = [
            (AuthTarget::new(&key, None), "Bearer key"),
            (AuthTarget::new(&list, Some("shop")), "JWT other"),
        ];
        for (target, expected) in targets {
            let mut asked = pin!(provider.authorization(target));
            let polled = asked.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            let Poll::Ready(Ok(Some(header))) = polled else {
                panic!("there is no credential");
            };
            assert_eq!(header, expected);
            provider.rejected(target, &header);
        }
        assert_eq!(*other.0.lock().unwrap(), ["JWT other"]);
    }
}
