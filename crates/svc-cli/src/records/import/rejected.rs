//! The file of the records that were refused, beside the imported one.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use svc_api::Imports;

use crate::{
    error::{Error, OrIo as _, OrJson as _},
    output::row,
    records::transfer::beside,
};

/// How many refused rows are asked for at a time.
const PER_PAGE: u32 = 1_000;

/// Where the refused records of a file go.
pub(super) fn path_beside(imported: &Path) -> PathBuf {
    beside(imported, ".rejected.ndjson")
}

/// The size of the file; 0 if it does not exist.
pub(super) fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Writes the refused rows of an import behind those of earlier ones, which take so many bytes, and says whether the file
/// has any.
pub(super) async fn write(
    path: &Path,
    imports: &Imports,
    import: &str,
    kept: u64,
) -> Result<bool, Error> {
    let mut file = open(path, kept).or_io("write", path)?;
    let mut after = 0;
    loop {
        let rows = imports.list_refused(import).after(after).limit(PER_PAGE);
        let rows = rows.await?;
        let Some(last) = rows.last() else { break };
        after = last.number;
        for refused in &rows {
            let rejected =
                row! { number: refused.number, errors: &refused.errors, record: &refused.row };
            let line = serde_json::to_string(&rejected).or_json("a record")? + "\n";
            file.write_all(line.as_bytes()).or_io("write", path)?;
        }
    }
    let file = file
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error);
    let file = file.or_io("write", path)?;
    file.sync_data().or_io("write", path)?;
    let is_empty = file.metadata().or_io("read", path)?.len() == 0;
    if is_empty {
        fs::remove_file(path).or_io("remove", path)?;
    }
    Ok(!is_empty)
}

fn open(path: &Path, kept: u64) -> std::io::Result<BufWriter<File>> {
    let mut file = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path)?;
    file.set_len(kept)?;
    file.seek(SeekFrom::End(0))?;
    Ok(BufWriter::new(file))
}
