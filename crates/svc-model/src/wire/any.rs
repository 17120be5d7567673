//! Operations that are put together while a program runs.

use bytes::Bytes;
use http::HeaderName;

use super::{Body, OperationInfo, PathArguments, RequestError, operation};
use crate::QueryString;

/// A call whose operation is not known before the program runs, and whose answer is handed on as it came: for
/// gateways, and for bindings to other languages. Anyone who knows the operation has an
/// [`Operation`](super::Operation) of its own type.
///
/// ```
/// use svc_model::{records, wire::{AnyOperation, Operation}};
///
/// static CREATE: svc_model::wire::OperationInfo = <records::Create>::INFO;
///
/// let mut operation = AnyOperation::new(&CREATE);
/// operation.arguments = ["demo", "prod", "shop", "orders"].map(str::to_owned).into();
/// operation.body = Some(r#"{"status":"new"}"#.into());
/// let request = operation.to_request("https://data.example.com")?;
/// assert_eq!(request.uri().path(), "/projects/demo/prod/shop/models/orders");
/// # Ok::<(), svc_model::wire::RequestError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnyOperation {
    /// What the call is.
    pub info: &'static OperationInfo,
    /// The values of the path template's names, in their order.
    pub arguments: Vec<String>,
    /// The query string.
    pub query: QueryString,
    /// The JSON body, where the operation has one.
    pub body: Option<Bytes>,
    /// Further headers.
    pub headers: Vec<(HeaderName, String)>,
}

impl AnyOperation {
    /// A call without arguments, query, body or headers.
    pub fn new(info: &'static OperationInfo) -> Self {
        Self {
            info,
            arguments: Vec::new(),
            query: QueryString::new(),
            body: None,
            headers: Vec::new(),
        }
    }

    /// The values of the path template's names, in their order.
    ///
    /// # Errors
    /// [`RequestError`] when there are more than any path has.
    pub fn path_arguments(&self) -> Result<PathArguments<'_>, RequestError> {
        PathArguments::from_texts(&self.arguments)
    }

    /// The request of this call, as [`Operation::to_request`](super::Operation::to_request) makes it.
    ///
    /// # Errors
    /// As there.
    pub fn to_request(&self, base_url: &str) -> Result<http::Request<Body>, RequestError> {
        operation::request(
            self.info.clone(),
            base_url,
            &self.path_arguments()?,
            &self.query,
            self.body.clone(),
            self.headers.clone(),
        )
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, header};

    use super::*;
    use crate::{pages, wire::Operation};

    static UPDATE: OperationInfo = pages::Update::INFO;

    #[test]
    fn the_request_is_that_of_the_operation_of_its_own_type() {
        let mut typed = pages::Update::new(("demo", "prod"), "7", crate::UpdatePageSettings::new());
        typed.if_match = Some("\"3\"".to_owned());
        let mut any = AnyOperation::new(&UPDATE);
        any.arguments = ["demo", "prod", "7"].map(str::to_owned).into();
        any.query = typed.query();
        any.body = typed.body().unwrap();
        any.headers = typed.headers();
        let [typed, any] = [
            typed.to_request("https://a.example/api"),
            any.to_request("https://a.example/api"),
        ]
        .map(Result::unwrap);
        assert_eq!(any.method(), Method::PATCH);
        assert_eq!(any.uri(), typed.uri());
        assert_eq!(any.headers(), typed.headers());
        assert_eq!(any.headers()[header::IF_MATCH], "\"3\"");
        assert_eq!(any.body().as_bytes(), typed.body().as_bytes());
        assert_eq!(any.extensions().get::<OperationInfo>(), Some(&UPDATE));
    }

    #[test]
    fn a_missing_argument_is_an_error_and_so_is_one_too_many_for_any_path() {
        let mut any = AnyOperation::new(&UPDATE);
        any.arguments = vec!["demo".to_owned()];
        assert!(any.to_request("https://a.example").is_err());
        any.arguments = vec!["demo".to_owned(); 9];
        assert!(any.to_request("https://a.example").is_err());
    }
}
