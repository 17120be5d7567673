//! Arrays as PostgreSQL sends them, as JSON.

use tokio_postgres::types::{Kind as SqlKind, Type as SqlType};

use super::Cell;
use crate::{engine::postgres::literal::MAX_DIMENSIONS, value::time::Zone};

/// The type of the elements, where a type is an array of some.
pub(super) fn element_type(sort: &SqlType) -> Option<&SqlType> {
    match sort.kind() {
        SqlKind::Array(element) => Some(match element.kind() {
            SqlKind::Domain(base) => base,
            _ => element,
        }),
        _ => None,
    }
}

/// Writes an array as it was sent; none when it is not of the form that arrays have.
pub(super) fn write(out: &mut Vec<u8>, element: &SqlType, bytes: &[u8], zone: &Zone) -> Option<()> {
    let mut rest = bytes;
    let dimensions = usize::try_from(number(&mut rest)?).ok()?;
    let (_has_null, _element) = (number(&mut rest)?, number(&mut rest)?);
    if dimensions == 0 {
        out.extend_from_slice(b"[]");
        return Some(());
    }
    let mut lengths = Vec::with_capacity(dimensions.min(MAX_DIMENSIONS));
    for _ in 0..dimensions {
        lengths.push(number(&mut rest)?);
        // The number of the first element, which JSON has no place for.
        number(&mut rest)?;
    }
    write_dimension(out, element, &lengths, &mut rest, zone)
}

fn write_dimension(
    out: &mut Vec<u8>,
    element: &SqlType,
    lengths: &[i32],
    rest: &mut &[u8],
    zone: &Zone,
) -> Option<()> {
    let (length, inner) = lengths.split_first()?;
    out.push(b'[');
    for position in 0..*length {
        if position > 0 {
            out.push(b',');
        }
        if !inner.is_empty() {
            write_dimension(out, element, inner, rest, zone)?;
            continue;
        }
        match usize::try_from(number(rest)?) {
            Err(_) => out.extend_from_slice(b"null"),
            Ok(size) => {
                let (bytes, after) = rest.split_at_checked(size)?;
                *rest = after;
                Cell {
                    sort: element,
                    bytes,
                }
                .write(out, zone)?;
            }
        }
    }
    out.push(b']');
    Some(())
}

fn number(rest: &mut &[u8]) -> Option<i32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_end_early_are_not_written() {
        let mut out = Vec::new();
        let bytes: Vec<u8> = [1, 0, 25, 1_000_000, 1, 4]
            .iter()
            .flat_map(|n: &i32| n.to_be_bytes())
            .collect();
        assert_eq!(write(&mut out, &SqlType::TEXT, &bytes, &Zone::UTC), None);
    }
}
