//! `svc generate`: types of the models of connected resources, for programs that use their records.

mod names;
mod rust;
mod structure;
mod typescript;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use svc_api::{Client, auth::ApiToken};
use svc_model::ResourceName;

use self::structure::Resource;
use crate::{
    admin::{
        scope::RESOURCES,
        service::{ServiceResult as _, all},
    },
    client::DataService,
    context::Context,
    error::{Error, OrIo as _},
    output::{counted, row},
};

/// Write types of the models of connected resources, in TypeScript or Rust
///
/// One type for the records of each model, one for new records, one for changes, with the names of fields and relations. The same
/// structure gives the same bytes.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc generate typescript --resource shop --out src/shop.ts\n  \
    svc generate rust --resource shop --out src/models.rs\n  \
    svc generate typescript --resource shop --out src/shop.ts --check")]
pub(crate) struct Generate {
    /// The language
    language: Language,
    /// Connected resource; repeat it for several [default: all, for which an API key is needed]
    #[arg(long = "resource", value_name = "R")]
    resources: Vec<ResourceName>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write nothing, and fail when the file is out of date
    #[arg(long, requires = "out")]
    check: bool,
    /// API key of an account, which may read the structure of every resource; better in the variable, since lists of processes
    /// show flags
    #[arg(
        long,
        value_name = "KEY",
        env = "SVC_API_KEY",
        hide_env_values = true,
        help_heading = "Service"
    )]
    api_key: Option<String>,
    #[command(flatten)]
    service: DataService,
}

/// The languages that types are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Interfaces
    Typescript,
    /// Structs with serde's names
    Rust,
}

impl Generate {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let resources = self.described().await?;
        let types = match self.language {
            Language::Typescript => typescript::types(&resources),
            Language::Rust => rust::types(&resources),
        };
        let output = &context.output;
        let Some(file) = &self.out else {
            return output.result(&row! { types: &types }, &types);
        };
        let is_current = has(file, &types)?;
        let shown = file.display().to_string();
        if self.check && !is_current {
            let state = if file.exists() {
                "is out of date"
            } else {
                "is not there"
            };
            return Err(Error::new(format!(
                "{shown} {state}; the same command without --check writes it"
            )));
        }
        if !is_current {
            write(file, &types)?;
        }
        let models: usize = resources.iter().map(|it| it.models.len()).sum();
        let text = match is_current {
            true => format!("{shown} is up to date\n"),
            false => format!("{shown} has the types of {}\n", counted(models, "model")),
        };
        output.result(
            &row! { file: &shown, models: models, written: !is_current },
            &text,
        )
    }

    /// The structure of the resources, in the order of their names.
    async fn described(&self) -> Result<Vec<Resource>, Error> {
        let mut names = self.resources.clone();
        if names.is_empty() {
            let client = self.account()?.ok_or_else(|| {
                Error::usage(
                    "name a resource with --resource, or set SVC_API_KEY to the API key of an account for all of them",
                )
            })?;
            let listed = all(client.administration().resources().list()).await;
            let databases = listed.or_missing(RESOURCES)?.into_iter();
            let databases = databases.filter(|resource| resource.kind == "database");
            names.extend(databases.map(|resource| resource.unique_name));
        }
        names.sort();
        names.dedup();
        let mut resources = Vec::with_capacity(names.len());
        for name in names {
            let client = match self.account()? {
                Some(client) => client,
                None => self.service.client(&name)?,
            };
            let models = client.resource(&name).model_descriptions().send().await;
            let models = models.or_missing(RESOURCES)?;
            resources.push(Resource { name, models });
        }
        Ok(resources)
    }

    /// A client with the API key, if there is one.
    fn account(&self) -> Result<Option<Client>, Error> {
        let key = self.api_key.as_deref().map(str::trim);
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Ok(None);
        };
        let key =
            ApiToken::new(key).map_err(|error| Error::usage(format!("SVC_API_KEY: {error}")))?;
        self.service.client_of_account(&key).map(Some)
    }
}

/// Whether a file has this text, however its lines end.
fn has(file: &Path, text: &str) -> Result<bool, Error> {
    match fs::read_to_string(file) {
        Ok(found) => Ok(found.replace("\r\n", "\n") == text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).or_io("read", file),
    }
}

/// Replaces a file, or what a link leads to: it has the old or the new text whatever happens.
fn write(file: &Path, text: &str) -> Result<(), Error> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut new = target.clone().into_os_string();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let written = fs::File::create_new(&new).and_then(|mut out| {
        out.write_all(text.as_bytes())?;
        if let Ok(before) = fs::metadata(&target) {
            out.set_permissions(before.permissions())?;
        }
        out.sync_all()?;
        fs::rename(&new, &target)
    });
    if written.is_err() {
        // The error is about the file; what is left of the new one is in nobody's way.
        let _ = fs::remove_file(&new);
    }
    written.or_io("write", file)
}
