//! Whether two JSON texts are the same value.

/// Whether two texts are the same JSON value. Where that cannot be decided for certain, they are not.
pub(crate) fn is_same_json(one: &str, other: &str) -> bool {
    let is_exact = !has_long_number(one) && !has_long_number(other);
    one == other || (is_exact && is_equal_json(one, other))
}

/// Whether two texts are the same JSON value, of whose numbers so much counts as floating point numbers keep.
pub(crate) fn is_equal_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || read(one).is_some_and(|value| Some(value) == read(other))
}

/// Whether a number of a JSON text may have more digits than a floating point number keeps.
fn has_long_number(json: &str) -> bool {
    /// Every decimal number of so many digits is distinguished from every other.
    const EXACT: usize = 15;
    let mut digits = 0;
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        if is_text {
            (is_text, is_escaped) = (byte != b'"' || is_escaped, byte == b'\\' && !is_escaped);
            continue;
        }
        match byte {
            b'0'..=b'9' => digits += 1,
            // The exponent of a number. The `e` of `true` and `false` follows a letter.
            b'e' | b'E' if digits > 0 => return true,
            b'.' => {}
            b'"' => (is_text, digits) = (true, 0),
            _ => digits = 0,
        }
        if digits > EXACT {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_when_its_values_are_and_no_digit_differs() {
        for (one, other) in [
            (
                r#"{"a": 1, "b": [true, null]}"#,
                r#"{"b":[true,null],"a":1}"#,
            ),
            (r#""a\"1""#, r#""\u0061\"1""#),
            ("[1e400]", "[1e400]"),
            ("12345678901234567890123", "12345678901234567890123"),
            (
                r#"["12345678901234567890123"]"#,
                r#"[ "12345678901234567890123" ]"#,
            ),
        ] {
            assert!(is_same_json(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("12345678901234567890123", "12345678901234567890124"),
            (r#"["\"",0.10000000000000001]"#, r#"["\"",0.1]"#),
            ("[1e400]", "[1e401]"),
            ("1", "\"1\""),
            ("[1,2]", "[2,1]"),
        ] {
            assert!(!is_same_json(one, other), "{one} {other}");
        }
    }
}
