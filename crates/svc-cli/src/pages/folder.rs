//! The folder of pages as code: a file for each page, and the state of when they were last the same as a service's.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{content::Content, names};
use crate::error::{Error, OrIo as _, OrJson as _};

/// The file of the state.
pub(super) const STATE: &str = ".svc-pages.json";
/// How many states of a page are remembered.
const MOST_KNOWN: usize = 20;
/// The version of its form.
const VERSION: u32 = 1;

/// The folder.
pub(super) struct Folder {
    path: PathBuf,
    state: State,
    /// The key of the environment that the command is about.
    place: String,
}

/// A file of a page.
#[derive(Clone, Debug)]
pub(super) struct PageFile {
    /// Its name in the folder.
    pub(super) name: String,
    /// The name of its page.
    pub(super) unique_name: String,
    pub(super) content: Content,
}

/// The state of a folder.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    version: u32,
    /// By service, project and environment.
    places: BTreeMap<String, EnvironmentState>,
    /// What pages were in any environment, as digests by unique name, the latest last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    known: BTreeMap<String, Vec<String>>,
}

/// The state of an environment.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentState {
    /// By uid.
    pages: BTreeMap<String, Base>,
}

/// How a page was when folder and service had the same of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Base {
    /// The name of its file.
    pub(super) file: String,
    /// Its unique name.
    pub(super) name: String,
    /// The digest of what the file said.
    pub(super) here: String,
    /// The digest of what the service said.
    pub(super) there: String,
}

impl Folder {
    /// Opens a folder that exists.
    pub(super) fn open(path: &Path, place: [&str; 3]) -> Result<Self, Error> {
        if !path.is_dir() {
            return Err(Error::usage(format!(
                "{} is no folder; svc pages pull makes it",
                path.display()
            )));
        }
        let [url, project, environment] = place;
        Ok(Self {
            path: path.to_owned(),
            state: State::read(&path.join(STATE))?,
            place: format!("{url}/projects/{project}/{environment}"),
        })
    }

    /// Opens a folder, which is made when there is none.
    pub(super) fn make(path: &Path, place: [&str; 3]) -> Result<Self, Error> {
        fs::create_dir_all(path).or_io("write", path)?;
        Self::open(path, place)
    }

    /// The files of pages, in the order of their names.
    pub(super) fn files(&self) -> Result<Vec<PageFile>, Error> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path).or_io("read", &self.path)? {
            let entry = entry.or_io("read", &self.path)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !names::is_page_file(&name) || entry.path().is_dir() {
                continue;
            }
            let text = fs::read_to_string(entry.path()).or_io("read", &entry.path())?;
            let content = Content::of_file(&name, &text)?;
            let said = content.unique_name();
            files.push(PageFile {
                unique_name: said.unwrap_or_else(|| names::unique_name(&name)),
                name,
                content,
            });
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        check_names(&files)?;
        Ok(files)
    }

    /// How the pages of the environment were, by uid.
    pub(super) fn bases(&self) -> BTreeMap<String, Base> {
        let place = self.state.places.get(&self.place);
        place.map(|place| place.pages.clone()).unwrap_or_default()
    }

    /// Whether a page was like this before, in any environment.
    pub(super) fn knew(&self, unique_name: &str, digest: &str) -> bool {
        let known = self.state.known.get(unique_name);
        known.is_some_and(|known| known.iter().any(|one| one == digest))
    }

    /// Writes the file of a page, as a whole or not at all.
    pub(super) fn write(&self, file: &str, content: &Content) -> Result<(), Error> {
        self.replace(file, &content.file_text()?)
    }

    /// Removes the file of a page.
    pub(super) fn remove(&self, file: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.or_io("remove", &path),
        }
    }

    /// Notes how a page is; `None` forgets it.
    pub(super) fn note(&mut self, uid: &str, base: Option<Base>) {
        if let Some(base) = &base {
            let known = self.state.known.entry(base.name.clone()).or_default();
            known.retain(|digest| *digest != base.there);
            known.push(base.there.clone());
            let surplus = known.len().saturating_sub(MOST_KNOWN);
            known.drain(..surplus);
        }
        let place = self.state.places.entry(self.place.clone()).or_default();
        match base {
            Some(base) => place.pages.insert(uid.to_owned(), base),
            None => place.pages.remove(uid),
        };
    }

    /// Saves the state.
    pub(super) fn save(&self) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(&self.state).or_json(STATE)?;
        self.replace(STATE, &(text + "\n"))
    }

    fn replace(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        // A name that no page has.
        let new = self.path.join(format!(".{file}.new"));
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
        written.or_io("write", &path)
    }
}

impl State {
    fn read(path: &Path) -> Result<Self, Error> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    version: VERSION,
                    ..Self::default()
                });
            }
            read => read.or_io("read", path)?,
        };
        let broken = |reason: String| {
            let path = path.display();
            Error::new(format!(
                "{path} {reason}; remove it, and svc pages pull writes it again"
            ))
        };
        let state: Self = serde_json::from_str(&text)
            .map_err(|error| broken(format!("is not what svc pages pull has written: {error}")))?;
        if state.version != VERSION {
            return Err(broken(format!(
                "was written by another version of this program ({})",
                state.version
            )));
        }
        let mut bases = state.places.values().flat_map(|place| place.pages.values());
        match bases.find(|base| !names::is_page_file(&base.file)) {
            Some(base) => Err(broken(format!(
                "names {:?}, which is no file of this folder",
                base.file
            ))),
            None => Ok(state),
        }
    }
}

/// Refuses two files of one page.
fn check_names(files: &[PageFile]) -> Result<(), Error> {
    let mut known = HashSet::new();
    match files.iter().find(|file| !known.insert(&file.unique_name)) {
        None => Ok(()),
        Some(file) => Err(Error::new(format!(
            "{} and another file are of the page {:?}; give one of them another unique_name",
            file.name, file.unique_name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: [&str; 3] = ["http://127.0.0.1:8080", "main", "prod"];

    #[test]
    fn what_is_noted_cannot_name_a_file_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            "../a.json",
            "/etc/a.json",
            ".svc-pages.json",
            "a\\b.json",
            "a",
        ];
        for file in files {
            let text = serde_json::json!({"version": 1, "places": {"p": {"pages": {
                "u": {"file": file, "name": "a", "here": "", "there": ""},
            }}}});
            fs::write(folder.path().join(STATE), text.to_string()).unwrap();
            let error = Folder::open(folder.path(), PLACE).err().unwrap();
            let text = error.to_string();
            assert!(text.contains("no file of this folder"), "{text}");
        }
        for text in ["", "{}", r#"{"version":2,"places":{}}"#] {
            fs::write(folder.path().join(STATE), text).unwrap();
            let error = Folder::open(folder.path(), PLACE).err().unwrap();
            assert!(error.to_string().contains("writes it again"), "{error}");
        }
    }

    #[test]
    fn what_was_noted_is_there_again_for_its_place_only() {
        let folder = tempfile::tempdir().unwrap();
        let base = Base {
            file: "a.json".to_owned(),
            name: "a".to_owned(),
            here: "1".to_owned(),
            there: "2".to_owned(),
        };
        let mut open = Folder::make(&folder.path().join("pages"), PLACE).unwrap();
        open.note("u", Some(base.clone()));
        open.save().unwrap();
        let path = folder.path().join("pages");
        let open = Folder::open(&path, PLACE).unwrap();
        assert_eq!(open.bases().get("u"), Some(&base));
        let elsewhere = Folder::open(&path, ["http://127.0.0.1:8080", "main", "staging"]);
        assert!(elsewhere.unwrap().bases().is_empty());
    }

    #[test]
    fn only_plain_json_files_are_pages_and_each_page_has_one() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b.json", "{}"),
            ("a.json", r#"{"unique_name":"first"}"#),
            (".hidden.json", "no JSON"),
            ("README.md", "text"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::create_dir(folder.path().join("c.json")).unwrap();
        let open = Folder::open(folder.path(), PLACE).unwrap();
        let files = open.files().unwrap();
        let names: Vec<_> = files.iter().map(|file| &*file.unique_name).collect();
        assert_eq!(names, ["first", "b"]);
        fs::write(folder.path().join("c2.json"), r#"{"unique_name":"b"}"#).unwrap();
        let error = open.files().unwrap_err();
        assert!(error.to_string().contains("c2.json"), "{error}");
    }
}
