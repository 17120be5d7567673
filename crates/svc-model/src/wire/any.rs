//! Operations whose result is of no interest.

use std::fmt;

use super::{Body, Operation, OperationInfo, PathArguments, RequestError};

/// An [`Operation`] without the type of what it gives: enough to send it.
///
/// It is for programs that hand the bytes of an answer on, and for those that choose the operation while they
/// run.
///
/// ```
/// use svc_model::{pages, wire::AnyOperation};
///
/// let operation = AnyOperation::new(pages::List::new("shop", "prod"));
/// assert_eq!(operation.info().name, "pages.list");
/// let request = operation.to_request("https://app.example.com/api")?;
/// assert_eq!(request.uri().path(), "/api/projects/shop/prod/view_settings/");
/// # Ok::<(), svc_model::wire::RequestError>(())
/// ```
pub struct AnyOperation(Box<dyn Erased>);

impl AnyOperation {
    /// The operation without its type.
    pub fn new<O: Operation + 'static>(operation: O) -> Self {
        Self(Box::new(operation))
    }

    /// What the call is.
    pub fn info(&self) -> &'static OperationInfo {
        self.0.info()
    }

    /// The values of the path template's names, in their order.
    pub fn path_arguments(&self) -> PathArguments<'_> {
        self.0.arguments()
    }

    /// As [`Operation::to_request`].
    ///
    /// # Errors
    /// As there.
    pub fn to_request(&self, base_url: &str) -> Result<http::Request<Body>, RequestError> {
        self.0.request(base_url)
    }
}

impl fmt::Debug for AnyOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyOperation")
            .field(&self.info().name)
            .finish()
    }
}

trait Erased: Send + Sync {
    fn info(&self) -> &'static OperationInfo;
    fn arguments(&self) -> PathArguments<'_>;
    fn request(&self, base_url: &str) -> Result<http::Request<Body>, RequestError>;
}

impl<O: Operation> Erased for O {
    fn info(&self) -> &'static OperationInfo {
        const { &O::INFO }
    }

    fn arguments(&self) -> PathArguments<'_> {
        self.path_arguments()
    }

    fn request(&self, base_url: &str) -> Result<http::Request<Body>, RequestError> {
        self.to_request(base_url)
    }
}
