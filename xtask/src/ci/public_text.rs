//! Checks the text of all files: it must contain no path of a developer's
//! machine, which would not help readers, and none of the words listed below.

use std::path::Path;

use crate::shell::{Failure, Repository};

/// First folders of paths that exist only on one machine. They are written
/// without slashes, so that the check does not find this file.
const FIRST_FOLDERS: [&str; 5] = ["home", "root", "Users", "work", "workspace"];

/// Words that only this project understands or that have a plainer alternative, and the alternative.
const WORDS: [(&str, &str); 11] = [
    ("anew", "again"),
    ("at hand", "available"),
    ("taken away", "removed"),
    ("takes it away", "removes it"),
    ("whoever", "anyone who"),
    ("take_off", "start_flight"),
    ("struct Asked", "what is asked for, such as SqlRequest"),
    ("struct Shown", "struct Projection"),
    ("struct Told", "what it is, such as Refusal"),
    ("struct Walk", "struct PageScan"),
    ("fn notice", "what it does, such as sync_with_store"),
];

/// Checks that no code and no document contains one of [`WORDS`].
pub fn check_words(repository: &Repository) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for (name, text) in repository.texts()? {
        let is_read = name
            .extension()
            .is_some_and(|end| end == "rs" || end == "md");
        if !is_read || name.ends_with(Path::new("public_text.rs")) {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            for (word, instead) in WORDS.iter().filter(|(word, _)| has_word(line, word)) {
                let name = name.display();
                findings.push(format!("{name}:{number}: `{word}`; say `{instead}`"));
            }
        }
    }
    Failure::unless_empty(&findings)
}

/// Whether a line contains these whole words. Case matters, since types begin with a capital.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(start, found)| {
        let before = line[..start].chars().next_back();
        let after = line[start + found.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for (name, text) in repository.texts()? {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(path) = machine_path(line) {
                let name = name.display();
                findings.push(format!("{name}:{number}: names the machine path `{path}`"));
            }
        }
    }
    Failure::unless_empty(&findings)
}

/// The first path in a line that begins at the root of a machine.
fn machine_path(line: &str) -> Option<&str> {
    FIRST_FOLDERS.iter().find_map(|folder| {
        let needle = format!("/{folder}/");
        line.match_indices(&needle).find_map(|(start, found)| {
            let before = line[..start].chars().next_back();
            let after = line[start + found.len()..].chars().next();
            let begins = !before.is_some_and(|c| c.is_alphanumeric() || "/}>.-_~*".contains(c));
            let goes_on = after.is_some_and(|c| c.is_alphanumeric() || c == '.');
            (begins && goes_on).then(|| {
                let end = line[start..]
                    .find(|c: char| c.is_whitespace() || "`'\"),;".contains(c))
                    .map_or(line.len(), |length| start + length);
                &line[start..end]
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(parts: &[&str]) -> String {
        format!("/{}", parts.join("/"))
    }

    #[test]
    fn a_path_of_a_machine_is_found_in_the_middle_of_a_line() {
        let home = path(&["home", "ada", "svc"]);
        assert_eq!(machine_path(&format!("see `{home}`.")), Some(&*home));
        let root = path(&["root", ".cargo"]);
        assert_eq!(machine_path(&format!("dir={root}")), Some(&*root));
    }

    #[test]
    fn only_whole_words_are_found() {
        assert!(has_word("it is made anew.", "anew"));
        assert!(!has_word("a new one, and anewer", "anew"));
        assert!(has_word("fn take_off(&mut self)", "take_off"));
        assert!(!has_word("ToldBy", "Told"));
    }

    #[test]
    fn urls_and_relative_paths_are_not_machine_paths() {
        assert_eq!(machine_path("https://example.test/home/page"), None);
        assert_eq!(machine_path("src/work/mod"), None);
        assert_eq!(machine_path("{base_url}/home/x"), None);
        assert_eq!(machine_path("$HOME/.cache"), None);
    }
}
