//! A token store in a file, for programs of one user.

mod lease;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    future::ready,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use serde_json::value::{RawValue, to_raw_value};
use svc_model::wire::BoxFuture;

use super::{Lease, STORAGE_KEY, StoreError, StoredTokens, Swap, TokenStore};

/// A token store in a file, which keeps the tokens after the program ends.
///
/// The file is a JSON object with the tokens under the key [`STORAGE_KEY`]; other keys stay unchanged.
/// It is replaced as a whole, never written in place. On Unix only its owner may read it (mode 0600; a
/// folder that is created for it has 0700). On Windows it has the permissions of its folder: choose one in the user's
/// profile.
///
/// Programs that share the file use two lock files beside it: `<file>.lock` during a change, and
/// `<file>.refresh`, whose lock is the [lease](TokenStore::lease). A lease ends automatically after a
/// minute, in case its holder has stopped.
///
/// It needs Rust 1.89, whose standard library can lock files; with an older one it does not exist.
///
/// ```no_run
/// use svc_auth::FileStore;
///
/// let store = FileStore::new("shop/tokens.json");
/// ```
#[derive(Clone, Debug)]
pub struct FileStore {
    path: PathBuf,
}

/// No file of tokens is longer, whatever other programs keep in it.
const LONGEST_FILE: u64 = 16 * 1024 * 1024;

/// The object in the file; values under other keys are kept unchanged.
type Entries = BTreeMap<String, Box<RawValue>>;

impl FileStore {
    /// A store in the file at `path`, which is created when the first tokens are stored.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of an additional file with this suffix.
    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(suffix);
        path.into()
    }

    fn read(&self) -> Result<(Entries, Option<StoredTokens>), StoreError> {
        let mut bytes = Vec::new();
        let read = File::open(&self.path)
            .and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(self.failed("read", error));
            }
            _ if bytes.len() as u64 > LONGEST_FILE => return Err(self.damaged()),
            _ => {}
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok((Entries::new(), None));
        }
        let entries: Entries = serde_json::from_slice(&bytes).map_err(|_| self.damaged())?;
        let tokens = match entries.get(STORAGE_KEY) {
            None => None,
            Some(entry) => serde_json::from_str(entry.get()).map_err(|_| self.damaged())?,
        };
        Ok((entries, tokens))
    }

    fn write(&self, mut entries: Entries, tokens: Option<&StoredTokens>) -> Result<(), StoreError> {
        match tokens {
            None if entries.remove(STORAGE_KEY).is_none() => return Ok(()),
            None => {}
            Some(tokens) => {
                let entry = to_raw_value(tokens).map_err(|error| self.failed("written", error))?;
                entries.insert(STORAGE_KEY.to_owned(), entry);
            }
        }
        let mut text =
            serde_json::to_vec(&entries).map_err(|error| self.failed("written", error))?;
        text.push(b'\n');
        self.put(&text)
            .map_err(|error| self.failed("written", error))
    }

    /// Replaces the file: readers see either the complete old or the complete new file, even after a crash.
    fn put(&self, text: &[u8]) -> io::Result<()> {
        // One temporary name is enough, since writers hold the lock. An existing file with that name is
        // left over from a crash.
        let temporary = self.beside(".tmp");
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&temporary)?;
        let written = file.write_all(text).and_then(|()| file.sync_all());
        drop(file);
        if let Err(error) = written.and_then(|()| fs::rename(&temporary, &self.path)) {
            // The first error is returned.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        #[cfg(unix)]
        File::open(folder(&self.path))?.sync_all()?;
        Ok(())
    }

    /// Reads the file and writes the result of `change`, under the lock.
    fn change<T>(
        &self,
        change: impl FnOnce(Entries, Option<StoredTokens>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let lock = self.beside(".lock");
        let _lock = lock_file(&lock).map_err(|error| self.failed("locked", error))?;
        let (entries, tokens) = self.read()?;
        change(entries, tokens)
    }

    fn damaged(&self) -> StoreError {
        // The message of serde is left out, since it may quote a token.
        StoreError::new(format!(
            "the token file {} is damaged: it is no JSON object with tokens under `{STORAGE_KEY}`; \
             delete it and sign in again",
            self.path.display()
        ))
    }

    fn failed(&self, done: &str, error: impl Into<io::Error>) -> StoreError {
        StoreError::new(format!(
            "the token file {} cannot be {done}; may this program read and write it and its folder?",
            self.path.display()
        ))
        .with_source(error.into())
    }
}

impl TokenStore for FileStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        Box::pin(ready(self.read().map(|(_, tokens)| tokens)))
    }

    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.change(|entries, _| self.write(entries, tokens)) })
    }

    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move {
            self.change(|entries, kept| {
                if kept.as_ref() != Some(expected) {
                    return Ok(Swap::Refused(kept));
                }
                self.write(entries, new).map(|()| Swap::Done)
            })
        })
    }

    fn lease(&self) -> BoxFuture<'_, Result<Lease, StoreError>> {
        Box::pin(async move {
            lease::take(self.beside(".refresh"), lease::LONGEST)
                .await
                .map_err(|error| self.failed("locked", error))
        })
    }
}

/// Waits for the lock of a file. The lock is released when the file is closed.
fn lock_file(path: &Path) -> io::Result<File> {
    let file = open_lock(path)?;
    file.lock()?;
    Ok(file)
}

/// Opens a lock file, and creates it when it is missing.
fn open_lock(path: &Path) -> io::Result<File> {
    let open = || private(OpenOptions::new().create(true).write(true).truncate(false)).open(path);
    match open() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_folder(folder(path))?;
            open()
        }
        other => other,
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
