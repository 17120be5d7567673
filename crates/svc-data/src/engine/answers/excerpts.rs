//! The excerpts of values, as they are answered: what the database has cut, and what is cut here.

use super::Cells;
use crate::{
    Field,
    record::{
        excerpt::{Cutting, Place},
        raw::RawCell,
    },
    structure::Kind,
    value::{
        excerpt::{compact, json_excerpt, text_excerpt},
        json::write_text,
        time::Zone,
    },
};

/// Writes a value or its beginning; gives the whole length of one that was cut.
pub(crate) fn write<C: Cells + ?Sized>(
    row: &C,
    out: &mut Vec<u8>,
    field: &Field,
    place: Place,
    zone: &Zone,
) -> Result<Option<u64>, C::Error> {
    let Place {
        position,
        cutting,
        most,
    } = place;
    match cutting {
        Cutting::Never => {}
        Cutting::Here => return cut(row, out, field, place, zone),
        Cutting::InDatabase(length) => {
            let length = row.number(length)?;
            if let Some(length) = length.filter(|length| *length > u64::from(most)) {
                row.write_part(out, field, row.part(field, position)?);
                return Ok(Some(length));
            }
        }
        Cutting::Measured => {
            if let RawCell::Text(text) = row.part(field, position)? {
                return Ok(write_measured(out, text, most));
            }
        }
    }
    row.write(out, field, position, zone)?;
    Ok(None)
}

/// Cuts a value that was read whole.
fn cut<C: Cells + ?Sized>(
    row: &C,
    out: &mut Vec<u8>,
    field: &Field,
    place: Place,
    zone: &Zone,
) -> Result<Option<u64>, C::Error> {
    let Place { position, most, .. } = place;
    let is_shown = matches!(row.raw(field, position)?, RawCell::Shown);
    if is_shown && field.kind == Kind::Json {
        let begin = out.len();
        row.write(out, field, position, zone)?;
        let json = String::from_utf8_lossy(out.get(begin..).unwrap_or_default());
        return Ok(json_excerpt(&json, most).map(|(excerpt, length)| {
            out.truncate(begin);
            write_text(out, &excerpt);
            length
        }));
    }
    let part = match is_shown {
        true => RawCell::Shown,
        false => row.part(field, position)?,
    };
    match part {
        RawCell::Binary(bytes) => {
            let length = bytes.len() as u64;
            if let Some((begin, [_, ..])) = bytes.split_at_checked(most as usize) {
                row.write_part(out, field, RawCell::Binary(begin));
                return Ok(Some(length));
            }
        }
        RawCell::Text(text) => {
            if let Some((begin, length)) = text_excerpt(&String::from_utf8_lossy(text), most) {
                row.write_part(out, field, RawCell::Text(begin.as_bytes()));
                return Ok(Some(length));
            }
        }
        RawCell::Null | RawCell::Shown => {}
    }
    row.write(out, field, position, zone)?;
    Ok(None)
}

/// Writes JSON in front of which its length and a colon are, or a colon alone: then it is short.
fn write_measured(out: &mut Vec<u8>, measured: &[u8], most: u32) -> Option<u64> {
    let measured = String::from_utf8_lossy(measured);
    let (length, json) = measured.split_once(':')?;
    let Ok(length) = length.parse::<u64>() else {
        out.extend_from_slice(json.as_bytes());
        return None;
    };
    let is_whole = json.chars().count() as u64 >= length;
    let json = compact(json);
    let excerpt = text_excerpt(&json, most);
    match (excerpt, is_whole) {
        (None, true) => {
            out.extend_from_slice(json.as_bytes());
            None
        }
        (Some((begin, length)), true) => {
            write_text(out, begin);
            Some(length)
        }
        (excerpt, false) => {
            write_text(out, excerpt.map_or(&json, |(begin, _)| begin));
            Some(length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_its_length_in_front_is_shown_whole_or_cut() {
        let written = |measured: &str, most| {
            let mut out = Vec::new();
            let length = write_measured(&mut out, measured.as_bytes(), most);
            (String::from_utf8(out).unwrap(), length)
        };
        assert_eq!(written(":[1, 2]", 9), ("[1, 2]".to_owned(), None));
        // It has spaces, and without them it is short.
        assert_eq!(written("6:[1, 2]", 5), ("[1,2]".to_owned(), None));
        assert_eq!(written("6:[1, 2]", 4), ("\"[1,2\"".to_owned(), Some(5)));
        // Of a longer one, the database gave no more.
        let begin = "900:{\"a\": \"b";
        assert_eq!(written(begin, 4), ("\"{\\\"a\\\"\"".to_owned(), Some(900)));
        assert_eq!(
            written(begin, 20),
            ("\"{\\\"a\\\":\\\"b\"".to_owned(), Some(900))
        );
    }
}
