//! What every command works with: where the store is, the configuration file, and the output.

pub(crate) mod place;

use std::path::{Path, PathBuf};

use clap::Args;
use svc_server::SettingSource;
use svc_store::{Actor, Store};

use self::place::{Place, PlaceOptions};

use crate::{
    error::Error,
    output::Output,
    serve::options::{ConfigFile, Sources},
};

/// The folder of the store when none is named.
pub(crate) const DEFAULT_DIR: &str = "svc-data";
/// The database of a store; where it is missing there is no store yet.
pub(crate) const STORE_FILE: &str = "store.db";

/// The options that every command has.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    #[command(flatten)]
    place: PlaceOptions,
    /// Print one machine-readable line; messages go to standard error
    #[arg(long, global = true)]
    json: bool,
    /// TOML file with the options of the server and of the store; flags and variables win over it
    #[arg(long, global = true, value_name = "FILE", env = "SVC_CONFIG")]
    config: Option<PathBuf>,
}

/// What every command works with.
#[derive(Default)]
pub(crate) struct Context {
    /// Where the store is.
    pub(crate) place: Place,
    /// What the configuration file says; nothing when there is none.
    pub(crate) file: ConfigFile,
    /// Which options were set by flags, and which by variables, by their identifiers.
    pub(crate) sources: Sources,
    /// Where results go.
    pub(crate) output: Output,
}

impl Context {
    /// Reads the configuration file, when one is named.
    pub(crate) fn new(common: Common, sources: Sources) -> Result<Self, Error> {
        let file = match &common.config {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::default(),
        };
        Ok(Self {
            place: Place::new(common.place, &file, &sources)?,
            file,
            sources,
            output: Output::new(common.json),
        })
    }

    /// Whether a store was named.
    pub(crate) fn names_store(&self) -> bool {
        self.place.is_named()
    }

    /// Whether an option was set by a flag, not by a variable or the configuration file.
    pub(crate) fn is_flag(&self, option: &str) -> bool {
        self.sources.get(option) == Some(&SettingSource::Flag)
    }

    /// Opens the store; makes it when there is none.
    pub(crate) async fn store(&self) -> Result<Store, Error> {
        self.place.open(false).await
    }

    /// Opens the store of a command that has no use for an empty one, which a mistyped folder would be.
    pub(crate) async fn existing_store(&self) -> Result<Store, Error> {
        self.place.open(true).await
    }
}

/// Who runs this program, as the operating system's session knows it.
pub(crate) fn actor() -> Actor {
    let mut variables = ["SUDO_USER", "USER", "LOGNAME", "USERNAME"].into_iter();
    let user = variables.find_map(|variable| std::env::var(variable).ok());
    Actor::program(user.filter(|user| !user.is_empty() && !user.contains(char::is_control)))
}

/// Whether there is a store in a folder. Where the folder may not be read, opening the store says so.
pub(crate) fn has_store(dir: &Path) -> bool {
    !matches!(dir.join(STORE_FILE).try_exists(), Ok(false))
}
