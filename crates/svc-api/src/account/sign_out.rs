//! Signing out.

use std::{fmt, future::IntoFuture};

use http::header;
use svc_auth::account::Logout;
use svc_model::{
    Realm,
    wire::{AnyOperation, BoxFuture, Operation, OperationInfo, RealmOperation},
};

use crate::{Client, Error, RequestOptions};

static LOGOUT: OperationInfo = Logout::INFO;
static LOGOUT_OF_ACCOUNT: OperationInfo = <Logout as RealmOperation>::OF_SERVICE;

/// A call that signs out, from [`Account::logout`](crate::Account::logout). Run it with
/// [`send`](Self::send) or `.await`.
#[must_use = "nobody is signed out until it is sent"]
pub struct SignOut {
    client: Client,
    realm: Realm,
    revoke: bool,
}

impl SignOut {
    pub(super) fn new(client: &Client, realm: Realm) -> Self {
        Self {
            client: client.clone(),
            realm,
            revoke: false,
        }
    }

    /// Also ends the session at the service: `POST .../auth/logout`.
    ///
    /// The tokens are deleted even when the service cannot be reached.
    pub fn revoke(mut self) -> Self {
        self.revoke = true;
        self
    }

    /// Signs out.
    ///
    /// # Errors
    /// Kind [`Store`](crate::ErrorKind::Store) when the store cannot be emptied. The client itself has
    /// deleted the tokens even then.
    pub async fn send(self) -> Result<(), Error> {
        let session = self.client.session();
        let headers = match self.revoke {
            true => session.headers().await.ok().flatten(),
            false => None,
        };
        // Done before the request to the service, which can take long and be cancelled.
        let signed_out = session.sign_out().await;
        let header = headers.and_then(|mut headers| headers.remove(header::AUTHORIZATION));
        if let Some(header) = header {
            let logout = Logout::new(self.realm);
            let info = match &logout.realm {
                Realm::Service => &LOGOUT_OF_ACCOUNT,
                _ => &LOGOUT,
            };
            let mut operation = AnyOperation::new(info);
            let arguments = logout.path_arguments();
            operation.arguments = arguments.iter().map(ToString::to_string).collect();
            let options = RequestOptions::new().header(header::AUTHORIZATION, header);
            // The result is ignored: nothing could be done about a failure.
            let _ = self.client.send_any(&operation, &options).await;
        }
        signed_out.map_err(|error| Error::store(&LOGOUT, error))
    }
}

impl IntoFuture for SignOut {
    type Output = Result<(), Error>;
    type IntoFuture = BoxFuture<'static, Result<(), Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl fmt::Debug for SignOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignOut")
            .field("revoke", &self.revoke)
            .finish_non_exhaustive()
    }
}
