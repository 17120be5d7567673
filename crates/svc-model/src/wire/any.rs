//! Operations that are composed at run time.

use bytes::Bytes;
use http::HeaderName;

use super::{Body, OperationInfo, PathArguments, RequestError, operation};
use crate::QueryString;

/// A call whose operation is known only at run time, and whose response is passed on unchanged: for gateways, and for
/// bindings to other languages. If the operation is known at compile time, use its own type, which implements
/// [`Operation`](super::Operation).
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
    /// The description of the operation.
    pub info: &'static OperationInfo,
    /// The values of the names in the path template, in their order.
    pub arguments: Vec<String>,
    /// The query string.
    pub query: QueryString,
    /// The JSON body, if the operation has one.
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

    /// The values of the names in the path template, in their order.
    ///
    /// # Errors
    /// [`RequestError`] when there are more values than any path template has names.
    pub fn path_arguments(&self) -> Result<PathArguments<'_>, RequestError> {
        PathArguments::from_texts(&self.arguments)
    }

    /// The request of this call, like that of [`Operation::to_request`](super::Operation::to_request).
    ///
    /// # Errors
    /// The same as for that function.
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
    fn the_request_equals_that_of_the_typed_operation() {
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
    fn a_missing_argument_is_an_error_and_so_are_more_than_any_path_has() {
        let mut any = AnyOperation::new(&UPDATE);
        any.arguments = vec!["demo".to_owned()];
        assert!(any.to_request("https://a.example").is_err());
        any.arguments = vec!["demo".to_owned(); 9];
        assert!(any.to_request("https://a.example").is_err());
    }
}
