//! Where a text that is meant to be JSON has its fault.

use serde_json::value::RawValue;

/// What is wrong with a text that is meant to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The character of the line, counted from 1.
    pub(crate) column: usize,
    /// How many units of UTF-16 are before it, where lines end with LF: as scripts of a browser count.
    pub(crate) units: usize,
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
    let before: String = before.map(|(_, character)| character).collect();
    let lines_before = text.split('\n').take(line - 1);
    let units = |line: &str| line.trim_end_matches('\r').encode_utf16().count();
    let units_before: usize = lines_before.map(|line| units(line) + 1).sum();
    let message = error.to_string();
    let message = message
        .split_once(" at line ")
        .map_or(&*message, |(message, _)| message);
    Err(Fault {
        line,
        column: before.chars().count() + 1,
        units: units_before + units(&before),
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_named_by_line_and_character() {
        assert_eq!(check(" {\"a\": [1, 2.50]}\n"), Ok(()));
        let fault = check("{\n  \"ä\": \"öö\" 7\n}").unwrap_err();
        assert_eq!((fault.line, fault.column, fault.units), (2, 13, 14));
        let fault = check("{\r\n\"😀\" 7}").unwrap_err();
        assert_eq!((fault.line, fault.column, fault.units), (2, 5, 7));
        assert!(!fault.message.contains("line"), "{}", fault.message);
        assert_eq!(check("").unwrap_err().line, 1);
        assert_eq!(check("{\n\n").unwrap_err().line, 3);
        assert!(check("{} {}").is_err());
        // Without harm, however deep it is.
        assert!(check(&"[".repeat(100_000)).is_err());
    }
}
