//! A part of a text, by its places: browsers count them in units of UTF-16.

use std::ops::Range;

/// Where a part begins and ends, in bytes; `None` where the text has no such part, or nothing is in it.
pub(super) fn read(text: &str, places: &str) -> Option<Range<usize>> {
    let (from, to) = places.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    let part = byte_at(text, from)?..byte_at(text, to)?;
    let is_something = text
        .get(part.clone())?
        .contains(|c: char| !c.is_whitespace());
    is_something.then_some(part)
}

/// The places of a part, as [`read`] reads them.
pub(super) fn write(text: &str, part: &Range<usize>) -> String {
    let units = |end: usize| text.get(..end).unwrap_or_default().encode_utf16().count();
    format!("{}-{}", units(part.start), units(part.end))
}

/// The byte behind so many units; `None` within a character, and behind the text.
fn byte_at(text: &str, units: usize) -> Option<usize> {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        left = left.checked_sub(c.len_utf16())?;
    }
    (left == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_the_places_that_a_browser_names() {
        let text = "ä 😀\nSELECT 1";
        for (places, part) in [
            ("0-1", Some("ä")),
            ("2-4", Some("😀")),
            ("5-13", Some("SELECT 1")),
            // Within a character, nothing but space, behind the end, and what is no place.
            ("2-3", None),
            ("4-5", None),
            ("5-14", None),
            ("9-5", None),
            ("x-5", None),
            ("", None),
        ] {
            let found = read(text, places);
            assert_eq!(found.clone().map(|part| &text[part]), part, "{places}");
            if let Some(found) = found {
                assert_eq!(write(text, &found), places);
            }
        }
    }
}
