//! Bodies that are no JSON: files that are sent as they are.

use std::{borrow::Cow, fmt, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, header};

use super::{Body, Operation, RequestError, operation};

/// A file that is sent as the body of a request: its media type, and its bytes.
///
/// ```
/// use svc_model::wire::Upload;
///
/// let upload = Upload::bytes("text/csv", "name,city\nAda,London\n");
/// assert_eq!(upload.media_type(), "text/csv");
/// ```
#[derive(Clone)]
pub struct Upload {
    media_type: Cow<'static, str>,
    body: Arc<dyn Fn() -> Body + Send + Sync>,
}

impl Upload {
    /// A file whose bytes are in memory.
    pub fn bytes(media_type: impl Into<Cow<'static, str>>, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::new(media_type, move || Body::from(bytes.clone()))
    }

    /// A file that is read while it is sent. The function makes a body for each request, usually a
    /// [stream](Body::stream). A request whose body streams is sent once.
    pub fn new(
        media_type: impl Into<Cow<'static, str>>,
        body: impl Fn() -> Body + Send + Sync + 'static,
    ) -> Self {
        Self {
            media_type: media_type.into(),
            body: Arc::new(body),
        }
    }

    /// The media type, such as `text/csv`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// A body with the bytes of the file.
    pub fn body(&self) -> Body {
        (self.body)()
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("media_type", &self.media_type)
            .finish_non_exhaustive()
    }
}

/// The request of an operation whose body is a file.
///
/// # Errors
/// As [`Operation::to_request`]; also when the media type cannot stand in a header.
pub fn upload_request<O: Operation>(
    operation: &O,
    base_url: &str,
    upload: &Upload,
) -> Result<http::Request<Body>, RequestError> {
    let mut request = operation::request(
        operation.info(),
        base_url,
        &operation.path_arguments(),
        &operation.query(),
        None,
        operation.headers(),
    )?;
    let media_type = HeaderValue::try_from(upload.media_type()).map_err(|error| {
        RequestError::new("the media type of a file cannot be sent").with_source(error)
    })?;
    request
        .headers_mut()
        .insert(header::CONTENT_TYPE, media_type);
    *request.body_mut() = upload.body();
    Ok(request)
}
