//! What stands between a folder of pages and the service: for each page, what the one has, what the other has, and
//! what both had when they were last the same.

use std::collections::{BTreeMap, HashMap};

use svc_model::JsonObject;

use super::{
    folder::{Base, Folder, PageFile},
    remote::Remote,
};
use crate::error::Error;

/// One page, from all sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Pair {
    pub(super) here: Option<PageFile>,
    pub(super) there: Option<Remote>,
    /// What both had, with the uid of the page that it is about.
    pub(super) base: Option<(String, Base)>,
    /// Whether what the service has is something that the folder had before: of another environment, for example,
    /// which this one is a copy of. Nobody has changed it there since.
    pub(super) had_before: bool,
}

/// How the two sides of a page stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Both have the same, or neither has anything.
    Same,
    /// The folder alone has it, and the service never had.
    New,
    /// The service alone has it, and the folder never had.
    NewThere,
    /// The file was changed.
    Changed,
    /// The page was changed on the service.
    ChangedThere,
    /// The file was removed.
    Removed,
    /// The page was deleted on the service.
    RemovedThere,
    /// Both were changed, or they differ and it is not known which one was.
    Conflict(&'static str),
}

impl Pair {
    /// How the page stands.
    pub(super) fn standing(&self) -> Result<Standing, Error> {
        let (here, there, base) = (&self.here, &self.there, &self.base);
        let changed = match (here, base) {
            (Some(here), Some((_, base))) => here.content.digest()? != base.here,
            _ => true,
        };
        let changed_there = match (there, base) {
            (Some(there), Some((_, base))) => there.content.digest()? != base.there,
            _ => true,
        };
        Ok(match (here, there) {
            (None, None) => Standing::Same,
            (Some(here), Some(there)) => {
                let differ = "the folder and the service have different pages of this name";
                let both = "changed here and on the service since the last pull or push";
                match (changed, changed_there) {
                    _ if here.content.changes_of(&there.content).is_empty() => Standing::Same,
                    _ if base.is_none() && self.had_before => Standing::Changed,
                    _ if base.is_none() => Standing::Conflict(differ),
                    (true, false) => Standing::Changed,
                    (false, true) => Standing::ChangedThere,
                    (true, true) => Standing::Conflict(both),
                    (false, false) => Standing::Same,
                }
            }
            (Some(_), None) if base.is_none() => Standing::New,
            (Some(_), None) if changed => {
                Standing::Conflict("changed here, deleted on the service")
            }
            (Some(_), None) => Standing::RemovedThere,
            (None, Some(_)) if base.is_none() => Standing::NewThere,
            (None, Some(_)) if changed_there => {
                Standing::Conflict("deleted here, changed on the service")
            }
            (None, Some(_)) => Standing::Removed,
        })
    }

    /// What a push gives the page that both sides have.
    pub(super) fn changes(&self) -> JsonObject {
        match (&self.here, &self.there) {
            (Some(here), Some(there)) => here.content.changes_of(&there.content),
            _ => JsonObject::new(),
        }
    }

    /// How messages call the page.
    pub(super) fn label(&self) -> &str {
        let base = self.base.as_ref().map(|(_, base)| base.file.as_str());
        match (&self.here, &self.there) {
            (Some(here), _) => &here.name,
            (None, there) => base
                .or(there.as_ref().map(|there| there.unique_name.as_str()))
                .unwrap_or_default(),
        }
    }
}

/// Brings together what a folder and the service have of each page.
pub(super) fn pairs_of(folder: &Folder, remotes: Vec<Remote>, files: Vec<PageFile>) -> Vec<Pair> {
    let mut pairs = pairs(files, remotes, folder.bases());
    find_known(&mut pairs, |name, digest| folder.knew(name, digest));
    pairs
}

/// Brings together what is of one page: by the state of the folder, then by names.
fn pairs(files: Vec<PageFile>, remotes: Vec<Remote>, bases: BTreeMap<String, Base>) -> Vec<Pair> {
    let mut files: Vec<Option<PageFile>> = files.into_iter().map(Some).collect();
    let mut take_file = |is: &dyn Fn(&PageFile) -> bool| {
        let mut files = files.iter_mut();
        files.find(|file| file.as_ref().is_some_and(is))?.take()
    };
    let mut order = Vec::with_capacity(remotes.len());
    let mut there = HashMap::with_capacity(remotes.len());
    for remote in remotes {
        let uid = remote.uid.to_string();
        order.push(uid.clone());
        there.insert(uid, remote);
    }

    let mut pairs: Vec<Pair> = bases
        .into_iter()
        .map(|(uid, base)| Pair {
            here: take_file(&|file| file.name == base.file),
            there: there.remove(&uid),
            base: Some((uid, base)),
            had_before: false,
        })
        .collect();
    // A file that was renamed is known by the name of its page.
    for pair in &mut pairs {
        if let (None, Some((_, base))) = (&pair.here, &pair.base) {
            pair.here = take_file(&|file| file.unique_name == base.name);
        }
    }
    // A page that was deleted and made again is another one.
    let by_name: HashMap<String, String> = there
        .values()
        .map(|remote| (remote.unique_name.clone(), remote.uid.to_string()))
        .collect();
    let mut take_there = |name: &str| by_name.get(name).and_then(|uid| there.remove(uid));
    let mut forgotten = Vec::new();
    for pair in &mut pairs {
        if let (Some(here), None) = (&pair.here, &pair.there)
            && let Some(remote) = take_there(&here.unique_name)
        {
            pair.there = Some(remote);
            forgotten.push(Pair {
                base: pair.base.take(),
                ..Pair::default()
            });
        }
    }
    pairs.append(&mut forgotten);
    for file in files.into_iter().flatten() {
        pairs.push(Pair {
            there: take_there(&file.unique_name),
            here: Some(file),
            ..Pair::default()
        });
    }
    for uid in order {
        if let Some(remote) = there.remove(&uid) {
            pairs.push(Pair {
                there: Some(remote),
                ..Pair::default()
            });
        }
    }
    pairs.sort_by(|one, other| one.label().cmp(other.label()));
    pairs
}

/// Finds the pages that are new to the folder in this environment, and of which the service has what the folder had
/// before.
fn find_known(pairs: &mut [Pair], is_known: impl Fn(&str, &str) -> bool) {
    for pair in pairs {
        if let (Some(_), Some(there), None) = (&pair.here, &pair.there, &pair.base) {
            let digest = there.content.digest();
            pair.had_before = digest.is_ok_and(|digest| is_known(&there.unique_name, &digest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::content::Content, *};

    fn file(name: &str, v: u32) -> PageFile {
        let text = format!(r#"{{"unique_name":"{name}","v":{v}}}"#);
        PageFile {
            name: format!("{name}.json"),
            unique_name: name.to_owned(),
            content: Content::of_file(name, &text).unwrap(),
        }
    }

    fn remote(uid: &str, name: &str, v: u32) -> Remote {
        let text = format!(r#"{{"uid":"{uid}","unique_name":"{name}","v":{v}}}"#);
        Remote::of(serde_json::from_str(&text).unwrap()).unwrap()
    }

    /// How a page was that both had with this value.
    fn base_of(uid: &str, name: &str, v: u32) -> (String, Base) {
        let digest = file(name, v).content.digest().unwrap();
        let base = Base {
            file: format!("{name}.json"),
            name: name.to_owned(),
            here: digest.clone(),
            there: digest,
        };
        (uid.to_owned(), base)
    }

    fn standing(
        files: Vec<PageFile>,
        remotes: Vec<Remote>,
        bases: Vec<(String, Base)>,
    ) -> Vec<Standing> {
        let pairs = pairs(files, remotes, bases.into_iter().collect());
        pairs.iter().map(|pair| pair.standing().unwrap()).collect()
    }

    #[test]
    fn a_page_stands_as_its_two_sides_have_changed() {
        use Standing::*;

        // The value of the file, of the page, and of both when they were last the same.
        let stands = |here: Option<u32>, there: Option<u32>, base: Option<u32>| {
            let here = here.map(|v| file("a", v)).into_iter().collect();
            let there = there.map(|v| remote("u", "a", v)).into_iter().collect();
            let base = base.map(|v| base_of("u", "a", v)).into_iter().collect();
            match standing(here, there, base)[..] {
                [Conflict(_)] => Conflict(""),
                [standing] => standing,
                _ => panic!("one page has one standing"),
            }
        };
        for (here, there, base, standing) in [
            (Some(1), Some(1), Some(1), Same),
            (Some(2), Some(1), Some(1), Changed),
            (Some(1), Some(2), Some(1), ChangedThere),
            (Some(2), Some(2), Some(1), Same),
            (Some(2), Some(3), Some(1), Conflict("")),
            (None, Some(1), Some(1), Removed),
            (None, Some(2), Some(1), Conflict("")),
            (Some(1), None, Some(1), RemovedThere),
            (Some(2), None, Some(1), Conflict("")),
            (None, None, Some(1), Same),
            (Some(1), None, None, New),
            (None, Some(1), None, NewThere),
            (Some(1), Some(1), None, Same),
            (Some(1), Some(2), None, Conflict("")),
        ] {
            assert_eq!(
                stands(here, there, base),
                standing,
                "{here:?} {there:?} {base:?}"
            );
        }
    }

    #[test]
    fn a_renamed_file_and_a_renamed_page_stay_one_page() {
        let mut moved = file("a", 1);
        moved.name = "moved.json".to_owned();
        let bases = vec![base_of("u", "a", 1)];
        assert_eq!(
            standing(vec![moved], vec![remote("u", "a", 1)], bases.clone()),
            [Standing::Same]
        );
        assert_eq!(
            standing(vec![file("a", 1)], vec![remote("u", "b", 1)], bases.clone()),
            [Standing::ChangedThere]
        );
        let mut renamed = file("b", 1);
        renamed.name = "a.json".to_owned();
        assert_eq!(
            standing(vec![renamed], vec![remote("u", "a", 1)], bases),
            [Standing::Changed]
        );
    }

    #[test]
    fn a_page_that_was_made_anew_is_found_by_its_name() {
        let bases = vec![base_of("old", "a", 1)];
        let (files, remotes) = (vec![file("a", 1)], vec![remote("new", "a", 1)]);
        let pairs = pairs(files, remotes, bases.into_iter().collect());
        let with_both = pairs.iter().find(|pair| pair.here.is_some()).unwrap();
        assert_eq!(with_both.standing().unwrap(), Standing::Same);
        assert!(with_both.there.is_some() && with_both.base.is_none());
    }

    #[test]
    fn a_copy_that_nobody_changed_is_no_conflict_and_one_that_was_changed_is() {
        let known = file("a", 1).content.digest().unwrap();
        let conflict = "the folder and the service have different pages of this name";
        for (there, standing) in [(1, Standing::Changed), (3, Standing::Conflict(conflict))] {
            let remotes = vec![remote("9", "a", there)];
            let mut pairs = pairs(vec![file("a", 2)], remotes, BTreeMap::new());
            find_known(&mut pairs, |name, digest| name == "a" && digest == known);
            assert_eq!(pairs[0].standing().unwrap(), standing);
        }
    }
}
