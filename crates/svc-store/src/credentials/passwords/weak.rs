//! Passwords that are guessed first.

/// Passwords and parts of them that lists of leaked passwords have near their beginning, in lower case.
const COMMON: &str = include_str!("common.txt");
/// Rows of keys and of the alphabet, which passwords follow forwards and backwards.
const ROWS: [&str; 8] = [
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789012345678901234567890",
    "1234567890-=",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
];
/// The fewest different characters of a password.
const FEWEST_CHARACTERS: usize = 4;

/// What is wrong with a password that is guessed first; `None` for every other one.
pub(crate) fn weakness(password: &str) -> Option<&'static str> {
    let lower = password.to_lowercase();
    if lower.trim().is_empty() {
        return Some("must not consist of spaces alone");
    }
    let mut characters: Vec<char> = lower.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    if characters.len() < FEWEST_CHARACTERS {
        return Some("must have at least 4 different characters");
    }
    let follows_row = ROWS.iter().any(|row| {
        let back: String = row.chars().rev().collect();
        row.contains(&lower) || back.contains(&lower)
    });
    if follows_row {
        return Some("must not be a row of letters, digits or keys");
    }
    match is_common(&lower) {
        true => Some(
            "is one of the passwords that are guessed first; choose another one, such as several words",
        ),
        false => None,
    }
}

/// Whether a password in lower case is a common one, unchanged, with digits and signs around it, or with signs in the
/// place of letters.
fn is_common(lower: &str) -> bool {
    let letters = lower.trim_matches(|c: char| !c.is_alphabetic());
    let plain = |text: &str| text.chars().map(letter).collect::<String>();
    let as_word = plain(lower);
    let bare = as_word.trim_matches(|c: char| !c.is_alphabetic());
    let end = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    let candidates = [lower, letters, &as_word, bare, &plain(letters), &plain(end)];
    COMMON
        .split_ascii_whitespace()
        .any(|common| candidates.contains(&common))
}

/// The letter that a sign or digit is written for.
fn letter(sign: char) -> char {
    match sign {
        '@' | '4' => 'a',
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '$' | '5' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_guessed_first_is_refused() {
        let words = "\
            aaaaaaaa abababab 12121212 12345678 87654321 1234567890 abcdefgh qwertyuiop \
            ASDFGHJKL password Password password1 Password123! P@ssw0rd p4$$w0rd2026 123password \
            iloveyou Welcome2024 Summer2026! qwerty123 1q2w3e4r 1qaz2wsx3edc changeme! \
            administrator letmein!! postgres";
        for password in words.split(' ').chain(["        ", "\t \u{a0}     "]) {
            assert!(weakness(password).is_some(), "{password:?}");
        }
    }

    #[test]
    fn what_is_not_guessed_first_is_a_password() {
        for password in [
            "correct horse",
            "battery staple",
            "a new password",
            "changed-password",
            "Tr0ub4dor&3",
            "x7$kQ!p2",
            "грибной суп",
            "密码密码安全强",
            "qwerty and the piano",
        ] {
            assert_eq!(weakness(password), None, "{password:?}");
        }
    }

    #[test]
    fn the_list_is_in_lower_case() {
        assert_eq!(COMMON, COMMON.to_lowercase());
    }
}
