//! Documents made of the structure of a resource, as far as their caller may see it.

use std::sync::Arc;

use svc_model::resources::ModelDescription;

use crate::{
    auth::access::{Call, Describe},
    http::{ApiResult, resource_path::ResourcePath},
    state::documents::{DocumentKey, DocumentKind},
};

/// Answers with a document, written by `write` unless it was before.
pub(crate) async fn answer(
    Call {
        access, request, ..
    }: Call<Describe>,
    kind: DocumentKind,
    write: impl FnOnce(&ResourcePath, &[ModelDescription]) -> serde_json::Result<Vec<u8>>
    + Send
    + 'static,
) -> ApiResult {
    request.check_query()?;
    let structure = access.structure().await?;
    let key = DocumentKey {
        kind,
        path: access.path().clone(),
        params: access.params(),
        limits: access.limits(),
        structure: Arc::clone(&structure),
    };
    let documents = &request.state.documents;
    let document = documents.get_or_make(key, move || {
        write(access.path(), &access.descriptions_of(&structure))
    });
    Ok(document.await?.answer(&request.parts.headers))
}
