//! Beginning an import.

use std::{sync::Mutex, time::Duration};

use sha2::{Digest as _, Sha256};
use svc_api::{Error, RequestOptions};
use svc_model::{
    imports::{Begin, Import, ImportState, RefusedRow},
    records::Collection,
    wire::{Body, Upload},
};

use super::{File, mapping::Mapped};
use crate::places::model::Model;

/// How long a small file may take to be tried, before somebody is shown how far it is.
const PATIENCE: Duration = Duration::from_secs(4);
/// How often it is asked for meanwhile.
const PAUSE: Duration = Duration::from_millis(100);
/// How many refused rows are shown.
const SHOWN: u32 = 20;

/// What became of it.
#[derive(Debug)]
pub(super) enum Begun {
    /// It goes on.
    Running(Import),
    /// A small file was tried to its end, with some of the rows that would be refused.
    Tried(Import, Vec<RefusedRow>),
}

/// Begins an import of a file, or what was begun with this form before.
pub(super) async fn begin(
    model: &Model<'_>,
    mapped: &Mapped,
    file: File,
    is_dry: bool,
) -> Result<Begun, Error> {
    let context = &model.context;
    let scope = (
        context.scope.project.as_str(),
        context.scope.environment.as_str(),
    );
    let is_small = matches!(file, File::Text(_));
    let upload = match file {
        File::Text(text) => Upload::bytes("text/csv", text),
        File::Arriving(file, _) => {
            let body = Mutex::new(Some(file.into_body()));
            Upload::new("text/csv", move || {
                let body = body.lock().ok().and_then(|mut body| body.take());
                body.unwrap_or_else(Body::empty)
            })
        }
        File::None => Upload::bytes("text/csv", ""),
    };
    let collection = Collection::new(scope, model.resource.clone(), model.name.clone());
    let mut begin = Begin::new(collection, upload)
        .mapping(mapped.mapping())
        .empty_cells(mapped.empty_cells())
        .dry_run(is_dry)
        .delimiter(mapped.delimiter)
        .idempotency_key(key(&mapped.text(is_dry)));
    begin.on_conflict.clone_from(&mapped.on_conflict);
    begin.time_zone.clone_from(&context.account.timezone);
    let call = context.client.call(begin);
    // A file that arrives takes as long as the browser needs to send it.
    let options = RequestOptions::new().no_deadline().max_tries(1);
    let mut import = call.options(options).send().await?;
    if !is_dry || !is_small {
        return Ok(Begun::Running(import));
    }
    let imports = model.records().imports();
    let uid = import.uid.clone();
    let tried = tokio::time::timeout(PATIENCE, async {
        while import.state == ImportState::Running {
            tokio::time::sleep(PAUSE).await;
            import = imports.get(&uid).send().await?;
        }
        Ok::<_, Error>(import)
    });
    match tried.await {
        Ok(tried) => {
            let tried = tried?;
            let refused = imports.list_refused(&uid).limit(SHOWN).send().await?;
            Ok(Begun::Tried(tried, refused))
        }
        Err(_) => Ok(Begun::Running(imports.get(&uid).send().await?)),
    }
}

/// The key of an import: the same for the same form, however often it is sent.
fn key(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
