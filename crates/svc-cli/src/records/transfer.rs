//! What `svc records export` and `svc records import` have in common: files, their form, and the state beside them
//! with which an interrupted transfer continues.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{Error, OrIo as _, OrJson as _},
    output::Format,
};

/// The form of a file of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// One object on each line
    Ndjson,
    /// Comma-separated values with a header (RFC 4180)
    Csv,
}

impl FileFormat {
    /// The requested form, else the one that the name of the file has.
    pub(crate) fn of(path: &Path, requested: Option<Self>) -> Result<Self, Error> {
        let by_name = || match path.extension()?.to_str()? {
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "csv" => Some(Self::Csv),
            _ => None,
        };
        let path = path.display();
        requested.or_else(by_name).ok_or_else(|| {
            Error::usage(format!(
                "the format of {path} is not known from its name; end it in .csv or .ndjson, or give --file-format"
            ))
        })
    }
}

impl From<FileFormat> for Format {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Ndjson => Self::Ndjson,
            FileFormat::Csv => Self::Csv,
        }
    }
}

/// A file beside another one.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(extension);
    name.into()
}

/// The file with the state of a transfer that is under way.
pub(crate) struct StateFile {
    path: PathBuf,
}

impl StateFile {
    pub(crate) fn beside(path: &Path, extension: &str) -> Self {
        let path = beside(path, extension);
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = fs::read(&self.path).or_io("read", &self.path)?;
        let path = self.path.display();
        serde_json::from_slice(&text).map_err(|error| {
            Error::new(format!(
                "{path} cannot be understood: {error}; delete it and begin again"
            ))
        })
    }

    /// Replaces the state, so that it is either the old or the new one whatever happens.
    pub(crate) fn write(&self, state: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_vec(state).or_json("a state")?;
        let new = beside(&self.path, ".new");
        let written = fs::File::create(&new).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&new, &self.path)
        });
        written.or_io("write", &self.path)
    }

    pub(crate) fn remove(&self) -> Result<(), Error> {
        fs::remove_file(&self.path).or_io("remove", &self.path)
    }
}
