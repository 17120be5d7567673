//! Documents made of the structure of a resource: its API definition, and the descriptions of its models. They are made
//! once for a structure and the limits of a caller, off the threads that answer requests, and kept.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use svc_data::Structure;
use svc_model::resources::ResourceParams;

use crate::{
    auth::limits::KeptLimits,
    http::{
        ApiError, ApiResponse, ApiResult,
        resource_path::ResourcePath,
        response::{etag_of, tagged_response},
    },
};

/// The most bytes of documents that are kept together.
const MAX_KEPT: usize = 64 << 20;

/// What a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    OpenApi,
    Descriptions,
}

/// JSON bytes and their entity tag.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    body: Bytes,
    etag: String,
}

impl Document {
    /// The document, or 304 when the caller has it.
    pub(crate) fn answer(self, request: &HeaderMap) -> ApiResponse {
        tagged_response(StatusCode::OK, [self.body], &self.etag, Some(request))
    }
}

/// The documents that were made.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// The one that was requested last is at the end.
    kept: Mutex<VecDeque<Kept>>,
    /// Held while a document is made: callers who want the same one wait for it, and several do not take memory at once.
    making: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Kept {
    key: DocumentKey,
    document: Document,
}

/// What a document was made of.
#[derive(Clone, Debug)]
pub(crate) struct DocumentKey {
    pub(crate) kind: DocumentKind,
    pub(crate) path: ResourcePath,
    pub(crate) structure: Arc<Structure>,
    /// The settings of the resource, which say how its records are named.
    pub(crate) params: Arc<ResourceParams>,
    /// The limits of the caller; `None` where everything is allowed.
    pub(crate) limits: Option<KeptLimits>,
}

impl PartialEq for DocumentKey {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && Arc::ptr_eq(&self.structure, &other.structure)
            && self.path == other.path
            && self.params == other.params
            && self.limits == other.limits
    }
}

impl Documents {
    /// A document, made unless it was before.
    pub(crate) async fn get_or_make(
        &self,
        key: DocumentKey,
        make: impl FnOnce() -> serde_json::Result<Vec<u8>> + Send + 'static,
    ) -> ApiResult<Document> {
        if let Some(document) = self.find(&key) {
            return Ok(document);
        }
        let _making = self.making.lock().await;
        if let Some(document) = self.find(&key) {
            return Ok(document);
        }
        let made = tokio::task::spawn_blocking(move || {
            make().map(|body| Document {
                etag: etag_of(&body),
                body: body.into(),
            })
        });
        let document = made
            .await
            .map_err(|error| ApiError::Internal(format!("a document was not made: {error}")))?
            .map_err(|error| {
                ApiError::Internal(format!("a structure cannot be written as JSON: {error}"))
            })?;
        self.keep(key, document.clone());
        Ok(document)
    }

    fn find(&self, key: &DocumentKey) -> Option<Document> {
        let mut kept = self.kept.lock();
        let index = kept.iter().position(|kept| kept.key == *key)?;
        let found = kept.remove(index)?;
        let document = found.document.clone();
        kept.push_back(found);
        Some(document)
    }

    /// Keeps a document. Those of an older structure or of other settings of the resource go, and so do those that were not
    /// asked for longest while all of them are too large.
    fn keep(&self, key: DocumentKey, document: Document) {
        let mut kept = self.kept.lock();
        kept.retain(|kept| {
            kept.key.path != key.path
                || Arc::ptr_eq(&kept.key.structure, &key.structure) && kept.key.params == key.params
        });
        kept.push_back(Kept { key, document });
        let mut size: usize = kept.iter().map(|kept| kept.document.body.len()).sum();
        while size > MAX_KEPT
            && let Some(gone) = kept.pop_front()
        {
            size -= gone.document.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use svc_model::Scope;

    use super::*;

    async fn structure() -> Arc<Structure> {
        let folder = tempfile::tempdir().unwrap();
        let store = svc_store::Store::open(folder.path()).await.unwrap();
        let project = svc_model::ProjectName::from("main");
        let new = svc_store::NewProject::new(project.clone());
        store.projects().create(new).await.unwrap();
        let tools = store.tools(&Scope::new("main", "prod")).await.unwrap();
        tools.structure()
    }

    fn key(structure: &Arc<Structure>, kind: DocumentKind) -> DocumentKey {
        DocumentKey {
            kind,
            path: ResourcePath {
                scope: Scope::new("main", "prod"),
                resource: "shop".into(),
            },
            structure: Arc::clone(structure),
            params: Arc::default(),
            limits: None,
        }
    }

    #[tokio::test]
    async fn a_document_is_made_once_for_a_structure() {
        let documents = Documents::default();
        let made = Arc::new(AtomicUsize::new(0));
        let get = |key: DocumentKey| {
            let made = Arc::clone(&made);
            documents.get_or_make(key, move || {
                Ok(made.fetch_add(1, Ordering::SeqCst).to_string().into_bytes())
            })
        };
        let (old, new) = (structure().await, structure().await);
        let first = key(&old, DocumentKind::OpenApi);
        let both = tokio::join!(get(first.clone()), get(first.clone()));
        assert_eq!(
            (both.0.unwrap().body, both.1.unwrap().body),
            ("0".into(), "0".into())
        );
        let other = key(&old, DocumentKind::Descriptions);
        assert_eq!(get(other.clone()).await.unwrap().body, "1");
        assert_eq!(get(first.clone()).await.unwrap().body, "0");
        // Another structure takes the place of the old one.
        assert_eq!(
            get(key(&new, DocumentKind::OpenApi)).await.unwrap().body,
            "2"
        );
        assert_eq!(documents.kept.lock().len(), 1);
    }

    #[tokio::test]
    async fn what_is_kept_stays_within_bounds() {
        let documents = Documents::default();
        let structure = structure().await;
        for number in 0..5 {
            let mut key = key(&structure, DocumentKind::OpenApi);
            key.path.scope.environment = format!("e{number}").into();
            let body = vec![b' '; MAX_KEPT / 3];
            documents.get_or_make(key, move || Ok(body)).await.unwrap();
        }
        let kept = documents.kept.lock();
        let environments: Vec<_> = kept
            .iter()
            .map(|kept| kept.key.path.scope.environment.as_str())
            .collect();
        assert_eq!(environments, ["e2", "e3", "e4"]);
    }
}
