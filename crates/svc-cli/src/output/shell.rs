//! Texts in commands that people copy.

/// A text as a word of a shell.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=@%,:".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(shell_word("dir/a-1.csv"), "dir/a-1.csv");
        assert_eq!(shell_word("it's $HOME.csv"), "'it'\\''s $HOME.csv'");
        assert_eq!(shell_word(""), "''");
    }
}
