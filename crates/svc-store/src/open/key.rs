//! The key of the store: given by a variable, or in a file.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::StoreOptions;
use crate::database::{files, make_private_dir, private_file, sync_dir};
use crate::error::{Error, Result};
use crate::secrets::SealKey;

/// Where the key of the store is.
#[derive(Clone)]
pub(crate) struct KeyPlace {
    /// The key itself, where it was given.
    given: Option<SealKey>,
    file: PathBuf,
    /// What the store is called in messages.
    store: String,
    /// Whether other machines may have the store open, with the key in files of their own.
    is_shared: bool,
}

impl SealKey {
    /// The key in a file of a program that has no store. Where there is no such file it is made, and only its owner may read it.
    ///
    /// # Errors
    /// When the file cannot be read or made, or holds no key.
    pub fn kept_in(file: &Path) -> Result<Self> {
        let place = KeyPlace {
            given: None,
            file: file.to_owned(),
            store: String::new(),
            is_shared: false,
        };
        if let Some(key) = place.find()? {
            return Ok(key);
        }
        // Of two that start at once, the second takes the key of the first.
        let _locked = files::lock(place.dir())?;
        place.find_or_make()
    }
}

impl KeyPlace {
    pub(crate) fn new(dir: &Path, options: &StoreOptions) -> Self {
        let file = options.key_file.clone();
        let is_shared = options.database.is_some();
        Self {
            given: options.seal_key.clone(),
            file: file.unwrap_or_else(|| files::default_key_file(dir)),
            store: match is_shared {
                true => "in the database that --store names".to_owned(),
                false => files::database_file(dir).display().to_string(),
            },
            is_shared,
        }
    }

    /// The key of the store in a folder, unless it is given.
    pub(crate) fn of(dir: &Path, key: Option<SealKey>) -> Self {
        let options = StoreOptions {
            seal_key: key,
            ..StoreOptions::default()
        };
        Self::new(dir, &options)
    }

    /// The key of a store in a database on a server that is looked at, under the name that messages have for it; `None` when
    /// neither the key nor a file is known.
    pub(crate) fn of_database(
        store: &str,
        given: Option<SealKey>,
        file: Option<PathBuf>,
    ) -> Option<Self> {
        (given.is_some() || file.is_some()).then(|| Self {
            given,
            file: file.unwrap_or_default(),
            store: store.to_owned(),
            is_shared: true,
        })
    }

    /// Whether the key itself was given, and no file is looked for.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The key that was given, or else the one in the file; `None` when there is no such file.
    pub(crate) fn find(&self) -> Result<Option<SealKey>> {
        if let Some(key) = &self.given {
            return Ok(Some(key.clone()));
        }
        let file = self.file.display();
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(Error::unavailable(format!(
                    "the key file {file} cannot be read; let the user who runs this program read it"
                ))
                .with_source(source));
            }
        };
        let (what, remedy) = match self.store.is_empty() {
            false => (
                "the key of the store",
                "restore it from your backup of the store",
            ),
            true => (
                "the key",
                "restore it from a backup, or remove it: another one is made then",
            ),
        };
        files::warn_when_others_may_read(&self.file, what, "chmod 600");
        match SealKey::parse(&text) {
            Ok(key) => Ok(Some(key)),
            Err(_) => Err(Error::unavailable(format!(
                "the key file {file} is damaged; {remedy}"
            ))),
        }
    }

    /// The folder of the file.
    fn dir(&self) -> &Path {
        match self.file.parent() {
            Some(dir) if dir != Path::new("") => dir,
            _ => Path::new("."),
        }
    }

    /// The key, for a store that has none yet.
    pub(super) fn find_or_make(&self) -> Result<SealKey> {
        self.find()?.map_or_else(|| self.make(), Ok)
    }

    /// Makes a key and its file.
    fn make(&self) -> Result<SealKey> {
        let key = SealKey::generate()?;
        self.write(&key)?;
        Ok(key)
    }

    /// Writes the file of a key. It appears whole or not at all.
    pub(crate) fn write(&self, key: &SealKey) -> Result<()> {
        // A process that was killed between the two steps may have left this file; nobody uses it.
        let mut unfinished = self.file.clone().into_os_string();
        unfinished.push(".new");
        let dir = self.dir();
        let write = || -> io::Result<()> {
            make_private_dir(dir)?;
            match fs::remove_file(&unfinished) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = private_file().create_new(true).open(&unfinished)?;
            writeln!(file, "{}", key.expose().expose())?;
            file.sync_all()?;
            fs::rename(&unfinished, &self.file)?;
            sync_dir(dir)
        };
        write().map_err(|source| {
            Error::unavailable(format!(
                "the key file {} cannot be written; choose another place for it, or let the user who runs this program write there: {source}",
                self.file.display()
            ))
            .with_source(source)
        })
    }

    /// Whether a store that was sealed with a key that is lost may have another one, as long as nothing is sealed in it.
    /// Where other machines may have it open, one of them may have the key.
    pub(super) fn may_be_replaced(&self) -> bool {
        !self.is_shared
    }

    pub(crate) fn is_missing(&self) -> Error {
        let remedy = match self.is_shared {
            false => "restore it from your backup, or give the key that this store was made with",
            true => {
                "copy it from a machine that has it (the one that made the store), name it with --key-file, or set SVC_STORE_KEY"
            }
        };
        Error::unavailable(format!(
            "the key file {} is missing, but the store holds secrets that were sealed with it; {remedy}",
            self.file.display()
        ))
    }

    pub(crate) fn is_wrong(&self) -> Error {
        let (what, remedy) = match self.given {
            Some(_) => (
                "the key that was given".to_owned(),
                "give the key that this store was made with",
            ),
            None => (
                format!("the key file {}", self.file.display()),
                "restore the one that was made with it",
            ),
        };
        Error::unavailable(format!(
            "{what} does not belong to the store {}; {remedy}",
            self.store
        ))
    }
}
