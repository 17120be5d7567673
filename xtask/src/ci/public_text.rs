//! No file of the repository names a place on somebody's machine: such a
//! path helps no reader, and tells who built what where.

use crate::shell::{Failure, Repository};

/// First folders of paths that only exist on one machine. Kept without their
/// slashes, so that this file does not find itself.
const FIRST_FOLDERS: [&str; 5] = ["home", "root", "Users", "work", "workspace"];

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
    fn urls_and_relative_paths_are_no_machine_paths() {
        assert_eq!(machine_path("https://example.test/home/page"), None);
        assert_eq!(machine_path("src/work/mod"), None);
        assert_eq!(machine_path("{base_url}/home/x"), None);
        assert_eq!(machine_path("$HOME/.cache"), None);
    }
}
