//! The file of an import: it is kept in the folder of the store while its rows are read.

use std::{
    fs::File,
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use sha2::{Digest as _, Sha256};
use svc_model::Invalid;
use svc_store::Store;
use tokio::io::AsyncWriteExt as _;
use uuid::Uuid;

use crate::{
    auth::access::ResourceRequest,
    http::{
        ApiError, ApiResult,
        body::{self, arriving::Streaming},
    },
};

/// The largest file.
const LARGEST: u64 = 16 << 30;
/// How much room is left to others where the file is kept.
const LEFT_FREE: u64 = 512 << 20;
/// How much of a file is in memory while it arrives.
const BUFFER: usize = 256 << 10;
/// After how many bytes it is asked whether there is room for more.
const ASKED_EVERY: u64 = 4 << 20;

/// A file that has arrived. It is removed again unless it is kept.
pub(super) struct ReceivedFile {
    store: Store,
    uid: Uuid,
    is_kept: AtomicBool,
    pub(super) bytes: u64,
    /// The hash of the file and of how it is read.
    pub(super) hash: String,
}

impl ReceivedFile {
    pub(super) fn open(&self) -> ApiResult<File> {
        self.store.imports().open_file(self.uid).map_err(unusable)
    }

    /// The import that needs it is known to the store.
    pub(super) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for ReceivedFile {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::Relaxed)
            && let Err(error) = self.store.imports().remove_file(self.uid)
        {
            tracing::warn!(%error, import = %self.uid, "the file of an import could not be removed");
        }
    }
}

/// Keeps the body of a request as a file, which is read by these settings.
pub(super) async fn receive(
    request: &ResourceRequest,
    mut body: Body,
    store: &Store,
    uid: Uuid,
    settings: &str,
) -> ApiResult<ReceivedFile> {
    if let Some(streaming) = request.parts.extensions.get::<std::sync::Arc<Streaming>>() {
        streaming.begin();
    }
    let imports = store.imports();
    let mut hash = Sha256::new_with_prefix(settings);
    let file = imports.create_file(uid).map_err(unusable)?;
    let mut received = ReceivedFile {
        store: store.clone(),
        uid,
        is_kept: AtomicBool::new(false),
        bytes: 0,
        hash: String::new(),
    };
    let mut file = tokio::fs::File::from_std(file);
    let mut buffer = BytesMut::with_capacity(BUFFER);
    let mut asked_at = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| body::broken_off(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        received.bytes += data.len() as u64;
        if received.bytes > LARGEST {
            let limit = usize::try_from(LARGEST).unwrap_or(usize::MAX);
            return Err(ApiError::PayloadTooLarge { limit });
        }
        if received.bytes >= asked_at {
            asked_at = received.bytes + ASKED_EVERY;
            let free = imports.free_bytes();
            if free.is_some_and(|free| free < LEFT_FREE + ASKED_EVERY) {
                return Err(unusable(io::ErrorKind::StorageFull.into()));
            }
        }
        hash.update(&data);
        write(&mut file, &mut buffer, data)
            .await
            .map_err(unusable)?;
    }
    file.write_all(&buffer).await.map_err(unusable)?;
    file.sync_all().await.map_err(unusable)?;
    let hash = hash.finalize();
    received.hash = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(received)
}

/// Writes pieces together, where they are small.
async fn write(file: &mut tokio::fs::File, buffer: &mut BytesMut, data: Bytes) -> io::Result<()> {
    if buffer.len() + data.len() > BUFFER {
        file.write_all(buffer).await?;
        buffer.clear();
    }
    match data.len() > BUFFER {
        true => file.write_all(&data).await,
        false => {
            buffer.extend_from_slice(&data);
            Ok(())
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps the errors of calls")]
fn unusable(error: io::Error) -> ApiError {
    tracing::error!(%error, "the file of an import cannot be used");
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "there is no room for this file where the service keeps the files of imports"
        }
        _ => "the service cannot use the files of imports now",
    };
    ApiError::StoreUnavailable(format!("{why}; try again later, or import it in parts"))
}

/// A message about a file as a whole.
pub(super) fn wrong(message: impl Into<String>) -> ApiError {
    ApiError::Invalid(Invalid::general(message))
}
