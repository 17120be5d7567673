//! JSON as text: laid out for people, with numbers, texts and the order of properties as they were.

use serde_json::value::RawValue;

/// How many levels are indented; what lies deeper stays on its line.
const INDENTED: usize = 16;
/// How long a text that is laid out may be, in bytes; and how many times as long as before where that is more.
const LONGEST: usize = 1 << 20;
const TIMES: usize = 4;

/// What is wrong with a text that is meant to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The character of the line, counted from 1.
    pub(crate) column: usize,
    /// What was expected there.
    pub(crate) message: String,
}

/// Looks whether a text is JSON.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    let error = match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let line = error.line().max(1);
    // The column is counted in bytes.
    let in_line = text.split('\n').nth(line - 1).unwrap_or_default();
    let before = error.column().saturating_sub(1);
    let before = in_line.char_indices().take_while(|(at, _)| *at < before);
    let column = before.count() + 1;
    let message = error.to_string();
    let message = message
        .split_once(" at line ")
        .map_or(&*message, |(message, _)| message);
    Err(Fault {
        line,
        column,
        message: message.to_owned(),
    })
}

/// The text without white space between its parts.
pub(crate) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((part, after)) = next_part(rest) {
        out.push_str(part);
        rest = after;
    }
    out
}

/// The text over several lines, indented by two spaces for each level; as it is where that would be far longer.
pub(crate) fn pretty(json: &str) -> String {
    laid_out(json).unwrap_or_else(|| json.to_owned())
}

fn laid_out(json: &str) -> Option<String> {
    let longest = json.len().saturating_mul(TIMES).max(LONGEST);
    let mut out = String::with_capacity(json.len() * 2);
    let mut level = 0_usize;
    let mut rest = json;
    let mut before = "";
    while let Some((part, after)) = next_part(rest) {
        match part {
            "}" | "]" => {
                level = level.saturating_sub(1);
                if !matches!(before, "{" | "[") {
                    new_line(&mut out, level, level);
                }
            }
            _ if matches!(before, "{" | "[" | ",") => {
                new_line(&mut out, level, level.saturating_sub(1));
            }
            _ => {}
        }
        out.push_str(part);
        if out.len() > longest {
            return None;
        }
        match part {
            "{" | "[" => level += 1,
            ":" => out.push(' '),
            _ => {}
        }
        before = part;
        rest = after;
    }
    Some(out)
}

/// Ends the line where what is inside of `outer` levels is indented.
fn new_line(out: &mut String, level: usize, outer: usize) {
    if outer < INDENTED {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
}

/// The next part of a JSON text, a bracket, a comma, a colon or a scalar, and what follows it.
fn next_part(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let first = text.bytes().next()?;
    let end = match first {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        b'"' => end_of_string(text),
        _ => text
            .find(['{', '}', '[', ']', ',', ':', '"', ' ', '\t', '\n', '\r'])
            .unwrap_or(text.len()),
    };
    text.split_at_checked(end)
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_changes_white_space_and_nothing_else() {
        let json = r#"{"z":1.50,"a":[12345678901234567890,"x\" : {ü",{}],"e":[]}"#;
        let laid_out = pretty(json);
        assert_eq!(
            laid_out,
            "{\n  \"z\": 1.50,\n  \"a\": [\n    12345678901234567890,\n    \"x\\\" : {ü\",\n    {}\n  ],\n  \"e\": []\n}"
        );
        assert_eq!(compact(&laid_out), json);
        assert_eq!(pretty(&laid_out), laid_out);
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        assert_eq!(compact(&pretty(&deep)), deep);
    }

    #[test]
    fn layout_makes_no_text_far_longer() {
        let nested = |inner: &str| "[".repeat(INDENTED) + inner + &"]".repeat(INDENTED);
        let many = nested(&"[1],".repeat(10_000));
        assert!(pretty(&many).len() <= LONGEST);
        let more = nested(&"1,".repeat(100_000));
        assert_eq!(pretty(&more), more);
    }

    #[test]
    fn a_fault_is_named_by_line_and_character() {
        assert_eq!(check(" {\"a\": [1, 2.50]}\n"), Ok(()));
        let fault = check("{\n  \"ä\": \"öö\" 7\n}").unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 13));
        assert!(!fault.message.contains("line"), "{}", fault.message);
        assert_eq!(check("").unwrap_err().line, 1);
        assert_eq!(check("{\n\n").unwrap_err().line, 3);
        assert!(check("{} {}").is_err());
        // Without harm, however deep it is.
        assert!(check(&"[".repeat(100_000)).is_err());
    }
}
