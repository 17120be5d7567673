//! Names of pages as names of files: safe on every system, readable where they can be.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;

/// What the name of a file of a page ends with.
const ENDING: &str = ".json";
/// How many bytes of a file name a name takes at most.
const MAX_LENGTH: usize = 180;
/// Names that are no files on Windows, whatever follows behind a dot.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The name of the file of a page. Characters that a system may take for something else are percent escapes: whatever
/// is no letter, no digit, `-`, `_` or an inner `.`.
pub(super) fn file_name(unique_name: &str) -> String {
    let mut name = String::new();
    let mut characters = unique_name.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let inner_dot = c == '.' && at > 0 && characters.peek().is_some();
        match c.is_alphanumeric() || matches!(c, '-' | '_') || inner_dot {
            true => name.push(c),
            false => name += &escaped(c),
        }
    }
    if is_reserved(&name) {
        let first = name.remove(0);
        name.insert_str(0, &escaped(first));
    }
    if name.len() > MAX_LENGTH {
        name.truncate(name.floor_char_boundary(MAX_LENGTH));
        name.push('~');
    }
    name + ENDING
}

/// A name that none of these files has, not even in other letters.
pub(super) fn free(unique_name: &str, taken: &HashSet<String>) -> String {
    let name = file_name(unique_name);
    let stem = name.strip_suffix(ENDING).unwrap_or(&name);
    // `~` is in no name by itself.
    let numbered = (2..).map(|number: u32| format!("{stem}~{number}{ENDING}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| !taken.contains(&folded(name)));
    free.unwrap_or_default()
}

/// What two names share that are one file where upper and lower case are the same.
pub(super) fn folded(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

/// The page name that a file name stands for, for a file that does not say its page's.
pub(super) fn unique_name(file: &str) -> String {
    let stem = file.strip_suffix(ENDING).unwrap_or(file);
    match percent_decode_str(stem).decode_utf8() {
        Ok(name) => name.into_owned(),
        Err(_) => stem.to_owned(),
    }
}

/// Whether a file may be one of a page: a plain name in the folder itself.
pub(super) fn is_page_file(name: &str) -> bool {
    name.len() > ENDING.len()
        && name.ends_with(ENDING)
        && !name.starts_with('.')
        && !name.contains(['/', '\\', ':', '\0'])
}

fn escaped(c: char) -> String {
    let mut bytes = [0; 4];
    let bytes = c.encode_utf8(&mut bytes).bytes();
    bytes.map(|byte| format!("%{byte:02X}")).collect()
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let device = |prefix: &str| {
        let number = stem.strip_prefix(prefix);
        number.is_some_and(|number| number.chars().count() == 1)
    };
    RESERVED.contains(&stem.as_str()) || device("com") || device("lpt")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_names_are_files_of_that_name() {
        for name in ["orders", "order_list_2", "Orders-2026", "übersicht", "a.b"] {
            assert_eq!(file_name(name), format!("{name}.json"));
        }
    }

    #[test]
    fn no_name_leaves_the_folder_or_means_a_device() {
        for (name, file) in [
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.json"),
            ("..", "%2E%2E.json"),
            (".svc-pages", "%2Esvc-pages.json"),
            ("a\\b:c", "a%5Cb%3Ac.json"),
            ("CON", "%43ON.json"),
            ("nul.x", "%6Eul.x.json"),
            ("com1", "%63om1.json"),
            ("common", "common.json"),
            ("100% *?", "100%25%20%2A%3F.json"),
            ("a.", "a%2E.json"),
        ] {
            assert_eq!(file_name(name), file);
        }
    }

    #[test]
    fn names_that_differ_in_case_alone_get_files_of_their_own() {
        let mut taken = HashSet::new();
        for (name, file) in [
            ("orders", "orders.json"),
            ("Orders", "Orders~2.json"),
            ("ORDERS", "ORDERS~3.json"),
        ] {
            let free = free(name, &taken);
            assert_eq!(free, file);
            taken.insert(folded(&free));
        }
    }

    proptest! {
        #[test]
        fn every_name_is_a_plain_file_name_and_comes_back(name in "\\PC{1,60}|[./\\\\a%]{1,8}") {
            let file = file_name(&name);
            prop_assert!(is_page_file(&file), "{}", file);
            prop_assert!(file.len() <= MAX_LENGTH + 6);
            if !file.contains('~') {
                prop_assert_eq!(unique_name(&file), name);
            }
        }

        #[test]
        fn a_long_name_is_cut(name in "\\PC{200,255}") {
            prop_assert!(file_name(&name).len() <= MAX_LENGTH + 6);
        }
    }
}
