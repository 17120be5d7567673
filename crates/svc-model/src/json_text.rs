//! JSON as text, for people and for comparison, as that of [`PageSettings`](crate::PageSettings). What goes in is known to be JSON;
//! numbers and strings keep their spelling, and a text may be nested to any depth.
//!
//! ```
//! use svc_model::json_text::{canonical, compact, pretty};
//!
//! let text = r#"{"price": 1.50, "ids": []}"#;
//! assert_eq!(pretty(text), "{\n  \"price\": 1.50,\n  \"ids\": []\n}");
//! assert_eq!(compact(text), r#"{"price":1.50,"ids":[]}"#);
//! assert_eq!(canonical(text), canonical(r#"{"ids":[],"price":1.50}"#));
//! ```

use std::fmt::Write as _;

/// How many levels are indented; what lies deeper stays on its line.
const INDENTED: usize = 16;
/// How long a text that is laid out may be, in bytes; and how many times as long as before where that is more.
const LONGEST: usize = 1 << 20;
const TIMES: usize = 4;
/// How many levels are compared value by value; what lies deeper is compared as it is spelled.
const COMPARED: usize = 128;

/// The text without white space between its parts.
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((part, after)) = next_part(rest) {
        out.push_str(part);
        rest = after;
    }
    out
}

/// The text over several lines, indented by two spaces for each level; as it is where that would be far longer.
pub fn pretty(json: &str) -> String {
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

/// A text that two JSON texts share exactly when they mean the same: whatever the white space, the order of
/// properties and the spelling of strings. Numbers are the same when their digits are.
pub fn canonical(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    push_canonical(&mut rest, 0, &mut out);
    out
}

fn push_canonical(rest: &mut &str, depth: usize, out: &mut String) {
    let Some((part, after)) = next_part(rest) else {
        return;
    };
    match part {
        "{" | "[" if depth >= COMPARED => push_as_spelled(rest, out),
        "{" => {
            *rest = after;
            push_canonical_object(rest, depth, out);
        }
        "[" => {
            out.push('[');
            *rest = after;
            while let Some((part, after)) = next_part(rest) {
                match part {
                    "]" => {
                        *rest = after;
                        break;
                    }
                    "," => {
                        out.push(',');
                        *rest = after;
                    }
                    _ => push_canonical(rest, depth + 1, out),
                }
            }
            out.push(']');
        }
        _ => {
            out.push_str(&scalar(part));
            *rest = after;
        }
    }
}

fn push_canonical_object(rest: &mut &str, depth: usize, out: &mut String) {
    let mut members = std::collections::BTreeMap::new();
    while let Some((part, after)) = next_part(rest) {
        *rest = after;
        match part {
            "}" => break,
            "," => {}
            name => {
                if let Some((":", after)) = next_part(rest) {
                    *rest = after;
                }
                let mut value = String::new();
                push_canonical(rest, depth + 1, &mut value);
                // Of a name that comes twice, the last value counts.
                members.insert(scalar(name), value);
            }
        }
    }
    out.push('{');
    for (index, (name, value)) in members.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Writing into a text does not fail.
        let _ = write!(out, "{comma}{name}:{value}");
    }
    out.push('}');
}

/// Copies the array or object that comes next without its white space.
fn push_as_spelled(rest: &mut &str, out: &mut String) {
    let mut open = 0_usize;
    while let Some((part, after)) = next_part(rest) {
        out.push_str(part);
        *rest = after;
        match part {
            "{" | "[" => open += 1,
            "}" | "]" => open -= 1,
            _ => {}
        }
        if open == 0 {
            return;
        }
    }
}

/// A string in one spelling; other scalars are as they are.
fn scalar(part: &str) -> String {
    if !part.starts_with('"') {
        return part.to_owned();
    }
    // A string that no text can hold, such as half of a surrogate pair, stays as it is spelled.
    serde_json::from_str::<String>(part)
        .and_then(|text| serde_json::to_string(&text))
        .unwrap_or_else(|_| part.to_owned())
}

/// The next punctuation mark, string, number or word, and what follows it.
fn next_part(json: &str) -> Option<(&str, &str)> {
    let json = json.trim_start_matches([' ', '\t', '\n', '\r']);
    let bytes = json.as_bytes();
    let end = match bytes.first()? {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        b'"' => {
            let mut end = 1;
            while let Some(&byte) = bytes.get(end) {
                end += 1;
                match byte {
                    b'"' => break,
                    b'\\' => end += 1,
                    _ => {}
                }
            }
            end
        }
        _ => {
            let ends = |byte: &u8| b"{}[],: \t\n\r".contains(byte);
            bytes.iter().position(ends).unwrap_or(bytes.len())
        }
    };
    json.split_at_checked(end.min(json.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_text_is_laid_out_over_lines_with_every_digit() {
        let json = r#"{"a":[1.50,{"b":"x, {y}\""}],"empty":{},"none":[],"c":null}"#;
        let lines = "{\n  \"a\": [\n    1.50,\n    {\n      \"b\": \"x, {y}\\\"\"\n    }\n  ],\n  \
                     \"empty\": {},\n  \"none\": [],\n  \"c\": null\n}";
        assert_eq!(pretty(json), lines);
        assert_eq!(compact(lines), json);
        assert_eq!(pretty(" 7 "), "7");
    }

    #[test]
    fn texts_that_mean_the_same_are_the_same() {
        let one = r#"{"b": [1, 2], "a": "\u0041\/", "a2": {"y": 1, "x": 2}}"#;
        let other = "{\"a2\":{\"x\":2,\"y\":1},\n\"a\":\"A/\",\"b\":[1,2]}";
        assert_eq!(canonical(one), canonical(other));
        for (one, other) in [
            ("1.50", "1.5"),
            ("[1,2]", "[2,1]"),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one} {other}");
        }
        assert_eq!(canonical(r#"{"a":1,"a":2}"#), canonical(r#"{"a":2}"#));
    }

    #[test]
    fn a_text_nested_very_deep_is_laid_out_and_compared() {
        let depth = 50_000;
        let deep = format!("{}1 {}", "[".repeat(depth), "]".repeat(depth));
        let laid_out = pretty(&deep);
        let size = laid_out.len();
        assert!(size < 3 * deep.len() + 200 * INDENTED, "{size}");
        assert_eq!(canonical(&laid_out), canonical(&deep));
        assert_eq!(compact(&laid_out), compact(&deep));
    }

    #[test]
    fn layout_makes_no_text_far_longer() {
        let nested = |inner: &str| "[".repeat(INDENTED) + inner + &"]".repeat(INDENTED);
        let many = nested(&"[1],".repeat(10_000));
        assert!(pretty(&many).len() <= LONGEST);
        let more = nested(&"1,".repeat(100_000));
        assert_eq!(pretty(&more), more);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn layout_changes_nothing_but_white_space(value in any_json()) {
            let json = value.to_string();
            let laid_out = pretty(&json);
            prop_assert_eq!(&compact(&laid_out), &json);
            prop_assert_eq!(&laid_out, &serde_json::to_string_pretty(&value).unwrap());
            prop_assert_eq!(canonical(&laid_out), canonical(&json));
        }

        #[test]
        fn any_text_is_gone_through_to_its_end(text in ".{0,60}") {
            let _ = (compact(&text), pretty(&text), canonical(&text));
        }
    }
}
