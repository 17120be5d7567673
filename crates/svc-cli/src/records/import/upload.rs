//! The file of an import on its way to the service.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::BytesMut;
use http_body_util::channel::{Channel, Sender};
use svc_model::wire::{Body, Upload};
use tokio::{fs::File, io::AsyncReadExt as _};

use crate::records::transfer::FileFormat;

/// How much of the file is read at a time.
const PIECE: usize = 256 << 10;

/// The file as the body of a request, and how many of its bytes were sent.
pub(super) fn upload(path: PathBuf, format: FileFormat) -> (Upload, Arc<AtomicU64>) {
    let media_type = match format {
        FileFormat::Csv => "text/csv",
        FileFormat::Ndjson => "application/x-ndjson",
    };
    let sent = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&sent);
    let upload = Upload::new(media_type, move || {
        let (sender, body) = Channel::<_, io::Error>::new(2);
        counter.store(0, Ordering::Relaxed);
        tokio::spawn(send(path.clone(), sender, Arc::clone(&counter)));
        Body::stream(body)
    });
    (upload, sent)
}

async fn send(path: PathBuf, mut sender: Sender<bytes::Bytes, io::Error>, sent: Arc<AtomicU64>) {
    let mut file = match File::open(&path).await {
        Ok(file) => file,
        Err(error) => return sender.abort(error),
    };
    loop {
        let mut piece = BytesMut::with_capacity(PIECE);
        let read = loop {
            match file.read_buf(&mut piece).await {
                Ok(0) => break Ok(()),
                Ok(_) if piece.len() < PIECE => {}
                Ok(_) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if let Err(error) = read {
            return sender.abort(error);
        }
        if piece.is_empty() {
            return;
        }
        let bytes = piece.len() as u64;
        // The service has answered, or the connection is gone: the call tells.
        if sender.send_data(piece.freeze()).await.is_err() {
            return;
        }
        sent.fetch_add(bytes, Ordering::Relaxed);
    }
}
