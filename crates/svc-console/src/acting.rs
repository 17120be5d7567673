//! Seeing what a user of an environment would see: the header `X-Act-As` on what is asked of the data host.

use std::sync::Arc;

use http::{HeaderName, HeaderValue, Request, Response};
use svc_api::administration::Users;
use svc_model::{
    UserUid,
    wire::{Body, BoxFuture, Transport, TransportError},
};

use crate::problem::{Problem, Result, or_not_found};

const ACT_AS: HeaderName = HeaderName::from_static("x-act-as");

/// The user whose view is shown.
#[derive(Clone, Debug)]
pub(crate) struct ActingAs {
    uid: String,
    email: String,
}

impl ActingAs {
    /// Looks who the user is, which only administrators may. Who is suspended can sign in nowhere, and sees nothing.
    pub(crate) async fn look_up(users: &Users, uid: &str) -> Result<Self> {
        let user = users.get(UserUid::from(uid)).send().await;
        let user = user.map_err(|error| match error.is_forbidden() {
            true => Problem::NotAdministrator,
            false => or_not_found(error),
        })?;
        match user.suspended {
            true => Err(Problem::Suspended),
            false => Ok(Self {
                uid: uid.to_owned(),
                email: user.email,
            }),
        }
    }

    /// The unique ID of the user.
    pub(crate) fn uid(&self) -> &str {
        &self.uid
    }

    /// What stands in the address of each place that is seen so.
    pub(crate) fn path(&self) -> [&str; 2] {
        ["as", &self.uid]
    }

    /// The e-mail address of the user.
    pub(crate) fn name(&self) -> &str {
        &self.email
    }
}

/// A transport whose requests to the data host are answered as a user would get them.
#[derive(Debug)]
pub(crate) struct AsUser {
    transport: Arc<dyn Transport>,
    user: Option<HeaderValue>,
    data: String,
    app: String,
}

impl AsUser {
    /// The transport, as a user where there is one; `data` and `app` are the addresses of the two hosts.
    pub(crate) fn around(
        transport: Arc<dyn Transport>,
        user: Option<&ActingAs>,
        data: &str,
        app: &str,
    ) -> Result<Self> {
        let header = |user: &ActingAs| HeaderValue::try_from(user.uid());
        let user = user.map(header).transpose();
        Ok(Self {
            transport,
            user: user.map_err(|_| Problem::NotFound)?,
            data: data.to_owned(),
            app: app.to_owned(),
        })
    }

    fn is_for_data(&self, url: &str) -> bool {
        // The application host may stand below the data host.
        let is_below = |base: &str| {
            let rest = url.strip_prefix(base.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let is_app = is_below(&self.app) && self.app.len() >= self.data.len();
        is_below(&self.data) && !is_app
    }
}

impl Transport for AsUser {
    fn send(
        &self,
        mut request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if let Some(user) = &self.user
            && self.is_for_data(&request.uri().to_string())
        {
            request.headers_mut().insert(ACT_AS, user.clone());
        }
        self.transport.send(request)
    }
}

#[cfg(test)]
mod tests {
    use svc_model::wire::transport_fn;

    use super::*;

    #[test]
    fn only_the_data_host_is_asked_as_somebody_else() {
        let of = |data: &str, app: &str, url: &str| {
            let never = transport_fn(|_| async { Ok(Response::new(Body::empty())) });
            let acting = ActingAs {
                uid: "u1".to_owned(),
                email: "ann@example.com".to_owned(),
            };
            let transport = AsUser::around(Arc::new(never), Some(&acting), data, app);
            transport.unwrap().is_for_data(url)
        };
        let (data, app) = ("http://localhost", "http://localhost/api");
        assert!(of(data, app, "http://localhost/projects/p/prod/r/models/m"));
        assert!(!of(data, app, "http://localhost/api/projects/p/"));
        let (data, app) = ("https://data.example", "https://app.example/api/");
        assert!(of(data, app, "https://data.example/projects/p"));
        assert!(!of(data, app, "https://app.example/api/projects/p"));
        assert!(!of(data, app, "https://data.example.org/projects/p"));
        let (data, app) = ("https://a.example/data/", "https://a.example");
        assert!(of(data, app, "https://a.example/data/projects/p"));
        assert!(!of(data, app, "https://a.example/projects/p"));
    }
}
