//! The beginnings of values that are longer than a caller wants to have them: of texts so many characters, of JSON so many of
//! its compact text.

use std::borrow::Cow;

/// The beginning of a text, and how many characters it has in all; `None` where it has no more than `most`.
pub(crate) fn text_excerpt(text: &str, most: u32) -> Option<(&str, u64)> {
    let most = most as usize;
    // A character has a byte at least.
    if text.len() <= most {
        return None;
    }
    let (end, _) = text.char_indices().nth(most)?;
    let (begin, rest) = text.split_at_checked(end)?;
    Some((begin, (most + rest.chars().count()) as u64))
}

/// The beginning of the compact text of JSON, and how many characters that has in all; `None` where it has no more than
/// `most`.
pub(crate) fn json_excerpt(json: &str, most: u32) -> Option<(String, u64)> {
    if json.len() <= most as usize {
        return None;
    }
    let compact = compact(json);
    text_excerpt(&compact, most).map(|(begin, length)| (begin.to_owned(), length))
}

/// JSON, or the beginning of some, without the spaces between its parts.
pub(crate) fn compact(json: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !json.contains(is_space) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for c in json.chars() {
        if is_string {
            (is_string, is_escaped) = match c {
                _ if is_escaped => (true, false),
                '\\' => (true, true),
                '"' => (false, false),
                _ => (true, false),
            };
        } else if is_space(c) {
            continue;
        } else {
            is_string = c == '"';
        }
        out.push(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_are_counted_and_none_is_split() {
        assert_eq!(text_excerpt("Zoë 日本", 3), Some(("Zoë", 6)));
        assert_eq!(text_excerpt("Zoë 日本", 6), None);
        assert_eq!(text_excerpt("Zoë 日本", 5), Some(("Zoë 日", 6)));
        assert_eq!(text_excerpt("a\0b\0c", 3), Some(("a\0b", 5)));
        assert_eq!(text_excerpt("", 1), None);
        assert_eq!(text_excerpt("𝄞𝄞", 1), Some(("𝄞", 2)));
    }

    #[test]
    fn json_is_measured_without_the_spaces_between_its_parts() {
        let json = "{ \"a b\" : [1,\n 2, \" \\\" \"] }";
        assert_eq!(compact(json), r#"{"a b":[1,2," \" "]}"#);
        assert_eq!(json_excerpt(json, 9), Some(("{\"a b\":[1".to_owned(), 20)));
        assert_eq!(json_excerpt("[ 1 ]", 3), None);
        // Of the beginning of a text, too.
        assert_eq!(compact("[1, \"a b"), "[1,\"a b");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_the_beginning(text in "\\PC{0,40}", most in 1..45_u32) {
            let count = text.chars().count();
            match text_excerpt(&text, most) {
                Some((begin, length)) => {
                    prop_assert!(text.starts_with(begin));
                    prop_assert_eq!((begin.chars().count(), length), (most as usize, count as u64));
                }
                None => prop_assert!(count <= most as usize),
            }
        }

        #[test]
        fn compact_json_is_that_of_its_value(value in "[ -~é\\\\\"]{0,20}", number in any::<i32>()) {
            let value = serde_json::json!({"k e": [value, number, null, {}], "x": value});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), value.to_string());
        }
    }
}
